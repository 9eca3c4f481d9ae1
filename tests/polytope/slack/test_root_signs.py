"""Order and signs of algebraic numbers that floats cannot tell apart."""

from fractions import Fraction as Q

import pytest
from flint import fmpz_poly

from dprivacy.numbers import Root, roots_above
from dprivacy.polytope.slack.root_signs import compared, narrowed, sign_at

(GOLDEN,) = roots_above([(-1, -1, 1)])


def near_root_two():
    """√2 and a rational that agrees with it to 60 digits."""
    near = Q(1)
    for _ in range(7):
        near = near / 2 + 1 / near
    assert 0 < near**2 - 2 < Q(1, 10**60)
    return roots_above([(-2, 0, 1)])[0], Root((-near.numerator, near.denominator), near, near)


def test_order():
    root, near = near_root_two()
    assert compared(root, near) == -1
    assert compared(near, root) == 1
    assert compared(root, GOLDEN) == -1
    first, second = roots_above([(7, -6, 1)], Q(0))[:1] + roots_above([(2, -4, 1)], Q(0))[1:]
    assert compared(first, second) == -1


def test_the_same_root_in_two_intervals():
    wide = Root((-1, -1, 1), Q(3, 2), Q(17, 10))
    assert compared(wide, GOLDEN) == compared(GOLDEN, wide) == 0
    small, large = roots_above([(2, -4, 1)], Q(0))
    assert compared(small, large) == -1
    assert compared(large, large) == 0


def test_narrow_intervals_keep_the_root():
    narrow = narrowed(GOLDEN)
    assert GOLDEN.low <= narrow.low < narrow.high <= GOLDEN.high
    assert narrow.low**2 - narrow.low - 1 < 0 < narrow.high**2 - narrow.high - 1


@pytest.mark.parametrize(
    ("p", "sign"),
    [([-1, -1, 1], 0), ([-2, -2, 2], 0), ([-8, 5], 1), ([13, -8], 1), ([-13, 8], -1), ([], 0)],
)
def test_signs(p, sign):
    assert sign_at(fmpz_poly(p), GOLDEN) == sign


def test_a_sign_that_needs_many_digits():
    root, near = near_root_two()
    p = fmpz_poly(list(near.polynomial))
    assert sign_at(p, root) == -1
    assert sign_at(p, near) == 0
    assert sign_at(fmpz_poly([-2, 0, 1]), near) == 1
