"""Signs and order of real algebraic numbers: exact, by halving intervals until they tell."""

from typing import Any

from dprivacy.numbers import Root, ball_precision

_BITS = 64
Polynomial = Any  # flint's fmpz_poly


def narrowed(root: Root) -> Root:
    """The same number in an interval that is 2^64 times as narrow."""
    low, high = root.low, root.high
    for _ in range(_BITS):
        middle = (low + high) / 2
        if root.above(middle) > 0:
            low = middle
        else:
            high = middle
    return Root(root.polynomial, low, high)


def sign_at(p: Polynomial, root: Root) -> int:
    """The sign of an integer polynomial at an algebraic number.

    It is 0 where the minimal polynomial divides it. Elsewhere balls tell it, once the interval of the
    number is narrow enough.
    """
    from flint import arb, fmpq, fmpq_poly

    if root.rational is not None:
        value = p(fmpq(root.rational.numerator, root.rational.denominator))
        return int(value > 0) - int(value < 0)
    if not fmpq_poly(p) % fmpq_poly(list(root.polynomial)):
        return 0
    bits = 2 * _BITS
    while True:
        with ball_precision(bits):
            ends = [arb(fmpq(v.numerator, v.denominator)) for v in (root.low, root.high)]
            value = p(ends[0].union(ends[1]))
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
        root, bits = narrowed(root), bits + _BITS


def compared(p: Root, q: Root) -> int:
    """−1, 0 or 1: whether one number is smaller than another, the same, or larger."""
    if p.polynomial == q.polynomial and p.above(q.low) >= 0 >= p.above(q.high):
        return 0  # the interval of q has one root of this polynomial
    while p.low <= q.high and q.low <= p.high:
        p, q = narrowed(p), narrowed(q)
    return -1 if p.high < q.low else 1
