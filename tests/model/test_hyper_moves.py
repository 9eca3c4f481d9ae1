"""Hypers: pushed, mixed, compared, and moved into each other."""

import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import (
    Malformed,
    MixedArithmetic,
    NotStochastic,
    SpaceMismatch,
    UnknownCategory,
)
from dprivacy.model import Channel, Dist, Hyper, as_channel, earth_move, push, uniform
from dprivacy.numbers import Mat

COIN = as_channel([["3/4", "1/4"], ["1/4", "3/4"]], rows=["x", "z"], columns=["u", "v"])


@pytest.mark.statement("T", "Def 2.4.1")
def test_push_aligns_the_prior_with_the_channel() -> None:
    prior = Dist(["z", "x"], ["1/5", "4/5"])
    hyper = prior >> COIN
    assert hyper == push(COIN, prior=prior)
    assert hyper.outer["u"] == Q(4, 5) * Q(3, 4) + Q(1, 5) * Q(1, 4)
    assert hyper.inner("u")["x"] == Q(12, 13)


def test_impossible_and_equal_observations() -> None:
    channel = as_channel([["1/2", "1/4", 0, "1/4"], ["1/2", "1/4", 0, "1/4"]])
    hyper = uniform([0, 1]) >> channel
    assert len(hyper.inners) == 1
    assert hyper.outer.weights == [1]
    assert hyper.inners[0] == uniform([0, 1])


def test_secrets_without_probability() -> None:
    hyper = Dist(["x", "z"], [1, 0]) >> COIN
    assert len(hyper.inners) == 1
    assert hyper.channel().rows == ("x",)
    assert hyper.prior() == Dist(["x", "z"], [1, 0])


def test_unknown_observations_are_named() -> None:
    hyper = uniform(["x", "z"]) >> COIN
    with pytest.raises(UnknownCategory, match="'w'"):
        hyper.inner("w")


def test_equality_ignores_names_and_order() -> None:
    renamed = Channel(["z", "x"], [1, 2], [["3/4", "1/4"], ["1/4", "3/4"]])
    assert uniform(["x", "z"]) >> COIN == uniform(["x", "z"]) >> renamed
    assert hash(uniform(["x", "z"]) >> COIN) == hash(uniform(["x", "z"]) >> renamed)
    assert uniform(["x", "z"]) >> COIN != Dist(["x", "z"], ["1/3", "2/3"]) >> COIN
    assert uniform([0, 1]) >> as_channel([[1], [1]]) != uniform(["x", "z"]) >> COIN
    assert (uniform(["x", "z"]) >> COIN) != "hyper"


def test_convex_sums_of_hypers() -> None:
    nothing = uniform(["z", "x"]) >> Channel(["z", "x"], ["-"], [[1], [1]])
    coin = uniform(["x", "z"]) >> COIN
    mixed = Hyper.mix(["1/3", "2/3"], [coin, nothing])
    assert mixed.prior() == uniform(["x", "z"])
    assert sorted(mixed.outer.weights) == [Q(1, 6), Q(1, 6), Q(2, 3)]
    assert Hyper.mix([1, 0], [coin, nothing]) == coin
    assert Hyper.mix(["1/2", "1/2"], [coin, coin]) == coin
    assert earth_move(coin, mixed)
    assert not earth_move(mixed, coin)
    with pytest.raises(Malformed):
        Hyper.mix([], [])
    with pytest.raises(NotStochastic):
        Hyper.mix(["1/2", "1/3"], [coin, coin])
    with pytest.raises(SpaceMismatch):
        Hyper.mix(["1/2", "1/2"], [coin, uniform([0, 1]) >> as_channel([[1], [1]])])


def test_convex_sums_do_not_mix_arithmetic() -> None:
    floats = Dist(["x", "z"], [0.5, 0.5]) >> Channel(
        ["x", "z"], [0, 1], [[0.75, 0.25], [0.25, 0.75]]
    )
    exact = uniform(["x", "z"]) >> COIN
    for weights, hypers in [
        (["1/2", "1/2"], [floats, floats]),
        ([0.5, 0.5], [exact, exact]),
        ([0.5, 0.5], [floats, exact]),
    ]:
        with pytest.raises(MixedArithmetic):
            Hyper.mix(weights, hypers)
    assert not Hyper.mix([0.5, 0.5], [floats, floats]).exact


def test_hyper_as_data_and_in_print() -> None:
    hyper = uniform(["x", "z"]) >> COIN
    data = json.loads(json.dumps(hyper.to_dict()))
    assert data["outer"] == {"u": "1/2", "v": "1/2"}
    assert data["inners"][0] == {"x": "3/4", "z": "1/4"}
    assert "2 posteriors" in repr(hyper)


def test_a_hyper_is_built_from_its_joint() -> None:
    hyper = Hyper(
        ["x", "z"], [0, 1, 2], Mat.of([[Q(1, 4), Q(1, 8), 0], [Q(1, 4), Q(1, 8), Q(1, 4)]])
    )
    assert hyper.outer.weights == [Q(3, 4), Q(1, 4)]
    assert hyper.prior() == Dist(["x", "z"], ["3/8", "5/8"])


def float_coin(p: float) -> Hyper:
    return Dist([0, 1], [0.5, 0.5]) >> as_channel([[p, 1 - p], [1 - p, p]])


@pytest.mark.statement("T", "Def 2.4.3")
def test_float_moves_are_measured() -> None:
    sharp, blunt = float_coin(0.75), float_coin(0.625)
    assert earth_move(sharp, blunt).status in ("measured", "undecided")
    worse = earth_move(blunt, sharp)
    assert worse.status == "measured to fail"
    assert worse.after > worse.before
    same = earth_move(sharp, sharp)
    assert same.status == "measured"
    hair = earth_move(float_coin(0.75), float_coin(math.nextafter(0.75, 1)))
    assert hair.holds is None
    assert not hair


@pytest.mark.statement("T", "Def 2.4.2")
def test_moves_need_the_same_secrets_and_prior() -> None:
    with pytest.raises(SpaceMismatch):
        earth_move(uniform(["x", "z"]) >> COIN, uniform([0, 1]) >> as_channel([[1], [1]]))
    other = Dist(["x", "z"], ["1/3", "2/3"]) >> COIN
    move = earth_move(uniform(["x", "z"]) >> COIN, other)
    assert move.status == "refuted"
    assert move.after > move.before
    json.dumps(move.to_dict(), allow_nan=False)
