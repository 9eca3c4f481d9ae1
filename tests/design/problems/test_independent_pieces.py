"""The pieces of a problem and the factors that bind them."""

from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design.problems.design_problem import Problem
from dprivacy.design.problems.independent_pieces import pieces_of, reach_of
from dprivacy.design.problems.spanner import greedy_spanner
from dprivacy.numbers.levels import as_level
from dprivacy.spaces import grid, points


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

    @pytest.mark.parametrize(
        ("space", "eps"),
        [
            (grid(2, 2), "1/3"),
            (points([[0, 0], [3, 5], [40_000, 7], [2, 90_000]]), "1/200 ln 4"),
            (points([[0], [1], [5], [9]]), "1e-9"),
        ],
    )
    def test_ceilings_are_above(self, space, eps):
        (piece,) = pieces_of(Problem.read(space, eps=eps))
        i, j = np.nonzero(~np.eye(4, dtype=bool))
        ceilings = piece.ceilings(i, j)
        for x, z, top in zip(i, j, ceilings, strict=True):
            assert Fraction(top) >= piece.high(piece.space.distances[x, z])
            assert top == pytest.approx(np.exp(piece.scaled[x, z]), rel=1e-12)

    def test_the_margin_of_ceilings_covers_all_roundings(self):
        rng = np.random.default_rng(1)
        space = points(rng.integers(0, 70_000, (60, 2)).tolist())
        (piece,) = pieces_of(Problem.read(space, eps="1/200 ln 4"))
        i, j = np.triu_indices(60, 1)
        for x, z, top in zip(i, j, piece.ceilings(i, j), strict=True):
            assert Fraction(top) >= piece.high(piece.space.distances[x, z])

    def test_spanner_paths_keep_to_the_dilation(self):
        rng = np.random.default_rng(0)
        places = rng.normal(size=(30, 2))
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        edges, paths = greedy_spanner(apart, 1.5)
        assert (paths <= 1.5 * apart * (1 + 1e-9) + 1e-12).all()
        assert (paths >= apart - 1e-12).all()
        assert len(edges) < 30 * 29 / 2 / 3
