"""Arithmetic with sums Σ r·√k·ln q, given by their terms {(k, q): r}; None where no exact form exists.

Sums and products multiply out. In a quotient roots are rationalised, and logarithms must cancel.
"""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from dprivacy.numbers.integer_facts import coprime_base, exponent, square_part
from dprivacy.numbers.log_sums import Key, vanishes

Terms = Mapping[Key, Fraction]

_ONE: Key = (1, None)


def collected(terms: Iterable[tuple[Key, Fraction]]) -> Terms:
    """Like terms added up, and those that vanish left out."""
    kept: dict[Key, Fraction] = {}
    for key, r in terms:
        kept[key] = kept.get(key, Fraction(0)) + r
    return {key: r for key, r in kept.items() if r}


def whole(value: Fraction) -> Terms:
    """A rational number."""
    return {_ONE: value} if value else {}


def logarithm(q: Fraction) -> Terms:
    """ln q, for q > 0."""
    if q == 1:
        return {}
    return {(1, q): Fraction(1)} if q > 1 else {(1, 1 / q): Fraction(-1)}


def square_root(q: Fraction) -> Terms:
    """√q, for q ≥ 0."""
    if not q:
        return {}
    s, f = square_part(q.numerator)
    s2, f2 = square_part(q.denominator)
    return {(f * f2, None): Fraction(s, s2 * f2)}


def rational_value(terms: Terms) -> Fraction | None:
    """The number, when it is rational."""
    rest = {key: r for key, r in terms.items() if key != _ONE}
    if rest and (len(rest) == 1 or not vanishes(rest)):  # one root or logarithm is never rational
        return None
    return terms.get(_ONE, Fraction(0))


def negated(a: Terms) -> Terms:
    """−a."""
    return {key: -r for key, r in a.items()}


def added(a: Terms, b: Terms) -> Terms:
    """a + b."""
    return collected([*a.items(), *b.items()])


def multiplied(a: Terms, b: Terms) -> Terms | None:
    """a·b; None for a product of logarithms."""
    terms: list[tuple[Key, Fraction]] = []
    for (k, q), r in a.items():
        for (k2, q2), r2 in b.items():
            if q is not None and q2 is not None:
                for factor, rest in ((a, b), (b, a)):
                    value = rational_value(factor)
                    if value is not None:
                        return collected((key, value * s) for key, s in rest.items())
                return None
            s = math.gcd(k, k2)  # k and k2 are square-free
            terms.append((((k // s) * (k2 // s), q or q2), r * r2 * s))
    return collected(terms)


def divided(a: Terms, b: Terms) -> Terms | None:
    """a/b for b ≠ 0; None unless b's logarithms cancel or the ratio is a sum of square roots.

    Over a coprime base both are sums of logarithms that are independent over the algebraic numbers
    (Baker), so the ratio of the coefficients of any one of them is the only candidate.
    """
    ratios = [q for terms in (a, b) for _, q in terms if q is not None]
    for base in coprime_base(n for q in ratios for n in (q.numerator, q.denominator)):
        under = _coefficient(b, base)
        if under:
            ratio = multiplied(_coefficient(a, base), _reciprocal(under))
            back = None if ratio is None else multiplied(b, ratio)
            return ratio if back is not None and vanishes(added(a, negated(back))) else None
    return multiplied(a, _reciprocal({key: r for key, r in b.items() if key[1] is None}))


def _reciprocal(number: Terms) -> Terms:
    """1/number for a sum of square roots, by multiplying with conjugates root by root."""
    roots = [k for k, _ in number if k > 1]
    if not roots:
        return {_ONE: 1 / number[_ONE]}
    pivot = min(coprime_base(roots))
    conjugate = {(k, q): -r if k % pivot == 0 else r for (k, q), r in number.items()}
    norm = multiplied(number, conjugate)
    assert norm is not None  # there are no logarithms
    product = multiplied(conjugate, _reciprocal(norm))
    assert product is not None
    return product


def _coefficient(terms: Terms, base: int) -> Terms:
    """What multiplies ln base once every logarithm is written over a coprime base with it."""
    return collected(
        ((k, None), r * (exponent(q.numerator, base) - exponent(q.denominator, base)))
        for (k, q), r in terms.items()
        if q is not None
    )
