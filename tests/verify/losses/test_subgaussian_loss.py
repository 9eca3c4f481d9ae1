"""The subgaussian scale of a loss is enclosed."""

import math
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings

from dprivacy.model import Channel
from dprivacy.verify import concentrated_privacy, privacy_loss, subgaussian_scale
from support.loss_channels import brute_scale, channels


@pytest.mark.statement("T", "Def 10.3.4")
@settings(max_examples=40)
@given(channels(least=1))
def test_the_scale_encloses_a_grid_search(C: Channel) -> None:
    loss = privacy_loss(C, 0, 1)
    scale = subgaussian_scale(loss)
    if loss.maximum == loss.minimum:
        assert scale.high == 0
        return
    found = brute_scale(loss)
    # At s = 1e-3 the logarithm is about 1e-8, so that doubles leave its value some 1e-8 uncertain.
    assert found <= scale.high * (1 + 1e-7)
    assert scale.low <= scale.high <= scale.low * (1 + 1e-6)
    assert found >= scale.low * (1 - 1e-3)
    assert scale.high <= float(scale.hoeffding) * (1 + 1e-12)


@pytest.mark.parametrize("q", ["2", "3", "9", "1000"])
def test_the_scale_of_a_coin_is_known(q: str) -> None:
    # Kearns and Saul: for ±ε with odds e^ε, τ² = 2·ε·tanh(ε/2).
    a = Q(q)
    loss = privacy_loss([[a / (1 + a), 1 / (1 + a)], [1 / (1 + a), a / (1 + a)]], 0, 1)
    scale = subgaussian_scale(loss)
    eps = math.log(a)
    true = math.sqrt(2 * eps * math.tanh(eps / 2))
    assert scale.low <= true * (1 + 1e-12)
    assert scale.high >= true * (1 - 1e-12)
    assert scale.high <= scale.low * (1 + 1e-6)


def test_rare_large_losses_are_enclosed_too() -> None:
    p, q = Q(1, 10**6), Q(1, 10**10)
    loss = privacy_loss([[p, 1 - p], [q, 1 - q]], 0, 1)
    scale = subgaussian_scale(loss)
    assert brute_scale(loss) <= scale.high * (1 + 1e-9)
    assert scale.high <= scale.low * (1 + 1e-6)
    assert subgaussian_scale(privacy_loss([[1, 0], ["1/2", "1/2"]], 1, 0)).high == math.inf


@pytest.mark.parametrize("rare", [Q(1, 10**9), Q(3, 4 * 10**18), Q(1, 10**40), Q(1, 10**120)])
@pytest.mark.parametrize("other", [Q(1, 3), Q(2, 3), Q(1, 10**8)])
def test_a_rare_loss_against_the_closed_form_of_two_atoms(rare, other):
    """τ² = R²·(1 − 2p)/(2·ln((1 − p)/p)) for a loss of two values, R apart, one of probability p."""
    apart = abs(math.log(rare / other) - math.log1p(-rare) + math.log1p(-other))
    true = max(
        apart * math.sqrt((1 - 2 * p) / (2 * math.log((1 - p) / p)))
        for p in (float(rare), float(other))
    )
    found = concentrated_privacy([[rare, 1 - rare], [other, 1 - other]])
    assert true * (1 - 1e-12) <= found.smallest_tau <= true * (1 + 1e-6)
    assert found.smallest_tau - found.error <= true
