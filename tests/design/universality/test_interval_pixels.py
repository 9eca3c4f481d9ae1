"""Losses on all of [0, 1], from computations in steps."""

import json
import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.design.universality.interval_pixels import gathered, laplace_on_interval
from dprivacy.errors import BadNumber
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import pixelated_laplace
from dprivacy.spaces import quantised
from support.interval_losses import absolute, squared


class TestPixelation:
    def test_the_example_of_the_uniform_prior(self):
        """T §7.5.2: in two steps, a half on 0 and a half on 1/2."""
        assert gathered(lambda x: x, 2).weights == [Q(1, 2), Q(1, 2), 0]

    @pytest.mark.parametrize("cdf", [lambda x: 1 - x, lambda x: x / 2, lambda x: (4 * x - 3) * x])
    def test_what_is_no_distribution(self, cdf):
        with pytest.raises(BadNumber, match="distribution function"):
            gathered(cdf, 4)

    @pytest.mark.statement("T", "Def 7.5.1", "Def 7.5.2", "Lem 7.4")
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
                at = Q(math.floor(N * x), N)
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
        with pytest.raises(BadNumber, match="at least 0"):
            laplace_on_interval(lambda t: t, N=4, eps=1, kappa=1, loss=lambda w, x: w - x)
