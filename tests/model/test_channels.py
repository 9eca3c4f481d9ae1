"""Channels: reading, composing, reducing, inverting; what is refused, and in which words."""

import json
import math
from fractions import Fraction as Q
from types import SimpleNamespace

import numpy as np
import pytest

from dprivacy.errors import (
    DPrivacyError,
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    NotInvertible,
    NotStochastic,
    SpaceMismatch,
    TooLarge,
    UnknownCategory,
)
from dprivacy.model import Channel, Dist, as_channel, mixture, parallel, uniform
from dprivacy.model.labelled_matrix import Labelled

COIN = Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])


# -- refusals, each naming labels ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (["1/3", "1/3"], ["'no'", "2/3", "less", "1/3"]),
        (["2/3", "2/3"], ["'no'", "4/3", "more", "1/3"]),
        ([0, 0], ["'no'", "sum to 0", "less"]),
        ([0.5, 0.4], ["'no'", "0.9", "less"]),
        ([0.5, 0.5 + 1e-8], ["'no'", "more", "1e-08"]),
    ],
)
def test_rows_that_do_not_sum_to_one(row, words) -> None:
    first = [1, 0] if isinstance(row[0], str | int) else [1.0, 0.0]
    with pytest.raises(NotStochastic) as refused:
        Channel(["yes", "no"], ["a", "b"], [first, row])
    for word in words:
        assert word in str(refused.value).replace("9.99999993922529e-09", "1e-08")


def test_exact_rows_get_no_tolerance() -> None:
    hair = Q(1, 10**40)
    with pytest.raises(NotStochastic, match="more"):
        Channel([0], [0, 1], [[Q(1, 2), Q(1, 2) + hair]])
    Channel([0], [0, 1], [[0.5, 0.5 + 1e-12]])


def test_sums_with_more_digits_than_can_be_printed() -> None:
    with pytest.raises(NotStochastic, match="'x'"):
        Channel(["x"], [0, 1], [[Q(1, 3**10000), Q(1, 2)]])
    with pytest.raises(NotStochastic, match="'x'"):
        Channel(["x"], [0, 1], [[Q(-1, 3**10000), 1 + Q(1, 3**10000)]])


@pytest.mark.parametrize("bad", ["-1/4", -0.25, math.inf, -math.inf])
def test_entries_that_are_no_probabilities(bad) -> None:
    rest = "5/4" if isinstance(bad, str) else 1.25
    with pytest.raises(NotStochastic, match=r"input 'no', output 'b'"):
        Channel(["yes", "no"], ["a", "b"], [[1, 0], [rest, bad]])


@pytest.mark.parametrize("bad", [math.nan, "nan", None, "half", "", "1/0", True, 1j, [1], b"1"])
def test_entries_that_are_no_numbers(bad) -> None:
    with pytest.raises(Malformed, match=r"input 'no', output 'b'"):
        Channel(["yes", "no"], ["a", "b"], [[1, 0], [1, bad]])


def test_nan_in_an_array_is_named_by_its_labels() -> None:
    with pytest.raises(Malformed, match=r"input 'no', output 'a'"):
        Channel(["yes", "no"], ["a", "b"], np.array([[1.0, 0.0], [math.nan, 1.0]]))


@pytest.mark.parametrize("matrix", [[], [[]], [[], []], np.zeros((0, 2)), np.zeros((2, 0))])
def test_empty_channels(matrix) -> None:
    with pytest.raises(Malformed):
        as_channel(matrix)


def test_wrong_shapes() -> None:
    with pytest.raises(Malformed, match="3 inputs and 2 outputs"):
        Channel(["a", "b", "c"], ["x", "y"], [[1, 0], [0, 1]])
    with pytest.raises(Malformed, match="ragged"):
        Channel(["a", "b"], ["x", "y"], [[1, 0], [1]])
    with pytest.raises(Malformed):
        Channel([], ["x"], [[1]])
    with pytest.raises(Malformed, match="single text"):
        Channel("ab", ["x"], [[1], [1]])


def test_duplicate_labels() -> None:
    with pytest.raises(DuplicateLabel, match="'a'"):
        Channel(["a", "a"], ["x"], [[1], [1]])
    with pytest.raises(DuplicateLabel, match="'x'"):
        Channel(["a"], ["x", "x"], [["1/2", "1/2"]])
    with pytest.raises(DuplicateLabel):
        Channel(["é", "e\u0301"], ["x"], [[1], [1]])
    with pytest.raises(DuplicateLabel, match="'yes'"):
        COIN.restrict(["yes", "yes"])


def test_unknown_labels_are_named_with_a_hint() -> None:
    with pytest.raises(UnknownCategory, match=r"'yess'.*did you mean yes"):
        COIN["yess", "no"]
    with pytest.raises(UnknownCategory, match="outputs has no 7"):
        COIN["yes", 7]
    with pytest.raises(UnknownCategory, match="'perhaps'"):
        COIN.restrict(["perhaps"])
    with pytest.raises(UnknownCategory, match="'perhaps'"):
        COIN.select(["perhaps"])
    with pytest.raises(UnknownCategory):
        COIN[["yes"], "no"]
    with pytest.raises(Malformed):
        COIN.restrict([])


def test_exact_and_float_entries_do_not_mix() -> None:
    with pytest.raises(MixedArithmetic, match=r"'no'.*1/3.*'yes'.*0.5"):
        Channel(["yes", "no"], ["a", "b"], [[0.5, 0.5], ["1/3", "2/3"]])
    floats = Channel(["yes", "no"], ["yes", "no"], [[1, 0], [0.5, 0.5]])
    assert not floats.exact
    for mix in (lambda: COIN @ floats, lambda: COIN & floats, lambda: COIN.equivalent(floats)):
        with pytest.raises(MixedArithmetic, match="fractions"):
            mix()
    with pytest.raises(MixedArithmetic):
        mixture(["1/2", "1/2"], [floats, floats])
    with pytest.raises(MixedArithmetic):
        mixture(["1/2", "1/2"], [COIN, floats])
    with pytest.raises(MixedArithmetic):
        parallel(COIN, floats)
    with pytest.raises(MixedArithmetic):
        uniform(["yes", "no"]) >> floats


def test_composition_needs_matching_labels() -> None:
    other = Channel(["yes", "maybe"], ["x"], [[1], [1]])
    with pytest.raises(SpaceMismatch, match=r"'no' only in the first.*'maybe' only in the second"):
        COIN @ other
    with pytest.raises(SpaceMismatch, match="'maybe'"):
        COIN & other
    with pytest.raises(SpaceMismatch, match="'maybe'"):
        COIN.equivalent(other)
    with pytest.raises(SpaceMismatch, match="'maybe'"):
        mixture(["1/2", "1/2"], [COIN, other])
    with pytest.raises(SpaceMismatch, match="'maybe'"):
        uniform(["yes", "maybe"]) >> COIN
    for wrong in (3, None, [[1]]):
        with pytest.raises(TypeError):
            COIN @ wrong
        with pytest.raises(TypeError):
            COIN & wrong


def test_every_refusal_is_a_dprivacy_error() -> None:
    assert issubclass(NotStochastic, DPrivacyError)
    assert issubclass(DPrivacyError, ValueError)


# -- composing -------------------------------------------------------------------------------------


def test_post_processing_aligns_labels() -> None:
    swapped = Channel(["no", "yes"], ["n", "y"], [["9/10", "1/10"], [0, 1]])
    both = COIN @ swapped
    assert both["yes", "y"] == Q(3, 4) + Q(1, 4) * Q(1, 10)
    assert both["no", "n"] == Q(3, 4) * Q(9, 10)


@pytest.mark.statement("T", "Def 3.1.4")
def test_sequential_composition_aligns_labels() -> None:
    other = Channel(["no", "yes"], [1, 2], [["1/3", "2/3"], [1, 0]])
    both = COIN & other
    assert both.columns == (("yes", 1), ("yes", 2), ("no", 1), ("no", 2))
    assert both.row("no") == {
        ("yes", 1): Q(1, 12),
        ("yes", 2): Q(2, 12),
        ("no", 1): Q(3, 12),
        ("no", 2): Q(6, 12),
    }


@pytest.mark.statement("C", "Def 5")
def test_product_over_rows() -> None:
    three = COIN.over_rows(3)
    assert len(three.rows) == len(three.columns) == 8
    assert three[("yes", "no", "yes"), ("yes", "yes", "yes")] == Q(3, 4) * Q(1, 4) * Q(3, 4)
    one = COIN.over_rows(1)
    assert one.rows == (("yes",), ("no",))
    assert one[("yes",), ("no",)] == Q(1, 4)


@pytest.mark.parametrize("n", [40, 10_000, 10**12, pytest.param(10**400, id="1e400")])
def test_products_that_do_not_fit_are_refused_at_once(n) -> None:
    with pytest.raises(TooLarge):
        COIN.over_rows(n)


@pytest.mark.parametrize("n", [0, -1])
def test_databases_have_rows(n) -> None:
    with pytest.raises(Malformed, match=str(n)):
        COIN.over_rows(n)


def test_large_combinations_are_refused_with_an_estimate() -> None:
    wide = as_channel(np.full((300, 300), 1 / 300))
    with pytest.raises(TooLarge, match="300×300,000"):
        wide & as_channel(np.full((300, 1000), 1 / 1000))
    with pytest.raises(TooLarge, match="90,000×90,000"):
        parallel(wide, wide)
    with pytest.raises(TooLarge, match=r"10\^"):
        parallel(*[wide] * 2000)
    with pytest.raises(Malformed):
        parallel()


def test_parallel_and_mixture_by_hand() -> None:
    both = parallel(COIN, Channel([0], ["u", "v"], [["1/3", "2/3"]]))
    assert both[("yes", 0), ("no", "v")] == Q(1, 4) * Q(2, 3)
    constant = Channel(["yes", "no"], ["no", "dunno"], [["1/2", "1/2"], ["1/2", "1/2"]])
    hidden = mixture(["1/4", "3/4"], [COIN, constant])
    assert hidden.row("yes") == {"yes": Q(3, 16), "no": Q(1, 16) + Q(3, 8), "dunno": Q(3, 8)}
    seen = mixture(["1/4", "3/4"], [COIN, constant], visible=True)
    assert seen["yes", (1, "no")] == Q(3, 8)
    with pytest.raises(Malformed, match="1 weights for 2"):
        mixture([1], [COIN, constant])
    with pytest.raises(Malformed):
        mixture([], [])
    with pytest.raises(NotStochastic):
        mixture(["1/2", "1/3"], [COIN, constant])


# -- reduced form ----------------------------------------------------------------------------------


def test_proportional_columns_merge_and_impossible_ones_go() -> None:
    channel = Channel(
        ["x", "z"], ["a", "b", "never", "c"], [["1/4", "1/2", 0, "1/4"], ["1/12", "1/6", 0, "3/4"]]
    )
    reduced = channel.reduced()
    assert reduced.columns == ("a | b", "c")
    assert reduced.row("z") == {"a | b": Q(1, 4), "c": Q(3, 4)}
    assert channel.equivalent(reduced).status == "proved"


@pytest.mark.parametrize(
    "columns",
    [["a", "b", "a | b"], ["a | b", "a", "b"], [1, 2, "1 | 2"], [("a", "b"), "c", "(a, b) | c"]],
)
def test_names_of_merged_columns_stay_distinct(columns) -> None:
    lone = next(k for k, y in enumerate(columns) if isinstance(y, str) and "|" in y)
    table = [
        [Q(1, 2) if k == lone else Q(1, 4) for k in range(3)],
        [Q(1, 3)] * 3,
    ]
    channel = Channel(["x", "z"], columns, table)
    reduced = channel.reduced()
    assert len(set(reduced.columns)) == 2
    assert reduced["x", columns[lone]] == Q(1, 2)
    assert (uniform(["x", "z"]) >> channel).outer.weights.count(Q(7, 12)) == 1
    assert channel.equivalent(reduced)


def test_two_merged_groups_with_names_that_read_the_same() -> None:
    table = [["1/8", "1/8", "3/8", "3/8"], ["1/4", "1/4", "1/4", "1/4"]]
    reduced = Channel(["x", "z"], [1, 2, "1", "2"], table).reduced()
    assert len(set(reduced.columns)) == 2


def test_float_equivalence_is_never_true_by_a_tolerance() -> None:
    base = as_channel([[0.5, 0.5], [0.25, 0.75]])
    assert base.equivalent(as_channel([[0.5, 0.5], [0.75, 0.25]])).status == "measured"
    near = as_channel([[0.5 + 2e-10, 0.5 - 2e-10], [0.25, 0.75]])
    assert base.equivalent(near).holds is None
    assert not base.equivalent(near)
    for far in (
        [[0.6, 0.4], [0.25, 0.75]],
        [[1.0], [1.0]],
        [[0.5, 0.5], [0.25 + 1e-6, 0.75 - 1e-6]],
    ):
        assert base.equivalent(as_channel(far)).status == "measured to fail"


def test_float_columns_that_are_proportional_up_to_rounding() -> None:
    # (0.01, 0.03) and (0.03, 0.09) point the same way, and not to the last bit
    whole = as_channel([[0.04, 0.96], [0.12, 0.88]])
    split = as_channel([[0.01, 0.03, 0.96], [0.03, 0.09, 0.88]])
    assert len(split.reduced().columns) == 3
    assert whole.equivalent(split).holds is None
    assert split.equivalent(whole).holds is None
    exact = as_channel([["4/100", "96/100"], ["12/100", "88/100"]])
    parts = as_channel([["1/100", "3/100", "96/100"], ["3/100", "9/100", "88/100"]])
    assert exact.equivalent(parts).status == "proved"


# -- inverse ---------------------------------------------------------------------------------------


def test_inverse_by_hand() -> None:
    inverse = COIN.inverse()
    assert isinstance(inverse, Labelled)
    assert inverse.matrix.rows() == [[Q(3, 2), Q(-1, 2)], [Q(-1, 2), Q(3, 2)]]
    observed = Dist(["yes", "no"], ["9/10", "1/10"])
    back = [sum(observed[y] * inverse[y, x] for y in COIN.columns) for x in COIN.rows]
    assert back == [Q(13, 10), Q(-3, 10)]
    floats = as_channel([[0.75, 0.25], [0.25, 0.75]]).inverse()
    assert np.allclose(floats.matrix.floats, [[1.5, -0.5], [-0.5, 1.5]])


@pytest.mark.parametrize(
    "matrix",
    [[["1/2", "1/2"], ["1/2", "1/2"]], [["1/3", "1/3", "1/3"], [1, 0, 0]], [[0.5, 0.5]] * 2],
)
def test_no_inverse(matrix) -> None:
    with pytest.raises(NotInvertible, match="maximum likelihood"):
        as_channel(matrix).inverse()


# -- values ----------------------------------------------------------------------------------------


def test_channels_are_values() -> None:
    source = np.array([[0.5, 0.5], [0.25, 0.75]])
    channel = as_channel(source)
    source[0, 0] = 9.0
    assert channel[0, 0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        channel.matrix.entries[0, 0] = 1
    twin = Channel(["yes", "no"], ["yes", "no"], [["6/8", "1/4"], ["1/4", Q(3, 4)]])
    assert twin == COIN
    assert hash(twin) == hash(COIN)
    assert COIN.restrict(["no", "yes"]) != COIN
    assert COIN != "coin"
    assert COIN.restrict(["no"]).rows == ("no",)


def test_channel_as_data_and_in_print() -> None:
    data = json.loads(json.dumps(COIN.to_dict()))
    assert data == {
        "rows": ["yes", "no"],
        "columns": ["yes", "no"],
        "matrix": [["3/4", "1/4"], ["1/4", "3/4"]],
        "exact": True,
    }
    text = repr(COIN)
    assert "Channel(2×2, exact)" in text
    assert "3/4" in text
    assert repr(as_channel(np.full((30, 2), 0.5))) == "Channel(30×2, float)"
    long = as_channel([[Q(1, 10**30), 1 - Q(1, 10**30)]])
    assert repr(long) == "Channel(1×2, exact)"


def test_select_gives_columns() -> None:
    assert COIN.select(["no"]).rows() == [[Q(1, 4)], [Q(3, 4)]]


# -- as_channel ------------------------------------------------------------------------------------


class Frame:
    """What as_channel needs of a data frame with an index, such as pandas'."""

    def __init__(self, table, columns, index=None) -> None:
        self._table, self.columns = table, columns
        if index is not None:
            self.index = index

    def to_numpy(self):
        return np.array(self._table, dtype=object if isinstance(self._table[0][0], str) else None)


def test_nested_lists_and_arrays() -> None:
    assert as_channel([["1/2", "1/2"]]).exact
    assert as_channel([[1, 0], [0, 1]]).exact
    assert not as_channel([[1, 0.0], [0, 1]]).exact
    assert as_channel(np.eye(2, dtype=int)) == as_channel([[1, 0], [0, 1]])
    assert as_channel(np.eye(2, dtype=np.uint8)).exact
    assert not as_channel(np.eye(2)).exact
    assert not as_channel(np.eye(2, dtype=np.float32)).exact
    objects = np.array([[Q(1, 3), Q(2, 3)]], dtype=object)
    assert as_channel(objects)[0, 0] == Q(1, 3)
    assert as_channel(row for row in [(1, 0), (0, 1)]).rows == (0, 1)
    assert as_channel([["0.1", "0.9"]])[0, 0] == Q(1, 10)


def test_labels_can_be_given() -> None:
    channel = as_channel([["1/2", "1/2"]], rows=["x"], columns=["u", "v"])
    assert channel["x", "v"] == Q(1, 2)
    renamed = as_channel(COIN, rows=[True, False])
    assert renamed[True, "yes"] == Q(3, 4)
    assert renamed.columns == COIN.columns
    assert as_channel(COIN) is COIN
    numpy_labels = as_channel([[1], [1]], rows=np.array([3, 5]))
    assert numpy_labels.rows == (3, 5)
    assert all(type(label) is int for label in numpy_labels.rows)


def test_mappings() -> None:
    channel = as_channel({"x": {"u": "1/2", "v": "1/2"}, "z": {"v": 1}})
    assert channel.row("z") == {"u": 0, "v": 1}
    assert channel.exact
    assert not as_channel({"x": {"u": 0.5, "v": 0.5}, "z": {"v": 1}}).exact
    for wrong in ({}, {"x": [1]}, {"x": 1}):
        with pytest.raises(Malformed, match="input"):
            as_channel(wrong)


def test_frames() -> None:
    with_index = Frame([[0.5, 0.5], [0.25, 0.75]], ["u", "v"], index=["x", "z"])
    assert as_channel(with_index)["z", "v"] == 0.75
    with_text = Frame([["x", "1/2", "1/2"], ["z", "1/4", "3/4"]], ["input", "u", "v"])
    assert as_channel(with_text)["z", "v"] == Q(3, 4)
    bare = Frame([[0.5, 0.5], [0.25, 0.75]], ["u", "v"])
    assert as_channel(bare).rows == (0, 1)
    with pytest.raises(DuplicateLabel, match="'u'"):
        as_channel(Frame([[0.5, 0.5]], ["u", "u"], index=["x"]))


def test_mechanisms_lend_their_channel() -> None:
    mechanism = SimpleNamespace(channel=COIN)
    assert as_channel(mechanism) is COIN
    assert as_channel(mechanism, rows=[1, 0]).rows == (1, 0)


@pytest.mark.parametrize(
    "wrong", [None, 7, "1/2", object(), [1, 2], [None], np.float64(1), iter([3])]
)
def test_what_as_channel_cannot_read(wrong) -> None:
    with pytest.raises(DPrivacyError):
        as_channel(wrong)
