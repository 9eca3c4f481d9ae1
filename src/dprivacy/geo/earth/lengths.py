"""Lengths as people write them, as exact metres."""

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadLevel, BadNumber
from dprivacy.numbers import Level, as_level

LengthLike = str | float | Fraction  # "200 m", "1.5 km", or a number of metres
Number = float | Fraction | Level
_METRES = {
    "": Fraction(1),
    "m": Fraction(1),
    "km": Fraction(1000),
    "mi": Fraction("1609.344"),
    "ft": Fraction("0.3048"),
}
_WRITTEN = re.compile(r"\s*([0-9][0-9/.eE+-]*?)\s*(m|km|mi|ft|)\s*")
TINY = 0.01  # metres: a distance that was measured and is smaller is rounding
_LEAST, _MOST = Fraction(1, 1000), Fraction(20_000_000)


def metres(length: LengthLike, *, what: str = "a length") -> Fraction:
    """Read a length: "200 m", "1.5km", "3 mi", "600 ft", or a number of metres.

    Parameters
    ----------
    length
        What a person wrote.
    what
        What it is the length of, for the message.

    Returns
    -------
    Fraction
        Exact metres; a float stands for its binary value.

    Raises
    ------
    BadNumber
        For anything but a length between a millimetre and 20,000 km.

    Examples
    --------
    >>> metres("1.5 km"), metres("200m"), metres(0.25)
    (Fraction(1500, 1), Fraction(200, 1), Fraction(1, 4))
    """
    unit, text = "m", length
    if isinstance(length, str):
        found = _WRITTEN.fullmatch(length) if len(length) < 100 else None
        text, unit = (found[1], found[2]) if found else ("", "")
    try:
        number: Level | Fraction | None = as_level(text).simplified
    except BadLevel:
        number = None
    value = number * _METRES[unit] if isinstance(number, Fraction) else None
    if value is None:
        raise BadNumber(
            f"{what} should be a length such as '200 m' or '1.5 km', or a number of metres, not "
            f"{str(length)[:40]!r}"
        )
    if not _LEAST <= value <= _MOST:
        raise BadNumber(f"{what} should be between 0.001 m and 20,000 km, not {length}")
    return value


def in_words(length: Fraction | float) -> str:
    """A length for a sentence: "200 m", "1.5 km", "13.4 m".

    Parameters
    ----------
    length
        Metres. A float was measured and gets three digits; below a centimetre it is as good as
        nothing. A Fraction may be part of a claim: it gets six, cut off and not rounded.
    """
    if isinstance(length, float) and 0 < length < TINY:
        return "less than 1 cm"
    unit, number = ("km", length / 1000) if length >= 1000 else ("m", length)
    if isinstance(number, Fraction):
        places = max(0, 5 - math.floor(math.log10(number))) if number > 0 else 0
        text = f"{Decimal(math.floor(number * 10**places)).scaleb(-places):,f}"
    else:
        digits = max(0, 2 - math.floor(math.log10(number))) if number > 0 else 0
        text = f"{number:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def in_words_up(length: Number) -> str:
    """A length that is never said to be less than it is: three digits, rounded up.

    Examples
    --------
    >>> in_words_up(212.001), in_words_down(212.999), in_words_up(1234), in_words_down(0.0)
    ('213 m', '212 m', '1.24 km', '0 m')
    """
    return in_words(_three_digits(length, math.ceil))


def in_words_down(length: Number) -> str:
    """A length that is never said to be more than it is: three digits, cut off.

    Rounded to three digits, no greater length is said to be less.
    """
    return in_words(_three_digits(length, math.floor))


def _three_digits(length: Number, whole: Callable[[Any], int]) -> Fraction:
    if not length:
        return Fraction(0)
    scale = Fraction(10) ** (2 - math.floor(math.log10(length)))
    return whole((Fraction(length) if isinstance(length, float) else length) * scale) / scale
