"""Factors and probabilities as a sentence says them to everybody, never less than they are."""

import math
from fractions import Fraction

from dprivacy.model import factor_up
from dprivacy.numbers import Level

PEOPLE_ON_EARTH = 8_200_000_000
_SIZES = ((10**12, "million million"), (10**9, "thousand million"), (10**6, "million"))
_SPOKEN = 15  # digits of a number that can be said
_NEARLY = Fraction(99_999, 100_000)


def factor_said(level: Level) -> str:
    """The factor e^level in words, rounded up.

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> factor_said(ln(9)), factor_said(Level(4)), factor_said(ln(3) * 8 + 16)
    ('9', '54.6', '58.4 thousand million')
    >>> factor_said(Level(100))
    '1 followed by 43 zeros, or more'
    """
    zeros = math.floor(float(level) * math.log10(math.e))
    if zeros >= _SPOKEN:
        return f"1 followed by {zeros:,} zeros, or more"
    return number_said(Fraction(factor_up(level)))


def number_said(value: Fraction) -> str:
    """A number in words, rounded up to a tenth of the word that it has.

    Examples
    --------
    >>> number_said(Fraction(13781)), number_said(Fraction("30.91")), number_said(Fraction(1501, 1000))
    ('13,781', '31', '1.51')
    """
    for size, word in _SIZES:
        if value >= size:
            return f"{_up(value / size, 1)} {word}"
    return _up(value, 0 if value >= 1000 else 1 if value >= 10 else 2)


def _up(value: Fraction, digits: int) -> str:
    tens = 10**digits
    text = f"{math.ceil(value * tens) / tens:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


def times_in_hundred(share: Fraction | float) -> str:
    """A probability as "74 times in 100", rounded up; certainty is said only of what is certain.

    Examples
    --------
    >>> times_in_hundred(Fraction(2, 3)), times_in_hundred(0.9986), times_in_hundred(Fraction(1))
    ('67 times in 100', '99.9 times in 100', 'every time')
    """
    exact = Fraction(share)
    if exact >= 1:
        return "every time"
    if exact > _NEARLY:
        return "practically every time"
    return f"{hundredths(exact)} times in 100"


def hundredths_down(share: Fraction | float) -> str:
    """How many of a hundred, rounded down; of less than one, with two digits.

    It is for what somebody knows before a release, so that what the release adds never looks smaller
    than it is.

    Examples
    --------
    >>> [hundredths_down(Fraction(1, k)) for k in (2, 3, 8, 101, 400)]
    ['50', '33', '12', '0.99', '0.25']
    """
    exact = Fraction(share) * 100
    digits = 0 if exact >= 1 else 2
    text = f"{math.floor(exact * 10**digits) / 10**digits:.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


def hundredths(share: Fraction | float) -> str:
    """How many of a hundred, rounded up; with as many digits as it takes to stay below a hundred.

    Examples
    --------
    >>> [hundredths(Fraction(p)) for p in ("0.5", "0.6001", "0.98361", "0.9986", "0.99999", "1")]
    ['50', '61', '99', '99.9', '99.999', '100']
    """
    exact = Fraction(share) * 100
    for digits in range(4):
        up = Fraction(math.ceil(exact * 10**digits), 10**digits)
        if up < 100 or exact >= 100:
            return _up(up, digits)
    return "99.999+"
