"""One column: the law of what comes out, row by row, and refusals that show no value."""

from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chi2

from dprivacy.errors import BadNumber, DPrivacyError, Malformed, UnknownCategory
from dprivacy.mechanisms import reports_in
from dprivacy.release import Plan
from dprivacy.release.columns.column_batches import ColumnProtector, published_type
from dprivacy.sampling import InsecureSource, KeyedSource, SystemSource
from support import release_tables as specs
from support.release_tables import plan_of, seed_is_noticed

CANARY = "CANARY-7f3a"


def protector(spec, seed=1, **options):
    with seed_is_noticed():
        source = InsecureSource(seed)
    return ColumnProtector(plan_of(spec).columns[0], source, **options)


def refusal(spec, array, **options):
    with pytest.raises(DPrivacyError) as caught:
        protector(spec, **options).apply([array])
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        (specs.LETTERS, ["a", "b", "c"]),
        (specs.CODES, [1, 2, 3]),
        (specs.TREE, ["FR", "DE", "JP", "KR"]),
        (specs.GRAPH, ["a", "b", "c"]),
        (specs.TABLE, ["a", "b", "c"]),
        ({"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 2"}, [1, 2, 3]),
        ({**specs.LETTERS, "delta": "1/10"}, ["a", "b", "c"]),
        ({**specs.LETTERS, "nulls": "category"}, ["a", None]),
        (specs.NUMBERS, [0, 5, 10]),
    ],
)
def test_the_law_is_the_channel(spec, values):
    n = 20_000
    channel = plan_of(spec).columns[0].mechanism.channel
    for x in values:
        (noisy,) = protector(spec).apply([pa.array([x] * n)])
        seen = Counter(noisy.to_pylist())
        law = {y: float(p) for y, p in channel.row(x).items() if p}
        assert set(seen) <= {None if y is None else y for y in law}
        rare = sum(p for p in law.values() if p * n < 5)
        common = {y: p for y, p in law.items() if p * n >= 5}
        statistic = sum((seen[y] - n * p) ** 2 / (n * p) for y, p in common.items())
        assert statistic < chi2.ppf(1 - 1e-6, len(common)), (x, seen)
        assert rare < 0.01


def test_rows_are_independent_of_their_neighbours():
    """Permuting the rows permutes the words: with the same word, a row gets the same answer."""
    values = np.array(["a", "b", "c"])[np.arange(3000) % 3]
    order = np.random.default_rng(0).permutation(3000)
    (straight,) = protector(specs.LETTERS).apply([pa.array(values)])

    class Permuted:
        secure = False

        def __init__(self):
            with seed_is_noticed():
                self.source = InsecureSource(1)

        def words(self, n):
            return self.source.words(n)[order]

        def below(self, bound):
            return self.source.below(bound)

    turned = ColumnProtector(plan_of(specs.LETTERS).columns[0], Permuted())
    (other,) = turned.apply([pa.array(values[order])])
    assert np.array_equal(np.asarray(straight)[order], np.asarray(other))


def test_batches_do_not_change_the_answers():
    values = ["a", "b", "c"] * 500
    (whole,) = protector(specs.LETTERS).apply([pa.array(values)])
    parts = protector(specs.LETTERS)
    pieces = [parts.apply([pa.array(values[k : k + 250])])[0] for k in range(0, 1500, 250)]
    assert pa.concat_arrays(pieces).to_pylist() == whole.to_pylist()


def test_fresh_noise_every_time():
    column = plan_of(specs.LETTERS).columns[0]
    runs = {
        tuple(ColumnProtector(column, SystemSource()).apply([pa.array(["a"] * 200)])[0].to_pylist())
        for _ in range(5)
    }
    assert len(runs) == 5


def test_a_keyed_source_repeats_itself():
    column, key = plan_of(specs.LETTERS).columns[0], bytes(range(32))
    once, again = (
        ColumnProtector(column, KeyedSource(key, 3)).apply([pa.array(["a"] * 200)])[0].to_pylist()
        for _ in range(2)
    )
    assert once == again


class TestNulls:
    def test_refused_by_row(self):
        text = refusal(specs.LETTERS, pa.array(["a", "b", None, None]))
        assert "column 'h', row 2: is missing" in text

    @pytest.mark.parametrize(
        ("spec", "array"),
        [
            (specs.LETTERS, pa.array(["a", None])),
            (specs.LETTERS, pa.nulls(3)),
            (specs.LETTERS, pa.array(["a", None]).dictionary_encode()),
            (specs.CODES, pa.array([1, None])),
            (specs.CODES, pa.array([1.0, None])),
        ],
    )
    def test_as_a_category(self, spec, array):
        many = pa.concat_arrays([array] * 500)
        (noisy,) = protector({**spec, "nulls": "category"}).apply([many])
        assert noisy.null_count > 0
        assert len(noisy) == len(many)
        assert len(set(noisy.to_pylist())) == 4
        assert pa.types.is_dictionary(noisy.type) is pa.types.is_dictionary(array.type)

    @pytest.mark.parametrize(
        ("spec", "value", "array"),
        [
            (specs.LETTERS, "a", pa.array(["b", None])),
            (specs.LETTERS, "a", pa.nulls(2)),
            (specs.LETTERS, "a", pa.array(["b", None], pa.large_string())),
            (specs.LETTERS, "a", pa.array(["b", None]).dictionary_encode()),
            (specs.CODES, 1, pa.array([2, None])),
            (specs.CODES, 1, pa.array(["2", None])),
            (specs.NUMBERS, 5, pa.array([1.5, None])),
            (specs.NUMBERS, 5, pa.array(["1.5", None])),
            (specs.NUMBERS, 5, pa.array([1, None], pa.int8())),
            (specs.BITS, "0000", pa.array(["0101", None])),
        ],
    )
    def test_replaced(self, spec, value, array):
        (noisy,) = protector({**spec, "nulls": {"replace": value}}).apply([array])
        assert noisy.null_count == 0

    @pytest.mark.parametrize("kind", [pa.int64(), pa.int8(), pa.uint64(), pa.float64()])
    def test_whole_numbers_may_lack_one_that_is_not_whole(self, kind):
        """It is not cut down to a whole one."""
        spec = {"type": "numbers", "low": "-3/4", "high": "1/4", "grid": "1/2", "epsilon": "1"}
        column = protector({**spec, "nulls": {"replace": -0.75}})
        assert column.look([pa.array([None, 1, None], kind)]).tolist() == [0, 2, 0]
        with pytest.raises(BadNumber, match="row 4: is not a number that a double can hold"):
            column.look([pa.array([None, 2**53 + 1])])

    def test_replaced_before_the_noise(self):
        spec = {**specs.LETTERS, "epsilon": "20", "nulls": {"replace": "b"}}
        (noisy,) = protector(spec).apply([pa.nulls(500, pa.string())])
        assert set(noisy.to_pylist()) == {"b"}

    @pytest.mark.parametrize("word", ["NA", "NaN", "null", "None"])
    def test_words_for_missing_values_in_text_files(self, word):
        cells = pa.array(["a", word])
        assert "row 1: is missing" in refusal(specs.LETTERS, cells, texts=True)
        assert "row 1: holds a value outside" in refusal(specs.LETTERS, cells)
        declared = {**specs.LETTERS, "values": ["a", word]}
        (noisy,) = protector(declared, texts=True).apply([cells])
        assert set(noisy.to_pylist()) <= {"a", word}


class TestUnknown:
    @pytest.mark.parametrize(
        ("spec", "array"),
        [
            (specs.LETTERS, pa.array(["a", CANARY])),
            (specs.LETTERS, pa.array(["a", "a "])),
            (specs.LETTERS, pa.array(["a", " a"])),
            (specs.LETTERS, pa.array(["a", "A"])),
            (specs.LETTERS, pa.array(["a", ""])),
            (specs.LETTERS, pa.array(["a", "a\0"])),
            (specs.LETTERS, pa.array(["a", CANARY]).dictionary_encode()),
            (specs.LETTERS, pa.array([b"a", b"\xff"])),
            (specs.CODES, pa.array([1, 7])),
            (specs.CODES, pa.array([1.0, 1.5])),
            (specs.CODES, pa.array([1.0, float("nan")])),
            (specs.CODES, pa.array([1.0, float("inf")])),
            (specs.CODES, pa.array(["1", CANARY])),
            (specs.CODES, pa.array(["1", " 2"])),
            (specs.CODES, pa.array(["1", "2.0"])),
            (specs.CODES, pa.array(["1", "99999999999999999999999"])),
            (specs.CODES, pa.array([1, 2**64 - 1], pa.uint64())),
            (specs.BITS, pa.array(["0101", "0102"])),
            (specs.BITS, pa.array(["0101", "01011"])),
            (specs.BITS, pa.array(["0101", "٠101"])),
            (specs.BITS, pa.array(["0101", "0101\n"])),
        ],
    )
    def test_by_row_number_never_by_value(self, spec, array):
        with pytest.raises(UnknownCategory):
            protector(spec).apply([array])
        assert "column 'h', row 1: " in refusal(spec, array)

    def test_the_row_number_counts_over_batches(self):
        column = protector(specs.LETTERS)
        column.apply([pa.array(["a"] * 70_000)])
        column.apply([pa.array(["b"] * 5)])
        with pytest.raises(UnknownCategory, match=r"row 70007: "):
            column.apply([pa.array(["a", "b", CANARY, CANARY])])

    def test_a_dictionary_entry_that_no_row_has_is_no_matter(self):
        array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), ["a", "b", CANARY])
        (noisy,) = protector(specs.LETTERS).apply([array])
        assert noisy.dictionary.to_pylist() == ["a", "b", "c"]


class TestTypes:
    @pytest.mark.parametrize(
        "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary()]
    )
    def test_texts_are_strings(self, kind):
        (noisy,) = protector(specs.LETTERS).apply([pa.array(["a", "b", "c", "a"]).cast(kind)])
        assert noisy.type == pa.string()

    @pytest.mark.parametrize(
        "kind",
        [
            pa.int8(),
            pa.uint16(),
            pa.int64(),
            pa.uint64(),
            pa.float32(),
            pa.float64(),
            pa.string(),
            pa.decimal128(25, 2),
        ],
    )
    def test_codes_are_whole_numbers_of_64_bits(self, kind):
        """Whoever reads a table chooses a smaller type, or doubles, by the values that are there."""
        (noisy,) = protector(specs.CODES).apply([pa.array([1, 2, 3]).cast(kind)])
        assert noisy.type == pa.int64()

    @pytest.mark.parametrize(
        "array",
        [
            pa.array(["a", "b"]).dictionary_encode(),
            pa.DictionaryArray.from_arrays(
                pa.array([0, 1], pa.int8()), pa.array(["b", CANARY, "a"])
            ),
        ],
    )
    def test_a_dictionary_has_all_declared_values_in_their_order(self, array):
        (noisy,) = protector(specs.LETTERS).apply([array.take(pa.array([0, 0]))])
        assert noisy.type == pa.dictionary(pa.int32(), pa.string())
        assert noisy.dictionary.to_pylist() == ["a", "b", "c"]

    def test_decimals_are_read_exactly(self):
        cells = [Decimal(k) / 100 for k in range(5, 2000, 10)]  # at ties; Arrow errs in a quarter
        column = protector({"type": "numbers", "low": 0, "high": 20, "grid": "0.1", "epsilon": 1})
        read = column._floats(pa.array(cells, type=pa.decimal128(9, 4)))
        assert read.tolist() == [float(cell) for cell in cells]

    def test_truth_values_in_words(self):
        array = pa.array([True, False] * 50)
        (noisy,) = protector({**specs.LETTERS, "values": ["true", "false"]}).apply([array])
        assert set(noisy.to_pylist()) == {"true", "false"}

    def test_missing_values_do_not_change_the_type(self):
        for spec, values in ((specs.LETTERS, ["a", "b"]), (specs.CODES, [1, 2])):
            with_nulls = {**spec, "nulls": "category"}
            arrays = [values, [None, None], [values[0], None]]
            types = {protector(with_nulls).apply([pa.array(a)])[0].type for a in arrays}
            assert types == {protector(spec).apply([pa.array(values)])[0].type}

    def test_an_output_that_is_no_input(self):
        spec = {**specs.TABLE, "mechanism": "any_metric"}
        (noisy,) = protector(spec).apply([pa.array(["a", "b", "c"] * 100)])
        assert set(noisy.to_pylist()) == {"a", "b", "c", "⊥"}
        codes = {**spec, "values": [1, 2, 3]}
        for array in (pa.array(["1", "2", "3"] * 100), pa.array([1, 2, 3] * 100)):
            (noisy,) = protector(codes, texts=True).apply([array])
            assert set(noisy.to_pylist()) == {"1", "2", "3", "⊥"}

    def test_an_ordered_dictionary_stays_ordered(self):
        array = pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["b", "a"], ordered=True)
        (noisy,) = protector(specs.LETTERS).apply([array])
        assert noisy.type.ordered
        assert noisy.dictionary.to_pylist() == ["a", "b", "c"]

    @pytest.mark.parametrize(
        ("spec", "array"),
        [
            (specs.LETTERS, pa.array([["a"], [CANARY]])),
            (specs.LETTERS, pa.array([{"x": CANARY}])),
            (specs.NUMBERS, pa.array([True])),
            (specs.NUMBERS, pa.array([0], pa.date32())),
            (specs.BITS, pa.array([1111])),
            (specs.LETTERS, pa.array([b"0" * 16], pa.uuid())),
        ],
    )
    def test_what_does_not_fit_is_refused_before_any_draw(self, spec, array):
        with pytest.raises(Malformed, match="'h'"):
            protector(spec).apply([array])
        refusal(spec, array)


class TestNumbers:
    def test_on_the_grid_and_inside(self):
        spec = {**specs.NUMBERS, "grid": "0.25", "epsilon": "2"}
        (noisy,) = protector(spec).apply([pa.array(np.linspace(-5, 15, 2001))])
        values = np.asarray(noisy)
        assert ((values * 4) % 1 == 0).all()
        assert values.min() >= 0
        assert values.max() <= 10

    @pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float32(), pa.float64()])
    @pytest.mark.parametrize(("grid", "published"), [(1, pa.int64()), ("0.5", pa.float64())])
    def test_the_grid_decides_the_type(self, kind, grid, published):
        spec = {**specs.NUMBERS, "grid": grid}
        (noisy,) = protector(spec).apply([pa.array([1, 2, 30], kind)])
        assert noisy.type == published

    def test_texts_from_a_csv_file(self):
        (noisy,) = protector(specs.NUMBERS, texts=True).apply([pa.array(["1", "2.4", "1e1", "-3"])])
        assert noisy.type == pa.int64()
        assert set(noisy.to_pylist()) <= set(range(11))

    @pytest.mark.parametrize(
        ("array", "text"),
        [
            (pa.array([1.0, float("nan")]), "row 1: is not a finite number"),
            (pa.array([1.0, float("-inf")]), "row 1: is not a finite number"),
            (pa.array(["1", "inf"]), "row 1: is not a finite number"),
            (pa.array(["1", CANARY]), "row 1: is not a number"),
            (pa.array(["1", "1,5"]), "row 1: is not a number"),
            (pa.array([1, None]), "row 1: is missing"),
            (pa.array([1, 2**60 + 1]), "row 1: is not a number that a double can hold"),
        ],
    )
    def test_refused(self, array, text):
        assert text in refusal(specs.NUMBERS, array)

    def test_a_range_too_large_to_list(self):
        spec = {**specs.NUMBERS, "high": 10**6, "epsilon": "0.001"}
        (noisy,) = protector(spec).apply([pa.array([0, 500_000, 10**6] * 1000)])
        values = np.asarray(noisy)
        assert noisy.type == pa.int64()
        assert values.min() == 0
        assert values.max() == 10**6
        assert abs(values[1::3].mean() - 500_000) < 6 * 1414 / 1000**0.5


class TestPlacesAndBits:
    def test_places(self):
        x, y = pa.array([1.0] * 4000), pa.array([2] * 4000)
        column = protector(specs.PLACE)
        east, north = column.apply([x, y])
        assert (east.type, north.type) == (pa.float64(), pa.float64())
        assert ((np.asarray(east) * 2) % 1 == 0).all()
        assert abs(np.asarray(east).mean() - 1.0) < 0.2
        assert column.row == 4000

    def test_a_place_without_a_coordinate(self):
        with pytest.raises(Malformed, match="row 1: is missing"):
            protector(specs.PLACE).apply([pa.array([1.0, 2.0]), pa.array([1.0, None])])

    def test_bits_are_flipped_one_by_one(self):
        (noisy,) = protector(specs.BITS).apply([pa.array(["0011"] * 6000)])
        bits = np.array([[int(b) for b in text] for text in noisy.to_pylist()])
        assert bits.mean(axis=0) == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3], abs=0.03)
        assert abs(np.corrcoef(bits[:, 0], bits[:, 1])[0, 1]) < 0.06

    def test_many_bits(self):
        text = "01" * 1000
        (noisy,) = protector({**specs.BITS, "bits": 2000}).apply([pa.array([text] * 3)])
        assert all(len(value) == 2000 and set(value) == {"0", "1"} for value in noisy.to_pylist())
        with pytest.raises(UnknownCategory, match="row 0"):
            protector({**specs.BITS, "bits": 2000}).apply([pa.array([text[:-1] + "2"])])

    def test_no_rows(self):
        for spec, array in [
            (specs.LETTERS, pa.array([], pa.string())),
            (specs.BITS, pa.array([], pa.string())),
        ]:
            assert len(protector(spec).apply([array])[0]) == 0


class TestReports:
    """Cells that are reports: their type is the plan's, and nothing of the value is left in them."""

    FAMILIES = ("projective_response", "hashed_response", "subset_response", "unary_response")

    @staticmethod
    def protected(family, values, texts=False, nulls="refuse", labels=("a", "b", "c")):
        spec = {"type": "categories", "values": list(labels), "epsilon": "ln 2", "nulls": nulls}
        column = Plan.read({"columns": {"h": {**spec, "mechanism": family}}}).columns[0]
        protector = ColumnProtector(column, SystemSource(), texts=texts)
        (cells,) = protector.apply([values])
        return column, cells

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("kind", ["text", "dictionary"])
    def test_every_cell_is_a_report_of_the_declared_type(self, family, kind):
        values = pa.array(["a", "b", "c", "a"] * 25)
        column, cells = self.protected(
            family, values.dictionary_encode() if kind == "dictionary" else values
        )
        assert cells.type == (pa.int64() if family[0] in "ph" else pa.string())
        assert cells.type == published_type(column)
        assert len(reports_in(column.local, cells.to_pylist())) == 100

    @pytest.mark.parametrize("family", FAMILIES)
    def test_missing_values_follow_the_plan(self, family):
        values = pa.array(["a", None, "NA"])
        with pytest.raises(DPrivacyError, match="row 1: is missing"):
            self.protected(family, values, texts=True)
        column, cells = self.protected(family, values, texts=True, nulls="category")
        assert (len(column.local.labels), cells.null_count) == (4, 0)
        column, cells = self.protected(family, values, texts=True, nulls={"replace": "b"})
        assert (len(column.local.labels), cells.null_count) == (3, 0)

    def test_whole_numbers_may_be_the_values(self):
        _, cells = self.protected(self.FAMILIES[2], pa.array([10, 20, 30, 30]), labels=(10, 20, 30))
        assert len(cells) == 4
        with pytest.raises(
            DPrivacyError, match="row 1: holds a value outside the declared"
        ) as told:
            self.protected(self.FAMILIES[0], pa.array([10, 77]), labels=(10, 20, 30))
        assert "77" not in str(told.value)
