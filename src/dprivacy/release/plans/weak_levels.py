"""Levels that protect little: one sentence for every face that speaks of them.

The threshold is ε = 10 for all that is released of a person, a factor of 22,026: a guess of one in a
thousand may then become a belief of 96 %.
"""

import math

from dprivacy.model import factor_in_words
from dprivacy.numbers import Level

MUCH = 10
WEAK = "not protected in any sense that matters"
_DIGITS = 10**9  # exponents beyond which a power of ten says nothing more


def weak_words(level: Level, *, whole: str, between: str) -> str:
    r"""A warning where a level protects little; empty where it protects.

    Parameters
    ----------
    level
        The level of all that is released of a person.
    whole
        What has this level, with its verb: "The whole row is".
    between
        Whose odds change: "two sets of answers".

    Examples
    --------
    >>> told = weak_words(Level(29), whole="The whole row is", between="two sets of answers")
    >>> print(told.replace(": ", ":\n"))
    The whole row is not protected in any sense that matters:
    the odds between two sets of answers may change by a factor of e^29 ≈ 4·10^12.
    >>> weak_words(Level(10), whole="The whole row is", between="two sets of answers")
    ''
    """
    if level <= MUCH:
        return ""
    return f"{whole} {WEAK}: the odds between {between} may change by a factor of {_factor(level)}."


def _factor(level: Level) -> str:
    """e^level, never less than it is, and where it is huge also as a power of ten."""
    words, exponent = factor_in_words(level), math.ceil(level)
    if not words.startswith("e") or exponent > _DIGITS:
        return words
    power, rest = divmod(exponent * math.log10(math.e), 1)
    digit = math.ceil(10**rest * (1 + 1e-6))
    return f"{words} ≈ 10^{power + 1:.0f}" if digit == 10 else f"{words} ≈ {digit}·10^{power:.0f}"
