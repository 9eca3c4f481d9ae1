"""The error of a corrected column as a function of its level, in closed form.

The level L is that between the two most different values. T is the noise variance of one person's
corrected counts, summed over the k values; the standard error of a share from n rows, root mean square
over the values, is √(T/(k·n)). Every T is convex and falls with L.
"""

import cmath
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_STEP = 1e-30  # of a derivative by a complex step, which loses no digits
_SMALLEST, _LARGEST = 1e-9, 200.0  # levels between which one is looked for
_ROUNDS = 70  # of a bisection


def response_total(values: int, level: complex) -> complex:
    """T of a randomised response on k values, whatever the true shares are.

    Examples
    --------
    >>> import math
    >>> round(response_total(2, math.log(3)).real, 9)
    1.5
    """
    x = cmath.exp(level)
    return (values - 1) * (2 * x + values - 2) / (x - 1) ** 2


def geometric_total(values: int, level: complex) -> complex:
    """T of truncated geometric noise on k classes in order, for equal shares.

    Examples
    --------
    >>> import math
    >>> round(geometric_total(2, math.log(3)).real, 9)
    1.5
    """
    a = cmath.exp(-level / (values - 1))
    end = 2 / (values * (1 + a)) * (1 - a**values) / (1 - a)  # the probability of an end class
    inside = (1 + 4 * a * a + a**4) / (1 - a) ** 4
    return end * (1 + a * a) / (1 - a) ** 2 + (1 - end) * inside - 1


def coded_total(classes: int, codes: int, level: complex) -> complex:
    """T of classes in order with codes beside them, for equal shares of classes and codes.

    A response with probabilities p and q draws whether a class or which code comes out; a class is then
    geometric noise, around the middle one where the truth is a code. With s = p − q and H the inverse
    of the geometric noise, the inverse is H/p between classes, plus j·q²/(p·s) in the middle's column;
    −q/s between the middle or a class and a code; and (1 − q)/s at a code itself.

    Examples
    --------
    >>> coded_total(12, 1, 2.0).real > geometric_total(12, 2.0).real
    True
    """
    middle, last = (classes - 1) // 2, classes - 1
    apart = last - max(middle, last - middle) or last / 2
    step = level / max(last, apart + last - middle)
    a = cmath.exp(-step)
    q = 1 / (a**-apart + codes)
    p = 1 - codes * q
    s, alpha = p - q, codes * q * q / (p * (p - q))
    end, inside = (1 + a * a) / (1 - a) ** 2, (1 + 4 * a * a + a**4) / (1 - a) ** 4
    of_classes = classes * (geometric_total(classes, step * last) + 1)
    at_end = (a**middle + a ** (last - middle)) / (1 + a)
    of_codes = at_end * end + (1 - at_end) * inside
    numbers = classes * p + codes * q  # that come out, times how many values there are
    each = classes * q + p + (codes - 1) * q  # times a code comes out
    square = (
        (p * of_classes + codes * q * of_codes) / p**2
        + 2 * alpha / p
        + numbers * (alpha**2 + codes * (q / s) ** 2)
        + codes * each * (codes * q * q + (1 - q) ** 2) / s**2
    )
    return square / (classes + codes) - 1


def line_variance(steps: int, level: complex) -> complex:
    """The variance of a corrected number under geometric noise on a line, in ranges², at most.

    Examples
    --------
    >>> round(line_variance(1, 100.0).real, 9)
    0.0
    """
    a = cmath.exp(-level / steps)
    return 2 * a / (1 - a) ** 2 / steps**2


@dataclass(frozen=True)
class ErrorCurve:
    """The mean square error of a column from one row, as a function of the level.

    Parameters
    ----------
    name
        The column's.
    square
        The function: of one share on average over the values, or of the mean in ranges².
    importance
        How much the square counts in a sum over columns.
    unit
        What the root of the square is measured in: 100 for percentage points of a share, the range for
        numbers.
    wanted
        The standard error that is wanted, in that unit; None where the column takes what it gets.

    Examples
    --------
    >>> import math
    >>> curve = ErrorCurve("tea", lambda level: response_total(2, level) / 2)
    >>> round(curve.error(math.log(3), rows=7500), 9)
    1.0
    """

    name: str
    square: Callable[[complex], complex] = field(repr=False)
    importance: float = 1.0
    unit: float = 100.0
    wanted: float | None = None

    def error(self, level: float, *, rows: int) -> float:
        """The standard error at a level, noise alone."""
        return self.unit * math.sqrt(self.square(level).real / rows)

    def slope(self, level: float) -> float:
        """The derivative of the square, times the importance."""
        return self.importance * self.square(level + _STEP * 1j).imag / _STEP

    def level_for(self, square: float) -> float:
        """The smallest level with at most this mean square error, importance counted."""
        low, high = _SMALLEST, _LARGEST
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            enough = self.importance * self.square(middle).real <= square
            low, high = (low, middle) if enough else (middle, high)
        return high

    def needed(self, error: float, *, rows: int) -> float:
        """The level for this standard error."""
        return self.level_for(self.importance * (error / self.unit) ** 2 * rows)


def block_square(
    total: Callable[[int, complex], complex], sizes: Sequence[int]
) -> Callable[[complex], complex]:
    """The mean square error of a share, where values never leave their blocks of these sizes."""
    values = sum(sizes)
    longest = max(sizes) - 1

    def square(level: complex) -> complex:
        parts = (
            size * total(size, level if total is response_total else level * (size - 1) / longest)
            for size in sizes
            if size > 1
        )
        return sum(parts) / values**2

    return square
