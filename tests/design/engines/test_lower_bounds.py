"""Lower bounds hold whatever the flows were."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design import optimal
from dprivacy.design.engines.exact_rays import exact_optimum
from dprivacy.design.engines.lower_bounds import (
    Bound,
    ExactFlows,
    bound_of_exact,
    bound_of_floats,
    exact_flows,
)
from dprivacy.design.problems.approximation import Flows
from dprivacy.design.problems.design_problem import Problem
from dprivacy.design.problems.independent_pieces import pieces_of
from dprivacy.spaces import discrete, grid, line

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
