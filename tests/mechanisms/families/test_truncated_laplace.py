"""The truncated Laplace mechanism and its pixelated channels, against numerical integration."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import integrate, stats

from dprivacy.errors import BadNumber, DPrivacyError
from dprivacy.mechanisms import (
    geometric_steps,
    pixelated_laplace,
    truncated_laplace_cdf,
)
from dprivacy.numbers import ln
from dprivacy.spaces import quantised
from dprivacy.verify import privacy

EPS = [0.3, 1.0, 6.0]
PLACES = [0, 0.1, 0.5, 0.77, 1]


@pytest.mark.statement("T", "Def 7.4.3")
@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("x", PLACES)
def test_atoms_hold_the_tails(eps, x):
    """e^(−εx)/2 and e^(−ε(1−x))/2; with the printed signs they would exceed 1."""
    low = truncated_laplace_cdf(x, 0, eps=eps)
    high = 1 - truncated_laplace_cdf(x, 1 - 1e-12, eps=eps)
    density = lambda y: eps / 2 * math.exp(-eps * abs(y - x))  # noqa: E731
    assert low == pytest.approx(integrate.quad(density, -math.inf, 0)[0], rel=1e-7)
    assert high == pytest.approx(integrate.quad(density, 1, math.inf)[0], rel=1e-7)
    middle = integrate.quad(density, 0, 1, points=[x])[0]
    assert low + middle + high == pytest.approx(1)
    if x > 0:
        assert math.exp(eps * x) / 2 + middle + math.exp(eps * (1 - x)) / 2 > 1


@pytest.mark.statement("T", "Def 7.4.3")
@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("x", PLACES)
def test_the_distribution_function(eps, x):
    law = stats.laplace(x, 1 / eps)
    for y in (0, 0.05, 0.3, 0.77, 0.999):
        assert truncated_laplace_cdf(x, y, eps=eps) == pytest.approx(law.cdf(y))
    assert truncated_laplace_cdf(x, 1, eps=eps) == 1


@pytest.mark.parametrize("outside", [-0.1, 1.1, math.nan, math.inf, "abc", None, 10**400])
def test_it_lives_on_the_unit_interval(outside):
    with pytest.raises(BadNumber, match="from 0 to 1"):
        truncated_laplace_cdf(outside, 0.5, eps=1)
    with pytest.raises(BadNumber, match="from 0 to 1"):
        truncated_laplace_cdf(0.5, outside, eps=1)


@pytest.mark.statement("T", "Def 7.5.2")
@pytest.mark.parametrize("eps", ["0.3", "1", "6", "ln 16"])
@pytest.mark.parametrize(("N", "T"), [(1, 1), (1, 2), (2, 4), (3, 5), (4, 3)])
def test_pixels_hold_what_integration_gives(N, T, eps):
    mechanism = pixelated_laplace(N, T, eps=eps)
    e = float(mechanism.guarantee.eps)
    assert mechanism.channel.rows == tuple(Q(k, N) for k in range(N + 1))
    assert mechanism.channel.columns == tuple(Q(t, T) for t in range(T))
    for x in mechanism.channel.rows:
        density = lambda y, x=float(x): e / 2 * math.exp(-e * abs(y - x))  # noqa: E731
        for y in mechanism.channel.columns:
            start, stop = float(y), float(y) + 1 / T
            expected = integrate.quad(
                density, start, stop, points=[min(max(float(x), start), stop)]
            )[0]
            expected += math.exp(-e * float(x)) / 2 * (y == 0)
            expected += math.exp(-e * float(1 - x)) / 2 * (y == Q(T - 1, T))
            assert float(mechanism.channel[x, y]) == pytest.approx(expected, rel=1e-7)
    assert privacy(mechanism.channel, quantised(0, 1, Q(1, N)), eps=eps)


def test_coarser_pixels_are_sums_of_finer_ones():
    fine, coarse = (pixelated_laplace(2, T, eps=ln(2) * 8).channel for T in (8, 4))
    for x in fine.rows:
        for t in range(4):
            pair = fine[x, Q(2 * t, 8)] + fine[x, Q(2 * t + 1, 8)]
            assert coarse[x, Q(t, 4)] == pair


@pytest.mark.statement("T", "Lem 7.7")
@pytest.mark.parametrize(("N", "T"), [(2, 2), (2, 4), (2, 8), (4, 4), (4, 8), (1, 8)])
def test_the_geometric_is_refined_by_the_pixelated_laplace(N, T):
    """G_N·R = ᵀL with R = G_N⁻¹·ᵀL, which is a channel exactly when ᵀL refines G_N."""
    eps = ln(2) * 8
    G, L = geometric_steps(N, eps=eps).channel, pixelated_laplace(N, T, eps=eps).channel
    R = (G.inverse().matrix @ L.matrix).rows()
    assert all(entry >= 0 for row in R for entry in row)
    assert all(sum(row) == 1 for row in R)


@pytest.mark.parametrize(
    ("N", "T"), [(0, 1), (1, 0), (-1, 2), (1.5, 2), (2, "3"), (True, 2), (None, 1)]
)
def test_counts_that_are_refused(N, T):
    with pytest.raises(DPrivacyError):
        pixelated_laplace(N, T, eps=1)


@pytest.mark.parametrize("eps", ["0.5", "ln 3"])
def test_steps_are_the_geometric_on_a_quantised_interval(eps):
    mechanism = geometric_steps(5, eps=eps)
    assert mechanism.space == quantised(0, 1, "1/5")
    alpha = math.exp(-float(mechanism.guarantee.eps) / 5)
    inside = (1 - alpha) / (1 + alpha)
    assert float(mechanism.channel[0, Q(2, 5)]) == pytest.approx(inside * alpha**2, rel=1e-8)
    assert np.allclose(mechanism.channel.matrix.floats.sum(axis=1), 1)
