"""Universality, against every kernel of small spaces, direct linear programs and brute force."""

import json
import random
from fractions import Fraction as Q
from itertools import combinations, pairwise, permutations

import pytest

from dprivacy.design import optimal
from dprivacy.design.universality import one_loss
from dprivacy.design.universality.candidate import Candidate
from dprivacy.design.universality.consumer_preference import best_kernel
from dprivacy.design.universality.dissenting_consumer import who_bets
from dprivacy.design.universality.ordered_losses import is_ordered
from dprivacy.design.universality.pair_optimality import best_on_pair
from dprivacy.design.universality.private_answers import Answers, height, offered
from dprivacy.design.universality.tight_paths import geometric_paths
from dprivacy.design.universality.universal_optimality import universally_optimal
from dprivacy.errors import (
    Malformed,
    MixedArithmetic,
    NotAMetric,
    NotPrivate,
    SpaceMismatch,
    TooLarge,
    Uncertified,
    UnknownCategory,
    UnknownName,
)
from dprivacy.flow import gain, is_monotonic, is_pairwise_non_trivial, loss, posterior_uncertainty
from dprivacy.mechanisms import bitwise_response, geometric, randomised_response
from dprivacy.model import Channel, Dist, as_channel, uniform
from dprivacy.numbers.linear_programs import minimise
from dprivacy.numbers.matrices import Mat
from dprivacy.polytope import is_kernel, kernels
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.refine import refines
from dprivacy.spaces import discrete, from_table, graph, hamming_cube, line
from dprivacy.verify import privacy

H = [["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]]
SMALL = {
    "line": line(3),
    "gaps": line([0, 1, 3]),
    "line of 4": line(4),
    "discrete": discrete(range(3)),
    "discrete 4": discrete(range(4)),
    "square": hamming_cube(2),
    "star": graph([(0, 1), (0, 2), (0, 3)]),
    "triangle": from_table([*"abc"], [[0, 2, 3], [2, 0, 4], [3, 4, 0]]),
}
spaces = pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)


def inequalities(space, base, columns):
    """Rows (coefficients ≤ 0) of c_x − base^d(x, z)·c_z for each of the columns of n entries."""
    n = len(space)
    rows = []
    for y in range(columns):
        for i, j in permutations(range(n), 2):
            row = [Q(0)] * (n * columns)
            row[y * n + i] += 1
            row[y * n + j] -= Q(base) ** int(space.distances[i, j])
            rows.append(row)
    return rows


def least(cost, below, equal, right):
    """min cost·v over v ≥ 0 with below·v ≤ 0 and equal·v = right; slack variables make it standard."""
    slack = len(below)
    table = [[*row, *(Q(int(i == j)) for j in range(slack))] for i, row in enumerate(below)]
    table += [[*row, *[Q(0)] * slack] for row in equal]
    outcome = minimise([*cost, *[Q(0)] * slack], Mat.of(table), [Q(0)] * slack + list(right))
    assert outcome.status == "optimal"
    return outcome.value


def optimum(space, base, prior, table):
    """The least loss of any private channel with one output an action: the textbook program."""
    n, k = len(space), len(table.actions)
    cost = [
        Q(prior[x]) * Q(table[w, x]) for w in table.actions for x in space.labels
    ]  # entry (w, x)
    equal = [[Q(int(at % n == x)) for at in range(n * k)] for x in range(n)]
    return least(cost, inequalities(space, base, k), equal, [Q(1)] * n)


def random_loss(rng, space, k=None):
    k = k or rng.randint(2, len(space))
    table = [[rng.randrange(6) for _ in space.labels] for _ in range(k)]
    return loss.matrix([f"w{i}" for i in range(k)], space.labels, table)


def random_prior(rng, space):
    weights = [rng.randint(0, 6) for _ in space.labels]
    weights[rng.randrange(len(weights))] += 1
    return Dist(space.labels, [Q(w, sum(weights)) for w in weights])


def monotonic_loss(rng, space, k):
    """f(d(α(w), x), x) with random places α and random steps of f."""
    n = len(space)
    places = [rng.randrange(n) for _ in range(k)]
    table = [[0] * n for _ in range(k)]
    for x in range(n):
        value, f = 0, {}
        for d in sorted({space.distances[a, x] for a in range(n)}):
            f[d] = value
            value += rng.choice([0, 0, 1, 2, 5])
        for w in range(k):
            table[w][x] = f[space.distances[places[w], x]]
    return loss.matrix(range(k), space.labels, table)


def mixed(weights, found):
    """Σ weight·kernel, on disjoint outputs."""
    rows = [
        [w * v for w, K in zip(weights, found, strict=True) for v in K.matrix.rows()[x]]
        for x in range(len(found[0].rows))
    ]
    return Channel(found[0].rows, range(len(rows[0])), rows)


def some_private_channels(rng, space, count):
    found = list(kernels(space, eps="ln 2"))
    yield from rng.sample(found, min(2, len(found)))
    for _ in range(count):
        chosen = rng.sample(found, min(len(found), rng.randint(1, 3)))
        parts = [rng.randint(1, 3) for _ in chosen]
        C = mixed([Q(p, sum(parts)) for p in parts], chosen)
        if rng.random() < 0.5:
            m = len(C.columns)
            R = [[rng.randint(0, 3) + int(i == j) for j in range(m)] for i in range(m)]
            C = C @ Channel(C.columns, range(m), [[Q(v, sum(row)) for v in row] for row in R])
        yield C


class TestFrontier:
    @spaces
    def test_it_is_what_linear_programs_reach(self, space):
        """min of p·f(x) − q·f(z) over all f with f and 1 − f private, for many p and q."""
        answers = Answers(Cone.of(space, "ln 2"))
        n = len(space)
        below = inequalities(space, 2, 2)
        equal = [[Q(int(at % n == x)) for at in range(2 * n)] for x in range(n)]
        rng = random.Random(1)
        for i, j in permutations(range(n), 2):
            corners = answers.frontier(i, j)
            assert corners[0] == (0, 0)
            assert corners[-1] == (1, 1)
            for _ in range(3):
                p, q = rng.randint(1, 9), rng.randint(1, 9)
                cost = [Q(p) * (at == i) - Q(q) * (at == j) for at in range(2 * n)]
                assert min(p * a - q * b for a, b in corners) == least(
                    cost, below, equal, [Q(1)] * n
                )

    def test_points_between_lower_it(self):
        corners = Answers(Cone.of(line(3), "ln 2")).frontier(0, 2)
        assert corners == [(0, 0), (Q(1, 6), Q(2, 3)), (Q(1, 3), Q(5, 6)), (1, 1)]
        assert Answers(Cone.of(line([0, 2]), "ln 2")).frontier(0, 1) == [
            (0, 0),
            (Q(1, 5), Q(4, 5)),
            (1, 1),
        ]

    def test_the_answer_that_reaches_a_corner_is_private(self):
        space = SMALL["star"]
        answers = Answers(Cone.of(space, "ln 3"))
        for q in (Q(0), Q(1, 7), Q(1, 2), Q(9, 10), Q(1)):
            f = [value for value, _ in answers.greatest(1, q)]
            C = Channel(space.labels, ["yes", "no"], [[v, 1 - v] for v in f])
            assert f[1] == q
            assert privacy(C, space, eps="ln 3")

    def test_what_a_channel_offers(self):
        corners = offered([Q(1, 2), Q(0), Q(1, 2)], [Q(1, 4), Q(0), Q(3, 4)])
        assert corners == [(0, 0), (Q(1, 2), Q(3, 4)), (1, 1)]
        assert height(corners, Q(1, 4)) == Q(3, 8)


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
        with pytest.raises(Malformed, match="two different secrets"):
            best_on_pair(H, 1, 1, line(3), eps="ln 2")

    def test_an_unknown_secret(self):
        with pytest.raises(UnknownCategory):
            best_on_pair(H, 1, 7, line(3), eps="ln 2")


def is_path(space, path):
    steps = sum(space.distance(a, b) for a, b in pairwise(path))
    return steps == space.distance(path[0], path[-1])


def all_geometric_paths(C, space):
    """Every path of three points or more with C↓path ≡ the geometric on it; then the longest ones."""
    found = set()
    for k in range(3, len(space) + 1):
        for path in permutations(space.labels, k):
            if is_path(space, path):
                G = geometric(space.restrict(path), eps="ln 2").channel
                if C.restrict(path).equivalent(G):
                    found.add(path)
    shorter = {q for p in found for q in (p[1:], p[:-1])}
    return {p for p in found - shorter if space.position(p[0]) < space.position(p[-1])}


class TestPaths:
    @spaces
    def test_against_all_sequences(self, space):
        rng = random.Random(3)
        for C in some_private_channels(rng, space, 2):
            found = geometric_paths(C, space, eps="ln 2")
            assert {path.points for path in found} == all_geometric_paths(C, space)

    def test_uneven_steps(self):
        space = line([0, 1, 3, 4])
        (path,) = geometric_paths(geometric(space, eps="ln 2"), space, eps="ln 2")
        assert (path.points, path.even, path.step) == ((0, 1, 3, 4), False, 2)
        assert path.to_dict()["points"] == [0, 1, 3, 4]

    def test_bitwise_response_has_none(self):
        """T §6.9: no subset of inputs makes it geometric, though every edge makes it T."""
        cube = hamming_cube(3)
        C = bitwise_response(3, eps="ln 2").channel
        assert geometric_paths(C, cube, eps="ln 2") == []
        assert best_on_pair(C, (0, 0, 0), (0, 1, 0), cube, eps="ln 2").kind == "T"

    def test_no_more_than_asked_for(self):
        cube = hamming_cube(4)
        rows = geometric(5, eps="ln 2").channel.matrix.rows()
        C = Channel(cube.labels, range(5), [rows[sum(x)] for x in cube.labels])
        assert len(geometric_paths(C, cube, eps="ln 2")) == 24
        assert len(geometric_paths(C, cube, eps="ln 2", most=5)) == 5


class TestBestKernel:
    @pytest.mark.statement("T", "Thm 6.16", "Def 6.2.3")
    @spaces
    def test_against_every_kernel_and_the_direct_program(self, space):
        """Two independent ways: the minimum over kernels, and a channel with one output an action."""
        rng = random.Random(4)
        found = list(kernels(space, eps="ln 2"))
        for _ in range(6):
            prior, table = random_prior(rng, space), random_loss(rng, space)
            best = best_kernel(space, eps="ln 2", prior=prior, loss=table)
            assert best.loss == min(
                posterior_uncertainty(K, prior=prior, loss=table) for K in found
            )
            assert best.loss == optimum(space, 2, prior, table)
            assert best.loss == posterior_uncertainty(best.channel, prior=prior, loss=table)
            assert is_kernel(best.channel, space, eps="ln 2")
            assert sum(best.multipliers.values()) == best.loss

    @spaces
    def test_the_solver_agrees(self, space):
        rng = random.Random(11)
        prior, table = random_prior(rng, space), random_loss(rng, space)
        best = best_kernel(space, eps="ln 2", prior=prior, loss=table)
        assert optimal(space, eps="ln 2", prior=prior, loss=table).loss == best.loss

    def test_its_words_and_its_data(self):
        best = best_kernel(line(3), eps="ln 2", prior=[1, 0, 0], loss=loss.identity(range(3)))
        assert best.loss == 0
        assert "dual solution" in str(best)
        json.dumps(best.to_dict())

    def test_a_gain_stands_for_the_loss_behind_it(self):
        prior = uniform(range(3))
        best = best_kernel(line(3), eps="ln 2", prior=prior, loss=gain.identity(range(3)))
        assert (
            best.loss
            == best_kernel(line(3), eps="ln 2", prior=prior, loss=loss.identity(range(3))).loss
        )

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ((line(3), [1, 0, 0], "worst"), UnknownName, "a loss given by name"),
            ((line(3), [0.5, 0.5, 0], loss.identity(range(3))), MixedArithmetic, "prior"),
            ((line(2), [1, 0], loss.matrix([0], [0, 1], [[0.5, 1]])), MixedArithmetic, "loss"),
            ((line(3), uniform([*"abc"]), loss.identity(range(3))), SpaceMismatch, "prior"),
            ((line(2), [1, 0], loss.identity([0, 5])), SpaceMismatch, "the gain"),
            ((line(14), uniform(range(14)), loss.identity(range(14))), TooLarge, "optimal"),
        ],
    )
    def test_what_is_refused(self, arguments, error, words):
        with pytest.raises(error, match=words):
            best_kernel(arguments[0], eps="ln 2", prior=arguments[1], loss=arguments[2])


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
