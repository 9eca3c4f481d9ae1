"""The Laplace against the geometric: never cheaper, and never by much."""

import json
import math
import random
from fractions import Fraction as Q

import pytest

from dprivacy.design.universality.refined_by_noise import (
    laplace_against_geometric,
    refined_by_laplace,
)
from dprivacy.errors import Uncertified
from dprivacy.flow import loss
from dprivacy.mechanisms import pixelated_laplace
from dprivacy.numbers.levels import as_eps
from dprivacy.refine import refines
from support.interval_losses import LEVELS, absolute, random_setting, squared


def table_of(rows, N):
    places = [Q(k, N) for k in range(N + 1)]
    return loss.matrix(range(len(rows)), places, rows)


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
                    assert float(found.sharper) <= kappa / 2 * math.tanh(e / 2 / N) * (1 + 1e-12)

    @pytest.mark.parametrize("eps", ["ln 2", "8 ln 2", "40 ln 2"])
    def test_the_second_bound_takes_over_for_large_levels(self, eps):
        """κ/(3N)·(1 + 3λ)/(1 + λ) ≤ 2κ/(3N), from the definition in doubles; and what it bounds."""
        for N in (1, 3, 12):
            found = laplace_against_geometric(N, eps=eps, loss=absolute)
            step = math.exp(-float(as_eps(eps)) / N)
            first = math.tanh(float(as_eps(eps)) / (2 * N)) / 2
            second = (1 + 3 * step) / (1 + step) / (3 * N)
            assert float(found.sharper) == pytest.approx(min(first, second))
            assert found.difference[1] <= found.sharper <= Q(2, 3 * N)

    def test_a_loss_that_jumps_is_bounded_by_how_much_it_varies(self):
        """Rows that vary by at most 1, without a Lipschitz constant: 1/2·tanh(ε/(2N))."""
        rng = random.Random(2)
        for N, eps in ((3, "ln 2"), (5, "4 ln 3"), (8, "ln 3")):
            bound = math.tanh(float(as_eps(eps)) / (2 * N)) / 2
            for _ in range(10):
                table = [[Q(rng.randrange(2)) for _ in range(N + 1)] for _ in range(3)]
                found = laplace_against_geometric(N, eps=eps, loss=table_of(table, N))
                assert float(found.difference[1]) <= bound + 1e-12

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
