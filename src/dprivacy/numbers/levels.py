"""Exact privacy levels and distances: sums of r·√k·ln q with r rational, k an integer, q rational."""

import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any, overload

from dprivacy.errors import BadLevel, BadNumber, Uncertified, WrongKind
from dprivacy.numbers import level_terms
from dprivacy.numbers.enclosures import bounds_of_terms, safe_float, term_float
from dprivacy.numbers.frozen_values import Frozen
from dprivacy.numbers.level_text import as_formula, parse, written
from dprivacy.typing import LevelLike, NumberLike


class Level(Frozen, numbers.Real):
    """An exact real number of the form Σ r·√k·ln q.

    Privacy levels (``ln 2``, ``1/2``, ``3·ln(5/4)``) and the distances they multiply (``√2``, ``3``,
    ``ln(16/7)``) are all of this form, and so are their sums. Two such numbers can always be compared:

    1. Whether the difference is zero is decided in integers. Square roots of distinct square-free
       integers are independent over ℚ, logarithms of pairwise coprime integers are independent over
       ℚ, and by Baker's theorem the latter stay independent, together with 1, over the algebraic
       numbers. So the sum is zero only if every coefficient is, once written over a coprime base.
    2. If it is not zero, enclosures at growing precision find its sign after finitely many steps.

    ``Level(value)`` reads a Level, a string ("ln 2", "3/2", "0.5 ln 3", "sqrt(2)"), a Fraction, an
    int, or a float, which stands for its exact binary value.

    Examples
    --------
    >>> Level("ln 4") == 2 * Level("ln 2")
    True
    >>> Level("ln 2") < Level("0.6931471805599453094172321214581766")
    True
    >>> half, x = Level("1/2"), Level("ln 2")
    >>> x.exp(), half.rational, half.simplified, x.is_rational, (x - 1).sign(), x.bounds()[0] < x
    (Fraction(2, 1), Fraction(1, 2), Fraction(1, 2), False, -1, True)
    """

    __slots__ = ("_float", "_hash", "_terms")
    _terms: level_terms.Terms
    _float: float | None
    _hash: int | None

    def __new__(cls, value: LevelLike = 0) -> "Level":  # noqa: D102
        return value if type(value) is cls else as_level(value)

    @classmethod
    def _of(cls, terms: level_terms.Terms) -> "Level":
        level = object.__new__(cls)
        level._set(_terms=terms, _float=None, _hash=None)
        return level

    # -- reading it ---------------------------------------------------------------------------

    @property
    def is_rational(self) -> bool:
        """Whether the number is rational (in which case ``rational`` gives it)."""
        if len(self._terms) <= 1:  # one root or logarithm is never rational
            return self._terms.keys() <= {(1, None)}
        return (self - self.rational).sign() == 0

    @property
    def rational(self) -> Fraction:
        """The rational part: the coefficient of 1."""
        return self._terms.get((1, None), Fraction(0))

    @property
    def simplified(self) -> "Level | Fraction":
        """A Fraction when the number is rational, else the level itself."""
        return self.rational if self.is_rational else self

    def exp(self) -> Fraction | None:
        """e^level as a Fraction when it is rational, else None."""
        return level_terms.rational_exp(self._terms)

    def bounds(self, bits: int = 64) -> tuple[Fraction, Fraction]:
        """Rationals lo ≤ level ≤ hi, computed with `bits` bits of working precision."""
        return bounds_of_terms(self._terms, bits)

    def sign(self) -> int:
        """−1, 0 or 1, decided exactly."""
        floats = [term_float(k, q, r) for (k, q), r in self._terms.items()]
        estimate, error = sum(floats), 1e-12 * sum(map(abs, floats))
        if math.isfinite(estimate) and abs(estimate) > error:
            return 1 if estimate > 0 else -1
        if level_terms.vanishes(self._terms):
            return 0
        bits = 64
        while True:
            lo, hi = self.bounds(bits)
            if lo > 0:
                return 1
            if hi < 0:
                return -1
            bits *= 2

    # -- numbers.Real -------------------------------------------------------------------------

    def __float__(self) -> float:
        """The nearest double (correctly rounded, so that equal levels have equal floats)."""
        if self._float is None and self.is_rational:
            self._set(_float=safe_float(self.rational))
        if self._float is None:
            bits = 96
            while True:
                lo, hi = self.bounds(bits)
                low, high = safe_float(lo), safe_float(hi)
                if low == high:
                    self._set(_float=low)
                    break
                bits *= 2
        assert self._float is not None
        return self._float

    def __hash__(self) -> int:  # type: ignore[override]
        if self._hash is None:
            self._set(_hash=hash(self.rational if self.is_rational else float(self)))
        assert self._hash is not None
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, bool):
            other = int(other)
        if not isinstance(other, numbers.Real):
            return NotImplemented
        if not isinstance(other, Level | numbers.Rational) and not math.isfinite(other):
            return False
        return (self - as_level(other)).sign() == 0

    def _compare(self, other: Any) -> int:
        if isinstance(other, bool):
            other = int(other)
        if not isinstance(other, numbers.Real):
            raise WrongKind(f"a level cannot be compared with {type(other).__name__}")
        if not isinstance(other, Level | numbers.Rational) and math.isinf(other):
            return -1 if float(other) > 0 else 1
        return (self - as_level(other)).sign()

    def __lt__(self, other: Any) -> bool:
        return self._compare(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._compare(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._compare(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._compare(other) >= 0

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __neg__(self) -> "Level":
        return Level._of(level_terms.negated(self._terms))

    def __pos__(self) -> "Level":
        return self

    def __abs__(self) -> "Level":
        return -self if self.sign() < 0 else self

    def __add__(self, other: Any) -> "Level":
        if not isinstance(other, numbers.Real):
            return NotImplemented
        return Level._of(level_terms.added(self._terms, as_level(other)._terms))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Level":
        return self + (-as_level(other)) if isinstance(other, numbers.Real) else NotImplemented

    def __rsub__(self, other: Any) -> "Level":
        return as_level(other) + (-self) if isinstance(other, numbers.Real) else NotImplemented

    def __mul__(self, other: Any) -> "Level":
        if not isinstance(other, numbers.Real):
            return NotImplemented
        product = level_terms.multiplied(self._terms, as_level(other)._terms)
        if product is None:
            raise Uncertified(
                f"the product of two logarithms, ({self})·({other}), has no exact form here; "
                "use float() on one of them"
            )
        return Level._of(product)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Level":
        divisor = as_level(other)
        if not divisor:
            raise ZeroDivisionError(f"{self} divided by zero")
        ratio = level_terms.divided(self._terms, divisor._terms)
        if ratio is None:
            raise Uncertified(f"({self})/({divisor}) has no exact form; use float() on both")
        return Level._of(ratio)

    def __rtruediv__(self, other: Any) -> "Level":
        return as_level(other) / self

    def __floor__(self) -> int:
        if self.is_rational:
            return math.floor(self.rational)
        bits = 128
        while True:
            lo, hi = (math.floor(bound) for bound in self.bounds(bits))
            if lo == hi:
                return lo
            bits *= 2

    def __ceil__(self) -> int:
        return -math.floor(-self)

    def __trunc__(self) -> int:
        return math.floor(self) if self >= 0 else math.ceil(self)

    @overload
    def __round__(self, ndigits: None = None) -> int: ...
    @overload
    def __round__(self, ndigits: int) -> float: ...
    def __round__(self, ndigits: int | None = None) -> float | int:
        if ndigits is not None:
            return round(float(self), ndigits)
        return round(self.rational) if self.is_rational else math.floor(self + Fraction(1, 2))

    def __floordiv__(self, other: Any) -> int:
        return math.floor(self / as_level(other))

    def __rfloordiv__(self, other: Any) -> int:
        return math.floor(as_level(other) / self)

    def __mod__(self, other: Any) -> "Level":
        return self - as_level(other) * math.floor(self / as_level(other))

    def __rmod__(self, other: Any) -> "Level":
        return as_level(other) % self

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, int) and exponent >= 0:
            power = Level(1)
            for _ in range(exponent):
                power = power * self
            return power
        return float(self) ** float(exponent)

    def __rpow__(self, base: Any) -> float:
        return math.pow(float(base), float(self))

    # -- writing it ---------------------------------------------------------------------------

    def __str__(self) -> str:
        return written(self._terms)

    def __repr__(self) -> str:
        return f"Level('{self}')"

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def _repr_latex_(self) -> str:
        return f"${as_formula(str(self))}$"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Level._of, (dict(self._terms),))


def as_level(value: LevelLike | numbers.Real | Decimal) -> Level:
    """Read a level: a Level, "ln 2", "3/2", a Fraction, an int, or a float (its exact binary value).

    Examples
    --------
    >>> as_level("1/2 ln 9") == as_level("ln 3")
    True
    >>> as_level(0.1) == as_level("0.1")
    False
    """
    if isinstance(value, Level):
        return value
    if isinstance(value, bool):
        raise BadLevel(f"a level must be a number or a string such as 'ln 2', not {value!r}")
    if isinstance(value, str):
        return Level._of(parse(value))
    if isinstance(value, numbers.Rational):
        return _rational(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal) and value.is_finite():
        return Level._of(parse(str(value)))
    if isinstance(value, numbers.Real | Decimal):
        number = math.nan if isinstance(value, Decimal) and value.is_nan() else float(value)
        if not math.isfinite(number):
            raise BadLevel(f"a level must be finite, not {number}")
        return _rational(Fraction(number))
    raise BadLevel(
        f"a level must be a number or a string such as 'ln 2', not {type(value).__name__}"
    )


def _rational(value: Fraction) -> Level:
    return Level._of(level_terms.whole(value))


def as_eps(value: LevelLike, *, zero: bool = False, name: str = "ε") -> Level:
    """Read a privacy level ε and refuse what cannot be one (ε ≤ 0, NaN, infinite, bool).

    Parameters
    ----------
    value
        What the caller gave.
    zero
        Whether ε = 0 makes sense where it is used.
    name
        What it is called, where it is a length and not ε.

    Examples
    --------
    >>> as_eps("ln 2").exp()
    Fraction(2, 1)
    >>> as_eps(-1)
    Traceback (most recent call last):
        ...
    dprivacy.errors.BadLevel: ε must be greater than 0, not -1
    """
    level = as_level(value)
    if level.sign() < 0 or (level.sign() == 0 and not zero):
        raise BadLevel(f"{name} must be {'at least' if zero else 'greater than'} 0, not {level}")
    return level


def as_delta(value: LevelLike) -> Fraction:
    """Read δ, a probability: exact, or the exact binary value of a float.

    Examples
    --------
    >>> as_delta("1e-6")
    Fraction(1, 1000000)
    """
    return as_share(value, "δ")


def as_share(value: LevelLike, what: str) -> Fraction:
    """Read a probability or a share: a rational number from 0 to 1, as `as_delta` does."""
    try:
        share = as_rational(value, what)
    except BadNumber:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise BadLevel(f"{what} should be a rational number from 0 to 1, not {value!r}")
    return share


def as_rational(value: LevelLike, what: str) -> Fraction:
    """Read a rational number: exact, or the exact binary value of a float.

    Examples
    --------
    >>> as_rational("0.25", "grid")
    Fraction(1, 4)
    >>> as_rational("x", "grid")
    Traceback (most recent call last):
        ...
    dprivacy.errors.BadNumber: grid should be a rational number such as '1/2', not 'x'
    """
    try:
        number = as_level(value).simplified
    except BadLevel:
        number = None
    if not isinstance(number, Fraction):
        raise BadNumber(f"{what} should be a rational number such as '1/2', not {value!r}")
    return number


def ln(q: NumberLike) -> Level:
    """The natural logarithm of a positive rational, kept exact.

    Examples
    --------
    >>> ln(2) + ln(3) == ln(6)
    True
    """
    ratio = as_level(q).simplified
    if not isinstance(ratio, Fraction) or ratio <= 0:
        raise BadLevel(f"ln needs a positive rational number, not {q}")
    return Level._of(level_terms.logarithm(ratio))


def root(q: NumberLike) -> Level:
    """The square root of a rational ≥ 0, kept exact.

    Examples
    --------
    >>> root(8) == 2 * root(2)
    True
    """
    square = as_level(q).simplified
    if not isinstance(square, Fraction) or square < 0:
        raise BadLevel(f"root needs a rational number that is not negative, not {q}")
    return Level._of(level_terms.square_root(square))
