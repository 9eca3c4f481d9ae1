"""Losses that are ordered along a line."""

import random

import pytest

from dprivacy.design.universality.consumer_preference import best_kernel
from dprivacy.design.universality.ordered_losses import is_ordered
from dprivacy.design.universality.universal_optimality import universally_optimal
from dprivacy.flow import is_monotonic, loss, posterior_uncertainty
from dprivacy.mechanisms import geometric
from dprivacy.spaces import line
from support.universality_cases import monotonic_loss, random_prior


class TestOrdered:
    def test_monotonic_losses_are_ordered(self):
        rng = random.Random(5)
        for _ in range(200):
            space = line(sorted(rng.sample(range(12), rng.randint(2, 5))))
            table = monotonic_loss(rng, space, rng.randint(2, 6))
            assert is_monotonic(table, space)
            assert is_ordered(table, space.labels)

    def test_one_direction_may_cost_more(self):
        late = loss.function(range(4), range(4), lambda w, x: x - w if x > w else 5 * (w - x))
        assert not is_monotonic(late, line(4))
        assert is_ordered(late, range(4)).actions == (0, 1, 2, 3)
        backwards = loss.matrix([*"ba"], range(2), [[1, 0], [0, 1]])
        assert is_ordered(backwards, range(2)).actions == ("a", "b")

    def test_middle_or_ends_is_not(self):
        middle = loss.matrix(["ends", "middle"], range(3), [[0, 1, 0], [1, 0, 1]])
        verdict = is_ordered(middle, range(3))
        assert verdict.conflict == ("ends", "middle")
        assert "cannot be put in order" in verdict.explain()

    def test_an_action_that_is_never_best_does_not_matter(self):
        table = loss.matrix([*"abz"], range(3), [[0, 1, 2], [2, 1, 0], [3, 1, 3]])
        assert is_ordered(table, range(3)).actions == ("a", "b")
        assert "In order: a, b" in is_ordered(table, range(3)).explain()

    @pytest.mark.statement("T", "Thm 6.4")
    @pytest.mark.parametrize("eps", ["ln 2", "ln(3/2)", "ln 5"])
    @pytest.mark.parametrize("points", [[0, 1, 2], [0, 1, 3], [0, 1, 2, 3], [0, 2, 3, 4]], ids=str)
    def test_the_geometric_is_best_for_them(self, points, eps):
        """Even steps or not: the geometric's loss is the optimum under random priors."""
        rng = random.Random(6)
        space = line(points)
        G = geometric(space, eps=eps)
        late = loss.function(points, points, lambda w, x: x - w if x > w else 3 * (w - x))
        tables = [monotonic_loss(rng, space, rng.randint(2, 4)) for _ in range(8)] + [late]
        for table in tables:
            for _ in range(3):
                prior = random_prior(rng, space)
                best = best_kernel(space, eps=eps, prior=prior, loss=table).loss
                assert posterior_uncertainty(G.channel, prior=prior, loss=table) == best
            assert universally_optimal(G, space, eps=eps, loss=table)
