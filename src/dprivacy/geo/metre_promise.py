"""What is promised about true places, in metres, with everything that could weaken it counted in."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dprivacy.geo.earth.ellipsoid import apart
from dprivacy.geo.earth.lengths import in_words, metres
from dprivacy.model import Guarantee, about, factor_in_words, plain
from dprivacy.numbers import Level, as_eps, exp_bounds, float_up, root
from dprivacy.sources import result

DOUBLES = Fraction(2, 1_000_000)  # metres that rounding in doubles may put two places farther apart
_LARGEST = 700  # exponents whose exponential a double holds


@dataclass(frozen=True)
class Surface:
    """Places on Earth, as (latitude, longitude); different ones count as `slack` farther apart."""

    slack: Level

    def distance(self, x: Any, z: Any) -> Any:
        """Metres along the surface and the slack; never less than what tells two places apart."""
        return 0.0 if x == z else float(apart(*x, *z)) + float(self.slack)


@result("T", "Ex 3.2.1")
@dataclass(frozen=True)
class Promise:
    """Within `radius` of each other, no two true places have their odds changed by more than e^eps.

    Attributes
    ----------
    eps, radius
        The level, and the distance in metres up to which it is promised.
    cell
        The side, in metres, of the public cells that true places are moved to first.
    axes
        2 for noise in a plane, 3 for noise in space.
    reports
        How many reports of one person are spoken of; their levels add up.

    Notes
    -----
    1. Projecting never puts two places farther apart. Moving both to centres of cells may, by
       √axes·cell, and computing in doubles by less than 2 µm: together the `slack`.
    2. The noise falls off at `rate` = eps/(radius + slack) per metre, so that two places at distance D
       have exponents that differ by at most rate·(D + slack): eps at the radius, and less than
       eps·D/radius beyond it.

    Examples
    --------
    >>> promise = Promise.read(radius="200 m", eps="ln 4", cell="0.2 m")
    >>> print(promise.sentence())
    Within 200 m, the odds between two true places change by at most a factor of 4.
    >>> promise.factor("400 m") < 16
    True
    """

    eps: Level
    radius: Fraction
    cell: Fraction
    axes: int = 2
    reports: int = 1

    @classmethod
    def read(
        cls, *, radius: Any, eps: Any, cell: Any, axes: int = 2, reports: int = 1
    ) -> "Promise":
        """From lengths and a level as people write them."""
        return cls(
            as_eps(eps),
            metres(radius, what="the radius"),
            metres(cell, what="a cell"),
            axes,
            reports,
        )

    @cached_property
    def slack(self) -> Level:
        """How much farther apart two places may seem: √axes·cell, and 2 µm for rounding in doubles."""
        return root(self.axes) * self.cell + DOUBLES

    @cached_property
    def rate(self) -> Level:
        """The level of the noise, per metre."""
        return self.eps / (self.slack + self.radius)

    def exponent(self, distance: Any) -> Level:
        """The most that the logarithm of the odds between two places can change.

        Parameters
        ----------
        distance
            How far apart they are: metres, or "400 m".
        """
        apart = metres(distance, what="a distance")
        return self.rate * (self.slack + apart)

    def factor(self, distance: Any) -> float:
        """The most that the odds between two places at this distance can change by, rounded up."""
        exponent = self.exponent(distance)
        if exponent > _LARGEST:
            return math.inf
        exact = exponent.exp()
        return float_up(exp_bounds(*exponent.bounds(128), 128)[1] if exact is None else exact)

    @property
    def total(self) -> Level:
        """The level for all reports of one person together, within the radius."""
        return self.eps * self.reports

    @property
    def guarantee(self) -> Guarantee:
        """The same as a `Guarantee`: `rate` per metre on places that count as `slack` farther apart."""
        because = "T Def 9.4.1; distances along the surface, the cells counted in"
        return Guarantee(self.rate, Surface(self.slack), because=because)

    def sentence(self) -> str:
        """The promise in one or two sentences."""
        factor = factor_in_words(self.eps)
        text = (
            f"Within {in_words(self.radius)}, the odds between two true places change by at most a "
            f"factor of {factor}."
        )
        if self.reports > 1:
            whole = factor_in_words(self.total)
            text += (
                f" That is for one report: levels add up, and for two tracks of {self.reports:,} "
                f"reports that stay within {in_words(self.radius)} of each other it is a factor of "
                f"{whole}."
            )
        return text

    def explain(self) -> str:
        """The promise in words, with what was counted in."""
        radius, cell = in_words(self.radius), in_words(self.cell)
        return "\n".join(
            [
                self.sentence(),
                f"Farther apart, by at most that factor to the power of distance/{radius}: places far "
                "from each other are not hidden from each other.",
                f"Distances are along the surface (WGS 84). True places are moved to cells of {cell} "
                "first; that and rounding are counted in.",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The promise as plain data."""
        return {
            "eps": plain(self.eps),
            "radius_m": plain(self.radius),
            "cell_m": plain(self.cell),
            "slack_m": float(self.slack),
            "reports": self.reports,
            "total_eps": plain(self.total),
            "sentence": self.sentence(),
        }

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        return f"Promise({about(self.eps)} within {in_words(self.radius)})"
