"""Guarantees: what is promised, on which space, and why."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import Uncertified
from dprivacy.model.notebooks.notebook_views import Explained
from dprivacy.model.plain_data import about, plain, shown
from dprivacy.numbers import Level, as_level, exp_bounds, float_up
from dprivacy.spaces import FiniteSpace, MetricSpace


@dataclass(frozen=True)
class Guarantee(Explained):
    """ε·d-privacy (with slack δ) of a mechanism on a space.

    Parameters
    ----------
    eps, space
        The level ε, and the space whose distances it multiplies.
    delta
        The slack: how much probability may escape the bound.
    because
        What it rests on: a statement's key such as "T Def 3.4.2", or a certificate.
    unit
        What one unit of distance is, where it has a name: "metre", "word".

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> from dprivacy.spaces import line
    >>> guarantee = Guarantee(ln(2), line(4))
    >>> guarantee.odds_factor(0, 3)
    Fraction(8, 1)
    >>> guarantee.to_dict()["eps"]
    'ln(2)'
    >>> print(guarantee.sentence(0, 3))
    anyone who sees the output can multiply their odds between '0' and '3' by at most 8
    >>> print(guarantee.explain().split(":")[0])
    ln(2) ≈ 0.6931 per unit of distance
    """

    eps: Level
    space: MetricSpace
    delta: Fraction | float = Fraction(0)
    because: str = ""
    unit: str = ""

    def odds_factor(self, x: Any, z: Any) -> Fraction | float:
        """e^(ε·d(x, z)): the most that an output can change the odds between two secrets.

        Rounded up where it is irrational; ``inf`` where no double is large enough.
        """
        exponent = self._exponent(x, z)
        return math.inf if exponent is None else factor_up(exponent)

    def _exponent(self, x: Any, z: Any) -> Level | None:
        """ε·d(x, z), rounded up where it has no exact form; None for an infinite distance."""
        distance = self.space.distance(x, z)
        if distance == math.inf:
            return None
        try:
            return self.eps * as_level(distance)
        except Uncertified:
            return as_level(self.eps.bounds(128)[1] * as_level(distance).bounds(128)[1])

    def _factor(self, x: Any, z: Any) -> str:
        """The factor in words, never less than it is."""
        exponent = self._exponent(x, z)
        return "any factor" if exponent is None else factor_in_words(exponent)

    def sentence(self, x: Any, z: Any) -> str:
        """The guarantee for one pair of secrets, in plain words.

        With δ > 0 it speaks of sets of outputs: the odds may well change by more than the factor
        with a probability greater than δ.
        """
        factor = self._factor(x, z)
        if self.delta and factor != "any factor":
            return (
                f"any set of outputs is at most {factor} times as likely for '{shown(x)}' as for "
                f"'{shown(z)}', plus {about(self.delta)}"
            )
        most = "" if factor == "any factor" else "at most "
        return (
            f"anyone who sees the output can multiply their odds between '{shown(x)}' and "
            f"'{shown(z)}' by {most}{factor}"
        )

    def explain(self) -> str:
        """The guarantee in words, on its closest and on its farthest pair of secrets."""
        head = f"{about(self.eps)} per {self.unit or 'unit of distance'}"
        head += f" with δ = {about(self.delta)}" if self.delta else ""
        if not isinstance(self.space, FiniteSpace):
            apart = f"1 {self.unit} apart" if self.unit else "at distance 1"
            return (
                f"{head}: anyone who sees the output can multiply their odds between two secrets "
                f"{apart} by at most {factor_in_words(self.eps)}."
            )
        if len(self.space) < 2:
            return f"{head}: with a single secret there is nothing to protect."
        table = self.space.distances.floats + np.diag(np.full(len(self.space), np.nan))
        pairs = [np.unravel_index(f(table), table.shape) for f in (np.nanargmin, np.nanargmax)]
        labels = self.space.labels
        (x, z), (far, away) = ((labels[i], labels[j]) for i, j in pairs)
        text = f"{head}: {self.sentence(x, z)}"
        if self.space.distance(far, away) != self.space.distance(x, z):
            factor = self._factor(far, away)
            by = f"{factor} times" if self.delta else f"by {factor}"
            text += f"; between '{shown(far)}' and '{shown(away)}', the farthest apart, {by}"
        return f"{text}."

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return {
            "eps": plain(self.eps),
            "delta": plain(self.delta),
            "points": len(self.space) if isinstance(self.space, FiniteSpace) else None,
            "because": self.because,
            "unit": self.unit,
            "sentence": self.explain(),
        }


def factor_up(level: Level) -> Fraction | float:
    """e^level, rounded up where it is irrational; inf where no double is large enough.

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> factor_up(ln(9)), factor_up(Level(1)) > math.e
    (Fraction(9, 1), True)
    """
    exact = level.exp()
    if exact is not None:
        return exact
    return float_up(exp_bounds(*level.bounds(128), 128)[1]) if level < 710 else math.inf


def factor_in_words(level: Level) -> str:
    """e^level for a sentence, never less than it is."""
    value = factor_up(level)
    return _rounded_up(Fraction(value)) if value < _HUGE else f"e^{math.ceil(level)}"


def _rounded_up(exact: Fraction) -> str:
    """Three significant digits, never less than the value: a bound must stay one when printed."""
    digits = max(0, 2 - math.floor(math.log10(exact)))
    scaled = math.ceil(exact * 10**digits)
    if exact >= 1000:
        return f"{scaled:,}"
    return f"{scaled / 10**digits:.{digits}f}".rstrip("0").rstrip(".") if digits else str(scaled)


_HUGE = 10**9
