"""Sums Σ r·√k·ln q by their terms {(k, q): r}: arithmetic, and what integers decide about them.

Sums and products multiply out. In a quotient roots are rationalised, and logarithms must cancel; None
stands where no exact form exists.

Square roots of distinct square-free integers are independent over ℚ, and so are logarithms of pairwise
coprime integers; by Baker's theorem these stay independent, together with 1, over the algebraic
numbers. So it is enough to write every logarithm over a coprime base and look at the coefficients.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from dprivacy.numbers.integer_facts import coprime_base, exponent, power_part, square_part

Key = tuple[int, Fraction | None]  # of a term r·√k·ln q: (k, q), with None for no logarithm
Terms = Mapping[Key, Fraction]

_ONE: Key = (1, None)
_LARGEST_POWER = 1 << 22


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


def vanishes(terms: Terms) -> bool:
    """Whether the sum is 0: every coefficient over a coprime base is."""
    by_root: dict[int, dict[Fraction, Fraction]] = {}
    for (k, q), r in terms.items():
        if q is None and r:
            return False
        if q is not None:
            by_root.setdefault(k, {})[q] = r
    return not any(r for logs in by_root.values() for _, r in _over_coprime_base(logs))


def rational_exp(terms: Terms) -> Fraction | None:
    """e^sum as a Fraction when it is rational (and not of millions of digits), else None.

    By the Lindemann–Weierstrass and Gelfond–Schneider theorems it is rational only for a sum of
    logarithms whose exponents over a perfect-power-free coprime base are integers.
    """
    powers = {q: r for (k, q), r in terms.items() if k == 1 and q is not None}
    if not vanishes({at: r for at, r in terms.items() if at[0] != 1 or at[1] is None}):
        return None
    if any(r.denominator != 1 for r in powers.values()):
        logs, powers = powers, {}
        for b, r in _over_coprime_base(logs):
            plain, k = power_part(Fraction(b))
            powers[plain] = powers.get(plain, Fraction(0)) + r * k
    if any(r.denominator != 1 for r in powers.values()):
        return None
    value = Fraction(1)
    for q, r in powers.items():
        if abs(r) * max(q.numerator.bit_length(), q.denominator.bit_length()) > _LARGEST_POWER:
            return None
        value *= q ** int(r)
    return value


def _over_coprime_base(logs: Mapping[Fraction, Fraction]) -> Iterator[tuple[int, Fraction]]:
    """The pairs (b, r) with Σ r·ln b the same sum, the b pairwise coprime."""
    for b in coprime_base(n for q in logs for n in (q.numerator, q.denominator)):
        r = Fraction(0)
        for q, coefficient in logs.items():
            r += coefficient * (exponent(q.numerator, b) - exponent(q.denominator, b))
        yield b, r
