"""What the Laplace and the geometric mechanism cost, enclosed."""

import math
import random
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import integrate

from dprivacy.design.universality.laplace_enclosures import geometric_loss, laplace_loss, segment
from dprivacy.errors import BadNumber, MixedArithmetic, SpaceMismatch, UnknownName, WrongKind
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import geometric_steps, pixelated_laplace
from dprivacy.numbers.levels import as_eps
from support.interval_losses import LEVELS, absolute, points, random_setting


def by_quadrature(N, table, prior, eps):
    """∫ min_w Σ_x π_x·ℓ(w, x)·L(x)(y) dy and the two atoms, with scipy, in floats."""
    e = float(as_eps(eps))
    x = np.array([float(v) for v in points(N)])
    weighted = np.array([[float(v) for v in row] for row in table.matrix.rows()])
    weighted = weighted * np.array([float(p) for p in prior.weights])

    def cost(y):
        return (weighted @ (e / 2 * np.exp(-e * np.abs(y - x)))).min()

    total = (weighted @ np.exp(-e * x) / 2).min() + (weighted @ np.exp(-e * (1 - x)) / 2).min()
    for k in range(N):
        total += integrate.quad(cost, k / N, (k + 1) / N, limit=400, epsabs=1e-11)[0]
    return total


class TestLosses:
    @pytest.mark.statement("T", "Def 7.4.1")
    @pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
    @pytest.mark.parametrize("eps", LEVELS)
    def test_against_quadrature(self, eps):
        rng = random.Random(1)
        for N in (1, 2, 3, 5):
            prior, table = random_setting(rng, N)
            low, high = laplace_loss(N, eps=eps, prior=prior, loss=table)
            assert 0 <= high - low < Q(1, 10**30)
            assert float(low) == pytest.approx(by_quadrature(N, table, prior, eps), abs=1e-7)

    @pytest.mark.parametrize("eps", ["4 ln 2", "12 ln(3/2)"])
    def test_the_geometric_is_the_loss_of_its_channel(self, eps):
        rng = random.Random(2)
        for N in (1, 2, 4):
            prior, table = random_setting(rng, N)
            G = geometric_steps(N, eps=eps).channel
            exact = posterior_uncertainty(G, prior=prior, loss=table)
            assert geometric_loss(N, eps=eps, prior=prior, loss=table) == (exact, exact)

    @pytest.mark.parametrize("eps", [1, "7/3"])
    def test_an_irrational_geometric_is_enclosed(self, eps):
        rng = random.Random(3)
        for N in (2, 5):
            prior, table = random_setting(rng, N)
            low, high = geometric_loss(N, eps=eps, prior=prior, loss=table)
            alpha = math.exp(-float(eps if eps == 1 else Q(7, 3)) / N)
            weights = [
                1 / (1 + alpha) if k in (0, N) else (1 - alpha) / (1 + alpha) for k in range(N + 1)
            ]
            G = np.array(
                [[weights[k] * alpha ** abs(i - k) for k in range(N + 1)] for i in range(N + 1)]
            )
            joint = np.array([float(p) for p in prior.weights])[:, None] * G
            value = (table.matrix.floats @ joint).min(axis=0).sum()
            assert high - low < Q(1, 10**30)
            assert float(low) == pytest.approx(value, abs=1e-12)

    def test_pixels_close_in_on_it_from_above(self):
        """L ⊑ ᵀL: coarser pixels never cost less, and finer ones tend to the Laplace's loss."""
        prior, table = random_setting(random.Random(4), 2)
        low, high = laplace_loss(2, eps="64 ln 2", prior=prior, loss=table)
        values = [
            posterior_uncertainty(
                pixelated_laplace(2, T, eps="64 ln 2").channel, prior=prior, loss=table
            )
            for T in (1, 2, 4, 8, 16, 32, 64)
        ]
        assert values == sorted(values, reverse=True)
        assert values[-1] >= low
        near, _ = laplace_loss(2, eps="4 ln 2", prior=prior, loss=table)
        coarse = posterior_uncertainty(
            pixelated_laplace(2, 512, eps="4 ln 2").channel, prior=prior, loss=table
        )
        assert near <= coarse <= near + Q(1, 1000)
        assert high >= low

    def test_square_roots_that_are_rational_leave_no_gap(self):
        """One action is better below u² = 9/4, the other above: both bounds agree exactly."""
        low, high = segment([Q(9, 4), Q(0)], [Q(0), Q(1)], Q(2))
        assert low == high
        # ½·(∫₁^{3/2} 1 du + ∫_{3/2}^{2} (9/4)/u² du)
        assert low == Q(1, 2) * (Q(1, 2) + Q(9, 4) * (Q(2, 3) - Q(1, 2)))

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ((2, "absolute"), UnknownName, "'absolute'"),
            ((2, lambda w: 0), WrongKind, "a loss with a table"),
            ((0, absolute), BadNumber, "steps"),
            ((2, absolute, [0.2, 0.3, 0.5]), MixedArithmetic, "prior"),
            ((2, loss.identity(range(3))), SpaceMismatch, "the gain"),
            ((2, lambda w, x: 0.1), MixedArithmetic, "loss"),
        ],
    )
    def test_what_is_refused(self, arguments, error, words):
        N, cost, *prior = arguments
        with pytest.raises(error, match=words):
            laplace_loss(N, eps=1, prior=prior[0] if prior else None, loss=cost)
