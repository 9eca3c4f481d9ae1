"""Minors as polynomials: one by one with flint's polynomials, and the order of sets."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from flint import fmpz_poly

import dprivacy.polytope.breaks.minor_polynomials as room
from dprivacy.polytope.breaks.minor_polynomials import Configuration, distinct, subsets
from dprivacy.polytope.cones.lipschitz_vertices import tight_functions

LINE = [(i, i + 1, 1) for i in range(4)]
UNEVEN = [(0, 1, 1), (1, 2, 2), (2, 3, 3)]
RING = [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (0, 4, 1)]


def configuration(edges):
    n = max(j for _, j, _ in edges) + 1
    tree = [(i, i + 1) for i in range(n - 1)]
    levels = list(tight_functions(n, edges))
    return levels, tree, Configuration.of(levels, tree)


def determinant(rows):
    if not rows:
        return fmpz_poly([1])
    total = fmpz_poly([0])
    for j, entry in enumerate(rows[0]):
        rest = [row[:j] + row[j + 1 :] for row in rows[1:]]
        total += (-1) ** j * entry * determinant(rest)
    return total


def power(k):
    return fmpz_poly([0] * k + [1])


@pytest.mark.parametrize("edges", [LINE, UNEVEN, RING])
def test_every_minor_is_the_determinant(edges, monkeypatch):
    """From the powers b^g themselves: equal up to powers of b − 1, of b, and nothing else."""
    monkeypatch.setattr(room, "_STEP", 7)
    monkeypatch.setattr(room, "_BLOCK", 50)
    levels, tree, found = configuration(edges)
    values = np.concatenate(list(found.blocks()))
    assert len(values) == found.minors == comb(len(levels), len(tree))
    polynomials = found.polynomials(values)
    for number, chosen in enumerate(subsets(len(levels), len(tree)).tolist()[:400]):
        rows = [[power(levels[j][y]) - power(levels[j][x]) for j in chosen] for x, y in tree]
        exact = determinant(rows)
        c, sign = polynomials[number]
        if not c:
            assert exact == 0
            continue
        quotient, rest = divmod(exact, fmpz_poly(list(c)) * fmpz_poly([-1, 1]) ** len(tree))
        assert rest == 0
        assert [int(v) for v in quotient.coeffs() if v] == [sign]
        assert c[0]
        assert c[-1] > 0


def test_sets_are_in_colexicographic_order():
    expected = sorted(combinations(range(7), 3), key=lambda s: s[::-1])
    assert [tuple(s) for s in subsets(7, 3).tolist()] == expected


def test_different_rows_up_to_sign(monkeypatch):
    rng = np.random.default_rng(1)
    few = rng.integers(0, 13, (30, 4))
    values = few[rng.integers(0, 30, 500)]
    values[::3] = -values[::3] % 13
    found = distinct(values, 13)
    again = found.rows[found.of] * found.sign[:, None] % 13
    assert np.array_equal(again, values)
    normal = {min(tuple(row), tuple(-row % 13)) for row in values}
    assert len(found.rows) == len(normal)


def test_rows_that_share_a_number_are_told_apart(monkeypatch):
    """Two rows made so that the sum of their entries times the first weights is the same."""
    weights = [pow(0x9E3779B97F4A7C15, k + 1, 1 << 64) for k in range(2)]
    # u·w₀ + v·w₁ = 0 modulo 2^64 with v = 1: the rows (u, 1) and (0, 0) collide
    u = -weights[1] * pow(weights[0], -1, 1 << 64) % (1 << 64)
    u = u - (1 << 64) if u >> 63 else u
    found = distinct(np.array([[u, 1], [0, 0]], dtype=np.int64), (1 << 63) - 1)
    assert len(found.rows) == 2


def test_large_coefficients_have_a_large_prime():
    far = [(0, 1, 40), (1, 2, 60), (2, 3, 50), (3, 4, 64)]
    _, _, found = configuration(far)
    assert found.prime > 2 * 24 * 40 * 60 * 50 * 64
