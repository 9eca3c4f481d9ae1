"""What privacy costs in a city, and what is left to an adversary: three mechanisms side by side."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dprivacy.design import Optimum, optimal
from dprivacy.errors import UnknownName, WrongShape
from dprivacy.geo.city_grid import City, require_city
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.model import Answer, Pictured, about, plain
from dprivacy.numbers import Floats, Level, as_eps
from dprivacy.typing import LevelLike

NAMES = ("planar Laplace", "remapped", "optimal")
_FINEST = 0.35  # level of the noise per step of the lattice that stands in for the plane
_MOST_OUTPUTS = 20_000


@dataclass(frozen=True)
class FrontierPoint:
    """One mechanism at one level.

    Attributes
    ----------
    mechanism
        "planar Laplace", "remapped" or "optimal".
    eps
        The level between cells `radius` apart.
    mean, within_95
        The displacement in metres: its mean, and what 95 % of the reports stay within.
    adversary
        The expected error, in metres, of an adversary with the city's prior who sees the report and
        makes the best guess.
    bound
        For the optimal mechanism: no private mechanism has a smaller mean displacement.

    Examples
    --------
    >>> point = FrontierPoint("optimal", as_eps("ln 4"), mean=90.0, within_95=250.0, adversary=80.0)
    >>> point.to_dict()["eps"]
    'ln(4)'
    """

    mechanism: str
    eps: Level
    mean: float
    within_95: float
    adversary: float
    bound: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The point as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True, eq=False)
class PlaceFrontier(Answer, Pictured):
    """Displacement and the adversary's error for planar Laplace, remapped and optimal noise.

    Attributes
    ----------
    city
        Whose cells are the secrets.
    radius
        The distance, in metres, that levels speak of.
    blind
        The error in metres of the adversary's best guess without a report.
    points
        What was found, level by level.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = frontier(city("40.7, -74, 1 km", cell="1 km"), eps=["ln 4"], radius="1 km")
    >>> [level for level, _ in found.curve("optimal")] == [math.log(4)]
    True
    """

    city: City
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
            "mean", "within_95" or "adversary".
        """
        UnknownName.require("mechanism", mechanism, NAMES)
        UnknownName.require("quantity", quantity, ("mean", "within_95", "adversary"))
        return [
            (float(point.eps), float(getattr(point, quantity)))
            for point in self.points
            if point.mechanism == mechanism
        ]

    def explain(self) -> str:
        """The table in words and columns."""
        lines = [
            f"{self.city.explain()}",
            f"Secrets are the cells; a level is for cells {in_words(self.radius)} apart.",
            "Without a report, the adversary's best guess is off by "
            f"{in_words(self.blind)} on average.",
            f"{'level':>10s}  {'mechanism':15s} {'mean':>9s} {'95 %':>9s} {'adversary':>9s}",
        ]
        for point in self.points:
            lines.append(
                f"{_short(point.eps):>10s}  {point.mechanism:15s} {in_words(point.mean):>9s} "
                f"{in_words(point.within_95):>9s} {in_words(point.adversary):>9s}"
            )
        lines.append(
            "mean and 95 %: how far reports are from the centre of the true cell. adversary: how far "
            "off the best guess from a report is, for someone who knows the prior."
        )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"PlaceFrontier({self.city!r}, {len(self.points)} points)"


def frontier(
    city: City,
    *,
    eps: Iterable[LevelLike] = ("ln 2", "ln 4", "ln 8"),
    radius: LengthLike = "200 m",
    gap: float = 1e-3,
    seconds: float | None = None,
    progress: Callable[[float, float, float], None] | None = None,
) -> PlaceFrontier:
    """Compare planar Laplace, the same remapped, and the optimal mechanism in a city.

    Parameters
    ----------
    city
        Cells and a public prior. The cells are the secrets, with the distances of their centres.
    eps
        Levels.
    radius
        What the levels speak of: cells this far apart have their odds changed by e^eps at most.
    gap, seconds
        How near to the optimum is near enough, and how long each may take.
    progress
        Called with (loss, bound, seconds) while an optimum is sought.

    Returns
    -------
    PlaceFrontier
        With `points`, `explain` and `plot`.

    Notes
    -----
    Planar Laplace noise is taken on a fine lattice (a level of 0.35 per step where memory allows).
    Remapping is the best reading of a report for someone with the city's prior; it is also the
    adversary's best guess, so that planar Laplace leaves the adversary the error that remapping leaves
    the honest reader. Since the remapped noise is itself a private channel on the cells, the optimum is
    never worse.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> found = frontier(city("40.7, -74, 1 km", cell="1 km"), eps=["ln 4"], radius="1 km")
    >>> mean = {point.mechanism: point.mean for point in found.points}
    >>> mean["optimal"] <= mean["remapped"] < mean["planar Laplace"]
    True
    """
    require_city(city)
    size = metres(radius, what="the radius")
    levels = [as_eps(value) for value in eps]
    if not levels:
        raise WrongShape("a frontier needs at least one level, such as eps=['ln 4']")
    found: list[FrontierPoint] = []
    best: Optimum | None = None
    for level in levels:
        rate = level / size
        joint = _planar(city, float(rate))
        loss = joint.T @ city.metres  # outputs by guesses
        guesses = loss.argmin(axis=1)
        error = float(loss.min(axis=1).sum())
        within = _quantile(city.metres[:, guesses], joint)
        plane = 1 / float(rate)
        found.append(FrontierPoint(NAMES[0], level, 2 * plane, 4.743865 * plane, error))
        found.append(FrontierPoint(NAMES[1], level, error, within, error))
        best = optimal(
            city.space,
            eps=rate,
            prior=city.prior,
            gap=gap,
            seconds=seconds,
            progress=progress,
            start=best,
        )
        found.append(_optimal(city, level, best))
    blind = float((city.weights @ city.metres).min())
    return PlaceFrontier(city, float(size), blind, tuple(found))


def _planar(city: City, rate: float) -> Floats:
    """prior·P(y | cell) for planar noise on a lattice, with one column for all that leaves a window.

    A cell has an odd number of steps, so that its centre is a point of the lattice. The window is the
    city and a margin that all but 0.3 % of the noise stays within (or three diagonals of the city).
    """
    side = float(city.cell)
    margin = min(8 / rate, 3 * side * math.hypot(city.rows, city.columns))
    per = 1 + 2 * math.ceil((rate * side / _FINEST - 1) / 2) if rate * side > _FINEST else 1
    shape = _window(city, margin, per)
    while shape[0] * shape[1] > _MOST_OUTPUTS and per > 1:
        per -= 2
        shape = _window(city, margin, per)
    step = side / per
    north, east = ((np.arange(n) - (n - 1) / 2) * step for n in shape)
    row, column = np.divmod(np.arange(len(city)), city.columns)
    high = (row - (city.rows - 1) / 2) * side
    wide = (column - (city.columns - 1) / 2) * side
    joint = np.empty((len(city), len(north) * len(east) + 1))
    for k in range(len(city)):
        away = np.hypot((high[k] - north)[:, None], wide[k] - east)
        joint[k, :-1] = np.exp(-rate * away).ravel()
    joint[:, :-1] /= _total(rate * step)
    joint[:, -1] = np.maximum(1 - joint[:, :-1].sum(axis=1), 0.0)
    return joint * city.weights[:, None]


def _window(city: City, margin: float, per: int) -> tuple[int, int]:
    reach = math.ceil(margin * per / float(city.cell))
    return city.rows * per + 2 * reach, city.columns * per + 2 * reach


def _total(level: float) -> float:
    """Σ e^(−level·‖v‖) over all pairs v of whole numbers.

    By Poisson's summation formula 2π/level², and a correction that falls like level³: the sum of
    2π·level/(level² + 4π²‖k‖²)^1.5 over pairs k other than 0, where Σ ‖k‖⁻³ = 9.0336….
    """
    if level < 0.1:
        return 2 * math.pi / level**2 + 9.0336217 * level / (2 * math.pi) ** 2
    far = np.arange(-math.ceil(45 / level), math.ceil(45 / level) + 1)
    return float(np.exp(-level * np.hypot(far[:, None], far)).sum())


def _optimal(city: City, level: Level, best: Optimum) -> FrontierPoint:
    joint = best.channel.matrix.floats * city.weights[:, None]
    away = city.metres[:, city.positions(best.channel.columns)]
    error = float((joint.T @ city.metres).min(axis=1).sum())
    mean, within = float((joint * away).sum()), _quantile(away, joint)
    return FrontierPoint(NAMES[2], level, mean, within, error, float(best.bound))


def _quantile(away: Floats, joint: Floats, share: float = 0.95) -> float:
    """What a share of the probability stays within."""
    order = np.argsort(away, axis=None)
    total = np.cumsum(joint.ravel()[order])
    return float(away.ravel()[order][np.searchsorted(total, share * total[-1])])


def _short(level: Level) -> str:
    text = str(level)
    return text if len(text) <= 10 else about(level)[:10]
