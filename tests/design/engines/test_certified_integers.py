"""Integers that are proved private, whatever a solver got wrong."""

from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design.engines.certified_integers import integers, logarithms, proved, room
from dprivacy.design.problems.design_problem import Problem
from dprivacy.design.problems.independent_pieces import pieces_of
from dprivacy.errors import Uncertified
from dprivacy.numbers.levels import as_level
from dprivacy.spaces import grid, line
from dprivacy.verify import privacy


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
