"""Guarantees: what is promised, on which space, and why."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.model.plain import about, plain, shown
from dprivacy.numbers.exponential import Factor
from dprivacy.numbers.level import Level, as_level
from dprivacy.spaces.finite import FiniteSpace


@dataclass(frozen=True)
class Guarantee:
    """ε·d-privacy (with slack δ) of a mechanism on a space.

    Parameters
    ----------
    eps
        The level ε.
    space
        The space whose distances it multiplies.
    delta
        The slack: how much probability may escape the bound.
    because
        What it rests on: a statement's key such as "T Def 3.4.2", or a certificate.
    """

    eps: Level
    space: FiniteSpace
    delta: Fraction | float = Fraction(0)
    because: str = ""

    def odds_factor(self, x: Any, z: Any) -> Fraction | float:
        """e^(ε·d(x, z)): the most that an output can change the odds between two secrets."""
        distance = self.space.distance(x, z)
        if isinstance(distance, float):
            return (
                math.exp(min(float(self.eps) * distance, 709.0))
                if distance < math.inf
                else math.inf
            )
        factor = Factor(as_level(self.eps * distance))
        return factor.exact if factor.exact is not None else float(factor)

    def sentence(self, x: Any, z: Any) -> str:
        """The guarantee for one pair of secrets, in plain words."""
        text = (
            f"anyone who sees the output can multiply their odds between *{shown(x)}* and "
            f"*{shown(z)}* by at most {_rounded_up(self.odds_factor(x, z))}"
        )
        return text if not self.delta else f"{text}, except with probability {about(self.delta)}"

    def explain(self) -> str:
        """The guarantee in words, on its closest and on its farthest pair of secrets."""
        head = f"{about(self.eps)} per unit of distance"
        head += f" with δ = {about(self.delta)}" if self.delta else ""
        if len(self.space) < 2:
            return f"{head}: with a single secret there is nothing to protect."
        table = self.space.distances.floats + np.diag(np.full(len(self.space), np.nan))
        pairs = [np.unravel_index(f(table), table.shape) for f in (np.nanargmin, np.nanargmax)]
        labels = self.space.labels
        (x, z), (far, away) = ((labels[i], labels[j]) for i, j in pairs)
        text = f"{head}: {self.sentence(x, z)}"
        if self.space.distance(far, away) != self.space.distance(x, z):
            factor = _rounded_up(self.odds_factor(far, away))
            text += f"; between *{shown(far)}* and *{shown(away)}*, the farthest apart, by {factor}"
        return f"{text}.{f' This rests on {self.because}.' if self.because else ''}"

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return {
            "eps": plain(self.eps),
            "delta": plain(self.delta),
            "points": len(self.space),
            "because": self.because,
            "sentence": self.explain(),
        }


def _rounded_up(value: Fraction | float) -> str:
    """Three significant digits, never less than the value: a bound must stay one when printed."""
    if value == math.inf:
        return "any factor"
    exact = Fraction(value)
    digits = max(0, 2 - math.floor(math.log10(exact))) if exact < _HUGE else 0
    scaled = math.ceil(exact * 10**digits)
    if exact >= 1000:
        return f"{scaled:,}" if exact < _HUGE else f"e^{math.ceil(math.log(scaled))}"
    return f"{scaled / 10**digits:.{digits}f}".rstrip("0").rstrip(".") if digits else str(scaled)


_HUGE = 10**9
