"""Adversaries who tell two channels apart: found in floats, rounded, and checked exactly."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.numbers import Mat, float_up
from dprivacy.sources import result

Number = Fraction | float

ULP = 2.0**-52
# how far, relatively, an entry of a float channel may be from what it stands for
ROUNDING = 4 * ULP
_ROUNDINGS = (3, 6, 12, 24, 48, 96, 192, 384, 768, 1536)


@dataclass(frozen=True)
class Bet:
    """A wager on the secret that is worth more after B's output `at` than after any output of A.

    `worth[x]` is what the bet pays on secret x, from 0 to 1, and `refused` what it pays to leave it.
    No output of A makes the bet worth more than `refused` on average; output `at` of B makes it
    worth `accepted`.
    """

    at: int
    worth: tuple[Number, ...]
    refused: Number
    accepted: Number

    def gain(self) -> list[list[Number]]:
        """The two actions, to bet and to pass, as a gain function."""
        return [list(self.worth), [self.refused] * len(self.worth)]


def exact_bet(a: Mat, b: Mat, at: int, direction: Sequence[Any]) -> Bet | None:
    """The shortest rounding of a direction that parts b's column from all of a's; None if none does.

    Notes
    -----
    A posterior is a column divided by its sum. The direction v separates if v·δ is larger for the
    posterior of b's column than for every posterior of a, which is compared in integers. The last v is
    the direction itself, so that what separates is never lost to rounding. Then shift and scale: adding
    a constant to v adds it to both sides.
    """
    exact = [Fraction(value) for value in direction]
    largest = max(abs(value) for value in exact)
    if not largest:
        return None
    a_sums, b_sum = a.entries.sum(axis=0).tolist(), int(b.entries[:, at].sum())
    for whole in _ever_longer(exact, largest):
        v = np.array(whole, dtype=object)
        before = max(
            Fraction(int(score), total)
            for score, total in zip((v @ a.entries).tolist(), a_sums, strict=True)
        )
        after = Fraction(int(v @ b.entries[:, at]), b_sum)
        if after > before:
            low, high = min(whole), max(whole)
            spread = high - low
            return Bet(
                at,
                tuple(Fraction(value - low, spread) for value in whole),
                (before - low) / spread,
                (after - low) / spread,
            )
    return None


def _ever_longer(direction: list[Fraction], largest: Fraction) -> Iterator[list[int]]:
    """Roundings of a direction to whole numbers, each finer than the last, and then itself."""
    for bits in _ROUNDINGS:
        yield [round(value * (1 << bits) / largest) for value in direction]
    common = math.lcm(*(value.denominator for value in direction))
    yield [int(value * common) for value in direction]


def float_bet(a: Mat, b: Mat, at: int, direction: Any, rounding: float) -> Bet | None:
    """The same for float channels: None unless the gap is more than rounding can explain."""
    v = np.asarray(direction, dtype=np.float64)
    spread = float(v.max() - v.min())
    if not 0 < spread < np.inf:
        return None
    v = (v - v.min()) / spread
    before = float(((v @ a.entries) / a.entries.sum(axis=0)).max())
    column = b.entries[:, at]
    after = float(v @ column / column.sum())
    # values lie in [0, 1]; each is a quotient of two sums of non-negative terms
    error = 4 * (len(v) * ULP + rounding)
    if not after - before > error:
        return None
    return Bet(at, tuple(v.tolist()), before, after)


@result("T", "Thm 2.1")
def uniform_vulnerability(gain: Mat, matrix: Mat) -> Number:
    """V_g[ν ▷ C] = Σ_y max_w Σ_x g(w, x)·C[x, y] / n under the uniform prior."""
    scores = gain @ matrix
    n = matrix.shape[0]
    if scores.exact:
        total = sum(max(column) for column in scores.entries.T.tolist())
        return Fraction(total, scores.den * n)
    return float(scores.entries.max(axis=0).sum() / n)


@result("T", "Thm 4.12")
def exact_gain(a: Mat, b: Mat, prices: Any) -> Mat | None:
    """The shortest rounding of a matrix of prices (secrets × outputs of b) that prefers b exactly.

    The gains are shifted and scaled into [0, 1]; None when no rounding separates.
    """
    size = float(np.abs(prices).max())
    if not 0 < size < np.inf:
        return None
    for bits in _ROUNDINGS[1:5]:
        whole = np.rint(prices.T / size * 2.0**bits).astype(np.int64)
        low, high = int(whole.min()), int(whole.max())
        if low == high:
            continue
        gain = Mat.over(high - low, (whole - low).tolist())
        if uniform_vulnerability(gain, b) > uniform_vulnerability(gain, a):
            return gain
    return None


def float_gain(a: Mat, b: Mat, prices: Any, rounding: float) -> Mat | None:
    """The same for float channels: None unless the gap is more than rounding can explain."""
    low, high = float(prices.min()), float(prices.max())
    if not 0 < high - low < np.inf:
        return None
    gain = Mat((prices.T - low) / (high - low))
    gap = float(uniform_vulnerability(gain, b)) - float(uniform_vulnerability(gain, a))
    error = 4 * (a.shape[0] * ULP + rounding)  # both vulnerabilities lie in [0, 1]
    return gain if gap > error else None


def rounding_of(*matrices: Mat) -> float:
    """How far, relatively, entries may be off: a few units in the last place, or what row sums show."""
    off = max(float(np.abs(m.entries.sum(axis=1) - 1).max()) for m in matrices)
    return max(ROUNDING, 2 * off)


def residual(a: Mat, b: Mat, r: Mat) -> float:
    """max |A·R − B|, rounded up for exact matrices."""
    if not a.exact:
        return float(np.abs(a.entries @ r.entries - b.entries).max())
    product = a @ r
    gaps = np.abs(product.entries * b.den - b.entries * product.den)
    return float_up(Fraction(int(gaps.max()), product.den * b.den))
