"""The two proofs: integers that are private, and bounds that hold whatever the flows were."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design import optimal
from dprivacy.design.engines.certified_integers import integers, logarithms, proved, room
from dprivacy.design.engines.exact_vertex import exact_optimum
from dprivacy.design.engines.lower_bounds import (
    Bound,
    ExactFlows,
    bound_of_exact,
    bound_of_floats,
    exact_flows,
)
from dprivacy.design.problems.approximation import Flows
from dprivacy.design.problems.design_problem import Problem, exact_mat
from dprivacy.design.problems.independent_pieces import pieces_of, reach_of
from dprivacy.design.problems.spanner import greedy_spanner
from dprivacy.errors import Uncertified
from dprivacy.numbers.levels import as_level
from dprivacy.numbers.matrices import Mat
from dprivacy.spaces import discrete, grid, line
from dprivacy.verify import privacy

SPACES = [line(4), discrete(range(4)), grid(2, 3), grid(2, 2, metric="manhattan")]


def some_flows(rng, n, m, count=30):
    pairs = rng.integers(0, n, (count, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    amounts = rng.exponential(0.02, len(pairs))
    return Flows(rng.integers(0, m, len(pairs)), pairs[:, 0], pairs[:, 1], amounts)


class TestBounds:
    @pytest.mark.parametrize("space", SPACES, ids=repr)
    @pytest.mark.parametrize("eps", ["ln 2", "3/4", 5])
    def test_any_flows_give_a_bound(self, space, eps):
        rng = np.random.default_rng(0)
        problem = Problem.read(space, eps=eps)
        (piece,) = pieces_of(problem)
        best = optimal(space, eps=eps)
        loss = problem.expected(best.channel.matrix)
        for _ in range(20):
            flows = some_flows(rng, piece.n, piece.m)
            rounded, exact = (
                bound_of_floats(piece, flows),
                bound_of_exact(piece, exact_flows(flows)),
            )
            assert exact.value <= loss
            assert rounded.value <= max(exact.value, bound_of_exact(piece, ExactFlows({})).value)
            assert rounded.holds(piece)

    def test_the_bound_in_floats_is_close_to_the_exact_one(self):
        (piece,) = pieces_of(Problem.read(grid(2, 3), eps="1/2"))
        vertex = exact_optimum(piece)
        amounts = vertex.bound.flows.amounts
        columns = np.array(list(amounts), dtype=np.int64).T
        flows = Flows(*columns, np.array([float(v) for v in amounts.values()]))
        found = bound_of_floats(piece, flows)
        assert found.value <= vertex.bound.value
        assert float(vertex.bound.value - found.value) < 1e-14

    def test_too_large_a_claim_is_found_out(self):
        (piece,) = pieces_of(Problem.read(line(4), eps="ln 2"))
        good = exact_optimum(piece).bound
        assert good.holds(piece)
        more = tuple(v + Fraction(1, 10**9) for v in good.multipliers)
        assert not Bound(sum(more), more, good.flows).holds(piece)
        assert not replace(good, value=good.value + 1).holds(piece)

    def test_flows_that_overflow_are_left_out(self):
        (piece,) = pieces_of(Problem.read(line(3), eps=1000))
        flows = Flows(np.array([0]), np.array([0]), np.array([2]), np.array([1e-3]))
        assert bound_of_floats(piece, flows).value == 0

    def test_a_tampered_certificate_does_not_hold(self):
        best = optimal(line(3), eps="ln 2")
        assert best.certificate.holds()
        (proof,) = best.certificate.proofs
        false = replace(proof, bound=replace(proof.bound, value=proof.bound.value * 2))
        assert not replace(best.certificate, proofs=(false,)).holds()

    def test_a_tampered_program_does_not_hold(self):
        best = optimal(line(3), eps="ln 2", delta="1/10")
        (program,) = best.certificate.proofs
        assert program.holds()
        false = replace(program, outcome=replace(program.outcome, value=Fraction(1)))
        assert not false.holds()


class TestIntegers:
    def test_rows_are_closed_and_near(self):
        rng = np.random.default_rng(1)
        rows = rng.dirichlet(np.ones(5), 4)
        for share in (0, 44):
            matrix = integers(np.log(rows), 200, share)
            assert (matrix.entries.sum(axis=1) == matrix.den).all()
            assert np.abs(matrix.floats - rows).max() < 1e-12

    def test_the_smallest_entries_keep_their_precision(self):
        logs = np.array([[-2000.0, -1e-9], [-1000.0, -1e-9]])
        matrix = integers(logs, 4000, 0)
        for row, true in enumerate(logs[:, 0]):
            entry = Fraction(int(matrix.entries[row, 0]), matrix.den)
            found = as_level(0) + np.log(2) * (
                entry.numerator.bit_length() - entry.denominator.bit_length()
            )
            assert float(found) == pytest.approx(true, abs=1.0)

    def test_impossible_outputs_stay_impossible(self):
        with np.errstate(divide="ignore"):
            matrix = integers(np.log(np.array([[1.0, 0.0], [1.0, 0.0]])), 100, 0)
        assert matrix.entries[:, 1].tolist() == [0, 0]

    @pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-6])
    def test_what_a_solver_got_wrong_is_repaired(self, noise):
        rng = np.random.default_rng(2)
        space = grid(3, 3)
        problem = Problem.read(space, eps="1/2")
        (piece,) = pieces_of(problem)
        channel = np.abs(np.eye(9) + noise * rng.normal(size=(9, 9)))  # zeros: ε is infinite
        logs = logarithms(channel, piece.scaled * (1 - room(piece.nearest)), piece.costs.floats)
        assert np.exp(logs).sum(axis=1).std() < 1e-12
        found, verdict = proved(problem, lambda bits, share: integers(logs, bits, share))
        assert verdict
        assert privacy(found, space, eps="1/2")

    def test_what_is_far_from_private_is_not_certified(self):
        problem = Problem.read(line(2), eps="1/2")
        logs = np.log(np.array([[0.99, 0.01], [0.01, 0.99]]))
        with pytest.raises(Uncertified, match="no rounding"):
            proved(problem, lambda bits, share: integers(logs, bits, share))


class TestPieces:
    def test_e_to_the_eps_d_is_enclosed(self):
        exact = reach_of(as_level("ln 2"), Fraction(3), None)
        assert exact.low == exact.high == 8
        near = reach_of(as_level(1), Fraction(1), None)
        assert near.low < near.high
        assert float(near.low) == pytest.approx(np.e)
        assert (near.high - near.low) / near.low < Fraction(1, 1 << 150)

    def test_a_spanner_narrows_only_what_must_be_private(self):
        reach = reach_of(as_level("ln 4"), Fraction(1), Fraction(2))
        assert float(reach.low) == pytest.approx(2, rel=1e-8)
        assert reach.high == 4

    def test_ceilings_are_above(self):
        (piece,) = pieces_of(Problem.read(grid(2, 2), eps="1/3"))
        i, j = np.nonzero(~np.eye(4, dtype=bool))
        ceilings = piece.ceilings(i, j)
        for x, z, top in zip(i, j, ceilings, strict=True):
            assert Fraction(top) >= piece.high(piece.space.distances[x, z])
            assert top == pytest.approx(np.exp(piece.scaled[x, z]), rel=1e-15)

    def test_spanner_paths_keep_to_the_dilation(self):
        rng = np.random.default_rng(0)
        places = rng.normal(size=(30, 2))
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        edges, paths = greedy_spanner(apart, 1.5)
        assert (paths <= 1.5 * apart * (1 + 1e-9) + 1e-12).all()
        assert (paths >= apart - 1e-12).all()
        assert len(edges) < 30 * 29 / 2 / 3


class TestExactNumbers:
    def test_doubles_are_their_binary_values(self):
        doubles = Mat(np.array([[0.1, 0.0, 3.0], [1e-300, 2.0**60, 5e-324]]))
        exact = exact_mat(doubles)
        for i in range(2):
            for j in range(3):
                assert exact[i, j] == Fraction(float(doubles.entries[i, j]))

    def test_exact_numbers_are_left_alone(self):
        table = Mat.of([[Fraction(1, 3)]])
        assert exact_mat(table) is table
