"""Roots in disjoint intervals: counted by Sturm's theorem, and found by bisection."""

import random
from fractions import Fraction as Q
from itertools import pairwise

import pytest
from flint import fmpq_poly, fmpz_poly

from dprivacy.errors import Uncertified
from dprivacy.numbers import Root, irreducible_factors, roots_above, samples
from dprivacy.numbers.roots.real_roots import simplest_between


def sturm(c, low, high):
    """How many roots lie in (low, high], for a square-free polynomial; None is infinity."""
    chain = [fmpq_poly(list(c)), fmpq_poly(list(c)).derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))

    def changes(x):
        values = [p[p.degree()] if x is None else value(p, x) for p in chain]
        signs = [v > 0 for v in values if v != 0]
        return sum(a != b for a, b in pairwise(signs))

    return changes(low) - changes(high)


def value(p, x):
    return sum(Q(int(c.p), int(c.q)) * x**k for k, c in enumerate(p.coeffs()))


def drawn(seed):
    generator = random.Random(seed)
    factors = set()
    for _ in range(12):
        c = [generator.randint(-4, 4) for _ in range(generator.randint(2, 7))]
        if any(c[1:]):
            factors |= {f for f, _ in irreducible_factors(fmpz_poly(c))[1] if len(f) > 1}
    return sorted(factors)


@pytest.mark.parametrize("seed", range(6))
def test_as_many_as_sturm_counts_each_alone_in_its_interval(seed):
    factors = drawn(seed)
    found = roots_above(factors)
    assert len(found) == sum(sturm(c, Q(1), None) for c in factors)
    assert all(a.high < b.low for a, b in pairwise(found))
    for root in found:
        assert root.low > 1
        if root.rational is None:
            assert sturm(root.polynomial, root.low, root.high) == 1
        else:
            assert root.low == root.high == root.rational
    for x, root in zip(samples(found), [*found, None], strict=True):
        assert root is None or root.above(x) == 1
    for x, root in zip(samples(found)[1:], found, strict=True):
        assert root.above(x) == -1


def test_neighbours_that_64_bits_do_not_tell_apart():
    big = 10**30
    found = roots_above([(-2, 0, 1), (-2 * big**2 - 1, 0, big**2), (-2 * big**2 + 1, 0, big**2)])
    assert [root.polynomial[0] for root in found] == [-2 * big**2 + 1, -2, -2 * big**2 - 1]


def test_comparison_within_the_interval():
    wide = Root((-2, 0, 1), Q(1), Q(2))
    assert wide.above(Q(14142, 10000)) == 1
    assert wide.above(Q(14143, 10000)) == -1
    assert wide.above(Q(2)) == -1
    assert Root((-3, 2), Q(3, 2), Q(3, 2)).above(Q(3, 2)) == 0


def test_another_beginning():
    assert [str(root) for root in roots_above([(-2, 0, 1), (-1, 2)], Q(1, 3))] == [
        "1/2",
        "1.414214 (x² − 2)",
    ]
    assert [float(r) for r in roots_above([(-2, 0, 1)], Q(-2))] == pytest.approx(
        [-(2**0.5), 2**0.5]
    )


def test_a_polynomial_twice_is_refused():
    with pytest.raises(Uncertified, match="each of them once"):
        roots_above([(-2, 0, 1), (-4, 0, 2)])


@pytest.mark.parametrize(
    ("c", "text"),
    [
        ((-1, 0, -2, 3), "3x³ − 2x² − 1"),
        ((0, 1), "x"),
        ((5, -1), "−x + 5"),
        ((1, 1, 1), "x² + x + 1"),
    ],
)
def test_polynomials_as_people_write_them(c, text):
    assert Root(c, Q(0), Q(1)).equation == text


def test_the_simplest_number_between():
    generator = random.Random(1)
    for _ in range(200):
        low = Q(generator.randint(0, 40), generator.randint(1, 20))
        high = low + Q(1, generator.randint(1, 60))
        found = simplest_between(low, high)
        assert low < found < high
        for den in range(1, found.denominator):
            assert not any(
                low < Q(num, den) < high for num in range(int(low * den), int(high * den) + 2)
            )
    assert simplest_between(Q(7, 2), None) == 4
    assert simplest_between(Q(3), None) == 4
