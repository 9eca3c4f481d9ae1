"""Ratios between two rows of a channel: the raw material of every d-privacy question.

Floats serve to find candidates; exact channels are settled in integers. Nothing here decides by a
tolerance: a tolerance only widens the set of candidates that are then compared exactly.
"""

import math
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongShape
from dprivacy.model import Channel, plain
from dprivacy.numbers import Floats
from dprivacy.typing import Label, Number

C = TypeVar("C", bound="Case")
Pairs = Iterable[tuple[Label, Label]] | None

_LONG = 10_000  # bits from which flint's integers pay
_DOUBLE_BITS = 1000  # integers of no more bits are doubles of the normal range
_TOGETHER = 100_000  # differences that are taken at a time, to stay in cache
_MANY = 1 / 8  # of n²: pairs whose rows one thread picks out no sooner than it sweeps all rows
_WORTH_THREADS = 100_000_000  # comparisons, below which one thread is quicker
_BLOCK = 128  # rows compared at a time; a block of 1000 columns in single precision stays in cache


@dataclass(frozen=True)
class Ratio:
    """The largest ratio between two inputs: C[x, y] / C[z, y] = top/bottom at output y.

    Positions, not labels; `bottom` is 0 when the ratio is infinite.
    """

    x: int
    z: int
    y: int
    top: Any
    bottom: Any

    @property
    def value(self) -> Fraction | float:
        """The ratio: a Fraction, a float, or inf."""
        if self.bottom == 0:
            return math.inf
        if isinstance(self.top, float):
            return float(self.top / self.bottom)
        return Fraction(self.top, self.bottom)


class RowRatios:
    """Ratios between rows of one channel, with its logarithms computed once."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.entries = channel.matrix.entries

    @cached_property
    def zeros(self) -> NDArray[np.bool_]:
        """Which outputs are impossible for which rows."""
        return np.asarray(self.entries == 0, dtype=bool)

    @cached_property
    def logs(self) -> Floats:
        """ln of every entry (of its integers, for an exact channel); 0 stands in at zeros.

        Where two rows agree on what is impossible, zeros cancel; where they do not, the ratio is
        infinite and no logarithm is needed.
        """
        entries = self.entries
        if self.channel.exact:
            if self.channel.matrix.den.bit_length() > _DOUBLE_BITS:
                table = [[math.log(v) if v else 0.0 for v in row] for row in entries.tolist()]
                return np.array(table).reshape(entries.shape)
            entries = entries.astype(np.float64)
        return np.log(np.where(self.zeros, 1.0, entries) if self.zeros.any() else entries)

    @cached_property
    def error(self) -> float:
        """A bound on the error of a difference of two entries of `logs`.

        Each logarithm is right to within an ulp of its value, and each entry as a double to within
        half an ulp of the number it stands for (which is much for numbers below the normal doubles).
        """
        error = float(2**-50 * (1 + np.abs(self.logs).max(initial=0.0)))
        if self.channel.exact:
            return error
        least = float(self.entries.min(where=~self.zeros, initial=1.0))
        normal = float(np.finfo(np.float64).tiny)
        return error if least >= normal else error + 2 * math.log1p(math.ulp(0.0) / least)

    def support_gap(self, i: int, j: int) -> int | None:
        """An output that is possible for one row and impossible for the other, if there is one."""
        differs = self.zeros[i] != self.zeros[j]
        return int(np.argmax(differs)) if differs.any() else None

    def worst(self, i: int, j: int) -> Ratio:
        """The largest ratio between rows i and j, in either direction."""
        gap = self.support_gap(i, j)
        if gap is not None:
            x, z = (i, j) if not self.zeros[i, gap] else (j, i)
            return Ratio(x, z, gap, self.entries[x, gap], self.entries[z, gap])
        difference = self.logs[i] - self.logs[j]
        size = np.abs(difference)
        top = size.max()
        if not self.channel.exact:
            # where the rows agree everywhere, an output that is impossible for both must not be named
            y = int(np.where(self.zeros[i], -1.0, size).argmax())
            x, z = (i, j) if difference[y] >= 0 else (j, i)
            return Ratio(x, z, y, float(self.entries[x, y]), float(self.entries[z, y]))
        near = np.flatnonzero(size >= top - 2 * self.error)
        at, up, down = -1, 0, 1
        rows = (_quick(self.entries[k, near].tolist()) for k in (i, j))
        for y, a, b in zip(near.tolist(), *rows, strict=True):
            high, low = (a, b) if a >= b else (b, a)
            if high * down > up * low and low:  # 0: impossible for both
                at, up, down = y, high, low
        assert at >= 0, "every row has a positive entry"
        x, z = (i, j) if self.entries[i, at] >= self.entries[j, at] else (j, i)
        return Ratio(x, z, at, int(self.entries[x, at]), int(self.entries[z, at]))


def _quick(integers: list[int]) -> list[Any]:
    """Long integers as flint's, which multiply them many times as fast."""
    if max(integers).bit_length() < _LONG:
        return integers
    from flint import fmpz

    return [fmpz(v) for v in integers]


@dataclass(frozen=True)
class Case:
    """Inputs x and z that decide a question, and whatever else the question is about."""

    x: Label
    z: Label

    def to_dict(self) -> dict[str, Any]:
        """The case as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


def deciding(cases: list[tuple[Number, bool | None, C]]) -> tuple[bool | None, C | None]:
    """Whether all of them keep their bound, and the one that breaks it by most or comes closest."""
    outcomes = {keeps for _, keeps, _ in cases}
    holds = False if False in outcomes else None if None in outcomes else True
    return holds, max(cases, key=lambda c: (c[1] is False, c[0]))[2] if cases else None


def ordered_pairs(channel: Channel, pairs: Pairs) -> list[tuple[Label, Label]]:
    """The ordered pairs of inputs that were named; all of them when none were."""
    if pairs is None:
        return [(x, z) for x in channel.rows for z in channel.rows if x != z]
    given: list[Any] = list(pairs) if hasattr(pairs, "__iter__") else []
    if not given or not all(
        isinstance(p, tuple | list | np.ndarray) and len(p) == 2 for p in given
    ):
        raise WrongShape(
            f"pairs should be a list of one or more pairs (x, z) of inputs, not {pairs!r}; write "
            "[(x, z)] for a single pair, or leave it out for all of them"
        )
    return [(x, z) for x, z in given]


def largest_rate(logs: Floats, distances: Floats) -> tuple[float, int, int]:
    """The largest max_y |L[i,y] − L[j,y]| / d(i,j) over all pairs, and one pair that reaches it.

    Notes
    -----
    1. A sweep in single precision gives every pair's rate with an error that is known.
    2. Only the pairs that may be the largest are measured again in double precision: a handful.

    Memory traffic, not arithmetic, sets the pace, so that half the bytes is almost half the time.
    """
    rates, slack, upper = swept_rates(logs, distances)
    # inf − inf: a distance so small that its rate overflows; such a pair must be measured again
    with np.errstate(invalid="ignore"):
        lowest = np.nan_to_num(rates - slack, nan=-np.inf).max()
    candidates = np.flatnonzero(rates + slack >= lowest)
    return rate_of_pairs(logs, distances, np.stack(upper, axis=1)[candidates])


def swept_rates(
    logs: Floats, distances: Floats
) -> tuple[Floats, Floats, tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The rate of every pair i < j in single precision, a bound on its error, and the pairs."""
    logs = logs - logs.mean(axis=0)  # a column's level is in no difference
    reach = _all_sizes(np.ascontiguousarray(logs, dtype=np.float32))
    upper = np.triu_indices(len(logs), 1)
    spread = np.abs(logs).max(initial=0.0)
    error = 4 * 2.0**-24 * (spread + 1)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        rates = reach[upper].astype(np.float64) / distances[upper]
        slack = error / distances[upper]
    return rates, slack, upper


def _all_sizes(logs: Floats) -> Floats:
    """max_y |L[i,y] − L[j,y]| for every i < j, in the precision of the logarithms; 0 elsewhere."""
    n = len(logs)
    sizes = np.zeros((n, n), dtype=logs.dtype)

    def sweep(start: int) -> None:
        rows = logs[start : start + _BLOCK]
        work = np.empty_like(rows)
        for i in range(start + len(rows)):
            first = max(start, i + 1)
            part = rows[first - start :]
            if len(part):
                gap = work[: len(part)]
                np.subtract(part, logs[i], out=gap)
                np.abs(gap, out=gap)
                gap.max(axis=1, out=sizes[i, first : start + len(rows)])

    with ThreadPoolExecutor(_workers(logs)) as pool:  # NumPy lets other threads run
        list(pool.map(sweep, range(0, n, _BLOCK)))
    return sizes


def _workers(logs: Floats) -> int:
    """Threads that are worthwhile for a sweep."""
    return (os.cpu_count() or 1) if len(logs) * logs.size > _WORTH_THREADS else 1


def rate_of_pairs(
    logs: Floats, distances: Floats, pairs: NDArray[np.intp]
) -> tuple[float, int, int]:
    """The same over given pairs, in double precision."""
    with np.errstate(over="ignore"):
        rates = pair_sizes(logs, pairs) / distances[pairs[:, 0], pairs[:, 1]]
    k = int(rates.argmax())
    return float(rates[k]), *pairs[k].tolist()


def pair_sizes(logs: Floats, pairs: NDArray[np.intp]) -> Floats:
    """max_y |L[i,y] − L[j,y]| for given pairs, in double precision."""
    if len(pairs) * _workers(logs) > _MANY * len(logs) ** 2:
        i, j = pairs.T
        return np.asarray(_all_sizes(logs)[np.minimum(i, j), np.maximum(i, j)])
    sizes = np.empty(len(pairs))
    step = max(1, _TOGETHER // max(1, logs.shape[1]))
    for start in range(0, len(pairs), step):
        i, j = pairs[start : start + step].T
        gap = logs[i]
        gap -= logs[j]
        np.abs(gap, out=gap).max(axis=1, out=sizes[start : start + step])
    return sizes


def differing_supports(ratios: RowRatios, pairs: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which pairs of rows differ in what is impossible."""
    if not ratios.zeros.any():
        return np.zeros(len(pairs), dtype=bool)
    # One number for each set of impossible outputs: all pairs of rows would fill the memory.
    _, supports = np.unique(ratios.zeros, axis=0, return_inverse=True)
    supports = supports.reshape(-1)
    return np.asarray(supports[pairs[:, 0]] != supports[pairs[:, 1]])
