"""How far apart two curves are, and how much farther apart rounding their readings may put them."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from dprivacy.numbers import float_up, root_above

Distance = Literal["L2", "sup", "readings"]
NORMS: dict[str, float] = {"L2": 2, "sup": math.inf, "readings": 1}


@dataclass(frozen=True)
class CurveDistances:
    """Raw curves at the distance of their readings, with what rounding may add to it counted in.

    Attributes
    ----------
    name
        "L2", "sup" or "readings" (the sum over readings).
    width
        The time between two readings, for L2; 1 for the others.
    slack
        How much farther apart rounding may put two curves. Different curves at distance D count as
        (D + slack)/(1 + slack): 1 at distance 1, less than D beyond, and never less than
        slack/(1 + slack).
    grid
        The grid that readings were declared to lie on, so that rounding adds nothing; or None.

    Examples
    --------
    >>> CurveDistances("L2", Fraction(1, 2)).distance([0, 0], [3, 1])
    2.23606797749979
    >>> CurveDistances("sup", slack=Fraction(1, 10)).distance([0, 0], [0, 1])
    1.0
    """

    name: str
    width: Fraction = Fraction(1)
    slack: Fraction = Fraction(0)
    grid: Fraction | None = None

    def distance(self, x: Any, z: Any) -> float:
        """The distance of two curves, rounded up; 0 for equal ones only."""
        pairs = zip(self._readings(x), self._readings(z), strict=True)
        apart = [abs(a - b) for a, b in pairs]
        if not any(apart):
            return 0.0
        if self.name == "L2":
            between = root_above(self.width * sum(gap * gap for gap in apart))
        else:
            between = max(apart) if self.name == "sup" else sum(apart, Fraction(0))
        return float_up((between + self.slack) / (1 + self.slack))

    def _readings(self, curve: Any) -> list[Fraction]:
        exact = map(Fraction, np.asarray(curve, dtype=np.float64).tolist())
        if self.grid is None:
            return list(exact)
        return [round(reading / self.grid) * self.grid for reading in exact]


def rounding_slack(
    name: str, times: int, width: Fraction, step: Fraction, farthest: int
) -> Fraction:
    """How much farther apart two curves may be after their readings were rounded to whole steps.

    Parameters
    ----------
    name, width
        The distance, and the time between two readings.
    times
        How many readings a curve has.
    step
        What readings are rounded to.
    farthest
        The largest number of steps that a reading may have.

    Notes
    -----
    1. Rounding moves a reading by half a step at most, so that two readings part by one step more. By
       the triangle inequality, curves part by the length of a curve that is one step at every time:
       √(width·times) steps for L2, 1 for sup, `times` for the sum.
    2. The quotient of reading and step is computed in doubles, from a step that is a double too: it
       is off by a share of 2^−52 and a little. For two readings of at most `farthest` steps this is
       less than (farthest + 1)·2^−50 steps.
    """
    one = step * (1 + Fraction(farthest + 1, 1 << 50))
    if name == "sup":
        return one
    return one * (root_above(width * times) if name == "L2" else times)
