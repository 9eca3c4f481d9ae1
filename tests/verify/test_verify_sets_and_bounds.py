"""Sufficient sets, error bounds, and what a guarantee means to someone who knows something."""

import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadLevel, Malformed, MixedArithmetic, SpaceMismatch, UnknownCategory
from dprivacy.model import Channel, Dist, as_channel, push, uniform
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, grid, line
from dprivacy.verify import (
    ball_change,
    checks_needed,
    error_floor,
    expected_error,
    hamming_error_bounds,
    odds_change,
    sufficient_partition,
    sufficient_set,
)

C = Channel(
    ["x", "z"], ["a", "b", "c", "d"], [["1/2", "1/4", "1/4", 0], ["1/4", "1/4", "1/8", "3/8"]]
)


# -- sufficient sets -------------------------------------------------------------------------------


@pytest.mark.statement("C", "Thm 2")
def test_ties_are_not_in_the_set() -> None:
    assert sufficient_set(C, "x", "z") == ("a", "c")
    assert sufficient_set(C, "z", "x") == ("d",)
    assert sufficient_set(C, "x", "x") == ()


def test_a_tie_that_floats_would_misread() -> None:
    third = Q(1, 10) + Q(2, 10)  # 0.1 + 0.2 > 0.3 in doubles
    channel = as_channel([[third, 1 - third], [Q(3, 10), Q(7, 10)]])
    assert sufficient_set(channel, 0, 1) == ()
    floats = as_channel([[0.1 + 0.2, 1 - (0.1 + 0.2)], [0.3, 0.7]])
    assert sufficient_set(floats, 0, 1) == (0,)


@pytest.mark.statement("C", "Thm 3")
def test_parts_are_ordered_by_ratio() -> None:
    assert sufficient_partition(C, "x", "z") == {Q(2): ("a", "c")}
    assert sufficient_partition(C, "z", "x") == {math.inf: ("d",)}
    other = as_channel([["6/10", "3/10", "1/10", 0], ["1/10", "1/10", "5/10", "3/10"]])
    assert list(sufficient_partition(other, 0, 1).items()) == [(Q(3), (1,)), (Q(6), (0,))]
    assert list(sufficient_partition(other, 1, 0).items()) == [(Q(5), (2,)), (math.inf, (3,))]


@pytest.mark.statement("C", "Ex 2")
def test_work_is_counted() -> None:
    work = checks_needed(C)
    assert (work.pairs, work.all_subsets) == (2, 2 * 14)
    assert (work.sufficient_subsets, work.one_set_a_pair) == (3 + 1, 2)
    assert json.loads(json.dumps(work.to_dict())) == {
        "pairs": 2,
        "all_subsets": 28,
        "sufficient_subsets": 4,
        "one_set_a_pair": 2,
        "exact": True,
    }
    assert checks_needed(C, pairs=iter([("x", "z")])).sufficient_subsets == 3


def test_unknown_labels_in_sets() -> None:
    with pytest.raises(UnknownCategory, match="'w'"):
        sufficient_set(C, "x", "w")
    with pytest.raises(UnknownCategory, match="'w'"):
        checks_needed(C, pairs=[("w", "x")])


# -- error bounds ----------------------------------------------------------------------------------


def test_expected_error_by_hand() -> None:
    channel = as_channel([["1/2", "1/4", "1/4"], [0, 1, 0], ["1/3", "1/3", "1/3"]])
    assert expected_error(channel, line(3)) == Q(1, 3) * 2 + Q(1, 3)
    assert expected_error(channel, discrete(range(3))) == Q(2, 3)
    root = expected_error(Channel([(0, 0)], [(1, 1), (0, 0)], [["1/2", "1/2"]]), grid(2, 2))
    assert root == Level("sqrt(2)") / 2
    floats = expected_error([[0.5, 0.5], [0.0, 1.0]], line(2))
    assert floats == 0.5
    perfect = expected_error([[1.0, 0.0], [0.0, 1.0]], line(2))
    assert perfect == 0
    assert isinstance(perfect, float)


def test_expected_error_over_infinite_distances() -> None:
    space = from_table([0, 1], [[0, "inf"], ["inf", 0]], extended=True)
    assert expected_error([[1, 0], [0, 1]], space) == 0
    assert expected_error([["1/2", "1/2"], [0, 1]], space) == math.inf


def test_outputs_must_be_points_of_the_space() -> None:
    with pytest.raises(UnknownCategory, match="'far'"):
        expected_error(Channel([0, 1], [0, "far"], [[1, 0], [0, 1]]), line(2))
    with pytest.raises(UnknownCategory, match="7"):
        expected_error(Channel([0, 7], [0, 1], [[1, 0], [0, 1]]), line(2))


@pytest.mark.parametrize("categories", [1, 0, -3])
def test_bounds_need_two_categories(categories) -> None:
    with pytest.raises(Malformed, match="at least 2"):
        hamming_error_bounds(categories, eps="ln 2")


def test_bounds_refuse_nonsense() -> None:
    for eps in (0, -1, math.nan, True, "x"):
        with pytest.raises(BadLevel):
            hamming_error_bounds(3, eps=eps)
        with pytest.raises(BadLevel):
            error_floor(line(3), eps=eps)
    with pytest.raises(BadLevel):
        error_floor(line(3), eps="ln 2", delta=2)
    with pytest.raises(Malformed, match="inside"):
        error_floor(line(3), eps="ln 2", outputs="outside")
    with pytest.raises(Malformed, match="at least 2"):
        error_floor(line(1), eps="ln 2")


@pytest.mark.statement("M", "Thm 6")
def test_the_larger_of_two_floors() -> None:
    # five points on a line: spread 4/(1+2) beats packing 4/(4+2)
    assert error_floor(line(5), eps="ln 2") == Q(4, 3)
    assert error_floor(discrete(range(5)), eps="ln 2") == Q(4, 6)
    assert error_floor(discrete(range(5)), eps="ln 2", outputs="anywhere") == Q(1, 3)
    assert error_floor(grid(2, 2), eps="ln 2") == max(Level("sqrt(2)") / 3, Q(3, 5))
    assert error_floor(line([0.0, 4.0]), eps="ln 2") == pytest.approx(4 / 3)
    assert error_floor(line(5), eps="ln 2", delta=1) == 0


# -- semantics -------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem 3.4")
def test_odds_by_hand_and_in_words() -> None:
    prior = Dist(["x", "z"], ["1/3", "2/3"])
    change = odds_change(C, "x", "z", prior=prior)
    assert (change.before, change.after, change.factor) == (Q(1, 2), Q(1), Q(2))
    assert change.output in ("a", "c")
    back = odds_change(C, "z", "x", prior=prior)
    assert (back.output, back.after, back.factor) == ("d", math.inf, math.inf)
    text = change.explain()
    assert "odds of x against z" in text
    assert "1/2" in text
    assert json.loads(json.dumps(back.to_dict(), allow_nan=False))["factor"] == "inf"


def test_odds_need_possible_secrets_of_the_channel() -> None:
    with pytest.raises(Malformed, match="'z'"):
        odds_change(C, "x", "z", prior=Dist(["x", "z"], [1, 0]))
    with pytest.raises(SpaceMismatch, match="'w'"):
        odds_change(C, "x", "w", prior=uniform(["x", "w"]))


def test_exact_channels_and_float_priors_are_not_mixed() -> None:
    floats = Dist(["x", "z"], [0.5, 0.5])
    with pytest.raises(MixedArithmetic):
        odds_change(C, "x", "z", prior=floats)
    with pytest.raises(MixedArithmetic):
        ball_change(C, "x", discrete(["x", "z"]), prior=floats, radius=1)
    assert odds_change([[0.5, 0.5], [0.25, 0.75]], 0, 1, prior=Dist([0, 1], [0.5, 0.5])).factor == 2


@pytest.mark.statement("T", "Lem 3.5")
def test_belief_in_a_ball_is_bayes_rule() -> None:
    channel = as_channel([["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]])
    for weights in (["1/3", "1/3", "1/3"], ["1/10", "8/10", "1/10"]):
        prior = Dist(range(3), weights)
        change = ball_change(channel, 1, line(3), prior=prior, radius=1)
        grown = {
            y: inner[1]
            for y, inner in zip(range(3), push(channel, prior=prior).inners, strict=True)
        }
        assert change.after == max(grown.values()) == grown[change.output]
        assert change.factor == change.after / prior[1] <= 2
    assert "belief in 1" in change.explain()


@pytest.mark.parametrize("radius", [1, "1", Q(3, 2), "sqrt(2)", 1.5, ln(3), math.inf])
def test_radius_in_any_spelling(radius) -> None:
    prior = Dist(range(3), ["1/2", "1/2", 0])
    table = [["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]]
    assert ball_change(table, 0, line(3), prior=prior, radius=radius).factor == Q(4, 3)


def test_the_prior_must_lie_in_the_ball_and_allow_its_centre() -> None:
    table = [["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]]
    with pytest.raises(Malformed, match="2"):
        ball_change(table, 0, line(3), prior=uniform(range(3)), radius=1)
    with pytest.raises(Malformed, match="0"):
        ball_change(table, 0, line(3), prior=Dist(range(3), [0, 1, 0]), radius=1)
    with pytest.raises(BadLevel):
        ball_change(table, 0, line(3), prior=uniform(range(3)), radius="wide")
