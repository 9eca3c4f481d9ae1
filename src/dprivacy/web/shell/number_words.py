"""Numbers for people: per cent, counts, levels and factors, each with its unit."""

import math
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadLevel, DPrivacyError
from dprivacy.numbers import as_eps

# Odds factors that the slider stops at: e^ε, so that ε is exact and kernels have short fractions.
FACTORS = ("1.1", "1.25", "1.5", "2", "2.5", "3", "4", "5", "6", "8", "10", "15", "20", "50", "100")

_LARGEST = 700.0  # e^ε has no double above


def percent(share: Any) -> str:
    """A share as per cent, with a digit after the point where that says more.

    Examples
    --------
    >>> percent(0.2), percent(0.0213), percent(1)
    ('20 %', '2.1 %', '100 %')
    """
    value = 100 * float(share) + 1e-9  # a half is rounded up, as people do
    text = f"{value:.0f}" if value >= 10 or abs(value - round(value)) < 1e-6 else f"{value:.1f}"
    return f"{text} %"


def level_of(factor: str) -> str:
    """The level ln q of an odds factor q.

    Examples
    --------
    >>> level_of("3"), level_of("1.5")
    ('ln 3', 'ln(3/2)')
    """
    exact = Fraction(factor)
    return f"ln {exact}" if exact.denominator == 1 else f"ln({exact})"


def nearest_stop(level: str) -> int:
    """The stop of the slider that is nearest to a level; the middle one where it is not a level."""
    try:
        wanted = min(float(as_eps(level)), _LARGEST)
    except DPrivacyError:
        return len(FACTORS) // 2
    return min(range(len(FACTORS)), key=lambda k: abs(math.log(float(FACTORS[k])) - wanted))


def require_level(level: str) -> None:
    """Refuse what is not a level, and a level too large for a page to work with.

    Examples
    --------
    >>> require_level("ln 3")
    """
    if float(as_eps(level)) > _LARGEST:
        raise BadLevel(
            f"ε should be at most {_LARGEST:.0f}, not {level.strip():.20}: no number holds e^ε beyond, "
            "and nothing is protected; take a smaller one, such as ln 3"
        )


def factor_in_words(level: str) -> str:
    """What a level allows: "at most × 3", rounded up so that the bound stays one.

    Examples
    --------
    >>> factor_in_words("ln 3"), factor_in_words("1"), factor_in_words("1e400")
    ('at most × 3', 'at most × 2.72', 'any factor')
    """
    eps = as_eps(level)
    size = float(eps)
    if size > _LARGEST:
        return "any factor"
    if size > 20:
        return f"at most × e^{math.ceil(size)}"
    exact = eps.exp()
    value = math.exp(size) if exact is None else float(exact)
    if value >= 100:
        return f"at most × {math.ceil(round(value, 6)):,}"
    return f"at most × {math.ceil(round(100 * value, 6)) / 100:g}"


def count(value: float) -> str:
    """A count with its thousands apart.

    Examples
    --------
    >>> count(1234.6), count(-0.2)
    ('1,235', '0')
    """
    return f"{value:z,.0f}"
