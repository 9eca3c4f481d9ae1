"""What is guaranteed for true places, in metres, with everything that could weaken it counted in."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.geo.earth.ellipsoid import apart
from dprivacy.geo.earth.lengths import LengthLike, in_words, in_words_up, metres
from dprivacy.model import Guarantee, about, factor_in_words, plain
from dprivacy.numbers import Level, as_eps, exp_bounds, float_up, root
from dprivacy.release import weak_words
from dprivacy.sources import result
from dprivacy.typing import LevelLike

_LARGEST = 700  # exponents whose exponential a double holds


@dataclass(frozen=True)
class Step:
    """Something done to true places before the noise; `metres` farther apart it may put two of them.

    Examples
    --------
    >>> print(snapped("500 m", to="centres of cells of"))
    moving them to centres of cells of 500 m (by 708 m)
    """

    words: str
    metres: Level

    def __str__(self) -> str:
        return f"{self.words} (by {_above(self.metres)})"


SHADOW = Step("taking their shadows on a plane", Level(0))
SPACE = Step("taking their points in space", Level(0))
DOUBLES = Step("computing in doubles", Level(Fraction(2, 1_000_000)))


def snapped(side: LengthLike, *, to: str = "a lattice of", axes: int = 2) -> Step:
    """Moving places to the nearest point of a lattice, or centre of a cell, of this side."""
    size = metres(side, what="a cell")
    return Step(f"moving them to {to} {in_words(size)}", root(axes) * size)


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

    It is one guarantee for every mechanism on places: raw positions at distance D have exponents that
    differ by at most rate·D + overhead, and rate·radius + overhead is the level.

    Attributes
    ----------
    level, radius
        The level, and the distance in metres up to which it is guaranteed.
    steps
        What is done to true places before the noise, each with the metres that it may add to D.
    reports
        How many reports of one person are spoken of; their levels add up.
    permanent
        Whether noise is permanent, so that these are places of a person that are told apart, and
        nothing is promised about when a person is where.
    listed
        How many places are on the public list that true places are from; None for positions anywhere.

    Notes
    -----
    1. The metres of all steps together are the `slack`, and rate = level/(radius + slack). It is the
       `eps` of a `Guarantee` on places that count as the slack farther apart than they are.
    2. The exponent at distance D is rate·(D + slack): the level at the radius, and less than
       level·D/radius beyond it.

    Examples
    --------
    >>> guarantee = MetreGuarantee.read(radius="200 m", eps="ln 4", steps=[SHADOW, snapped("0.2 m")])
    >>> print(guarantee.brief())
    Within 200 m, the odds between two true places change by at most a factor of 4.
    >>> guarantee.rate * 200 + guarantee.overhead == guarantee.level
    True
    >>> guarantee.factor("400 m") < 16
    True
    >>> guarantee.total == guarantee.level, guarantee.exponent("400 m") < 2 * guarantee.level
    (True, True)
    >>> print(guarantee.slack, guarantee.warning or "no warning", guarantee.to_dict()["unit"])
    1/5*sqrt(2) + 1/500000 no warning metre
    >>> print(guarantee.explain().splitlines()[0])
    Within 200 m, the odds between two true places change by at most a factor of 4.
    """

    level: Level
    radius: Fraction
    steps: tuple[Step, ...]
    reports: int = 1
    listed: int | None = None
    permanent: bool = False

    @classmethod
    def read(
        cls,
        *,
        radius: LengthLike,
        eps: LevelLike,
        steps: Iterable[Step] = (),
        listed: int | None = None,
    ) -> "MetreGuarantee":
        """From a length and a level as people write them.

        Parameters
        ----------
        radius, eps
            The distance, and the level up to it.
        steps
            What is done to true places before the noise; computing in doubles is added.
        listed
            As the attribute.
        """
        reach, level, taken = metres(radius, what="the radius"), as_eps(eps), (*steps, DOUBLES)
        slack = sum((step.metres for step in taken), Level(0))
        because = "T Def 9.4.1; distances along the surface, with every step before the noise"
        return cls(
            level / (slack + reach),
            Surface(slack),
            because=because,
            unit="metre",
            level=level,
            radius=reach,
            steps=taken,
            listed=listed,
        )

    @property
    def rate(self) -> Level:
        """The level per metre that reports fall off with."""
        return self.eps

    @property
    def overhead(self) -> Level:
        """What the steps before the noise add to every exponent: rate·slack."""
        return self.eps * self.slack

    @property
    def slack(self) -> Level:
        """How many metres farther apart two places may seem: the steps together."""
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
            whole="A place is"
            if one
            else f"Together, {self.reports:,} {self._what} of a person are",
            between=f"two {'places' if one else 'tracks'} within {within} of each other",
        )
        way_out = f" Fewer {self._what}, or a level for all of them together, protect more."
        return told + ("" if one or not told else way_out)

    @property
    def _what(self) -> str:
        """What is counted."""
        return "places" if self.permanent else "reports"

    def brief(self) -> str:
        """The guarantee in one or two sentences; for several reports of a person, the total first."""
        within = in_words(self.radius)
        places = "true places" if self.listed is None else "places of the list"
        one = (
            f"ithin {within}, the odds between two {places} change by at most a factor of "
            f"{factor_in_words(self.level)}"
        )
        if self.reports == 1:
            pattern = ", however often a person is there" if self.permanent else ""
            return f"W{one}{pattern}."
        if self.permanent:
            tracks = f"tracks with the same pattern of visits, to {self.reports:,} places each,"
        else:
            tracks = f"tracks of {self.reports:,} reports"
        return (
            f"Between two {tracks} that stay within {within} of each other, "
            f"the odds change by at most a factor of {factor_in_words(self.total)}. This is for all "
            f"{self._what} of a person together; levels add up. "
            f"By one {self._what[:-1]} alone, w{one}."
        )

    def explain(self) -> str:
        """The guarantee in words, with what was counted in."""
        radius, steps = in_words(self.radius), ", ".join(map(str, self.steps))
        return "\n".join(
            [
                f"{self.brief()} {self.warning}".strip(),
                "At a greater distance D they change by at most that factor to the power of "
                f"D/{radius}: places far from each other are not hidden from each other.",
                "Distances are along the surface (WGS 84). What is done before the noise may put two "
                f"places farther apart, and is counted in: {steps}.",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return super().to_dict() | {
            "level": plain(self.level),
            "radius_m": plain(self.radius),
            "overhead": float_up(self.overhead.bounds(64)[1]),
            "steps": [
                {"step": step.words, "metres": float_up(step.metres.bounds(64)[1])}
                for step in self.steps
            ],
            "listed": self.listed,
            "reports": self.reports,
            "permanent": self.permanent,
            "total_level": plain(self.total),
        }

    def __repr__(self) -> str:
        return f"MetreGuarantee({about(self.level)} within {in_words(self.radius)})"


def _above(length: Level) -> str:
    """A length in words, never less than it is."""
    if length < Fraction(1, 1000):
        return "less than 1 mm" if length else "nothing"
    return in_words_up(length)
