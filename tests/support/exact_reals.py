"""Real numbers r, r·ln q and r·√k, kept apart from the library: exact powers, or Arb's balls."""

import math
from dataclasses import dataclass
from fractions import Fraction as Q

from flint import arb, ctx, fmpq

_PRECISIONS = [128 << k for k in range(8)]


def ball(q):
    """A rational (or a double, by its exact binary value) as a ball."""
    return arb(fmpq(*Q(q).as_integer_ratio()))


@dataclass(frozen=True)
class Size:
    """r·ln q, r·√q, or r alone ("1"); `str` is what the library reads."""

    r: Q
    kind: str = "1"
    q: Q = Q(1)

    def __str__(self):
        if self.kind == "1":
            return str(self.r)
        return f"{self.r}*{'ln' if self.kind == 'ln' else 'sqrt'}({self.q})"

    def ball(self):
        """The number at the working precision."""
        inner = ball(self.q)
        return ball(self.r) * {"1": arb(1), "ln": inner.log(), "sqrt": inner.sqrt()}[self.kind]


ZERO, ONE = Size(Q(0)), Size(Q(1))


def power_form(eps: Size, d: Size):
    """(s, q) with ε·d = s·ln q, for small s: then e^(ε·d) is compared by powers. None otherwise."""
    kinds = sorted((eps.kind, d.kind))
    s = eps.r * d.r
    if kinds == ["1", "ln"] and max(abs(s.numerator), s.denominator) <= 400:
        return s, eps.q if eps.kind == "ln" else d.q
    return (Q(0), Q(1)) if not s else None


def sign(ratio: Q, eps: Size, d: Size) -> int:
    """The sign of ratio − e^(ε·d), for ratio > 0."""
    exact = power_form(eps, d)
    if exact is not None:
        s, q = exact
        left, right = ratio**s.denominator, q**s.numerator
        return (left > right) - (left < right)
    for bits in _PRECISIONS:
        with ctx.workprec(bits):
            gap = ball(ratio).log() - eps.ball() * d.ball()
            if gap > 0 or gap < 0:
                return 1 if gap > 0 else -1
    raise AssertionError(f"ln {ratio} and ({eps})·({d}) agree to {_PRECISIONS[-1]} bits")


def value(number) -> arb:
    """A rational, or a level by its terms r·√k·ln q, at the working precision."""
    if not hasattr(number, "_terms"):
        return ball(number)
    terms = [
        ball(r) * arb(k).sqrt() * (arb(1) if q is None else ball(q).log())
        for (k, q), r in number._terms.items()
    ]
    return sum(terms, arb(0))


def is_rounded_up(found, true) -> bool:
    """Whether `found` is `true` (a ball) or, a double, the smallest one above it."""
    if true == 0:
        return found == 0
    if not isinstance(found, float):
        return bool(abs(value(found) - true) < ball(Q(1, 10**60)) * abs(true))
    return bool(true <= ball(found)) and bool(ball(math.nextafter(found, -1)) < true)
