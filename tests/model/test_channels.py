"""Channels: reading, composing, reducing, inverting; what is refused, and in which words."""

import json
import math
from fractions import Fraction as Q

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


def test_infinities_that_cancel_are_named_without_a_warning() -> None:
    with pytest.raises(NotStochastic, match=r"input 'x', output 'a': inf"):
        Channel(["x"], ["a", "b"], [[math.inf, -math.inf]])


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
    with pytest.raises(UnknownCategory, match=r"^7 is not among the outputs"):
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
