"""The Laplace against the geometric: losses by quadrature, bounds, witnesses, pixels."""

import json
import math
import random
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import integrate

from dprivacy.design.universality.interval_pixels import gathered, laplace_on_interval, step_below
from dprivacy.design.universality.laplace_enclosures import geometric_loss, laplace_loss, segment
from dprivacy.design.universality.refined_by_noise import (
    laplace_against_geometric,
    refined_by_laplace,
)
from dprivacy.errors import (
    Malformed,
    MixedArithmetic,
    SpaceMismatch,
    Uncertified,
    UnknownName,
    WrongKind,
)
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import geometric_steps, pixelated_laplace
from dprivacy.model import Dist
from dprivacy.numbers.levels import as_eps
from dprivacy.refine import refines
from dprivacy.spaces import quantised

LEVELS = ["4 ln 2", "ln 3", 1, "1/10", "12 ln(3/2)", 20]


def absolute(w, x):
    return abs(w - x)


def squared(w, x):
    return (w - x) ** 2


def points(N):
    return quantised(0, 1, Q(1, N)).labels


def random_setting(rng, N, k=4):
    labels = points(N)
    weights = [rng.randint(0, 5) for _ in labels]
    weights[rng.randrange(N + 1)] += 1
    prior = Dist(labels, [Q(w, sum(weights)) for w in weights])
    table = loss.matrix(range(k), labels, [[rng.randint(-3, 9) for _ in labels] for _ in range(k)])
    return prior, table


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
            ((0, absolute), Malformed, "steps"),
            ((2, absolute, [0.2, 0.3, 0.5]), MixedArithmetic, "prior"),
            ((2, loss.identity(range(3))), SpaceMismatch, "the gain"),
            ((2, lambda w, x: 0.1), MixedArithmetic, "loss"),
        ],
    )
    def test_what_is_refused(self, arguments, error, words):
        N, cost, *prior = arguments
        with pytest.raises(error, match=words):
            laplace_loss(N, eps=1, prior=prior[0] if prior else None, loss=cost)


class TestDifference:
    @pytest.mark.statement("T", "Thm 7.9", "Thm 7.10", "Thm 7.8")
    @pytest.mark.parametrize("eps", LEVELS)
    def test_it_lies_between_0_and_the_bounds(self, eps):
        """E12, and the sharper κ/2·tanh(ε/(2N)); for uniform and random priors, random losses."""
        rng = random.Random(5)
        for N in (1, 2, 4, 6):
            for table in (absolute, squared, None):
                prior, random_table = random_setting(rng, N)
                for belief in (None, prior):
                    found = laplace_against_geometric(
                        N, eps=eps, prior=belief, loss=table or random_table
                    )
                    assert found.laplace[1] >= found.geometric[0]
                    assert 0 <= found.difference[0] <= found.difference[1]
                    assert found.difference[1] <= found.sharper <= found.theorem
                    e = float(as_eps(eps))
                    kappa = float(found.kappa)
                    c = 3 * e**2 / (1 - math.exp(-e)) ** 2
                    assert float(found.theorem) == pytest.approx(c * kappa / N)
                    assert float(found.sharper) == pytest.approx(kappa / 2 * math.tanh(e / 2 / N))

    def test_one_step_by_hand(self):
        """Guess 0 or 1: the geometric errs with λ/(1+λ), the Laplace with e^(−ε/2)/2."""
        found = laplace_against_geometric(1, eps="2 ln 2", loss=lambda w, x: int(w != x))
        assert found.geometric == (Q(1, 5), Q(1, 5))
        assert found.laplace == (Q(1, 4), Q(1, 4))
        assert found.difference == (Q(1, 20), Q(1, 20))
        assert found.sharper == Q(3, 10)

    def test_words_and_data(self):
        found = laplace_against_geometric(2, eps="4 ln 2", loss=lambda w, x: int(w != x))
        assert found.exact
        assert "1/15" in str(found)
        assert "coarser bound" in found.explain()
        json.dumps(found.to_dict())
        assert not laplace_against_geometric(2, eps=1, loss=absolute).exact


class TestRefinement:
    @pytest.mark.statement("T", "Lem 7.7", "Thm 7.8", "Fig 7.3")
    @pytest.mark.parametrize(
        ("N", "T", "eps"),
        [
            (1, 1, "ln 2"),
            (1, 3, "3 ln 2"),
            (2, 8, "8 ln 2"),
            (3, 2, "6 ln(3/2)"),
            (4, 6, "12 ln 2"),
            (5, 20, "20 ln(5/4)"),
        ],
    )
    def test_the_witness(self, N, T, eps):
        found = refined_by_laplace(N, T, eps=eps)
        assert found.status == "proved"
        assert found.geometric @ found.R == pixelated_laplace(N, T, eps=eps).channel
        assert refines(found.geometric, found.laplace)
        assert "entry by entry" in found.explain()

    def test_the_converse_fails(self):
        found = refined_by_laplace(2, 4, eps="4 ln 2")
        assert not refines(found.laplace, found.geometric)

    def test_an_irrational_level(self):
        with pytest.raises(Uncertified, match="take ε = 12 ln"):
            refined_by_laplace(4, 6, eps=1)


class TestPixelation:
    @pytest.mark.statement("T", "Def 7.5.1", "Def 7.5.2")
    def test_steps(self):
        assert [step_below(Q(k, 8), 4) for k in range(9)] == [
            0, 0, Q(1, 4), Q(1, 4), Q(1, 2), Q(1, 2), Q(3, 4), Q(3, 4), Q(3, 4)
        ]  # fmt: skip
        with pytest.raises(Malformed, match="should lie in"):
            step_below(Q(9, 8), 4)

    def test_the_example_of_the_uniform_prior(self):
        """T §7.5.2: in two steps, a half on 0 and a half on 1/2."""
        assert gathered(lambda x: x, 2).weights == [Q(1, 2), Q(1, 2), 0]

    @pytest.mark.parametrize("cdf", [lambda x: 1 - x, lambda x: x / 2, lambda x: (4 * x - 3) * x])
    def test_what_is_no_distribution(self, cdf):
        with pytest.raises(Malformed, match="distribution function"):
            gathered(cdf, 4)

    @pytest.mark.statement("T", "Lem 7.4")
    def test_a_stepped_problem_on_the_interval_is_the_gathered_one(self):
        """U_{ℓ_N}[π ▷ M_N] = U_ℓ[π_N ▷ M], with the left side summed over 1200 strips of [0, 1]."""
        N, strips = 4, 1200
        M = pixelated_laplace(N, 3, eps="12 ln 2").channel
        table = loss.metric(quantised(0, 1, Q(1, N)))
        middles = [Q(2 * i + 1, 2 * strips) for i in range(strips)]
        chance = [Q(i + 1, strips) ** 2 - Q(i, strips) ** 2 for i in range(strips)]
        total = Q(0)
        for y in M.columns:
            sums = dict.fromkeys(table.actions, Q(0))
            for x, p in zip(middles, chance, strict=True):
                at = step_below(x, N)
                for w in table.actions:
                    sums[w] += p * M[at, y] * table[w, at]
            total += min(sums.values())
        assert total == posterior_uncertainty(M, prior=gathered(lambda x: x * x, N), loss=table)

    @pytest.mark.statement("T", "Thm 7.3", "Lem 7.5", "Lem 7.6", "Lem 7.11", "Cor 7.12")
    @pytest.mark.parametrize(("cost", "kappa"), [(absolute, 1), (squared, 2)])
    def test_the_bounds_on_the_interval_close(self, cost, kappa):
        """The Laplace's loss on [0, 1], by quadrature, lies between bounds that meet as N grows."""
        eps, actions = 2.0, [Q(k, 8) for k in range(9)]
        x = (np.arange(4000) + 0.5) / 4000
        table = np.array([[float(cost(float(w), v)) for v in x] for w in actions])
        y = (np.arange(1500) + 0.5) / 1500
        inner = table @ (eps / 2 * np.exp(-eps * np.abs(x[:, None] - y))) / len(x)
        value = inner.min(axis=0).mean()
        value += sum((table @ np.exp(-eps * d) / 2 / len(x)).min() for d in (x, 1 - x))
        regrets = []
        for N in (4, 8, 16):
            found = laplace_on_interval(
                lambda t: t, N=N, eps=2, kappa=kappa, loss=cost, actions=actions
            )
            assert float(found.laplace[0]) - 1e-6 <= value <= float(found.laplace[1]) + 1e-6
            assert float(found.least) <= value + 1e-6
            regrets.append(found.regret)
        assert regrets == sorted(regrets, reverse=True)
        assert regrets[-1] < regrets[0] / 2
        assert "No private mechanism" in str(found)
        json.dumps(found.to_dict())

    def test_any_private_mechanism_costs_at_least_that(self):
        """Another private mechanism, uniform noise of the response kind, stays above the bound."""
        found = laplace_on_interval(lambda t: t, N=16, eps="16 ln(9/8)", kappa=1, loss=absolute)
        assert found.least <= Q(1, 4)  # saying nothing costs 1/4

    def test_a_loss_that_is_not_ordered(self):
        def ends(w, x):
            return abs(x - Q(1, 2)) if w else Q(1, 2) - abs(x - Q(1, 2))

        found = laplace_on_interval(lambda t: t, N=4, eps=1, kappa=1, loss=ends, actions=[0, 1])
        assert found.least is None
        assert found.regret is None
        assert "not ordered" in found.explain()

    def test_a_negative_loss(self):
        with pytest.raises(Malformed, match="at least 0"):
            laplace_on_interval(lambda t: t, N=4, eps=1, kappa=1, loss=lambda w, x: w - x)
