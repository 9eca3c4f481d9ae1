"""From what people write (nested lists, "1/3", arrays) to a Mat."""

import math
import numbers
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, MixedArithmetic, WrongKind, WrongShape, counted
from dprivacy.numbers.levels import Level
from dprivacy.numbers.matrices import Mat

_LONGEST = 5000  # characters of a number
_LARGEST_EXPONENT = 4000

Place = Callable[[int, int], str]


def _position(i: int, j: int) -> str:
    return f"row {i}, column {j}"


def read_number(value: Any, where: str) -> Fraction | float:
    """One entry: exact for ints, Fractions, Decimals and strings; a float otherwise."""
    if isinstance(value, str):
        try:
            if len(value) > _LONGEST:
                raise ValueError
            _, _, power = value.lower().partition("e")
            if power and abs(int(power)) > _LARGEST_EXPONENT:
                raise ValueError
            return Fraction(value.strip())
        except (ValueError, ZeroDivisionError):
            raise BadNumber(
                f"{where}: {value[:40]!r} is not a number that can be read; write a fraction such as "
                "1/3 or a decimal"
            ) from None
    if isinstance(value, bool | np.bool_):
        raise WrongKind(f"{where}: a number is needed, not {value}")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal) and value.is_finite():
        return read_number(str(value), where)
    if isinstance(value, Level) and value.is_rational:
        return value.rational
    if isinstance(value, numbers.Real | Decimal):
        number = math.nan if isinstance(value, Decimal) and value.is_nan() else float(value)
        if math.isnan(number):
            raise BadNumber(f"{where}: NaN is not a number that can be used here")
        return number
    raise WrongKind(f"{where}: a number is needed, not {type(value).__name__}")


def read_whole(value: Any, what: str, least: int = 1) -> int:
    """A whole number that is large enough; BadNumber, saying what it counts, if it is not."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise BadNumber(f"{what}: a whole number of at least {least} is needed, not {value!r}")
    return int(value)


def read_matrix(rows: Any, place: Place = _position) -> Mat:
    """A Mat from nested sequences or an array.

    Exact when every entry is an int, a Fraction, a Decimal or a string; float when entries are
    floats (whole numbers among floats are fine); Fractions or strings among floats raise.

    Parameters
    ----------
    rows
        Nested sequences, or a two-dimensional array.
    place
        Names the entry at (i, j) in error messages, in the person's labels where there are any.
    """
    if isinstance(rows, Mat):
        return rows
    if isinstance(rows, np.ndarray) and rows.ndim != 2:
        raise WrongShape(f"a matrix should have two dimensions, not {rows.ndim}")
    if isinstance(rows, np.ndarray) and rows.dtype.kind == "f" and rows.size:
        floats = rows.astype(np.float64)
        if np.isnan(floats.min()):
            i, j = (int(at) for at in np.argwhere(np.isnan(floats))[0])
            raise BadNumber(f"{place(i, j)}: NaN is not a number that can be used here")
        return Mat(floats)
    table = read_rows(rows)
    if not table or not table[0]:
        have = counted(len(table), "row")
        raise WrongShape(f"the matrix is empty ({have}); it needs at least one row and one column")
    for i, row in enumerate(table):
        if len(row) != len(table[0]):
            raise WrongShape(
                f"ragged matrix: row {i} is {len(row)} long, and the first row {len(table[0])}"
            )
    if all(set(map(type, row)) == {float} for row in table):
        return read_matrix(np.array(table), place)
    values = [
        [read_number(value, place(i, j)) for j, value in enumerate(row)]
        for i, row in enumerate(table)
    ]
    return _one_kind(values, place)


def read_rows(rows: Any) -> list[list[Any]]:
    """Rows as lists; a text is not a row, although Python would take it for a list of letters."""
    try:
        listed = list(rows)
        texts = [row for row in (rows, *listed) if isinstance(row, str | bytes)]
        if not texts:
            return [list(row) for row in listed]
    except TypeError:
        raise WrongKind(
            f"a matrix should be a list of rows, each a list of numbers, not {str(rows)[:60]}"
        ) from None
    raise WrongKind(f"a row should be a list of numbers, not the text {texts[0]!r}")


def _one_kind(values: Sequence[Sequence[Fraction | float]], place: Place) -> Mat:
    floats = [
        (i, j) for i, row in enumerate(values) for j, v in enumerate(row) if isinstance(v, float)
    ]
    if not floats:
        return Mat.of(values)  # type: ignore[arg-type]
    broken = [
        (i, j)
        for i, row in enumerate(values)
        for j, v in enumerate(row)
        if isinstance(v, Fraction) and (v.denominator != 1 or not _fits_a_double(v))
    ]
    if broken:
        raise MixedArithmetic(
            f"{place(*broken[0])} is the exact number {values[broken[0][0]][broken[0][1]]} but "
            f"{place(*floats[0])} is the float {values[floats[0][0]][floats[0][1]]!r}; write every "
            "entry as a fraction or string, or every entry as a float"
        )
    return Mat(np.array([[float(v) for v in row] for row in values]))


def _fits_a_double(whole: Fraction) -> bool:
    return abs(whole) <= 1 << 53 or (abs(whole) < 1 << 1023 and Fraction(float(whole)) == whole)


def read_vector(values: Any, name: Callable[[int], str] | None = None) -> Mat:
    """A one-row Mat from a sequence of numbers."""
    return read_matrix([values], (lambda i, j: name(j)) if name else lambda i, j: f"entry {j}")
