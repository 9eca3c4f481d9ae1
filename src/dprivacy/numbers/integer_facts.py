"""Two facts about integers that make comparisons of logarithms and roots decidable."""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt

from dprivacy.errors import Uncertified

_FACTORED = 192  # bits up to which a number without small factors is factored (about a second)


@lru_cache(maxsize=4096)
def square_part(k: int) -> tuple[int, int]:
    """Write k = s²·f with f square-free; returns (s, f).

    Uncertified when k has a factor so large that finding its square part could take for ever.
    """
    s = isqrt(k)
    if s * s == k:
        return s, 1
    from flint import fmpz

    s, f = 1, 1
    for part, power in fmpz(k).factor(trial_limit=2000):
        whole = isqrt(int(part))
        if whole * whole == part:
            s *= whole**power
            continue
        if part.bit_length() > _FACTORED and not part.is_prime():
            raise Uncertified(
                f"the square root of a number of {int(k.bit_length() * 0.30103) + 1} digits cannot "
                "be kept exact; use a float, or coordinates of fewer digits"
            )
        for prime, exponent_ in part.factor():
            s *= int(prime) ** (power * exponent_ // 2)
            f *= int(prime) ** (power * exponent_ % 2)
    return s, f


def _integer_root(n: int, k: int) -> int:
    """The floor of the k-th root of n ≥ 1."""
    from flint import fmpz

    return int(fmpz(n).root(k))


@lru_cache(maxsize=65536)
def power_part(q: Fraction) -> tuple[Fraction, int]:
    """Write q > 1 as b^k with k as large as possible; returns (b, k)."""
    k, b = 1, q
    bound = max(b.numerator.bit_length(), b.denominator.bit_length())
    prime = 2
    while prime < bound:
        top, bottom = _integer_root(b.numerator, prime), _integer_root(b.denominator, prime)
        if top**prime == b.numerator and bottom**prime == b.denominator:
            b, k = Fraction(top, bottom), k * prime
            bound = max(b.numerator.bit_length(), b.denominator.bit_length())
        else:
            prime += 1 if prime == 2 else 2
    return b, k


def coprime_base(integers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers > 1 of which every given integer is a product of powers.

    Factoring would do, and can take for ever; greatest common divisors are enough. Logarithms of
    pairwise coprime integers are linearly independent over the rationals.
    """
    base: list[int] = []
    pending = [n for n in integers if n > 1]
    while pending:
        n = pending.pop()
        if n == 1:
            continue
        for i, b in enumerate(base):
            g = gcd(n, b)
            if g > 1:
                base.pop(i)
                pending += [g, n // g, b // g] if (n != g or b != g) else [g]
                break
        else:
            base.append(n)
    return base


def exponent(n: int, b: int) -> int:
    """The largest k with b^k dividing n."""
    k = 0
    while n % b == 0:
        n //= b
        k += 1
    return k
