"""The private channel with the least expected loss, with proofs of both."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design import optimal, piece_answer
from dprivacy.design.problems.design_problem import Problem
from dprivacy.errors import BadNumber, NotApplicable, TooLarge, Uncertified, WrongKind
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Dist
from dprivacy.polytope import kernels
from dprivacy.spaces import discrete, from_table, graph, grid, hamming_cube, line, points, power_set
from dprivacy.verify import privacy, smallest_eps
from support.design_spaces import a_loss, a_prior


def a_metric(rng, n):
    table = rng.integers(1, 5, (n, n))
    table = np.triu(table, 1) + np.triu(table, 1).T
    return from_table(range(n), table.tolist(), close=True)


SMALL = [line(2), line(3), line(4), discrete(range(2)), discrete(range(3)), discrete(range(4))]


class TestExhaustively:
    """The optimum is reached by a kernel that the consumer remaps: try them all."""

    @pytest.mark.parametrize("space", SMALL, ids=repr)
    @pytest.mark.parametrize("eps", ["ln 2", "ln(3/2)"])
    def test_the_least_loss_is_that_of_the_best_kernel(self, space, eps):
        rng = np.random.default_rng(len(space))
        every = list(kernels(space, eps=eps))
        for actions in (1, 2, 3, 5):
            prior = Dist(space.labels, a_prior(rng, len(space), zeros=actions == 3))
            question = a_loss(rng, actions, space)
            best = optimal(space, eps=eps, prior=prior, loss=question)
            truth = min(posterior_uncertainty(K, prior=prior, loss=question) for K in every)
            assert best.loss == best.bound == truth
            assert best.gap == 0
            assert best.exact
            assert best.certificate.holds()
            assert privacy(best.channel, space, eps=eps)

    @pytest.mark.parametrize("seed", range(6))
    def test_on_any_metric(self, seed):
        rng = np.random.default_rng(seed)
        space = a_metric(rng, 3 + seed % 2)
        prior, question = Dist(space.labels, a_prior(rng, len(space))), a_loss(rng, 4, space)
        best = optimal(space, eps="ln 2", prior=prior, loss=question)
        every = kernels(space, eps="ln 2")
        assert best.loss == min(posterior_uncertainty(K, prior=prior, loss=question) for K in every)

    def test_no_remap_improves_an_optimum(self):
        rng = np.random.default_rng(8)
        space = grid(2, 3, metric="manhattan")
        for _ in range(5):
            prior, question = Dist(space.labels, a_prior(rng, 6)), a_loss(rng, 5, space)
            best = optimal(space, eps="ln 2", prior=prior, loss=question)
            assert posterior_uncertainty(best.channel, prior=prior, loss=question) == best.loss


class TestAgainstAnotherSolver:
    """HiGHS on the whole program, in floats, on spaces too large for kernels."""

    @staticmethod
    def direct(problem):
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix, kron

        n, m = problem.costs.shape
        apart = float(problem.eps) * problem.space.distances.floats
        i, j = np.nonzero(np.isfinite(apart) & ~np.eye(n, dtype=bool))
        at = np.arange(len(i))
        one = coo_matrix(
            (
                np.concatenate([np.ones(len(i)), -np.exp(apart[i, j])]),
                (np.concatenate([at, at]), np.concatenate([i, j])),
            ),
            shape=(len(i), n),
        )
        found = linprog(
            problem.costs.floats.T.ravel(),
            A_ub=kron(np.eye(m), one),
            b_ub=np.zeros(len(i) * m),
            A_eq=kron(np.ones((1, m)), np.eye(n)),
            b_eq=np.ones(n),
        )
        return found.fun

    @pytest.mark.parametrize(
        ("space", "eps"),
        [
            (grid(3, 4), "0.7"),
            (grid(4, 4, metric="chebyshev"), "ln 2"),
            (hamming_cube(4), "0.4"),
            (power_set(["a", "b", "c"]), "1/3"),
            (graph([(k, (k + 1) % 9) for k in range(9)]), "ln(3/2)"),
            (points(np.random.default_rng(0).normal(size=(12, 4))), "0.5"),
            (points(np.random.default_rng(1).normal(size=(10, 2))), 3),
            (line(["0", "0.1", "0.5", "2"]), 2),
        ],
        ids=lambda value: repr(value) if not isinstance(value, str) else value,
    )
    def test_losses_agree(self, space, eps):
        rng = np.random.default_rng(5)
        weights = rng.dirichlet(np.ones(len(space)))
        problem = Problem.read(space, eps=eps, prior=weights.tolist())
        best = optimal(space, eps=eps, prior=weights.tolist())
        assert best.finished
        assert float(best.bound) <= float(best.loss)
        assert float(best.loss) == pytest.approx(self.direct(problem), rel=2e-6)
        assert best.certificate.holds()


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [False, True])
def test_a_hundred_places_to_a_millionth(symmetric):
    space = grid(10, 10)
    weights = [1.0 + (0 if symmetric else 3.0 * row + column**2) for row, column in space.labels]
    best = optimal(space, eps="ln 2", prior=[w / sum(weights) for w in weights])
    assert best.finished
    assert best.certificate.holds()
    assert smallest_eps(best.channel, space) <= best.problem.eps


class TestSources:
    @pytest.mark.statement("T", "Thm 6.4")
    @pytest.mark.parametrize("n", [2, 3, 5, 8])
    def test_geometric_is_optimal_for_monotonic_losses_on_lines(self, n):
        rng = np.random.default_rng(n)
        space = line(n)
        steps = list(itertools.accumulate(int(v) for v in rng.integers(0, 4, n)))
        for question in (
            loss.metric(space),
            loss.identity(space),
            loss.threshold(space, 1),
            loss.function(range(n), space, lambda w, x: abs(w - x) ** 2),
            loss.function(range(n), space, lambda w, x: steps[abs(w - x)]),
        ):
            prior = Dist(space.labels, a_prior(rng, n))
            best = optimal(space, eps="ln 2", prior=prior, loss=question)
            G = geometric(space, eps="ln 2").channel
            assert best.loss == posterior_uncertainty(G, prior=prior, loss=question)

    @pytest.mark.statement("T", "Def 6.2.3")
    def test_nothing_private_has_a_smaller_posterior_uncertainty(self):
        space, rng = discrete(range(3)), np.random.default_rng(2)
        question = a_loss(rng, 3, space)
        best = optimal(space, eps="ln 2", loss=question)
        for K in kernels(space, eps="ln 2"):
            assert posterior_uncertainty(K, prior=best.problem.prior, loss=question) >= best.loss

    @pytest.mark.statement("T", "Thm 6.6", "Cor 6.34")
    @pytest.mark.parametrize("n", [3, 4])
    def test_on_the_discrete_metric_each_kernel_fails_some_prior(self, n):
        space, rng = discrete(range(n)), np.random.default_rng(n)
        left = list(kernels(space, eps="ln 2"))
        question = loss.identity(space)
        for _ in range(60):
            prior = Dist(space.labels, a_prior(rng, n, zeros=True))
            best = optimal(space, eps="ln 2", prior=prior, loss=question).loss
            left = [K for K in left if posterior_uncertainty(K, prior=prior, loss=question) == best]
            if not left:
                break
        assert left == []

    @pytest.mark.statement("C", "Thm 10")
    @pytest.mark.parametrize("delta", ["0", "1/10", "1/2"])
    def test_randomised_response_is_optimal_for_hamming_loss(self, delta):
        space = discrete(list("abcd"))
        best = optimal(space, eps="ln 5", loss="bayes", delta=delta)
        p = (1 - Fraction(delta)) / (5 + 3)
        assert best.loss == 3 * p
        if delta == "0":
            assert best.channel == randomised_response(space, eps="ln 5").channel


class TestAlwaysPrivate:
    """Whatever the space and the level, the integers keep the promise."""

    @pytest.mark.parametrize(
        ("space", "eps"),
        [
            (line(6), 10),
            (line(6), 20),
            (line(12), "5"),
            (grid(3, 3), 20),
            (grid(5, 5), 9),
            (discrete(range(6)), 60),
            (discrete(range(30)), 60),
            (hamming_cube(3), 400),
            (line(40), "ln 4"),
            (points([[0], ["1/1000000"], [1]]), "1/1000"),
            (line(3), "1/100000000"),
        ],
        ids=repr,
    )
    def test_the_smallest_eps_is_no_larger_than_asked(self, space, eps):
        rng = np.random.default_rng(7)
        best = optimal(space, eps=eps, prior=a_prior(rng, len(space)))
        asked = best.problem.eps
        assert smallest_eps(best.channel, space) <= asked
        assert privacy(best.channel, space, eps=eps).exact
        assert float(best.bound) <= float(best.loss)

    @pytest.mark.parametrize("eps", [10, "ln 1000"])
    def test_tiny_losses_are_found_exactly(self, eps):
        space = line(6)  # ε·diameter is 50
        best = optimal(space, eps=eps, prior=a_prior(np.random.default_rng(1), 6))
        assert best.gap <= 1e-25
        assert smallest_eps(best.channel, space) <= best.problem.eps

    def test_a_loss_of_a_billionth_is_proved_to_the_same_share(self):
        space = points(np.random.default_rng(0).normal(size=(25, 30)))
        best = optimal(space, eps=4)
        assert float(best.loss) < 1e-8
        assert best.gap <= 1e-6

    def test_a_level_without_integers_of_bearable_length_is_refused(self):
        with pytest.raises(Uncertified, match="needs integers"):
            optimal(line(3), eps=10**6)


class TestKindsOfSpaces:
    def test_parts_without_a_finite_distance_are_optimised_apart(self):
        inf = "inf"
        space = from_table(
            list("abcd"),
            [[0, 1, inf, inf], [1, 0, inf, inf], [inf, inf, 0, 2], [inf, inf, 2, 0]],
            extended=True,
        )
        prior = ["1/8", "3/8", "1/4", "1/4"]
        best = optimal(space, eps="ln 2", prior=prior, loss="bayes")
        first = optimal(
            line(2), eps="ln 2", prior=["1/4", "3/4"], loss=[[0, 1], [1, 0], [1, 1], [1, 1]],
            outputs=list("abcd"),
        )  # fmt: skip
        second = optimal(line([0, 2]), eps="ln 2", loss="bayes")
        assert best.loss == (first.loss + second.loss) / 2
        assert best.channel["a", "c"] == 0
        assert best.certificate.holds()

    def test_secrets_at_distance_0_share_a_row(self):
        space = from_table(["a", "twin of a", "b"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True)
        best = optimal(space, eps="ln 2", prior=["1/4", "1/4", "1/2"], loss="bayes")
        assert best.channel.row("a") == best.channel.row("twin of a")
        merged = optimal(
            line(2), eps="ln 2", loss=[["1/2", 1], ["1/2", 1], [1, 0]], outputs=list("atb")
        )
        assert best.loss == merged.loss
        assert frozenset(["a", "twin of a"]) in best.certificate.multipliers

    def test_a_single_secret(self):
        best = optimal(discrete(["only"]), eps=1)
        assert best.loss == 0
        assert best.channel["only", "only"] == 1

    def test_float_distances_stand_for_their_binary_values(self):
        space = points(np.array([[0.0], [0.1], [0.7]]))
        best = optimal(space, eps=1.5)
        assert best.finished
        assert best.certificate.privacy.exact

    def test_distances_and_level_that_are_both_logarithms(self):
        space = from_table(["a", "b"], [["0", "ln 3"], ["ln 3", "0"]])
        best = optimal(space, eps="ln 2", loss="bayes")
        factor = 2 ** math.log(3)
        assert float(best.loss) == pytest.approx(1 / (1 + factor), rel=1e-9)

    def test_a_zero_prior_on_some_secrets_changes_nothing_about_privacy(self):
        space = line(4)
        best = optimal(space, eps="ln 2", prior=[1, 0, 0, 0])
        assert best.loss == 0
        assert privacy(best.channel, space, eps="ln 2")


class TestWithSlack:
    @pytest.mark.parametrize("eps", ["ln 2", "1/2"])
    def test_the_slack_is_used_and_kept(self, eps):
        space = line(3)
        strict = optimal(space, eps=eps)
        best = optimal(space, eps=eps, delta="1/20")
        assert best.loss < strict.loss
        verdict = privacy(best.channel, space, eps=eps, delta="1/20")
        assert verdict
        assert verdict.exact
        assert best.certificate.holds()
        assert best.gap <= 1e-30

    def test_everything_is_allowed_at_delta_1(self):
        assert optimal(line(3), eps="ln 2", delta=1).loss == 0

    def test_the_bound_agrees_with_random_channels(self):
        space, rng = discrete(range(3)), np.random.default_rng(0)
        best = optimal(space, eps="ln 2", delta="1/5", loss="bayes")
        for _ in range(200):
            rows = [[Fraction(int(v), 1) for v in row] for row in rng.integers(1, 20, (3, 3))]
            rows = [[v / sum(row) for v in row] for row in rows]
            if privacy(rows, space, eps="ln 2", delta="1/5"):
                mean = sum(1 - rows[x][x] for x in range(3)) / 3
                assert mean >= best.loss

    def test_large_spaces_are_refused_with_the_size(self):
        with pytest.raises(TooLarge, match=r"equations in .* variables"):
            optimal(line(30), eps=1, delta="1/100")

    def test_no_spanner_with_slack(self):
        with pytest.raises(NotApplicable, match="δ = 0"):
            optimal(line(3), eps=1, delta="1/100", spanner=2)


class TestStopping:
    def space(self):
        return grid(9, 9)  # too many secrets for the exact method

    def prior(self):
        return (np.arange(1, 82) / 3321).tolist()

    def test_an_interruption_ends_with_a_proved_answer(self):
        def stop(found, bound, seconds):
            raise KeyboardInterrupt

        best = optimal(self.space(), eps=1, prior=self.prior(), progress=stop)
        assert not best.finished
        assert best.certificate.privacy
        assert best.certificate.holds()
        assert "stopped before" in best.explain()

    def test_a_signal_is_an_interruption_too(self):
        import os
        import signal

        def stop(found, bound, seconds):
            os.kill(os.getpid(), signal.SIGINT)

        before = signal.getsignal(signal.SIGINT)
        best = optimal(self.space(), eps=1, prior=self.prior(), progress=stop)
        assert signal.getsignal(signal.SIGINT) is before
        assert not best.finished
        assert best.certificate.privacy

    def test_no_time_at_all(self):
        best = optimal(self.space(), eps=1, prior=self.prior(), seconds=0.0)
        assert best.certificate.privacy
        assert float(best.bound) <= float(best.loss)

    def test_next_to_no_loss_is_not_sought_by_the_interior_point(self, monkeypatch):
        """300 towns 5.5 km apart, 200 m being hidden, took longer than anyone waits."""
        monkeypatch.setattr(piece_answer, "_LATE", 65)
        monkeypatch.setattr(piece_answer, "interior_point", None)
        towns = 5500.0 * np.array([(i, j) for i in range(10) for j in range(8)])
        space = points(towns + np.random.default_rng(0).normal(size=(80, 2)))
        told = []
        found = optimal(space, eps=np.log(4) / 200, progress=lambda *at: told.append(at))
        assert found.bound <= found.loss < 1e-9
        assert told

    def test_progress_tells_a_closing_gap(self):
        seen = []
        best = optimal(
            self.space(), eps=1, prior=self.prior(), progress=lambda *told: seen.append(told)
        )
        assert best.finished
        assert seen[-1][0] - seen[-1][1] < seen[0][0] - seen[0][1]

    def test_a_start_nearby_gives_the_same_optimum(self):
        first = optimal(self.space(), eps=1, prior=self.prior())
        again = optimal(self.space(), eps="1.05", prior=self.prior(), start=first)
        fresh = optimal(self.space(), eps="1.05", prior=self.prior())
        assert again.finished
        assert float(again.loss) == pytest.approx(float(fresh.loss), rel=2e-6)

    def test_a_start_for_other_secrets_is_passed_over(self):
        first = optimal(grid(6, 5), eps=1)
        assert optimal(self.space(), eps=1, start=first).finished


class TestSpanner:
    @pytest.mark.parametrize("space", [grid(5, 5), line(6)], ids=repr)
    def test_a_spanner_costs_no_more_than_its_dilation(self, space):
        rng = np.random.default_rng(0)
        prior = a_prior(rng, len(space))
        best = optimal(space, eps=1, prior=prior)
        near = optimal(space, eps=1, prior=prior, spanner="6/5")
        far = optimal(space, eps="5/6", prior=prior)
        slack = 1 + 2e-6
        assert float(best.loss) <= float(near.loss) * slack <= float(far.loss) * slack**2
        assert privacy(near.channel, space, eps=1)
        assert float(near.bound) <= float(best.loss)
        assert "dilation 6/5" in near.explain()
        assert near.finished

    def test_a_dilation_below_1_is_refused(self):
        with pytest.raises(BadNumber, match="at least 1"):
            optimal(line(3), eps=1, spanner="1/2")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"start": "before"}, WrongKind, "start should be an answer of `optimal`, not str"),
        ({"seconds": "x"}, BadNumber, "seconds should be a number of at least 0, not 'x'"),
        ({"seconds": -1}, BadNumber, "seconds should be a number of at least 0, not -1"),
        ({"seconds": math.nan}, BadNumber, "seconds should be a number of at least 0, not nan"),
        ({"progress": 5}, WrongKind, "progress should be a function"),
        ({"delta": "1/10", "seconds": 1}, NotApplicable, "start and seconds need δ = 0, not 1/10"),
    ],
)
def test_what_optimal_is_not_asked(given, error, words):
    with pytest.raises(error, match=words):
        optimal("line:3", eps=1, **given)


@pytest.mark.parametrize("delta", [0, "1/10"])
def test_progress_is_told_of_an_exact_optimum_too(delta):
    seen = []
    best = optimal("line:3", eps="ln 2", delta=delta, progress=lambda *told: seen.append(told))
    assert seen[-1][:2] == (float(best.loss), float(best.bound))


@pytest.mark.parametrize("eps", ["1e-9", "1e-12", "1e-16", "1e-40"])
def test_many_secrets_at_levels_that_doubles_drown(eps):
    """Next to nothing may be told: the least loss is that of the same answer for all, but for ε·d."""
    space = line(66)
    best = optimal(space, eps=eps)
    assert privacy(best.channel, space, eps=eps)
    assert float(best.loss) == pytest.approx(33 / 2, rel=1e-6)
    assert best.gap < 1e-6
