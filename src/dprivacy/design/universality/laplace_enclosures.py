"""What the Laplace and the geometric mechanism cost a consumer on 0, 1/N, …, 1: rigorous bounds."""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dprivacy.design.universality.consumer_preference import consumer
from dprivacy.flow import Loss
from dprivacy.mechanisms import whole
from dprivacy.model import Dist
from dprivacy.numbers import Factor, Level, as_eps, exp_bounds
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, quantised
from dprivacy.typing import LevelLike, LossLike, PriorLike

Bounds = tuple[Fraction, Fraction]
_BITS = 128
_HALF = Fraction(1, 2)


@result("T", "Def 7.4.1")
def laplace_loss(N: int, *, eps: LevelLike, prior: PriorLike = None, loss: LossLike) -> Bounds:
    """U_ℓ[π ▷ L]: the expected loss under the truncated Laplace mechanism with inputs 0, 1/N, …, 1.

    ∫ min_w Σ_x π_x·ℓ(w, x)·L(x)(y) dy, with the atoms of L at 0 and 1.

    Parameters
    ----------
    N
        Steps of the input.
    eps
        The level of privacy per unit of distance (the whole interval).
    prior
        An exact distribution on 0, 1/N, …, 1, or weights in their order; uniform when omitted.
    loss
        An exact loss on them: "metric", "bayes", a table, or a function of action and secret (its
        actions are these points).

    Returns
    -------
    tuple of two Fractions
        Lower and upper bound, equal where the loss is rational and found exactly.

    Notes
    -----
    1. Between two neighbours k/N and (k+1)/N put u = e^(ε·(y − k/N)). Action w then costs
       (A_w/u² + B_w)/2 per unit of u, where A_w and B_w gather the secrets on the left and the right.
    2. Times u² these are lines in s = u², whose lower envelope is found exactly. Its corners are
       rational in s, so that u is a square root.
    3. A square root that is not rational is rounded down. Changing the action a little too early costs
       at most |ΔA|·δ²/2 for an error δ, which is what separates the two bounds.
    4. If e^(ε/N) is not rational, A, B and the length of the interval rise with e^(−ε/N) and its
       reciprocal, and both ends of enclosures are used.

    Examples
    --------
    >>> low, high = laplace_loss(2, eps="4 ln 2", loss=lambda w, x: abs(w - x))
    >>> low <= high, round(float(low), 6)
    (True, 0.186339)
    """
    setting = Setting.of(N, eps, prior, loss)
    low, high = setting.powers
    found = [
        _laplace(setting.weighted, powers, 1 / opposite[1])
        for powers, opposite in ((low, high), (high, low))
    ]
    return found[0][0] + setting.shift, found[1][1] + setting.shift


@result("T", "Lem 7.6")
def geometric_loss(N: int, *, eps: LevelLike, prior: PriorLike = None, loss: LossLike) -> Bounds:
    """U_ℓ[π ▷ G_N]: the expected loss under the truncated geometric mechanism on 0, 1/N, …, 1.

    For losses that are ordered along the line (monotonic ones are) no ε·d-private mechanism on these
    points costs less.

    Parameters
    ----------
    N, eps, prior, loss
        As for `laplace_loss`.

    Returns
    -------
    tuple of two Fractions
        Lower and upper bound; equal where e^(ε/N) is rational.

    Examples
    --------
    >>> print(*geometric_loss(2, eps="4 ln 2", loss=lambda w, x: int(w != x)))
    4/15 4/15
    """
    setting = Setting.of(N, eps, prior, loss)
    low, high = setting.powers
    least = _geometric(setting.weighted, low, high[1])
    most = least if low[1] == high[1] else _geometric(setting.weighted, high, low[1])
    return least + setting.shift, most + setting.shift


@dataclass(frozen=True)
class Setting:
    """A consumer on 0, 1/N, …, 1, and bounds of 1, e^(−ε/N), …, e^(−ε)."""

    space: FiniteSpace
    eps: Level
    prior: Dist
    loss: Loss
    powers: tuple[list[Fraction], list[Fraction]]

    @classmethod
    def of(cls, N: int, eps: LevelLike, prior: PriorLike, loss: LossLike) -> "Setting":
        """Read a number of steps, a level, a prior and a loss."""
        N, level = whole(N, "steps"), as_eps(eps)
        space = quantised(0, 1, Fraction(1, N))
        belief, table = consumer(space, prior, loss)
        low, high = zip(*(decay(level, Fraction(k, N)) for k in range(N + 1)), strict=True)
        return cls(space, level, belief, table, (list(low), list(high)))

    @cached_property
    def shift(self) -> Fraction:
        """The smallest entry of the loss if that is negative, else 0."""
        return min(Fraction(0), *(Fraction(v) for row in self.loss.matrix.rows() for v in row))

    @cached_property
    def weighted(self) -> list[list[Fraction]]:
        """π_x·(ℓ(w, x) − shift), one row an action."""
        chances, shift = [Fraction(p) for p in self.prior.weights], self.shift
        return [
            [p * (Fraction(v) - shift) for p, v in zip(chances, row, strict=True)]
            for row in self.loss.matrix.rows()
        ]


def decay(eps: Level, distance: Fraction) -> Bounds:
    """e^(−ε·d), exact where it is rational."""
    level = -eps * distance
    exact = Factor(level).exact
    if exact is not None:
        return exact, exact
    return exp_bounds(*level.bounds(2 * _BITS), 2 * _BITS)


def _geometric(
    weighted: list[list[Fraction]], powers: list[Fraction], opposite: Fraction
) -> Fraction:
    """The loss under the geometric; its weights of columns fall as e^(−ε/N) rises."""
    n = len(powers)
    rows, falls, den = _over_one(weighted, powers)
    total = Fraction(0)
    for k in range(n):
        share = (1 if k in (0, n - 1) else 1 - opposite) / (1 + opposite)
        column = [falls[abs(i - k)] for i in range(n)]
        total += share * Fraction(min(_dot(row, column) for row in rows), den)
    return total


def _laplace(weighted: list[list[Fraction]], powers: list[Fraction], top: Fraction) -> Bounds:
    """The loss under the Laplace: its two atoms, and what lies between neighbours."""
    n = len(powers)
    rows, falls, den = _over_one(weighted, powers)
    ends = sum(min(_dot(row, column) for row in rows) for column in (falls, falls[::-1]))
    low = high = _HALF * Fraction(ends, den)
    for k in range(n - 1):
        left = [Fraction(_dot(row[: k + 1], falls[k::-1]), den) for row in rows]
        right = [Fraction(_dot(row[k + 1 :], falls[1:]), den) for row in rows]
        a, b = segment(left, right, top)
        low, high = low + a, high + b
    return low, high


def segment(left: Sequence[Fraction], right: Sequence[Fraction], top: Fraction) -> Bounds:
    """½·∫ min_w (A_w/u² + B_w) du for u from 1 to `top`: the loss between two neighbours."""
    lines = list(zip(right, left, strict=True))
    slope, start = min(lines, key=lambda line: (line[0] + line[1], line[0]))
    s, u = Fraction(1), Fraction(1)
    total = slack = Fraction(0)
    while True:
        turns = [((a - start) / (slope - b), b, a) for b, a in lines if b < slope]
        turn = min((t for t in turns if t[0] >= s), default=None)
        if turn is None or turn[0] >= top * top:
            total += slope * (top - u) + start * (1 / u - 1 / top)
            return _HALF * (total - slack), _HALF * total
        s, b, a = turn
        at, error = _root(s)
        total += slope * (at - u) + start * (1 / u - 1 / at)
        slack += abs(a - start) * error * error
        slope, start, u = b, a, at


def _root(s: Fraction) -> tuple[Fraction, Fraction]:
    """The square root of s ≥ 1 rounded down, and how far off it may be."""
    above, below = math.isqrt(s.numerator), math.isqrt(s.denominator)
    if above * above == s.numerator and below * below == s.denominator:
        return Fraction(above, below), Fraction(0)
    scaled = (s.numerator << (2 * _BITS)) // s.denominator
    return Fraction(math.isqrt(scaled), 1 << _BITS), Fraction(1, 1 << _BITS)


def _over_one(
    weighted: list[list[Fraction]], powers: list[Fraction]
) -> tuple[list[list[int]], list[int], int]:
    """Rows and powers as whole numbers, and what the product of one of each is over."""
    (rows, first), ((falls,), second) = (_numerators(table) for table in (weighted, [powers]))
    return rows, falls, first * second


def _numerators(table: list[list[Fraction]]) -> tuple[list[list[int]], int]:
    den = math.lcm(*(value.denominator for row in table for value in row))
    return [[value.numerator * (den // value.denominator) for value in row] for row in table], den


def _dot(row: Sequence[int], powers: Sequence[int]) -> int:
    return sum(map(operator.mul, row, powers))
