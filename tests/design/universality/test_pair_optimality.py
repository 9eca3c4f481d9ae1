"""Which channels are best for telling two secrets apart."""

import json
import random
from fractions import Fraction as Q
from itertools import combinations

import pytest

from dprivacy.design.universality.pair_optimality import best_on_pair
from dprivacy.design.universality.universal_optimality import universally_optimal
from dprivacy.errors import NotApplicable, UnknownCategory
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import geometric
from dprivacy.model import Dist, as_channel
from dprivacy.polytope import kernels
from dprivacy.refine import refines
from dprivacy.spaces import from_table, line
from support.universality_cases import H, some_private_channels, spaces


class TestPairs:
    @pytest.mark.statement("T", "Lem 6.20", "Lem 6.24")
    @spaces
    def test_against_every_kernel(self, space):
        """Best on a pair exactly when the restriction is refined by those of all kernels."""
        rng = random.Random(2)
        found = list(kernels(space, eps="ln 2"))
        for C in some_private_channels(rng, space, 4):
            for x, z in combinations(space.labels, 2):
                verdict = best_on_pair(C, x, z, space, eps="ln 2")
                pair = C.restrict([x, z])
                best = all(refines(pair, K.restrict([x, z])) for K in found)
                assert bool(verdict) == best
                two = kernels(space.restrict([x, z]), eps="ln 2")
                assert (verdict.kind == "T") == bool(pair.equivalent(next(two)))
                if not verdict:
                    prior = Dist([x, z], verdict.prior)
                    guess = loss.identity([x, z])
                    assert verdict.risk == posterior_uncertainty(pair, prior=prior, loss=guess)
                    risks = (
                        posterior_uncertainty(K.restrict([x, z]), prior=prior, loss=guess)
                        for K in found
                    )
                    assert verdict.least == min(risks) < verdict.risk

    @pytest.mark.statement("T", "Cor 6.23")
    def test_best_without_being_t(self):
        """E8 and Remark 6.5.2: between 0 and 2 lies 1, and no private channel reaches T there."""
        verdict = best_on_pair(geometric(3, eps="ln 2"), 0, 2, line(3), eps="ln 2")
        assert (bool(verdict), verdict.kind, verdict.reachable) == (True, "frontier", False)
        assert "points between them" in verdict.explain()

    def test_below(self):
        verdict = best_on_pair(H, 2, 0, line(3), eps="ln 2")
        assert (verdict.kind, verdict.prior) == ("below", (Q(1, 2), Q(1, 2)))
        assert (verdict.risk, verdict.least, verdict.gap) == (Q(1, 2), Q(1, 4), Q(1, 4))
        assert "wrong with probability 1/2" in verdict.explain()
        json.dumps(verdict.to_dict())

    def test_points_at_distance_0_are_one(self):
        space = from_table([*"abc"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True)
        C = [["2/3", "1/3"], ["2/3", "1/3"], ["1/3", "2/3"]]
        assert best_on_pair(as_channel(C, rows=[*"abc"]), "a", "b", space, eps="ln 2")
        assert universally_optimal(as_channel(C, rows=[*"abc"]), space, eps="ln 2")

    def test_the_same_secret_twice(self):
        with pytest.raises(NotApplicable, match="two different secrets"):
            best_on_pair(H, 1, 1, line(3), eps="ln 2")

    def test_an_unknown_secret(self):
        with pytest.raises(UnknownCategory):
            best_on_pair(H, 1, 7, line(3), eps="ln 2")
