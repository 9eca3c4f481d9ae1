"""Channels with linearly independent columns: A·R = B has at most one solution, so solving decides.

This holds for every square invertible channel (truncated geometric, randomised response, exponential)
and settles the average and the max case at once: R is the only candidate, and a negative entry of R
is a posterior of B outside the convex hull of A's.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dprivacy.numbers import Mat, from_flint, to_flint
from dprivacy.refine.deciding.ball_systems import Enclosed, pivots
from dprivacy.refine.deciding.channel_pairs import integer_rows
from dprivacy.refine.deciding.separating_gains import Bet, exact_bet, residual
from dprivacy.sources import result

_LIFTED = 12_000  # secrets × bits of an entry up to which R is written out whatever its digits
_READ = 60_000  # and up to which a second look is taken for simple rationals
_MOST_BITS = 1 << 14
_CLEARLY = 1e-9


@dataclass(frozen=True)
class Finding:
    """What a method found out about A ⊑ B on reduced matrices.

    `r` is a post-processing with max |A·R − B| = `residual`; `bet` or `gain` is an adversary who
    prefers B.
    """

    holds: bool | None
    r: Mat | None = None
    residual: float = 0.0
    bet: Bet | None = None
    gain: Mat | None = None


@result("T", "Lem 2.6")
def by_inversion(a: Mat, b: Mat) -> Finding | None:
    """Decide A ⊑ B exactly where A has independent columns; None where it has not.

    Notes
    -----
    1. As many independent rows as A has columns make a square system; R is its solution. Its rows
       sum to 1 by themselves, because A·1 = 1 = B·1. Where doubles show a clearly negative entry, the
       bet behind it is checked exactly at once.
    2. R is enclosed in balls of growing precision. A ball below 0, or a left-out row that R does not
       satisfy, refutes: the row of the inverse behind it is a bet that pays under B only.
    3. Otherwise R is read as simple rationals and put into A·R = B; failing that, it is solved for in
       full.
    4. Where R has too many digits to be written out (a hundred secrets with entries of 270 bits give
       27,000 bits an entry) and all its balls lie above 0, the claim is proved, and R is given
       rounded to a stochastic matrix with the residual that this leaves. If it may have zeros, such a
       large case is undecided.
    """
    n, m = a.shape
    if m > n:
        return None
    rows = pivots(a.transposed)
    if len(rows) < m:
        return None
    left, right = integer_rows(a.take(rows=rows), b.take(rows=rows))
    guess = _guessed(a, b, rows)
    if guess is not None:
        return guess
    size = max(int(m.entries.max()) for m in (left, right)).bit_length()
    bits = size + 64
    while True:
        found = Enclosed(left, right, bits)
        signs = found.signs()
        if signs is None:
            bits *= 2
            continue
        settled = _refuted(a, b, rows, found, signs)
        if settled is not None:
            return settled
        positive = n == m and all(sign == 1 for row in signs for sign in row)
        candidate = found.read()
        if candidate is not None and _solves(a, b, candidate):
            return _verdict(a, b, candidate)
        if not positive and n * size > _READ and bits > 4 * size:
            rounded = _rounded(found, bits // 2)
            return Finding(None, rounded, residual(a, b, rounded))
        if n * size <= _LIFTED or (not positive and bits >= _MOST_BITS):
            return _verdict(a, b, from_flint(to_flint(left).solve(to_flint(right))), rows=rows)
        if positive and (bits > 2 * size or n * size > _READ):
            rounded = _rounded(found, bits // 2)
            return Finding(True, rounded, residual(a, b, rounded))
        bits *= 2


def _guessed(a: Mat, b: Mat, rows: list[int]) -> Finding | None:
    """A refutation that doubles suggest and integers confirm."""
    left = a.floats[rows]
    try:
        r = np.linalg.solve(left, b.floats[rows])
        y, j = np.unravel_index(int(r.argmin()), r.shape)
        if not r[y, j] < -_CLEARLY:
            return None
        unit = np.zeros(len(rows))
        unit[y] = -1.0
        v = np.zeros(a.shape[0])
        v[rows] = np.linalg.solve(left.T, unit)
    except np.linalg.LinAlgError:
        return None
    bet = exact_bet(a, b, int(j), v.tolist()) if np.isfinite(v).all() else None
    return None if bet is None else Finding(False, bet=bet)


def _solves(a: Mat, b: Mat, r: Mat) -> bool:
    return a @ r == b


def _verdict(a: Mat, b: Mat, r: Mat, rows: list[int] | None = None) -> Finding:
    """The verdict on an exact solution of the square system."""
    negative = np.argwhere(r.entries < 0)
    if len(negative):
        worst = min(((r.entries[i, j], int(i), int(j)) for i, j in negative))
        bet = _bet_on_row(a, b, rows or list(range(a.shape[0])), worst[1], worst[2])
        return Finding(False, bet=bet)
    if rows is not None and not _solves(a, b, r):
        product = a @ r
        gaps = product.entries * b.den - b.entries * product.den
        i, j = (int(at) for at in np.argwhere(gaps != 0)[0])
        return Finding(False, bet=_bet_on_rest(a, b, rows, i, j))
    return Finding(True, r)


def _refuted(
    a: Mat, b: Mat, rows: list[int], found: Enclosed, signs: list[list[int | None]]
) -> Finding | None:
    negative = [(y, j) for y, row in enumerate(signs) for j, sign in enumerate(row) if sign == -1]
    if negative:
        y, j = min(negative, key=lambda at: found.balls[at[0]][at[1]].mid())
        return Finding(False, bet=_bet_on_row(a, b, rows, y, j))
    rest = [i for i in range(a.shape[0]) if i not in set(rows)]
    for i in rest:
        weights = [int(v) for v in a.entries[i]]
        for j in range(b.shape[1]):
            off = (
                sum(
                    (w * found.balls[y][j] for y, w in enumerate(weights) if w),
                    start=found.balls[0][j] * 0,
                )
                * b.den
                - int(b.entries[i, j]) * a.den
            )
            if off > 0 or off < 0:
                return Finding(False, bet=_bet_on_rest(a, b, rows, i, j))
    return None


def _bet_on_row(a: Mat, b: Mat, rows: list[int], y: int, j: int) -> Bet:
    """v with v·A = −e_y, so that v·B_j = −R[y, j] > 0 while no column of A has v·A_k > 0."""
    unit = Mat.of([[Fraction(int(k == y))] for k in range(len(rows))])
    return _proved_bet(a, b, rows, unit, j, {})


def _bet_on_rest(a: Mat, b: Mat, rows: list[int], i: int, j: int) -> Bet:
    """v = ±(c − e_i) with c·A_rows = A_i, so that v·A = 0 while v·B_j > 0."""
    right = Mat.of([[Fraction(v)] for v in a.row(i)])
    return _proved_bet(a, b, rows, right, j, {i: Fraction(-1)})


def _proved_bet(
    a: Mat, b: Mat, rows: list[int], right: Mat, j: int, extra: dict[int, Fraction]
) -> Bet:
    """The bet along ±v, where v solves v·A = right on `rows`, has `extra` elsewhere and v·B_j > 0."""
    left = a.take(rows=rows).transposed
    bits = 2 * max(a.den, b.den).bit_length() + 64
    while True:
        found = Enclosed(left, right, bits)
        if found.balls is not None:
            v = [Fraction(0)] * a.shape[0]
            for k, x in enumerate(rows):
                v[x] = found.middle(k, 0)
            v = [extra.get(x, value) for x, value in enumerate(v)]
            value = sum(w * int(c) for w, c in zip(v, b.entries[:, j], strict=True))
            bet = exact_bet(a, b, j, v if value > 0 else [-w for w in v])
            if bet is not None:
                return bet
        bits *= 2


def _rounded(found: Enclosed, bits: int) -> Mat:
    """The centres of the balls as integers over 2^bits whose rows sum to 1 exactly."""
    scale = 1 << bits
    rows = []
    for i in range(found.shape[0]):
        row = [max(0, math.floor(found.middle(i, j) * scale)) for j in range(found.shape[1])]
        row[row.index(max(row))] += scale - sum(row)
        rows.append(row)
    return Mat.over(scale, rows)
