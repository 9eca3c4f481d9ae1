"""Probabilistic extended privacy, by its definition."""

import itertools
import json
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.model import Channel, mixture
from dprivacy.numbers import ln
from dprivacy.verify import extended_privacy, probabilistic_privacy, with_shared_randomness
from support.loss_channels import channels

COIN = [["3/4", "1/4"], ["1/4", "3/4"]]


@pytest.mark.statement("T", "Def 10.4.3", "Def 10.3.6")
@settings(max_examples=60)
@given(channels(), st.sampled_from([Q(1), Q(3, 2), Q(2), Q(3)]), st.integers(0, 10))
def test_probabilistic_by_definition(C: Channel, factor: Q, tenths: int) -> None:
    direct = all(
        sum(C[x, y] for y in C.columns if C[x, y] > factor * C[z, y]) <= Q(tenths, 10)
        for x, z in itertools.permutations(C.rows, 2)
    )
    verdict = probabilistic_privacy(C, xi=ln(factor), delta=Q(tenths, 10))
    assert verdict.exact
    assert verdict.holds == direct


@pytest.mark.statement("T", "Prop 10.5")
@settings(max_examples=60)
@given(channels(), channels(), st.sampled_from(["ln 2", "1/2", "ln 3"]))
def test_probabilistic_implies_extended_and_forgetting_the_seed_keeps_it(
    A: Channel, B: Channel, xi: str
) -> None:
    weights = ["1/3", "2/3"]
    shared = with_shared_randomness(weights, [A, B])
    worst = probabilistic_privacy(shared, xi=xi).worst
    assert worst is not None
    assert probabilistic_privacy(shared, xi=xi, delta=worst.tail)
    assert extended_privacy(shared, xi=xi, delta=worst.tail)
    assert extended_privacy(mixture(weights, [A, B]), xi=xi, delta=worst.tail)


def test_extended_does_not_imply_probabilistic() -> None:
    assert extended_privacy(COIN, xi="ln 2", delta="1/4")
    assert not probabilistic_privacy(COIN, xi="ln 2", delta="1/4")


def test_probabilistic_in_floats_is_undecided_at_a_tie() -> None:
    third = [[2 / 3, 1 / 3], [1 / 3, 2 / 3]]
    assert probabilistic_privacy(third, xi="ln 2", delta="1/2").holds is None
    assert probabilistic_privacy(third, xi=0.8).status == "measured"
    assert probabilistic_privacy(third, xi=0.6, delta=0.5).status == "measured to fail"
    assert probabilistic_privacy(third, xi=0.6, delta=0.7).status == "measured"


def test_probabilistic_words_and_adjacency() -> None:
    verdict = probabilistic_privacy(COIN, xi=1)
    assert "exceeds 1 with probability 3/4" in verdict.explain()
    assert json.dumps(verdict.to_dict())
    assert probabilistic_privacy([[1, 0], [1, 0], [0, 1]], xi=0, pairs=[(0, 1)])
