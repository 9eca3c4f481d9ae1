"""Amounts of privacy: exact levels beside integers of a billionth, which only ever err upwards."""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dprivacy.errors import BadLevel
from dprivacy.model import about
from dprivacy.numbers import Level, as_eps
from dprivacy.sources import result
from dprivacy.verify import in_billionths

NANO = 10**9  # parts of ε
ATTO = 10**18  # parts of δ
_NOTHING = Level(0)
_LONGEST = 400  # characters of an exact number that is written down


@dataclass(frozen=True)
class Amount:
    """ε and δ that were spent, or may be.

    `nano` is ε in billionths and `atto` is δ in units of 10⁻¹⁸, both rounded up, once for every
    amount that went into a sum. `level` and `delta` are the exact values, as long as they can be
    written in a line; a sum of many strange fractions loses them and keeps the integers, which are
    never less.

    Examples
    --------
    >>> amount("ln 2") + amount("ln 4")
    Amount(nano=2079441543, atto=0, level=Level('ln(8)'), delta=Fraction(0, 1))
    >>> two = amount("ln 2", "1/1000")
    >>> print(two.eps, two.slack, two.is_zero, two.words())
    ln(2) 1/1000 False ln(2) ≈ 0.6931 with δ = 1/1000
    >>> two.within(amount("ln 4", "1/100")), Amount.from_dict(two.to_dict()).agrees(two)
    (True, True)
    """

    nano: int = 0
    atto: int = 0
    level: Level | None = _NOTHING
    delta: Fraction | None = Fraction(0)

    @property
    def eps(self) -> Level:
        """ε: exact, or what the integers say, which is not less."""
        return Level(Fraction(self.nano, NANO)) if self.level is None else self.level

    @property
    def slack(self) -> Fraction:
        """δ: exact, or what the integers say, which is not less."""
        return Fraction(self.atto, ATTO) if self.delta is None else self.delta

    @result("T", "Lem 3.1", "Lem 3.2")
    def __add__(self, other: "Amount") -> "Amount":
        """What two releases spend together."""
        return self._with(other, operator.add)

    def __sub__(self, other: "Amount") -> "Amount":
        """What is left when an amount that went into a sum is taken out of it again."""
        return self._with(other, operator.sub)

    def __mul__(self, times: int) -> "Amount":
        """What this many alike spend together."""
        level = None if self.level is None else self.level * times
        delta = None if self.delta is None else self.delta * times
        return _amount(self.nano * times, self.atto * times, level, delta)

    def _with(self, other: "Amount", join: Callable[[Any, Any], Any]) -> "Amount":
        return _amount(
            join(self.nano, other.nano),
            join(self.atto, other.atto),
            None if self.level is None or other.level is None else join(self.level, other.level),
            None if self.delta is None or other.delta is None else join(self.delta, other.delta),
        )

    @property
    def is_zero(self) -> bool:
        """Whether it is nothing at all."""
        return not self.nano and not self.atto

    def within(self, limit: "Amount") -> bool:
        """Whether it is at most a limit, decided exactly."""
        return self.eps <= limit.eps and self.slack <= limit.slack

    def agrees(self, other: "Amount") -> bool:
        """Whether it is the same amount, also where one of the two has lost its exact values."""
        pairs = ((self.level, other.level), (self.delta, other.delta))
        return (self.nano, self.atto) == (other.nano, other.atto) and all(
            mine is None or theirs is None or mine == theirs for mine, theirs in pairs
        )

    def words(self) -> str:
        """The amount inside a sentence."""
        text = in_billionths(self.eps if self.eps else Fraction(0))
        return f"{text} with δ = {about(self.slack)}" if self.slack else text

    def to_dict(self) -> dict[str, Any]:
        """The amount as plain data."""
        return {
            "nano": self.nano,
            "atto": self.atto,
            "level": None if self.level is None else str(self.level),
            "delta": None if self.delta is None else str(self.delta),
        }

    @classmethod
    def from_dict(cls, data: Any) -> "Amount":
        """An amount that `to_dict` wrote; ValueError, KeyError or TypeError for anything else."""
        nano, atto, level, delta = (data[key] for key in ("nano", "atto", "level", "delta"))
        if type(nano) is not int or type(atto) is not int:
            raise TypeError("not an integer")
        return cls(
            nano,
            atto,
            None if level is None else _read(level),
            None if delta is None else Fraction(delta),
        )


@lru_cache(1024)
def _read(text: str) -> Level:
    """A level as it was written; the same few are read again and again."""
    return Level(text)


def amount(eps: Any, delta: Any = 0) -> Amount:
    """The amount of an ε ≥ 0 and a δ, exact, with its integers rounded up."""
    level = as_eps(eps, zero=True)
    slack = as_eps(delta, zero=True).simplified
    if not isinstance(slack, Fraction):
        raise BadLevel(f"δ must be a rational number, not {slack}")
    return _amount(math.ceil(level * NANO), math.ceil(slack * ATTO), level, slack)


def larger(first: Amount, second: Amount) -> Amount:
    """The larger ε and the larger δ: what disjoint people spend, each group for itself."""
    by_eps = first if first.eps >= second.eps else second
    by_slack = first if first.slack >= second.slack else second
    return Amount(by_eps.nano, by_slack.atto, by_eps.level, by_slack.delta)


def _amount(nano: int, atto: int, level: Level | None, delta: Fraction | None) -> Amount:
    """An amount whose exact values are kept while a line holds them."""
    if delta is not None and max(delta.numerator, delta.denominator) >= 10 ** (_LONGEST // 2):
        delta = None
    return Amount(nano, atto, level if _can_be_written(level) else None, delta)


def _can_be_written(level: Level | None) -> bool:
    """Whether the text of a level is short and says it exactly (very long numbers are outlined)."""
    if level is None:
        return False
    try:
        text = str(level)
        return len(text) <= _LONGEST and _read(text) == level
    except ValueError:  # an outline, or more digits than Python prints
        return False
