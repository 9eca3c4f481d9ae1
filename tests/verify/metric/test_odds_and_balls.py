"""What one output does to the odds of two secrets, and to the belief in one."""

import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadLevel, Malformed, MixedArithmetic, SpaceMismatch
from dprivacy.model import Channel, Dist, as_channel, push, uniform
from dprivacy.numbers import ln
from dprivacy.spaces import discrete, line
from dprivacy.verify import ball_change, odds_change

C = Channel(
    ["x", "z"], ["a", "b", "c", "d"], [["1/2", "1/4", "1/4", 0], ["1/4", "1/4", "1/8", "3/8"]]
)


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
