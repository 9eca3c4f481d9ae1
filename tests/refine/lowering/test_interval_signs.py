"""Signs of polynomials between 0 and 1: roots that cross, roots that touch, and ends."""

import random
from fractions import Fraction as Q
from itertools import pairwise

import pytest
from flint import fmpz_poly

from dprivacy.refine.lowering.interval_signs import negative_at, roots_below


def value(p, at):
    return sum(int(c) * at**k for k, c in enumerate(p.coeffs()))


@pytest.mark.parametrize(
    ("coefficients", "negative"),
    [
        ([1, 4, -8], True),  # crosses at (1 + √3)/4
        ([1], False),
        ([0, 1], False),  # 0 at the end only
        ([1, -1], False),  # 0 at the other end only
        ([-1, 2], True),
        ([1, -4, 4], False),  # (1 − 2t)², touches at 1/2
        ([1, -2, -1, 2], True),
        ([-1], True),
    ],
)
def test_by_hand(coefficients, negative):
    p = fmpz_poly(coefficients)
    found = negative_at(p)
    assert (found is not None) == negative
    assert found is None or (0 < found < 1 and value(p, found) < 0)


def test_a_square_touches_and_is_not_negative():
    square = fmpz_poly([1, 4, -8]) ** 2
    assert negative_at(square) is None
    assert negative_at(square - 1) is not None
    ((low, high),) = roots_below(square)
    assert low <= Q(68301270189221932, 10**17) <= high


def test_an_end_below_1_is_kept_to():
    falling = fmpz_poly([1, -2])
    assert negative_at(falling, Q(1, 2)) is None
    assert negative_at(falling, Q(3, 5)) is not None


def test_products_of_known_roots():
    """The sign between two roots is known by counting the factors."""
    rng = random.Random(5)
    for _ in range(200):
        roots = [Q(rng.randrange(-3, 14), 10) for _ in range(rng.randrange(1, 6))]
        p = fmpz_poly([rng.choice([1, -1])])
        for r in roots:
            p *= fmpz_poly([-r.numerator, r.denominator])
        inside = sorted({r for r in roots if 0 < r < 1})
        ends = [Q(0), *inside, Q(1)]
        middles = [(low + high) / 2 for low, high in pairwise(ends)]
        truth = any(value(p, middle) < 0 for middle in middles)
        found = negative_at(p)
        assert (found is not None) == truth
        assert found is None or value(p, found) < 0
        assert len(roots_below(p)) == len(inside)
