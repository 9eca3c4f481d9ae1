"""What integers decide about a sum Σ r·√k·ln q: whether it is 0, and whether e^sum is rational.

Square roots of distinct square-free integers are independent over ℚ, and so are logarithms of pairwise
coprime integers; by Baker's theorem these stay independent, together with 1, over the algebraic
numbers. So it is enough to write every logarithm over a coprime base and look at the coefficients.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dprivacy.numbers.integer_facts import coprime_base, exponent, power_part

# A term r·√k·ln q is keyed by (k, q); q is None for a term without a logarithm.
Key = tuple[int, Fraction | None]

_LARGEST_POWER = 1 << 22


def vanishes(terms: Mapping[Key, Fraction]) -> bool:
    """Whether the sum is 0: every coefficient over a coprime base is."""
    by_root: dict[int, dict[Fraction, Fraction]] = {}
    for (k, q), r in terms.items():
        if q is None and r:
            return False
        if q is not None:
            by_root.setdefault(k, {})[q] = r
    return not any(r for logs in by_root.values() for _, r in _over_coprime_base(logs))


def rational_exp(terms: Mapping[Key, Fraction]) -> Fraction | None:
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
