"""Quotients of levels: roots are rationalised, logarithms must cancel."""

from fractions import Fraction

from dprivacy.numbers.integer_facts import coprime_base, exponent
from dprivacy.numbers.levels import Level


def reciprocal(number: Level) -> Level:
    """1/number for a sum of square roots, by multiplying with conjugates root by root."""
    roots = [k for k, _ in number._terms if k > 1]
    if not roots:
        return Level(Fraction(1) / number.rational)
    pivot = min(coprime_base(roots))
    conjugate = Level._of(
        {(k, q): -r if k % pivot == 0 else r for (k, q), r in number._terms.items()}
    )
    return conjugate * reciprocal(number * conjugate)


def proportion(top: Level, bottom: Level) -> Level | None:
    """top/bottom when the bottom's logarithms cancel or the ratio is a sum of square roots, else None.

    Over a coprime base both are sums of logarithms that are independent over the algebraic numbers
    (Baker), so the ratio of the coefficients of any one of them is the only candidate.
    """
    ratios = [q for level in (top, bottom) for _, q in level._terms if q is not None]
    for b in coprime_base(n for q in ratios for n in (q.numerator, q.denominator)):
        under = _coefficient(bottom, b)
        if under:
            ratio = _coefficient(top, b) / under
            return ratio if top == bottom * ratio else None
    return top / Level._of({at: r for at, r in bottom._terms.items() if at[1] is None})


def _coefficient(level: Level, b: int) -> Level:
    """What multiplies ln b once every logarithm is written over a coprime base with b in it."""
    return Level._of(
        ((k, None), r * (exponent(q.numerator, b) - exponent(q.denominator, b)))
        for (k, q), r in level._terms.items()
        if q is not None
    )
