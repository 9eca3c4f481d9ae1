"""Square parts, perfect powers and coprime bases, by their definitions."""

import math
from fractions import Fraction as Q
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import Uncertified
from dprivacy.numbers.integer_facts import coprime_base, exponent, power_part, square_part


@given(st.integers(1, 10**12))
def test_square_part(k):
    s, f = square_part(k)
    assert s * s * f == k
    assert all(f % (d * d) for d in range(2, min(math.isqrt(f), 2000) + 1))


@pytest.mark.parametrize("k", range(1, 400))
def test_square_part_of_small_numbers_by_search(k):
    best = max(s for s in range(1, k + 1) if k % (s * s) == 0)
    assert square_part(k) == (best, k // best**2)


def test_square_part_of_large_numbers():
    p, q = 10**9 + 7, 10**30 + 57  # primes
    assert square_part(p * p * q) == (p, q)
    assert square_part(p**3) == (p, p)
    assert square_part((p * q) ** 2 * 6) == (p * q, 6)
    assert square_part(2**4001) == (2**2000, 2)
    assert square_part(10**70 + 33) == (1, 10**70 + 33)  # a large prime
    with pytest.raises(Uncertified, match="digits"):
        square_part((10**70 + 33) * (10**60 + 7))


@given(st.fractions(min_value=Q(11, 10), max_value=50, max_denominator=40), st.integers(1, 7))
def test_power_part(q, n):
    b, k = power_part(q**n)
    assert b**k == q**n
    assert k % n == 0
    top, times = power_part(b)
    assert (top, times) == (b, 1)


@pytest.mark.parametrize("n", range(2, 300))
def test_power_part_by_search(n):
    expected = max(k for k in range(1, 10) if any(b**k == n for b in range(2, n + 1)))
    assert power_part(Q(n))[1] == expected


@given(st.lists(st.integers(1, 10**6), max_size=6))
def test_coprime_base(numbers):
    base = coprime_base(numbers)
    assert all(b > 1 for b in base)
    assert all(math.gcd(a, b) == 1 for a, b in combinations(base, 2))
    for n in numbers:
        rest = n
        for b in base:
            rest //= b ** exponent(n, b)
        assert rest == 1


@given(st.integers(1, 10**6), st.integers(2, 50))
def test_exponent(n, b):
    k = exponent(n, b)
    assert n % b**k == 0
    assert n % b ** (k + 1)
