"""What is guaranteed for true places, in metres, with everything that could weaken it counted in."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.geo.earth.ellipsoid import apart
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.model import Guarantee, about, factor_in_words, plain
from dprivacy.numbers import Level, as_eps, exp_bounds, float_up, root
from dprivacy.release import weak_words
from dprivacy.sources import result
from dprivacy.typing import LevelLike

DOUBLES = Fraction(2, 1_000_000)  # metres that rounding in doubles may put two places farther apart
_LARGEST = 700  # exponents whose exponential a double holds


@dataclass(frozen=True)
class Surface:
    """Places on Earth, as (latitude, longitude); different ones count as `slack` farther apart."""

    slack: Level

    def distance(self, x: Any, z: Any) -> float:
        """Metres along the surface and the slack; never less than what tells two places apart."""
        return 0.0 if x == z else float(apart(*x, *z)) + float(self.slack)


@result("T", "Ex 3.2.1")
@dataclass(frozen=True, kw_only=True, repr=False)
class MetreGuarantee(Guarantee):
    """Within `radius` of each other, no two true places have their odds changed by more than e^level.

    As a `Guarantee` it is `eps` per metre on places that count as a little farther apart than they are.

    Attributes
    ----------
    level, radius
        The level, and the distance in metres up to which it is guaranteed.
    cell
        The side, in metres, of the public cells that true places are moved to first.
    reports
        How many reports of one person are spoken of; their levels add up.

    Notes
    -----
    1. Projecting never puts two places farther apart. Moving both to centres of cells may, by
       √axes·cell, and computing in doubles by less than 2 µm: together the `slack`.
    2. The noise falls off at eps = level/(radius + slack) per metre, so that two places at distance D
       have exponents that differ by at most eps·(D + slack): the level at the radius, and less than
       level·D/radius beyond it.

    Examples
    --------
    >>> guarantee = MetreGuarantee.read(radius="200 m", eps="ln 4", cell="0.2 m")
    >>> print(guarantee.brief())
    Within 200 m, the odds between two true places change by at most a factor of 4.
    >>> guarantee.factor("400 m") < 16
    True
    """

    level: Level
    radius: Fraction
    cell: Fraction
    reports: int = 1

    @classmethod
    def read(
        cls, *, radius: LengthLike, eps: LevelLike, cell: LengthLike, axes: int = 2
    ) -> "MetreGuarantee":
        """From lengths and a level as people write them.

        Parameters
        ----------
        radius, eps
            The distance, and the level up to it.
        cell
            The side of the cells that places are moved to.
        axes
            2 for noise in a plane, 3 for noise in space.
        """
        reach, side = metres(radius, what="the radius"), metres(cell, what="a cell")
        level, slack = as_eps(eps), root(axes) * side + DOUBLES
        because = "T Def 9.4.1; distances along the surface, the cells counted in"
        return cls(
            level / (slack + reach),
            Surface(slack),
            because=because,
            unit="metre",
            level=level,
            radius=reach,
            cell=side,
        )

    @property
    def slack(self) -> Level:
        """How much farther apart two places may seem: √axes·cell, and 2 µm for rounding in doubles."""
        assert isinstance(self.space, Surface)
        return self.space.slack

    def exponent(self, distance: LengthLike) -> Level:
        """The most that the logarithm of the odds between two places can change.

        Parameters
        ----------
        distance
            How far apart they are: metres, or "400 m".
        """
        return self.eps * (self.slack + metres(distance, what="a distance"))

    def factor(self, distance: LengthLike) -> float:
        """The most that the odds between two places at this distance can change by, rounded up."""
        exponent = self.exponent(distance)
        if exponent > _LARGEST:
            return math.inf
        exact = exponent.exp()
        return float_up(exp_bounds(*exponent.bounds(128), 128)[1] if exact is None else exact)

    @property
    def total(self) -> Level:
        """The level for all reports of one person together, within the radius."""
        return self.level * self.reports

    @property
    def warning(self) -> str:
        """Of a level that protects little, in words; empty where there is nothing to warn of."""
        within, one = in_words(self.radius), self.reports == 1
        told = weak_words(
            self.total,
            whole="A place is" if one else f"Together, {self.reports:,} reports of a person are",
            between=f"two {'places' if one else 'tracks'} within {within} of each other",
        )
        way_out = " Permanent noise, or a level for all reports together, protects more."
        return told + ("" if one or not told else way_out)

    def brief(self) -> str:
        """The guarantee in one or two sentences."""
        within = in_words(self.radius)
        text = (
            f"Within {within}, the odds between two true places change by at most a factor of "
            f"{factor_in_words(self.level)}."
        )
        if self.reports > 1:
            text += (
                f" This is for one report; levels add up, and between two tracks of {self.reports:,} "
                f"reports that stay within {within} of each other the factor is at most "
                f"{factor_in_words(self.total)}."
            )
        return text

    def explain(self) -> str:
        """The guarantee in words, with what was counted in."""
        radius, cell = in_words(self.radius), in_words(self.cell)
        return "\n".join(
            [
                f"{self.brief()} {self.warning}".strip(),
                "At a greater distance D they change by at most that factor to the power of "
                f"D/{radius}: places far from each other are not hidden from each other.",
                f"Distances are along the surface (WGS 84). True places are moved to cells of {cell} "
                "first; that and rounding are counted in.",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return super().to_dict() | {
            "level": plain(self.level),
            "radius_m": plain(self.radius),
            "cell_m": plain(self.cell),
            "slack_m": float(self.slack),
            "reports": self.reports,
            "total_level": plain(self.total),
        }

    def __repr__(self) -> str:
        return f"MetreGuarantee({about(self.level)} within {in_words(self.radius)})"
