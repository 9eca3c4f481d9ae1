"""Universal optimality for one loss."""

import json
import random
from fractions import Fraction as Q

import pytest

from dprivacy.design.universality import one_loss
from dprivacy.design.universality.universal_optimality import universally_optimal
from dprivacy.flow import is_monotonic, is_pairwise_non_trivial, loss, posterior_uncertainty
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, as_channel
from dprivacy.polytope import kernels
from dprivacy.spaces import discrete, line
from dprivacy.verify import privacy
from support.universality_cases import (
    SMALL,
    H,
    mixed,
    random_loss,
    random_prior,
    some_private_channels,
)


class TestOneLoss:
    @pytest.mark.statement("T", "Def 6.2.5")
    @pytest.mark.parametrize("name", ["line", "gaps", "discrete", "triangle"])
    def test_against_every_kernel_and_many_priors(self, name):
        space, rng = SMALL[name], random.Random(7)
        found = list(kernels(space, eps="ln 2"))
        seen = set()
        for C in some_private_channels(rng, space, 5):
            for _ in range(4):
                table = random_loss(rng, space)
                verdict = universally_optimal(C, space, eps="ln 2", loss=table)
                seen.add(verdict.holds)
                for _ in range(15):
                    prior = random_prior(rng, space)
                    here = posterior_uncertainty(C, prior=prior, loss=table)
                    best = min(posterior_uncertainty(K, prior=prior, loss=table) for K in found)
                    assert here == best or not verdict
                if not verdict:
                    dissent = verdict.preference
                    assert privacy(dissent.channel, space, eps="ln 2")
                    here, there = (
                        posterior_uncertainty(K, prior=dissent.prior, loss=table)
                        for K in (C, dissent.channel)
                    )
                    assert (here, there) == (dissent.here, dissent.there)
                    assert there < here
        assert seen == {True, False}

    @pytest.mark.statement("T", "§6.7.3")
    def test_the_other_kernel_is_best_for_the_middle(self):
        """The source leaves open whether H is so for every prior: it is."""
        table = loss.matrix(["w1", "w2"], range(3), [["7/10", 0, "7/10"], ["3/10", 1, "3/10"]])
        verdict = universally_optimal(H, line(3), eps="ln 2", loss=table)
        assert verdict.status == "proved"
        assert verdict.priors > 1
        assert "priors that could decide it" in verdict.explain()
        for a in (Q(3), Q(5, 4)):
            high, low = a / (1 + a), 1 / (1 + a)
            other = [[high, low], [low, high], [high, low]]
            assert universally_optimal(other, line(3), eps=f"ln({a})", loss=table)
        against = universally_optimal(geometric(3, eps="ln 2"), line(3), eps="ln 2", loss=table)
        assert (against.preference.here, against.preference.there) == (Q(7, 15), Q(2, 5))
        assert against.preference.channel.equivalent(as_channel(H))
        json.dumps(against.to_dict())

    @pytest.mark.statement("T", "Cor 6.34", "Cor 6.36", "Thm 6.33")
    @pytest.mark.parametrize("n", [3, 4])
    def test_on_the_discrete_metric_no_kernel_is_best_for_bayes_risk(self, n):
        """Brenner and Nissim's impossibility, kernel by kernel; and so for other such losses."""
        space = discrete(range(n))
        rng = random.Random(8)
        other = loss.matrix(
            range(n), range(n), [[int(w != x) * (1 + x) for x in range(n)] for w in range(n)]
        )
        found = list(kernels(space, eps="ln 2", up_to_symmetry=True))
        for table in (loss.identity(range(n)), other):
            assert is_pairwise_non_trivial(table)
            for K in rng.sample(found, min(6, len(found))):
                verdict = universally_optimal(K, space, eps="ln 2", loss=table)
                assert verdict.status == "refuted"
                assert verdict.preference.there < verdict.preference.here

    @pytest.mark.statement("T", "Thm 6.28", "Ex 6.5")
    def test_a_monotonic_loss_with_a_best_mechanism_on_the_discrete_metric(self):
        """Example 6.5: any mixture of two kernels, for a loss that tells the first from the third."""
        labels = ["x1", "x2", "x3"]
        space = discrete(labels)
        table = loss.matrix(["w1", "w2"], labels, [[3, 1, 0], [0, 1, 3]])
        assert is_monotonic(table, space)
        KA = Channel(labels, [*"ab"], [["1/3", "2/3"], ["1/3", "2/3"], ["2/3", "1/3"]])
        KB = Channel(labels, [*"ab"], [["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]])
        for share in (Q(0), Q(1, 3), Q(1)):
            C = mixed([share, 1 - share], [KA, KB])
            verdict = universally_optimal(C, space, eps="ln 2", loss=table)
            assert verdict
            assert "two secrets only" in verdict.because
        assert not universally_optimal(
            randomised_response(space, eps="ln 2"), space, eps="ln 2", loss=table
        )

    @pytest.mark.statement("T", "Lem 6.27")
    def test_a_loss_on_three_neighbours_whose_middle_does_not_matter(self):
        space, rng = line(5), random.Random(9)
        G = geometric(5, eps="ln 2")
        for _ in range(6):
            a, b, c, d = (rng.randint(-4, 4) for _ in range(4))
            table = loss.matrix(["w1", "w2"], range(5), [[a, 1, b, 0, 0], [c, 1, d, 0, 0]])
            assert universally_optimal(G, space, eps="ln 2", loss=table)

    def test_reasons_by_theorem(self):
        G = geometric(4, eps="ln 2")
        trivial = loss.matrix([*"ab"], range(4), [[0, 0, 0, 0], [0, 1, 2, 3]])
        assert (
            "One action is best"
            in universally_optimal(G, line(4), eps="ln 2", loss=trivial).because
        )
        bayes = universally_optimal(G, line(4), eps="ln 2", loss=loss.identity(range(4)))
        assert "0 – 1 – 2 – 3" in bayes.because
        assert bayes.priors == 0
        nothing = universally_optimal([[1]] * 3, line(3), eps=0, loss=loss.identity(range(3)))
        assert "No two secrets" in nothing.because

    def test_undecided_where_there_is_too_much_to_compare(self, monkeypatch):
        table = loss.matrix(["ends", "middle"], range(3), [[0, 2, 0], [1, 0, 1]])
        assert universally_optimal(H, line(3), eps="ln 2", loss=table).holds is True
        monkeypatch.setattr(one_loss, "_MOST_SYSTEMS", 2)
        verdict = universally_optimal(H, line(3), eps="ln 2", loss=table)
        assert (verdict.status, verdict.priors) == ("undecided", 3)
        assert "there are many more" in verdict.explain()

    def test_undecided_with_too_many_vertices(self):
        space = line(14)
        middle = [[int(x == 6) for x in range(14)], [int(x != 6) for x in range(14)]]
        table = loss.matrix(["ends", "middle"], range(14), middle)
        verdict = universally_optimal(geometric(14, eps="ln 2"), space, eps="ln 2", loss=table)
        assert verdict.status == "undecided"
        assert "too many vertices" in verdict.explain()
