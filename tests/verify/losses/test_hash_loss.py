"""The loss of hashing and randomised response."""

import itertools
import math
from fractions import Fraction as Q
from typing import Any

import pytest

from dprivacy.errors import Malformed
from dprivacy.numbers import Level
from dprivacy.verify import (
    binomial_tail_bound,
    concentrated_privacy,
    lshrr_chernoff,
    lshrr_concentrated,
    lshrr_hoeffding,
    lshrr_loss,
    privacy_loss,
    subgaussian_scale,
    with_shared_randomness,
)

CASES = list(
    itertools.product(["ln 2", "1/10", "ln 10", "3"], [1, 2, 3, 5, 10], ["1/20", "1/2", "1"])
)


def response(bits: tuple[int, ...], eps: str) -> list[Any]:
    """Bitwise randomised response on one string: the probabilities of all answers."""
    a = Level(eps).exp()
    assert a is not None
    return [
        math.prod((a if b == y else 1) / (1 + a) for b, y in zip(bits, answer, strict=True))
        for answer in itertools.product((0, 1), repeat=len(bits))
    ]


def test_the_loss_of_lshrr_by_enumeration() -> None:
    # Every pattern of differing bits, hashes of x all 0: shared randomness is the pattern.
    d, bits = Q(1, 5), 3
    patterns = list(itertools.product((0, 1), repeat=bits))
    weights = [d ** sum(p) * (1 - d) ** (bits - sum(p)) for p in patterns]
    channels = [[response((0,) * bits, "ln 3"), response(p, "ln 3")] for p in patterns]
    direct = privacy_loss(with_shared_randomness(weights, channels), 0, 1)
    assert lshrr_loss(eps="ln 3", bits=bits, distance=d).cells == direct.cells


@pytest.mark.statement("T", "Thm 10.6")
@pytest.mark.parametrize(("eps", "bits", "d"), CASES)
def test_lshrr_is_concentrated_as_corrected(eps: str, bits: int, d: str) -> None:
    loss = lshrr_loss(eps=eps, bits=bits, distance=d)
    g = lshrr_concentrated(eps=eps, bits=bits)
    size = float(Level(eps))
    assert float(g.mu) == pytest.approx(size * bits * math.tanh(size / 2))
    assert float(loss.mean) == pytest.approx(float(g.mu) * float(Q(d)), rel=1e-12)
    assert subgaussian_scale(loss).high <= float(g.tau) * (1 + 1e-9)


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_the_printed_constants_fail_below_four_bits(bits: int) -> None:
    loss = lshrr_loss(eps="ln 2", bits=bits, distance=1)
    assert subgaussian_scale(loss).low > math.log(2) * bits / 2  # E16
    verdict = concentrated_privacy(
        [[Q(2, 3), Q(1, 3)], [Q(1, 3), Q(2, 3)]], mu="ln 2", tau="0.5 ln 2"
    )
    assert verdict.holds is False


@pytest.mark.statement("T", "Thm 10.7", "Prop 10.8")
@pytest.mark.parametrize(("eps", "bits", "d"), CASES)
@pytest.mark.parametrize("delta", ["1/2", "0.01", "1e-9"])
def test_lshrr_bounds_hold_and_chernoff_is_tighter(eps: str, bits: int, d: str, delta: str) -> None:
    loss = lshrr_loss(eps=eps, bits=bits, distance=d)
    simple = lshrr_hoeffding(eps=eps, bits=bits, delta=delta)
    tight = lshrr_chernoff(eps=eps, bits=bits, delta=delta)
    for bound in (simple, tight):
        assert bound.probabilistic
        assert loss.tail(bound.xi(Q(d))) <= Q(delta)
    assert tight.xi(Q(d)) <= simple.xi(Q(d)) * (1 + 1e-12)
    printed = float(Level(eps)) * (bits * float(Q(d)) + math.sqrt(-bits * math.log(Q(delta)) / 2))
    assert simple.xi(Q(d)) == pytest.approx(printed)


def test_lshrr_with_a_constant_alpha() -> None:
    g = lshrr_chernoff(eps="ln 2", bits=20, alpha="1/4")
    loss = lshrr_loss(eps="ln 2", bits=20, distance="1/10")
    assert float(g.xi(Q(1, 10))) == pytest.approx(math.log(2) * 7)
    assert g.delta(Q(1, 10)) == binomial_tail_bound(20, "1/10", "1/4")
    assert loss.tail(g.xi(Q(1, 10))) <= g.delta(Q(1, 10))
    assert g.delta(Q(9, 10)) == 0
    assert "D(d+α‖d)" in g.explain("1/10")
    for arguments in ({}, {"alpha": 1, "delta": 1}):
        with pytest.raises(Malformed, match="one of delta and alpha"):
            lshrr_chernoff(eps=1, bits=2, **arguments)
