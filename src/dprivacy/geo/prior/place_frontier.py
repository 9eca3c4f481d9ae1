"""What one promise costs in a city or on a list, by mechanism, and what is left to an adversary."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from dprivacy.design import Optimum
from dprivacy.errors import UnknownName, WrongShape
from dprivacy.geo.earth.lengths import TINY, LengthLike, in_words, metres
from dprivacy.geo.place_noise import place_mechanism
from dprivacy.geo.prior.best_guess import distances, medians
from dprivacy.geo.prior.least_distance import NAMES, Distances, moved_by, moved_by_channel
from dprivacy.geo.prior.optimal_channels import (
    Known,
    OptimalPlaces,
    bound_in_words,
    optimal_places,
    require_known,
)
from dprivacy.geo.prior.public_places import PublicPlaces
from dprivacy.model import Answer, Pictured, about, plain
from dprivacy.numbers import Floats, Level, as_eps
from dprivacy.typing import LevelLike

_QUANTITIES = ("mean", "within_95", "worst", "adversary")
_SAME = 1e-3  # metres that count as no distance
_EQUAL = 1 + 1e-9  # what rounding may make of equal distances


@dataclass(frozen=True)
class FrontierPoint:
    """One mechanism at one level.

    Attributes
    ----------
    mechanism
        "planar Laplace", "remapped" or "optimal".
    eps
        The level within `radius`, for raw positions (for a list: for listed places).
    mean, within_95, worst
        Metres from raw public places to reports: the mean, what 95 % of the reports stay within, and
        the mean at the public place where it is largest.
    adversary
        The expected error, in metres, of an adversary with the prior who sees the report and makes the
        best guess.
    bound, bound_scale
        For the optimal mechanism on a list: what no reports get below that change the odds of listed
        places D apart by at most e^(D/bound_scale), as `OptimalPlaces.explain` says. None where another
        mechanism gets below it: that one need not pay for the tolerance of the list.

    Examples
    --------
    >>> point = FrontierPoint("optimal", as_eps("ln 4"), 90.0, 250.0, 120.0, adversary=80.0)
    >>> point.to_dict()["eps"]
    'ln(4)'
    """

    mechanism: str
    eps: Level
    mean: float
    within_95: float
    worst: float
    adversary: float
    bound: float | None = None
    bound_scale: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The point as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True, eq=False)
class PlaceFrontier(Answer, Pictured):
    """Distances and the adversary's error for planar Laplace, remapped and optimal noise.

    All three keep the same guarantee about raw positions.

    Attributes
    ----------
    known
        The city, or the list of places.
    radius
        The distance, in metres, within which levels hold.
    blind
        The error in metres of the adversary's best guess without a report.
    points
        What was found, level by level.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = frontier(city("40.7, -74, 1 km", cell="1 km"), eps=["ln 4"], radius="1 km")
    >>> [point.mechanism for point in found.points]
    ['planar Laplace', 'remapped', 'optimal']
    >>> [(round(level, 3), round(metres)) for level, metres in found.curve("optimal")]
    [(1.386, 794)]
    """

    known: Known
    radius: float
    blind: float
    points: tuple[FrontierPoint, ...]
    exact: bool = field(default=False, init=False)

    def curve(self, mechanism: str, quantity: str = "mean") -> list[tuple[float, float]]:
        """(level, metres) of one mechanism.

        Parameters
        ----------
        mechanism
            One of the three.
        quantity
            "mean", "within_95", "worst" or "adversary".
        """
        UnknownName.require("mechanism", mechanism, NAMES)
        UnknownName.require("quantity", quantity, _QUANTITIES)
        return [
            (float(point.eps), float(getattr(point, quantity)))
            for point in self.points
            if point.mechanism == mechanism
        ]

    def explain(self) -> str:
        """The table in words and columns."""
        listed = not hasattr(self.known, "cell")
        lines = [
            self.known.explain(),
            f"A level holds within {in_words(self.radius)}, for "
            + ("two places of the list." if listed else "two raw positions; cells are counted in."),
            "Without a report, the adversary's best guess is off by "
            f"{in_words(self.blind)} on average.",
            f"{'level':>10s}  {'mechanism':15s}" + "".join(f"{name:>10s}" for name in _HEADS),
        ]
        for point in self.points:
            sizes = (
                in_words(getattr(point, name)).replace("less than", "<") for name in _QUANTITIES
            )
            lines.append(
                f"{_short(point.eps):>10s}  {point.mechanism:15s}"
                + "".join(f"{size:>10s}" for size in sizes)
            )
        lines.append(
            "mean and 95 %: how far reports are from raw public places. worst: the mean at the public "
            "place where it is largest. adversary: how far off the best guess from a report is, for "
            "someone who knows the prior."
        )
        bounds = [
            (point.bound, point.bound_scale)
            for point in self.points
            if point.bound is not None and point.bound_scale is not None and point.bound >= TINY
        ]
        if bounds:
            lines.append(bound_in_words(len(self.known.space.labels), bounds))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"PlaceFrontier({self.known!r}, {len(self.points)} points)"


_HEADS = ("mean", "95 %", "worst", "adversary")


def frontier(
    known: Known,
    *,
    eps: Iterable[LevelLike] = ("ln 2", "ln 4", "ln 8"),
    radius: LengthLike = "200 m",
    gap: float = 1e-3,
    seconds: float | None = None,
    progress: Callable[[float, float, float], None] | None = None,
    device: Literal["cpu", "gpu"] = "cpu",
) -> PlaceFrontier:
    """Compare planar Laplace, the best guess from it, and the optimal mechanism at one promise.

    Parameters
    ----------
    known
        A `city` with public places, or a `place_list`.
    eps
        Levels.
    radius
        What the levels speak of: raw positions within it have their odds changed by e^eps at most.
    gap, seconds
        How near to the optimum is near enough, and how long each may take.
    progress
        Called with (loss, bound, seconds) while an optimum is sought.
    device
        "gpu" seeks them with the help of a graphics card.

    Returns
    -------
    PlaceFrontier
        With `points`, `explain` and `plot`.

    Notes
    -----
    1. Distances are from raw public places to reports, with everything in between: a cell costs its
       size twice, once in the level and once in the distance.
    2. The best guess from planar noise is the best reading of a report for someone with the prior; it
       is also the adversary's, who reads both alike.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = frontier(city("40.7, -74, 1 km", cell="1 km"), eps=["ln 4"], radius="1 km")
    >>> mean = {point.mechanism: point.mean for point in found.points}
    >>> mean["remapped"] < mean["planar Laplace"]
    True
    """
    require_known(known)
    size = metres(radius, what="the radius")
    levels = [as_eps(value) for value in eps]
    if not levels:
        raise WrongShape("a frontier needs at least one level, such as eps=['ln 4']")
    found: list[FrontierPoint] = []
    before: Optimum | None = None
    for level in levels:
        noise = place_mechanism(eps=level, radius=size, region=known.region)
        moved = moved_by(noise, known.public)
        guessed = moved_by(noise, replace(known.public, elsewhere=0.0))
        error = min(one.mean for one in guessed.values())  # nobody has to guess worse than a report
        best = optimal_places(
            known,
            eps=level,
            radius=size,
            gap=gap,
            seconds=seconds,
            progress=progress,
            start=before,
            device=device,
        )
        before = best.optimum
        for name in NAMES[:2]:
            found.append(_point(name, level, moved[name], error))
        found.append(_point("optimal", level, moved_by_channel(best), _adversary(best)))
        if best.bound is not None and best.bound <= _EQUAL * min(
            point.mean for point in found[-3:]
        ):
            found[-1] = replace(found[-1], bound=best.bound, bound_scale=best.bound_scale)
    return PlaceFrontier(known, float(size), _blind(known.public), tuple(found))


def _point(name: str, level: Level, moved: Distances, adversary: float) -> FrontierPoint:
    return FrontierPoint(name, level, moved.mean, moved.within_95, moved.worst, adversary)


def _blind(public: PublicPlaces) -> float:
    """The error of the best guess from the prior alone."""
    return _error(public.weights[None, :], public.points)


def _adversary(best: OptimalPlaces) -> float:
    """The error of the best guess from the reports of a channel."""
    public = best.known.public
    joint = best.channel.matrix.floats[best.known.public_cells] * public.weights[:, None]
    return _error(joint.T, public.points)


def _error(joint: Floats, points: Floats) -> float:
    """The expected distance of the best guess, for chances of reports (rows) and points together."""
    seen = joint[joint.sum(axis=1) > 0]
    middle = points.mean(axis=0)
    guesses = medians(seen, points - middle, _SAME) + middle
    return float((seen * distances(guesses, points)).sum())


def _short(level: Level) -> str:
    text = str(level)
    return text if len(text) <= 10 else about(level)[:10]
