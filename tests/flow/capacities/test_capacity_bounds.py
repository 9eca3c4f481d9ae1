"""Bounds on what any channel leaks."""

import math
from fractions import Fraction as Q

import pytest
from flint import arb, ctx, fmpq

from dprivacy.flow import leakage, leakage_bound
from dprivacy.spaces import discrete, from_table, line
from dprivacy.verify import smallest_eps


def test_the_discrete_metric_bounds_by_e_to_the_eps():
    assert leakage_bound(discrete(["x", "y", "z"]), eps="ln 3") == 3


@pytest.mark.parametrize("far", [0.1, 0.3, 0.7, 1.1, 2.3, 1e-3])
def test_a_bound_on_floats_is_rounded_up(far):
    space = from_table([0, 1], [[0.0, far], [far, 0.0]])
    found = Q(leakage_bound(space, eps=1))
    with ctx.workprec(200):
        assert arb(far).exp() <= arb(fmpq(found.numerator, found.denominator))


def test_bounds_beyond_the_doubles():
    """Huge levels and a product of two logarithms: a bound, never a refusal."""
    assert leakage_bound(line(3), eps=10**9) == math.inf
    logs = from_table([0, 1], [[0, "ln 3"], ["ln 3", 0]])
    assert 2.14148606390 < leakage_bound(logs, eps="ln 2") < 2.14148606391


@pytest.mark.parametrize("eps", [0, "1e-40", 1])
def test_secrets_that_need_no_protection_may_leak_whole(eps) -> None:
    """At distance ∞ the identity is private at every level, 0 among them, and tells everything."""
    space = from_table([0, 1], [[0, math.inf], [math.inf, 0]], extended=True)
    assert smallest_eps([[1, 0], [0, 1]], space) == 0
    assert leakage([[1, 0], [0, 1]]) == 2
    assert leakage_bound(space, eps=eps) == math.inf
    twins = from_table([0, 1], [[0, 0], [0, 0]], pseudo=True)
    assert leakage_bound(twins, eps=eps) == 1
