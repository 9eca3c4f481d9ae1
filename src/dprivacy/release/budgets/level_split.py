"""How a row's level is shared by its columns: least squares, evenest, and what wanted errors need."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from dprivacy.errors import BadPlan
from dprivacy.release.budgets.error_curves import ErrorCurve

SPLITS = ("least squares", "evenest")
_ROUNDS = 70
_SMALLEST = 1e-9


def split_level(curves: Sequence[ErrorCurve], level: float, how: str) -> list[float]:
    """Levels that add up to the row's: by the least sum of squares, or by the smallest largest error.

    Examples
    --------
    >>> from dprivacy.release.budgets.error_curves import response_total
    >>> curves = [ErrorCurve(str(k), lambda level, k=k: response_total(k, level) / k) for k in (2, 4)]
    >>> [round(each, 3) for each in split_level(curves, 1.0, "least squares")]
    [0.422, 0.578]
    """
    return (_least_squares if how == SPLITS[0] else _evenest)(curves, level)


def _least_squares(curves: Sequence[ErrorCurve], level: float) -> list[float]:
    """Minimise Σ w·f(L): at the minimum every column gains as much by a little more, its price."""

    def at(curve: ErrorCurve, price: float) -> float:
        if -curve.slope(level) >= price:
            return level
        low, high = _SMALLEST, level
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            low, high = (middle, high) if -curve.slope(middle) > price else (low, middle)
        return (low + high) / 2

    return _spent(lambda price: [at(curve, price) for curve in curves], level, (-80.0, 80.0))


def _evenest(curves: Sequence[ErrorCurve], level: float) -> list[float]:
    """Make all errors equal: none can then be smaller without another being larger."""
    return _spent(lambda worst: [c.level_for(worst) for c in curves], level, (-60.0, 60.0))


def _spent(
    levels: Callable[[float], list[float]], level: float, span: tuple[float, float]
) -> list[float]:
    """The levels at the smallest price whose sum is at most the whole; prices by their logarithm."""
    low, high = span
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(levels(math.exp(middle))) > level else (low, middle)
    return levels(math.exp(high))


def wanted_levels(curves: Sequence[ErrorCurve], level: float, rows: int) -> list[float]:
    """The level that each column needs for the error it wants.

    Raises
    ------
    BadPlan
        When they need more than there is; it says by which factor all errors would have to grow.
    """
    errors = [curve.wanted for curve in curves]

    def needed(grown: float) -> list[float]:
        return [
            curve.needed(error * grown, rows=rows)
            for curve, error in zip(curves, errors, strict=True)
            if error is not None
        ]

    found = needed(1.0)
    if sum(found) <= level:
        return found
    low, high = 1.0, 2.0
    while sum(needed(high)) > level:
        low, high = high, 2 * high
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(needed(middle)) > level else (low, middle)
    factor = math.exp(min(sum(found), 700.0))
    raise BadPlan(
        f"the wanted errors need a row factor of {factor:,.4g}, and the row has "
        f"{math.exp(level):,.4g}; allow errors {math.ceil(high * 100) / 100:g} times as large, or "
        "raise row"
    )


def exact_factors(
    levels: Sequence[float], factor: Fraction, met: Sequence[bool] = ()
) -> list[Fraction]:
    """Decimal factors near e^level whose product is at most the whole, exactly.

    What rounding leaves goes to the column that lost most, as far as it lost something. The levels of
    columns that `met` names are rounded up where that is possible, since an error is wanted of them.

    Examples
    --------
    >>> found = exact_factors([0.3669, 0.3669, 0.4506, 0.5064, 0.5064], Fraction(9))
    >>> [float(each) for each in found], round(float(math.prod(found)), 3)
    ([1.44, 1.44, 1.57, 1.66, 1.66], 8.971)
    """
    digits = 2
    while 10.0**-digits > min(map(math.expm1, levels)) / 20:
        digits += 1
    unit = Fraction(1, 10**digits)
    held = list(met) or [False] * len(levels)
    found = [
        max((math.ceil if up else math.floor)(math.exp(each) / unit) * unit, 1 + unit)
        for each, up in zip(levels, held, strict=True)
    ]
    product = math.prod(found)
    while product > factor:
        at = max(range(len(found)), key=lambda i: (not held[i] and found[i] > 1 + unit, found[i]))
        product = product / found[at] * (found[at] - unit)
        found[at] -= unit
    grew = True
    while grew:
        grew = False
        for i in sorted(range(len(found)), key=lambda i: math.log(found[i]) - levels[i]):
            more = product / found[i] * (found[i] + unit)
            if math.log(found[i]) < levels[i] and more <= factor:
                found[i], product, grew = found[i] + unit, more, True
    return found
