"""Laplace noise on a declared grid: numbers become integers and get exact integer noise."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadLevel, BadNumber, NotApplicable, Uncertified, WrongShape
from dprivacy.mechanisms.containers.opened_values import opened
from dprivacy.mechanisms.containers.python_values import ArrayValues, Held
from dprivacy.mechanisms.families.geometric_line import geometric
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.label_codes import (
    FARTHEST,
    FINEST,
    nearest_steps,
    read_doubles,
    read_step,
    require_finite,
)
from dprivacy.model import Channel, Guarantee, Pictured, Sourced, about
from dprivacy.numbers import Level, as_delta, as_eps, as_level, as_rational, ln, quotient_up
from dprivacy.sampling import DiscreteLaplace, Source
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, GridLine, quantised
from dprivacy.typing import LevelLike, NumberLike
from dprivacy.verify import privacy

MOST_LISTED = 1024  # points up to which the channel is built and drawn from


@dataclass(frozen=True)
class GridNoise(Sourced, Pictured):
    """Two-sided geometric noise in steps of a grid, clamped to a range when there is one.

    `inner` is the mechanism on the listed points when they are few enough; its channel is then
    what is drawn from.

    Examples
    --------
    >>> noise = laplace(0, 10, eps=1, grid="1/2")
    >>> noise.snapped([0.3, 9.9, 25]).tolist()
    [1, 20, 20]
    """

    grid: GridLine
    guarantee: Guarantee
    rate: Level
    inner: ChannelMechanism | None = None
    source: Source | None = None
    family: str = "laplace"

    @property
    def channel(self) -> Channel | None:
        """The channel on the listed points; None where they are too many or have no end."""
        return None if self.inner is None else self.inner.channel

    @cached_property
    def _noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(as_level(self.rate * self.grid.step))

    def snapped(self, values: Any) -> NDArray[np.int64]:
        """The grid step nearest to every value, counted from `low` (or from 0), clamped to the range.

        Raises
        ------
        BadNumber
            For NaN and infinities, by row number.
        """
        return self._snapped(opened(values))

    def _snapped(self, held: Held) -> NDArray[np.int64]:
        array = read_doubles(held.plain(), "values")
        if array.ndim != 1 and not isinstance(held, ArrayValues):
            raise WrongShape(
                f"values should be a list of numbers, not of shape {array.shape}; flatten it, or pass "
                "an array, which keeps its shape"
            )
        array = array.ravel()
        require_finite(array)
        return nearest_on(self.grid, array)

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:
        """Noisy numbers for true ones, all of them points of the grid.

        Parameters
        ----------
        values
            Numbers: one, or several in a list, a tuple or an array of NumPy, pandas, Polars or pyarrow.
            They are clamped to the range and moved to the nearest point of the grid first.
        insecure_seed
            For tests only; it warns.

        Returns
        -------
        the same kind of container
            Doubles nearest to the grid's points (a function of the noisy integer alone), with the same
            index and name.
        """
        held = opened(values)
        steps = self._snapped(held)
        source = self._source(insecure_seed)
        if self.inner is not None:
            noisy = np.asarray(self.inner._sampler.draw(steps, source), dtype=np.int64)
        else:
            noisy = _clamped(self.grid, steps + self._noise.draw(len(steps), source))
        return held.of_cells(self._points(noisy))

    def _points(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """The doubles nearest to low + k·step, each distinct k computed once and exactly."""
        distinct, where = np.unique(steps, return_inverse=True)
        low, step = self.grid.low or Fraction(0), self.grid.step
        exact = np.array([float(low + int(k) * step) for k in distinct])
        return exact[where]

    def __repr__(self) -> str:
        ends = "" if self.grid.low is None else f" on [{self.grid.low}, {self.grid.high}]"
        return f"{self.family}(ε = {about(self.guarantee.eps)}, grid {self.grid.step}{ends})"


def nearest_on(line: GridLine, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """The step of a grid nearest to every finite number, counted from `low` (or from 0), clamped."""
    low, high = line.low, line.high
    if low is not None and high is not None:
        numbers = np.clip(numbers, float(low), float(high))
    return _clamped(line, nearest_steps(numbers, line.step, low or Fraction(0)))


def _clamped(line: GridLine, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    if line.low is None or line.high is None:
        return steps
    return np.clip(steps, 0, int((line.high - line.low) / line.step))


@result("M", "Ex 5")
def laplace(
    low: NumberLike, high: NumberLike, *, eps: LevelLike, delta: NumberLike = 0, grid: NumberLike
) -> GridNoise:
    """Laplace noise for numbers from low to high, on a declared grid, clamped to the range.

    Parameters
    ----------
    low, high
        The public range.
    eps
        The level of privacy per unit of distance.
    delta
        Slack: with δ > 0 there is a little less noise.
    grid
        The step of the public grid; (high − low) must be a whole number of steps.

    Returns
    -------
    GridNoise
        For inputs on the grid exactly ε·d-private (with slack δ); moving other inputs to the grid adds
        at most one step to their distance.

    Notes
    -----
    Laplace noise of scale b on a range of width Δ is (ε·d, δ)-private exactly when
    1/b ≤ ε − 2·ln(1−δ)/Δ. On the grid the noise is two-sided geometric with e^(−step/b); for δ > 0 the
    result is verified, and the gain reduced by 64ths until it holds.

    Examples
    --------
    >>> age = laplace(0, 120, eps="1/10", grid=1)
    >>> age
    laplace(ε = 1/10, grid 1 on [0, 120])
    >>> len(age.channel.rows), 0 <= age.randomise([41])[0] <= 120
    (121, True)
    """
    line, level, slack = grid_line(low, high, grid), as_eps(eps), as_delta(delta)
    _require_below_one(slack)
    first, last, step = line.low, line.high, line.step
    assert first is not None
    assert last is not None
    count = int((last - first) / step) + 1
    if count > MOST_LISTED:
        if slack:
            raise NotApplicable(
                f"with δ > 0 the range should have at most {MOST_LISTED} grid points, not {count}; "
                "leave delta out, or take a coarser grid"
            )
        return GridNoise(line, Guarantee(level, line, because="T Def 3.4.2"), level)
    space = quantised(first, last, step)
    if not slack:
        inner = geometric(space, eps=level)
        return GridNoise(line, Guarantee(level, space, because="T Def 3.4.2"), level, inner)
    rate, inner = _with_slack(space, level, slack, last - first)
    return GridNoise(line, Guarantee(level, space, slack, "M Ex 5"), rate, inner)


def grid_line(low: NumberLike, high: NumberLike, grid: NumberLike) -> GridLine:
    """The points of a public range that noise may give; BadNumber where they do not fit together."""
    first, last, step = as_rational(low, "low"), as_rational(high, "high"), read_step(grid)
    if last <= first:
        raise BadNumber(f"low should be less than high, but low is {first} and high is {last}")
    if max(abs(first), abs(last)) > 1 / FINEST:
        raise BadNumber(
            f"low and high should be within the range of doubles, not {low} and {high}; use other units"
        )
    if (last - first) % step:
        raise BadNumber(
            f"from {first} to {last} should be a whole number of steps of the grid, but is "
            f"{(last - first) / step} steps of {step}; move an end, or take another grid"
        )
    steps = (last - first) // step
    # whoever has the largest value must not decide whether there is an answer
    if steps >= FARTHEST:
        raise BadNumber(
            f"from {first} to {last} should be at most {FARTHEST:,} steps of the grid, but is "
            f"{steps:,} steps of {step}; take a coarser grid"
        )
    return GridLine(step, first, last)


def _with_slack(
    space: FiniteSpace, level: Level, slack: Fraction, width: Fraction
) -> tuple[Level, ChannelMechanism]:
    gain = ln(1 / (1 - slack)) * 2 / width

    def built(share: int) -> tuple[Level, ChannelMechanism]:
        rate = level + gain * Fraction(share, 64)
        return rate, geometric(space, eps=rate)

    def enough(inner: ChannelMechanism) -> bool:
        return bool(privacy(inner.channel, space, eps=level, delta=slack))

    # More noise needs less slack, so the largest share that holds is found by halving.
    best, low, high = built(0), 0, 65
    while high - low > 1:
        middle = (low + high) // 2
        tried = built(middle)
        if enough(tried[1]):
            best, low = tried, middle
        else:
            high = middle
    if not enough(best[1]):
        raise Uncertified(f"no noise on {space!r} was proved to meet ε = {level}, δ = {slack}")
    return best


@result("T", "Def 3.4.1")
def integer_geometric(*, eps: LevelLike) -> GridNoise:
    """Two-sided geometric noise on all integers: G(x, y) = (1−α)/(1+α)·α^|x−y| with α = e^(−ε).

    Examples
    --------
    >>> count = integer_geometric(eps="ln 2")
    >>> count.randomise([1000])[0].is_integer(), count.channel
    (True, None)
    """
    level = as_eps(eps)
    line = GridLine()
    return GridNoise(
        line, Guarantee(level, line, because="T Def 3.4.1"), level, family="integer_geometric"
    )


def _require_below_one(slack: Fraction) -> None:
    if slack == 1:
        raise BadLevel("δ should be less than 1; with δ = 1 nothing is protected")


@result("M", "Ex 5")
def laplace_scale(width: NumberLike, *, eps: LevelLike, delta: NumberLike = 0) -> float:
    """The smallest scale of (ε, δ)-private Laplace noise on a range: b = width/(ε − 2·ln(1−δ)).

    Here ε is for the whole range, as in the source. The condition is necessary and sufficient; the
    printed one, with ln(1−δ) in place of 2·ln(1−δ), is only sufficient. Rounded up.

    Examples
    --------
    >>> laplace_scale(100, eps=2), round(laplace_scale(100, eps=2, delta="0.1"), 2)
    (50.0, 45.23)
    """
    slack, whole = as_delta(delta), as_rational(width, "width")
    _require_below_one(slack)
    if whole <= 0:
        raise BadNumber(f"width should be greater than 0, not {width}")
    return quotient_up(whole, as_eps(eps) - 2 * ln(1 - slack))


FAMILY = Family(
    "laplace",
    laplace,
    because="M Ex 5",
    cases=(
        {"low": 0, "high": 3, "grid": 1},
        {"low": 0, "high": 1, "grid": "1/4", "delta": "1/10"},
        {"low": -5, "high": 10**6, "grid": "1/2"},
    ),
    fits=("numbers", "dates"),
    usual_for=("numbers", "dates"),
    needs=("low", "high", "grid"),
    options=("delta",),
)
INTEGER_GEOMETRIC = Family(
    "integer_geometric", integer_geometric, because="T Def 3.4.1", cases=({},)
)
