"""Distributions, joint tables, hypers and their mixtures, Earth Moves on floats."""

import json
import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import (
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    NotStochastic,
    SpaceMismatch,
    UnknownCategory,
    WrongKind,
)
from dprivacy.model import (
    Channel,
    Dist,
    Hyper,
    as_channel,
    as_prior,
    earth_move,
    empirical,
    joint,
    point,
    push,
    uniform,
)
from dprivacy.numbers import Mat
from dprivacy.spaces import line

COIN = as_channel([["3/4", "1/4"], ["1/4", "3/4"]], rows=["x", "z"], columns=["u", "v"])


# -- distributions ---------------------------------------------------------------------------------


def test_ready_made_priors() -> None:
    assert uniform(line(4)).weights == [Q(1, 4)] * 4
    assert uniform(["a"]).weights == [1]
    assert point("b", ["a", "b"]).weights == [0, 1]
    assert point(2, line(3)).support == (2,)
    counted = empirical(["a", "b", "a"], ["a", "b", "c"])
    assert dict(counted.items()) == {"a": Q(2, 3), "b": Q(1, 3), "c": 0}
    assert empirical(np.array([0, 1, 1, 1]), line(2)).weights == [Q(1, 4), Q(3, 4)]


def test_refused_priors() -> None:
    with pytest.raises(NotStochastic, match="5/6"):
        Dist(["a", "b"], ["1/2", "1/3"])
    with pytest.raises(NotStochastic, match="'b'"):
        Dist(["a", "b"], ["3/2", "-1/2"])
    with pytest.raises(Malformed, match="'b'"):
        Dist(["a", "b"], [1.0, math.nan])
    with pytest.raises(NotStochastic):
        Dist(["a", "b"], [1.0, math.inf])
    with pytest.raises(Malformed, match="2 labels but 1"):
        Dist(["a", "b"], [1])
    with pytest.raises(MixedArithmetic, match="'a'"):
        Dist(["a", "b"], ["1/3", 2 / 3])
    with pytest.raises(DuplicateLabel):
        Dist(["a", "a"], ["1/2", "1/2"])
    with pytest.raises(UnknownCategory, match="'c'"):
        Dist(["a", "b"], [1, 0])["c"]
    with pytest.raises(UnknownCategory, match="'c'"):
        point("c", ["a", "b"])
    for empty in ([], ()):
        with pytest.raises(Malformed):
            uniform(empty)


def test_values_outside_the_domain_are_counted_and_not_shown() -> None:
    with pytest.raises(UnknownCategory, match="2 of 3") as refused:
        empirical(["a", "secret", "secret"], ["a", "b"])
    assert "secret" not in str(refused.value)
    with pytest.raises(Malformed, match="no values"):
        empirical([], ["a"])


def test_floats_get_a_small_tolerance_and_exact_numbers_none() -> None:
    Dist(["a", "b"], [0.5, 0.5 + 1e-12])
    with pytest.raises(NotStochastic):
        Dist(["a", "b"], [0.5, 0.5 + 1e-6])
    with pytest.raises(NotStochastic):
        Dist(["a", "b"], [Q(1, 2), Q(1, 2) + Q(1, 10**30)])


def test_distributions_are_values() -> None:
    first, second = Dist(["a", "b"], ["1/3", "2/3"]), Dist(["b", "a"], ["2/3", "1/3"])
    assert first == second
    assert hash(first) == hash(second)
    assert first != Dist(["a", "b"], [1 / 3, 2 / 3])
    assert first != "dist"
    assert len(first) == 2
    assert json.loads(json.dumps(first.to_dict())) == {"a": "1/3", "b": "2/3"}
    assert "2/3" in repr(first)


def test_joint_tables() -> None:
    table = joint(["f", "m"], ["no", "yes"], [[3, 1], [4, 0]])
    assert table[("f", "yes")] == Q(1, 8)
    assert table.marginal(0) == Dist(["f", "m"], ["1/2", "1/2"])
    assert table.marginal(1) == Dist(["no", "yes"], ["7/8", "1/8"])
    for wrong in ([[0, 0], [0, 0]], [[1, -1], [1, 1]]):
        with pytest.raises(NotStochastic):
            joint(["f", "m"], ["no", "yes"], wrong)


# -- hypers ----------------------------------------------------------------------------------------


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


# -- Earth Moves -----------------------------------------------------------------------------------


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


def test_priors_are_read_in_the_order_of_the_secrets() -> None:
    labels = ["rain", "sun"]
    third = Dist(labels, ["1/3", "2/3"])
    assert as_prior(third, labels) is third
    for given in ({"sun": "2/3", "rain": "1/3"}, ["1/3", "2/3"], third):
        assert as_prior(given, labels).weights == third.weights
    assert as_prior(third, labels[::-1]).weights == third.weights[::-1]
    assert as_prior(None, labels) == uniform(labels)
    assert as_prior(None, labels, exact=False).weights == [0.5, 0.5]
    with pytest.raises(SpaceMismatch, match="'snow' only in the first"):
        as_prior(third, [*labels, "snow"])
    for wrong in ("uniform", 3):
        with pytest.raises(WrongKind, match="leave it out for the uniform"):
            as_prior(wrong, labels)
