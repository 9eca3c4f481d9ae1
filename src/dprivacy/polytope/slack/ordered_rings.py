"""Numbers in which a walk is done: at a rational a, at an algebraic a, or at all a of an interval.

A walk asks for signs only. At every a of an interval at once the numbers are polynomials in a; their
signs are read at one sample and kept. Between the nearest roots of the polynomials that were asked for,
the walk is the same, step for step: so what it finds is proved for the whole interval.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, Protocol

from dprivacy.numbers import Integers, Ring, Root, fraction_of, irreducible_factors, roots_above
from dprivacy.polytope.slack.root_signs import sign_at

Polynomial = Any  # flint's fmpz_poly


class OrderedRing(Ring, Protocol):
    """What a walk asks of its numbers."""

    factor: tuple[Any, Any]  # a = e^ε as numerator and positive denominator

    def names(self, vector: tuple[Any, ...]) -> list[Any]:
        """What is the same for all positive multiples of a vector whose last number is positive.

        One name for each number; names can be sorted.
        """


class SampleIsRoot(ArithmeticError):
    """A polynomial that is not 0 everywhere is 0 at the sample: another sample is needed."""


class AtRational(Integers):
    """Whole numbers, for a rational a."""

    def __init__(self, a: Fraction) -> None:
        self.factor = (a.numerator, a.denominator)

    def names(self, vector: tuple[int, ...]) -> list[int]:
        """The numbers themselves, without a common factor."""
        return list(self.reduced(vector))


class AtEvery:
    """Polynomials in a, with the signs that they have at a sample and near it.

    `asked` holds the irreducible factors of all polynomials whose sign was asked for.
    """

    def __init__(self, sample: Fraction) -> None:
        from flint import fmpz_poly

        self.sample = sample
        self.factor = (fmpz_poly([0, 1]), fmpz_poly([1]))
        self.asked: set[tuple[int, ...]] = set()
        self._signs: dict[tuple[int, ...], int] = {}

    def sign(self, value: Any) -> int:
        """The sign at the sample; what is 0 there is 0 everywhere."""
        from flint import fmpq

        if isinstance(value, int) or value.degree() <= 0:
            number = value if isinstance(value, int) else int(value[0])
            return (number > 0) - (number < 0)
        key = _coefficients(value)
        if key not in self._signs:
            at = value(fmpq(self.sample.numerator, self.sample.denominator))
            if at == 0:
                raise SampleIsRoot(str(self.sample))
            self._signs[key] = 1 if at > 0 else -1
            self.asked.update(part for part, _ in irreducible_factors(value)[1])
        return self._signs[key]

    def reduced(self, vector: tuple[Any, ...]) -> tuple[Any, ...]:
        """The vector without the common divisor of its entries, which is made positive."""
        return _without_divisor(self, vector)

    def names(self, vector: tuple[Any, ...]) -> list[Any]:
        """Coefficients."""
        return [_coefficients(v) for v in self.reduced(vector)]

    def range(self) -> tuple[Root | None, Root | None]:
        """The nearest roots of what was asked for, to the left (above 1) and right of the sample."""
        roots = roots_above(self.asked)
        left = [root for root in roots if root.above(self.sample) < 0]
        return left[-1] if left else None, roots[len(left)] if len(left) < len(roots) else None


class AtRoot:
    """Polynomials in a, where a is one algebraic number."""

    def __init__(self, a: Root) -> None:
        from flint import fmpq_poly, fmpz_poly

        self.a = a
        self.factor = (fmpz_poly([0, 1]), fmpz_poly([1]))
        self._minimal = fmpq_poly(list(a.polynomial))
        self._signs: dict[tuple[int, ...], int] = {}

    def sign(self, value: Any) -> int:
        """The sign at a."""
        value = _polynomial(value)
        key = _coefficients(value)
        if key not in self._signs:
            self._signs[key] = sign_at(value, self.a)
        return self._signs[key]

    def reduced(self, vector: tuple[Any, ...]) -> tuple[Any, ...]:
        """The vector without the common divisor of its entries as polynomials, made positive."""
        return _without_divisor(self, [v if self.sign(v) else 0 for v in vector])

    def names(self, vector: tuple[Any, ...]) -> list[Any]:
        """Coefficients of the numbers over the last one, as polynomials of the least degree."""
        from flint import fmpq_poly

        entries = [fmpq_poly(_polynomial(v)) % self._minimal for v in vector]
        one, inverse, _ = entries[-1].xgcd(self._minimal)
        scaled = [v * inverse / one[0] % self._minimal for v in entries]
        return [tuple(fraction_of(c) for c in v.coeffs()) for v in scaled]


def _without_divisor(ring: AtEvery | AtRoot, vector: Sequence[Any]) -> tuple[Any, ...]:
    entries = [_polynomial(v) for v in vector]
    common = reduce(lambda g, v: g.gcd(v), entries)
    if not common:
        return tuple(entries)
    if ring.sign(common) < 0:
        common = -common
    return tuple(v // common for v in entries)


def _polynomial(value: Any) -> Polynomial:
    from flint import fmpz_poly

    return fmpz_poly([value]) if isinstance(value, int) else value


def _coefficients(value: Any) -> tuple[int, ...]:
    return tuple(int(c) for c in value.coeffs())
