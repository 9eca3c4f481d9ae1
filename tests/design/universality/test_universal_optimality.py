"""Universal optimality, class of losses by class, and who dissents."""

import json
import random
from fractions import Fraction as Q

import pytest

from dprivacy.design.universality.candidate import Candidate
from dprivacy.design.universality.dissenting_consumer import who_bets
from dprivacy.design.universality.universal_optimality import universally_optimal
from dprivacy.errors import (
    MixedArithmetic,
    NotAMetric,
    NotPrivate,
    SpaceMismatch,
    TooLarge,
    Uncertified,
    UnknownName,
)
from dprivacy.flow import is_monotonic, loss, posterior_uncertainty
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, as_channel
from dprivacy.polytope import is_kernel, kernels
from dprivacy.refine import refines
from dprivacy.spaces import discrete, from_table, hamming_cube, line
from dprivacy.verify import privacy
from support.universality_cases import H, mixed, some_private_channels, spaces


class TestUniversal:
    @pytest.mark.statement("T", "Def 6.2.4", "Lem 6.2")
    @spaces
    def test_nothing_on_three_secrets_or_more(self, space):
        """Thm 6.15: not refined by every kernel; the dissenting consumer is real and private."""
        rng = random.Random(10)
        for C in some_private_channels(rng, space, 3):
            found = universally_optimal(C, space, eps="ln 2")
            assert found.status == "refuted"
            assert not all(refines(C, K) for K in kernels(space, eps="ln 2"))
            dissent = found.preference
            assert privacy(dissent.channel, space, eps="ln 2")
            assert is_kernel(dissent.channel, space, eps="ln 2")
            for K, value in ((C, dissent.here), (dissent.channel, dissent.there)):
                assert posterior_uncertainty(K, prior=dissent.prior, loss=dissent.loss) == value
            assert dissent.there < dissent.here
            assert all(v >= 0 for row in dissent.loss.matrix.rows() for v in row)
            json.dumps(found.to_dict())

    @pytest.mark.parametrize("distance", [1, 2, Q(1, 2)])
    def test_the_best_response_on_two_secrets(self, distance):
        space = line([0, distance])
        eps = "2 ln 2"
        (T,) = kernels(space, eps=eps)
        found = universally_optimal(T, space, eps=eps)
        assert found.status == "proved"
        assert all(found.classes)
        assert found.preference is None
        silent = Channel(space.labels, ["y"], [[1], [1]])
        less = universally_optimal(silent, space, eps=eps)
        assert less.status == "refuted"
        assert not less.of("all")
        assert less.of("trivial")

    @pytest.mark.statement("T", "Thm 7.1", "Thm 7.2")
    @pytest.mark.parametrize("n", [3, 4])
    def test_on_a_line_only_the_geometric_is_best_for_monotonic_losses(self, n):
        G = geometric(n, eps="ln 2").channel
        for K in kernels(line(n), eps="ln 2"):
            found = universally_optimal(K, line(n), eps="ln 2")
            assert bool(found.of("monotonic")) == bool(K.equivalent(G))
            if not found.of("monotonic"):
                assert is_monotonic(found.preference.loss, line(n))

    @pytest.mark.statement("T", "Thm 6.6", "Cor 6.32")
    @pytest.mark.parametrize("n", [3, 5])
    def test_the_discrete_metric(self, n):
        """E20: from three inputs on. Randomised response is T on no pair."""
        space = discrete(range(n))
        found = universally_optimal(randomised_response(space, eps="ln 2"), space, eps="ln 2")
        assert {verdict.kind for verdict in found.pairs} == {"below"}
        assert all(verdict.reachable for verdict in found.pairs)
        assert found.of("monotonic").holds is False
        assert "E20" in found.of("monotonic").keys
        assert "T Thm 6.33" in found.of("non-trivial on every two secrets").keys
        assert is_monotonic(found.preference.loss, space)
        two = discrete(range(2))
        assert universally_optimal(randomised_response(two, eps="ln 2"), two, eps="ln 2")

    @pytest.mark.statement("T", "Fig 6.5", "Lem 6.21")
    def test_the_hamming_cube(self):
        """Geometric on all six monotone paths; T on every edge; nothing between equal weights."""
        cube = hamming_cube(3)
        rows = geometric(4, eps="ln 2").channel.matrix.rows()
        K = Channel(cube.labels, ["y1", "y2", "y3", "y4"], [rows[sum(x)] for x in cube.labels])
        assert is_kernel(K, cube, eps="ln 2")
        found = universally_optimal(K, cube, eps="ln 2")
        assert len(found.paths) == 6
        for path in found.paths:
            assert [sum(x) for x in path.points] == [0, 1, 2, 3]
            bayes = loss.lift(loss.identity(path.points), cube.labels)
            assert universally_optimal(K, cube, eps="ln 2", loss=bayes)
        kinds = {v.pair: v.kind for v in found.pairs}
        for (x, z), kind in kinds.items():
            if sum(a != b for a, b in zip(x, z, strict=True)) == 1:
                assert kind == "T"
            if sum(x) == sum(z):
                assert kind == "below"
        assert found.of("monotonic").holds is False
        assert "geometric on" in found.explain()

    @pytest.mark.statement("T", "Lem 6.21")
    def test_only_the_lifted_loss(self):
        """E21: a channel that is geometric on a path need not serve other losses extended from it."""
        space, table = (
            line(4),
            loss.matrix(["ends", "middle"], range(4), [[0, 1, 0, 0], [1, 0, 1, 0]]),
        )
        G = geometric(4, eps="ln 2")
        assert not universally_optimal(G, space, eps="ln 2", loss=table)

    def test_uneven_steps(self):
        space = line([0, 1, 4])
        found = universally_optimal(geometric(space, eps="ln 2"), space, eps="ln 2")
        assert found.of("monotonic")
        assert "uneven" in found.of("monotonic").because

    def test_a_channel_with_every_vertex(self):
        """No vertex is missing to bet on; the dissent comes from one of its kernels."""
        found = list(kernels(line(3), eps="ln 2"))
        C = mixed([Q(1, 2), Q(1, 2)], found)
        verdict = universally_optimal(C, line(3), eps="ln 2")
        assert verdict.preference.there < verdict.preference.here
        bet = who_bets(Candidate.of(C, line(3), "ln 2"))
        assert bet.there < bet.here

    def test_a_long_line(self):
        """Too many vertices to list: the dissent is a bet on three secrets, and two outputs suffice."""
        space = line(16)
        found = universally_optimal(geometric(16, eps="ln 2"), space, eps="ln 2")
        assert found.of("monotonic")
        dissent = found.preference
        assert (dissent.here, dissent.there) == (Q(4, 15), Q(1, 5))
        assert privacy(dissent.channel, space, eps="ln 2")
        assert "another channel is better" in found.explain()

    def test_where_no_pair_refutes_monotonic_losses_but_no_theorem_helps(self):
        """On the square no kernel is best on all pairs; "undecided" is kept for spaces where one is."""
        space = hamming_cube(2)
        verdicts = [universally_optimal(K, space, eps="ln 2") for K in kernels(space, eps="ln 2")]
        assert {v.of("monotonic").holds for v in verdicts} == {False}

    def test_at_level_0_nothing_can_be_said(self):
        found = universally_optimal([["1/2", "1/2"]] * 3, line(3), eps=0)
        assert found.status == "proved"
        assert all(found.classes)


@pytest.mark.parametrize(
    ("C", "space", "eps", "error", "words"),
    [
        (H, line(3), "ln(3/2)", NotPrivate, "output 0 is 2 times as likely for 0 as for 1"),
        ([[0.5, 0.5]] * 3, line(3), "ln 2", MixedArithmetic, "float entries"),
        (H, line(3), 1, Uncertified, "take ε = ln"),
        (H, line(4), "ln 2", SpaceMismatch, "as_channel"),
        (
            H,
            from_table(range(3), [[0, 1, "inf"], [1, 0, "inf"], ["inf", "inf", 0]], extended=True),
            "ln 2",
            NotAMetric,
            "restrict",
        ),
        ([[1]] * 70, line(70), "ln 2", TooLarge, "restrict"),
        (
            as_channel([["1/2", "1/2"], ["1/3", "2/3"]], rows=[*"ab"]),
            from_table([*"ab"], [[0, 0], [0, 0]], pseudo=True),
            "ln 2",
            NotPrivate,
            "distance 0",
        ),
    ],
    ids=["private", "float", "irrational", "labels", "infinite", "large", "pseudo"],
)
def test_what_is_refused(C, space, eps, error, words):
    with pytest.raises(error, match=words):
        universally_optimal(C, space, eps=eps)


def test_one_answer_for_every_loss_and_for_one():
    G = geometric(3, eps="ln 2")
    every = universally_optimal(G, eps="ln 2")
    one = universally_optimal(G, eps="ln 2", loss="bayes")
    assert type(one) is type(every)
    assert one.because in one.explain()
    assert "Losses for which" not in one.explain()
    with pytest.raises(
        UnknownName, match=r"a class of losses should be one of .* mean 'monotonic'"
    ):
        every.of("monotonous")
