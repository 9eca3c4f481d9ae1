"""Every container and type in, the same out: kind, type, shape, index, name and order."""

import subprocess
import sys
from collections import deque

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import compute

from dprivacy.errors import InsecureSeedWarning, UnknownCategory, WrongKind
from dprivacy.mechanisms import (
    geometric,
    integer_geometric,
    laplace,
    projective_response,
    randomised_response,
    sequential,
    subset_response,
    unary_response,
)
from dprivacy.mechanisms.containers.opened_values import opened
from dprivacy.mechanisms.groundwork.label_codes import Coder

TEXTS = ("sports", "cars", "a\u0301rt", "computer games", "")
NUMBERS = (3, 0, 7, 100, -2)
NATURALS = (3, 0, 7, 100, 2)
FLOATS = (0.5, 2.0, -1.25, 4.0, 0.0)
BOOLEANS = (True, False)


def backwards(values):
    return list(range(len(values)))[::-1]


def series(dtype):
    return lambda values: pd.Series(values, dtype=dtype, index=backwards(values), name="hobby")


def arrow_chunks(kind):
    def make(values):
        cut = len(values) // 3
        return pa.chunked_array([values[:cut], [], values[cut:]], type=kind)

    return make


def arrow_slice(kind):
    return lambda values: pa.array([values[0], *values, values[0]] if values else [], kind)[
        1 if values else 0 : len(values) + 1
    ]


def spaced(dtype):
    """Not contiguous: every other element of an array."""

    def make(values):
        double = np.array([v for value in values for v in (value, value)], dtype=dtype)
        return double[::2]

    return make


def objects(values):
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


PYTHON = {"list": list, "tuple": tuple, "object array": objects}
TEXT = {
    **PYTHON,
    "U": lambda v: np.array(v, dtype="U14"),
    "wide U": lambda v: np.array(v, dtype="U31"),
    "other byte order": lambda v: np.array(v, dtype="U14").astype(">U14"),
    "spaced U": spaced("U14"),
    "reversed U": lambda v: np.array(v[::-1], dtype="U14")[::-1],
    "StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "pd str": series("str"),
    "pd object": series(object),
    "pd string[pyarrow]": series("string[pyarrow]"),
    "pd string[python]": series("string[python]"),
    "pd arrow": series(pd.ArrowDtype(pa.string())),
    "pd arrow large": series(pd.ArrowDtype(pa.large_string())),
    "pd category": series(pd.CategoricalDtype(TEXTS)),
    "pd ordered category": series(pd.CategoricalDtype(TEXTS, ordered=True)),
    "pd arrow dictionary": series(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "pd index": lambda v: pd.Index(v, dtype="str", name="hobby"),
    "pd object index": lambda v: pd.Index(v, dtype=object, name="hobby"),
    "pd array": lambda v: pd.array(v, dtype="string[pyarrow]"),
    "pd categorical": lambda v: pd.Categorical(v, categories=TEXTS),
    "pa string": lambda v: pa.array(v, pa.string()),
    "pa large": lambda v: pa.array(v, pa.large_string()),
    "pa view": lambda v: pa.array(v, pa.string()).cast(pa.string_view()),
    "pa slice": arrow_slice(pa.string()),
    "pa chunks": arrow_chunks(pa.string()),
    "pa view chunks": arrow_chunks(pa.string_view()),
    "pa no chunks": lambda v: pa.chunked_array([v] if v else [], type=pa.string()),
    "pa runs": lambda v: compute.run_end_encode(pa.array(v, pa.string()), run_end_type=pa.int16()),
    "pa dictionary": lambda v: pa.array(v, pa.string()).dictionary_encode(),
    "pa dictionary slice": lambda v: arrow_slice(pa.string())(v).dictionary_encode()[0 : len(v)],
    "pa dictionary chunks": arrow_chunks(pa.dictionary(pa.int8(), pa.large_string())),
    "pl String": lambda v: pl.Series("hobby", v, dtype=pl.String),
    "pl chunks": lambda v: pl.Series("hobby", v[:2], pl.String).append(
        pl.Series("hobby", v[2:], pl.String)
    ),
    "pl slice": lambda v: pl.Series("hobby", ["cars", *v], pl.String)[1:],
    "pl Categorical": lambda v: pl.Series("hobby", v, dtype=pl.Categorical),
    "pl Enum": lambda v: pl.Series("hobby", v, dtype=pl.Enum(TEXTS)),
}
SIGNED = {
    **{f"{d} array": (lambda v, d=d: np.array(v, dtype=d)) for d in ("i1", "i2", "i4", "i8")},
    "other byte order": lambda v: np.array(v, dtype=">i4"),
    "spaced": spaced("i8"),
    "float array": lambda v: np.array(v, dtype=float),
    "pd int8": series("int8"),
    "pd float": series(float),
    "pd Int64": series("Int64"),
    "pd Int16": series("Int16"),
    "pd Float64": series("Float64"),
    "pd arrow int32": series(pd.ArrowDtype(pa.int32())),
    "pd category of numbers": series(pd.CategoricalDtype(NUMBERS)),
    "pd index of numbers": lambda v: pd.Index(v, dtype="int64", name="hobby"),
    "pa int64": lambda v: pa.array(v, pa.int64()),
    "pa int8 slice": arrow_slice(pa.int8()),
    "pa int16 chunks": arrow_chunks(pa.int16()),
    "pa dictionary of numbers": lambda v: pa.array(v, pa.int32()).dictionary_encode(),
    "pa double": lambda v: pa.array(v, pa.float64()),
    "pl Int32": lambda v: pl.Series("hobby", v, dtype=pl.Int32),
    "pl Int128": lambda v: pl.Series("hobby", v, dtype=pl.Int128),
    "pl Float64": lambda v: pl.Series("hobby", v, dtype=pl.Float64),
}
UNSIGNED = {
    **{f"{d} array": (lambda v, d=d: np.array(v, dtype=d)) for d in ("u1", "u2", "u4", "u8")},
    "spaced unsigned": spaced("u8"),
    "pd UInt8": series("UInt8"),
    "pa uint64": lambda v: pa.array(v, pa.uint64()),
    "pl UInt16": lambda v: pl.Series("hobby", v, dtype=pl.UInt16),
}
FLOATING = {
    **{d: (lambda v, d=d: np.array(v, dtype=d)) for d in ("f2", "f4", "f8")},
    "pd Float32": series("Float32"),
    "pa float": lambda v: pa.array(v, pa.float32()),
    "pl Float32": lambda v: pl.Series("hobby", v, dtype=pl.Float32),
}
LOGICAL = {
    "bool array": lambda v: np.array(v, dtype=bool),
    "pd bool": series(bool),
    "pd boolean": series("boolean"),
    "pa bool": lambda v: pa.array(v, pa.bool_()),
    "pl Boolean": lambda v: pl.Series("hobby", v, dtype=pl.Boolean),
}
KINDS = [
    *((TEXTS, name, make) for name, make in TEXT.items()),
    *((NUMBERS, name, make) for name, make in {**PYTHON, **SIGNED}.items()),
    *((NATURALS, name, make) for name, make in UNSIGNED.items()),
    *((FLOATS, name, make) for name, make in {**PYTHON, **FLOATING}.items()),
    *((BOOLEANS, name, make) for name, make in {**PYTHON, **LOGICAL}.items()),
]
NAMES = [f"{name}-{labels[0]}" for labels, name, _ in KINDS]


def python_list(held):
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(held, method):
            return getattr(held, method)()
    return list(held)


def rows_of(labels, n):
    return [labels[(i * 7 + i // 3) % len(labels)] for i in range(n)]


@pytest.mark.parametrize("n", [0, 1, 10, 700])
@pytest.mark.parametrize(("labels", "name", "make"), KINDS, ids=NAMES)
def test_an_identity_draw_gives_the_container_back(labels, name, make, n):
    values = rows_of(labels, n)
    given = make(values)
    coder = Coder(labels)
    held = coder.open(given)
    codes = coder.codes(held)
    assert codes.tolist() == [labels.index(value) for value in values]
    back = coder.back(codes, held)
    assert type(back) is type(given)
    assert python_list(back) == values
    for fact in ("type", "shape", "name"):
        if not name.startswith("pa dictionary"):
            assert getattr(back, fact, None) == getattr(given, fact, None)
    if name == "other byte order":
        assert back.dtype.newbyteorder("=") == given.dtype.newbyteorder("=")
    elif name == "wide U":
        assert back.dtype == np.dtype("U14")  # as wide as the longest output
    else:
        assert getattr(back, "dtype", None) == getattr(given, "dtype", None)
    if isinstance(given, pd.Series):
        assert back.index.equals(given.index)


@pytest.mark.parametrize(("labels", "name", "make"), KINDS, ids=NAMES)
def test_planted_unknowns_are_refused_where_the_dictionary_has_none(labels, name, make):
    """The truth is the plain dictionary over the plain values; the last label is not declared."""
    values = rows_of(labels, 400)
    rng = np.random.default_rng(5)
    index = {label: i for i, label in enumerate(labels[:-1])}
    coder = Coder(labels[:-1])
    for _ in range(3):
        kept = [value if value != labels[-1] else labels[0] for value in values]
        for at in rng.choice(len(kept), size=rng.integers(1, 4), replace=False).tolist():
            kept[at] = labels[-1]
        codes = opened(make(kept)).positions(coder.tables)
        assert codes.tolist() == [index.get(value, len(index)) for value in kept]
        first = kept.index(labels[-1])
        with pytest.raises(UnknownCategory, match=f"^row {first} holds a value outside"):
            coder.encode(make(kept))


@pytest.mark.parametrize(("labels", "name", "make"), KINDS, ids=NAMES)
def test_the_same_seed_draws_the_same_whatever_the_container(labels, name, make):
    mechanism = randomised_response(labels, eps="ln 2")
    values = rows_of(labels, 333)
    with pytest.warns(InsecureSeedWarning):
        drawn = mechanism.randomise(make(values), insecure_seed=4)
    with pytest.warns(InsecureSeedWarning):
        expected = mechanism.randomise(values, insecure_seed=4)
    assert python_list(drawn) == expected != values


NULLABLE = {
    "list": list,
    "object array": objects,
    "pd object": series(object),
    "pd str": series("str"),
    "pd string[python]": series("string[python]"),
    "pd string[pyarrow]": series("string[pyarrow]"),
    "pd category": series("category"),
    "pa string": lambda v: pa.array(v, pa.string()),
    "pa view": lambda v: pa.array(v, pa.string_view()),
    "pa dictionary": lambda v: pa.array(v, pa.string()).dictionary_encode(),
    "pl String": lambda v: pl.Series(v, dtype=pl.String),
    "pl Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "pl Enum": lambda v: pl.Series(v, dtype=pl.Enum(["no", "yes"])),
}
NULLABLE_NUMBERS = {
    "list": list,
    "Int64": series("Int64"),
    "arrow int8": series(pd.ArrowDtype(pa.int8())),
    "pa int64": lambda v: pa.array(v, pa.int64()),
    "pa dictionary": lambda v: pa.array(v, pa.int64()).dictionary_encode(),
    "pl Int64": lambda v: pl.Series(v, dtype=pl.Int64),
}


@pytest.mark.parametrize(
    ("first", "second", "make"),
    [
        *(("yes", "no", make) for make in NULLABLE.values()),
        *((0, 5, make) for make in NULLABLE_NUMBERS.values()),
    ],
    ids=[*NULLABLE, *NULLABLE_NUMBERS],
)
def test_missing_values_are_refused_unless_none_is_a_label(first, second, make):
    values = [first, second, None, first]
    with pytest.raises(UnknownCategory, match=r"^row 2 holds"):
        Coder([first, second]).encode(make(values))
    for labels in ([first, None, second], [None, second, first]):
        coder = Coder(labels)
        held = coder.open(make(values))
        codes = coder.codes(held)
        assert codes.tolist() == [labels.index(value) for value in values]
        back = coder.back(codes, held)
        assert type(back) is type(make(values))
        plain = [None if pd.isna(value) else value for value in python_list(back)]
        assert plain == values


def test_a_category_has_the_declared_outputs_and_never_the_datas():
    mechanism = randomised_response(["no", "yes", "maybe"], eps=9)
    seen = pd.Series(["yes"] * 5, dtype=pd.CategoricalDtype(["unused", "yes"]))
    assert mechanism.randomise(seen).cat.categories.tolist() == ["no", "yes", "maybe"]
    arrow = mechanism.randomise(pa.array(["yes"] * 5).dictionary_encode())
    assert arrow.dictionary.to_pylist() == ["no", "yes", "maybe"]
    frame = mechanism.randomise(pl.Series(["yes"], dtype=pl.Enum(["unused", "yes"])))
    assert frame.dtype == pl.Enum(["no", "yes", "maybe"])
    used = pd.Series(["yes", "unused"], dtype="category")
    with pytest.raises(UnknownCategory, match=r"^row 1 "):
        mechanism.randomise(used)


@pytest.mark.parametrize(
    ("make", "wider"),
    [
        (lambda v: np.array(v, dtype=np.uint8), np.dtype(np.int64)),
        (lambda v: pd.Series(v, dtype="int8"), np.dtype(np.int64)),
        (lambda v: pd.Series(v, dtype="UInt8"), pd.Int64Dtype()),
        (lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.int8())), pd.ArrowDtype(pa.int64())),
        (lambda v: pa.array(v, pa.int8()), pa.int64()),
        (lambda v: pl.Series(v, dtype=pl.UInt8), pl.Int64),
    ],
)
def test_a_type_too_small_for_the_outputs_widens(make, wider):
    inputs, outputs = Coder([0, 1]), Coder([300, -300])
    held = inputs.open(make([1, 0]))
    back = outputs.back(inputs.codes(held), held)
    assert python_list(back) == [-300, 300]
    assert getattr(back, "dtype", None) == wider or getattr(back, "type", None) == wider


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        lambda v: pd.Series(v, index=[5, 6]),
        lambda v: pd.Series(v, dtype="Int64"),
        lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.int8())),
        pa.array,
        pl.Series,
    ],
)
def test_outputs_of_another_kind_than_the_inputs(make):
    inputs, outputs = Coder([0, 1]), Coder(["low", "high"])
    held = inputs.open(make([1, 0]))
    assert python_list(outputs.back(inputs.codes(held), held)) == ["high", "low"]


def test_outputs_that_arrow_cannot_hold_are_refused_in_words():
    inputs, outputs = Coder([0, 1]), Coder([object, int])
    held = inputs.open(pa.array([1, 0]))
    with pytest.raises(WrongKind, match=r"no type for .*; pass a list"):
        outputs.back(inputs.codes(held), held)
    assert outputs.back(np.array([1]), inputs.open(pl.Series([1]))).to_list() == [int]


class TestOneValue:
    @pytest.mark.parametrize("labels", [["yes", "no"], [0, 1], [None, 2.5], [(0, 1), (1, 1)]])
    def test_a_label_gives_a_label(self, labels):
        mechanism = randomised_response(labels, eps=1)
        assert {mechanism.randomise(labels[0]) for _ in range(200)} == set(labels)

    def test_a_set_that_is_a_label(self):
        labels = [frozenset("ab"), frozenset()]
        assert randomised_response(labels, eps=1).randomise(frozenset()) in labels

    @pytest.mark.parametrize("single", ["canary", b"yes", 5, None, 2.5, True])
    def test_any_other_single_value_is_refused(self, single):
        with pytest.raises(WrongKind, match="one of the labels, not another single") as caught:
            randomised_response(["yes", "no", 1], eps=1).randomise(single)
        assert "canary" not in str(caught.value)

    def test_scalars_of_libraries_come_back_as_such(self):
        numbers, texts = Coder([0, 1]), Coder(["a", "b"])
        for coder, value in (
            (numbers, np.int8(1)),
            (texts, pa.scalar("b")),
            (numbers, pa.scalar(1)),
        ):
            held = coder.open(value)
            back = coder.back(coder.codes(held), held)
            assert back == value
            assert type(back) is type(value)
        assert texts.back(np.array([1]), texts.open(np.str_("a"))) == "b"


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        objects,
        lambda v: np.array(v, dtype=bool),
        series(bool),
        series("boolean"),
        pa.array,
        pl.Series,
    ],
)
def test_booleans_are_not_numbers(make):
    for labels in ([0, 1], [1.0, "a"], [0, None]):
        with pytest.raises(UnknownCategory):
            Coder(labels).encode(make([False, True]))
    assert Coder([False, True]).encode(make([True, False])).tolist() == [1, 0]


@pytest.mark.parametrize(
    "make", [list, np.array, series("int64"), series("Int64"), pa.array, pl.Series]
)
def test_numbers_are_not_booleans(make):
    with pytest.raises(UnknownCategory, match=r"^row 0 "):
        Coder([False, True]).encode(make([1, 0]))


def test_what_else_gives_values_in_order_becomes_a_list():
    mechanism = geometric(4, eps=1)
    for values in (range(4), deque([1, 2]), iter([1, 2]), {"a": 1}.values()):
        assert type(mechanism.randomise(values)) is list


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"job": ["canary"]}),
        pl.DataFrame({"job": ["canary"]}),
        pa.table({"job": ["canary"]}),
    ],
)
def test_whole_frames_are_refused(frame):
    with pytest.raises(WrongKind, match=r"pass one column, such as frame\['job'\]") as caught:
        randomised_response(["canary", "b"], eps=1).randomise(frame)
    assert "canary" not in str(caught.value)


MAKERS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "series": lambda v: pd.Series(v, index=backwards(v), name="hobby"),
    "Int64": series("Int64"),
    "arrow": pa.array,
    "chunked": lambda v: pa.chunked_array([v[:1], v[1:]]),
    "polars": lambda v: pl.Series("hobby", v),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
class TestOtherMechanisms:
    def test_numbers_come_back_as_doubles(self, make):
        for mechanism in (laplace(0, 10, eps=100, grid=1), laplace(0, 5000, eps=100, grid=1)):
            back = mechanism.randomise(make([3, 0, 7]))
            assert python_list(back) == [3.0, 0.0, 7.0]
            assert {type(x) for x in python_list(back)} == {float}
            assert type(back) is type(make([3])) or isinstance(back, pa.DoubleArray)
            assert getattr(back, "name", None) == getattr(make([3]), "name", None)

    @pytest.mark.parametrize("response", [projective_response, subset_response, unary_response])
    def test_reports_come_back_and_are_counted(self, make, response):
        mechanism = response([3, 0, 7], eps=1)
        reports = mechanism.randomise(make([3, 0, 7, 0]))
        assert len(reports) == 4
        if not isinstance(reports, pa.Array):
            assert type(reports) is type(make([1]))
        assert mechanism.count(reports).n == 4

    def test_tuples_of_several_mechanisms(self, make):
        both = sequential(geometric(4, eps=1), geometric(4, eps=2))
        back = both.randomise(make([3, 0, 2]))
        assert all(len(pair) == 2 and set(pair) <= set(range(4)) for pair in python_list(back))


def test_one_number_gives_one_number():
    assert laplace(0, 10, eps=100, grid=1).randomise(3) == 3.0
    assert type(integer_geometric(eps=1).randomise(3)) is float
    for text in ("3", None):
        with pytest.raises(WrongKind):
            laplace(0, 10, eps=1, grid=1).randomise(text)


def test_libraries_that_nobody_loaded_are_not_loaded():
    code = (
        "import sys; from dprivacy.mechanisms import geometric; m = geometric(5, eps=1);"
        "import numpy; m.randomise([1, 2]); m.randomise(numpy.arange(5)); m.randomise(3);"
        "print(*{'pandas', 'polars', 'pyarrow'}.intersection(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
