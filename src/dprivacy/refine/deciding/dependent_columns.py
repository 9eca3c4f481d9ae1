"""Channels with dependent columns: a program in floats, and its answer made exact.

Refuting is easy: any gain function that prefers B, rounded, is checked in integers. Confirming needs an
exact R, and the float R is repaired: what is missing to A·R = B is tiny, and is made up on entries of
R that are not.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Floats, Mat, feasible, from_flint, to_flint
from dprivacy.refine.deciding.ball_systems import pivots
from dprivacy.refine.deciding.blend_interior import Blend, blended
from dprivacy.refine.deciding.channel_pairs import integer_rows
from dprivacy.refine.deciding.exact_repair import repaired_near
from dprivacy.refine.deciding.float_columns import stochastic
from dprivacy.refine.deciding.hull_membership import clearly_outside, solved_on
from dprivacy.refine.deciding.independent_columns import Finding
from dprivacy.refine.deciding.nearest_corner import nearest_corner
from dprivacy.refine.deciding.separating_gains import (
    exact_bet,
    exact_gain,
    float_gain,
    residual,
    uniform_vulnerability,
)
from dprivacy.sources import result

_SMALL = 12_000  # entries of the program up to which it is solved with exact certificates at once
_LARGE = 60_000  # and as a last resort
_USED = 1e-9
_COUPLED = 500  # entries of R that are solved for together


@result("T", "Def 2.3.2", "Lem 2.2")
def by_program(a: Mat, b: Mat) -> Finding:
    """Decide A ⊑ B exactly, whatever the columns of A.

    Notes
    -----
    1. Rows of A that depend on others bind B in the same way; if they do not, that is a refutation.
    2. A column of B outside the hull of A's columns is a refutation with a simple bet.
    3. A small program is solved with exact certificates. A larger one runs through the interior
       point: its prices refute, or its R is repaired.
    4. If neither can be made exact, a program of middling size goes to the exact solver; beyond that
       the answer is undecided, with how near the float R comes.
    """
    n, m = a.shape
    rows = pivots(a.transposed)
    if len(rows) < n:
        factors = _dependence(a, rows)
        broken = None if factors is None else _broken_dependence(a, b, rows, factors)
        if broken is not None:
            return broken
        if factors is None:  # dependent modulo the prime alone: every row counts
            rows = list(range(n))
    bet = clearly_outside(a, b)
    if bet is not None:
        return Finding(False, bet=bet)
    size = (len(rows) * b.shape[1] + m) * (m * b.shape[1])
    if size <= _SMALL:
        return _certified(a, b, rows)
    left, right = a.take(rows=rows), b.take(rows=rows)
    blend = blended(left.floats, right.floats)
    if blend is None:
        gain = exact_gain(a, b, _of_zeros(b))
        return _certified(a, b, rows) if gain is None else Finding(False, gain=gain)
    prices = np.zeros(b.shape)
    prices[rows] = blend.prices
    gain = exact_gain(a, b, prices) if blend.bound > 0 else None
    if gain is not None:
        return Finding(False, gain=gain)
    whole = integer_rows(left, right)
    repaired = repaired_near(*whole, blend.r) or _at_a_corner(a, b, whole)
    if repaired is not None:
        return repaired if isinstance(repaired, Finding) else Finding(True, repaired)
    if size <= _LARGE:
        return _certified(a, b, rows)
    clean = stochastic(blend.r)
    return Finding(None, clean, residual(Mat(a.floats), Mat(b.floats), clean))


def measured_program(a: Mat, b: Mat, rounding: float) -> Finding:
    """The same for float channels: measured, measured to fail, or undecided within rounding."""
    bet = clearly_outside(a, b, rounding)
    if bet is not None:
        return Finding(False, bet=bet)
    blend = blended(a.floats, b.floats)
    if blend is None:
        gain = float_gain(a, b, _of_zeros(b), rounding)
        return Finding(None if gain is None else False, gain=gain)
    gain = float_gain(a, b, blend.prices, rounding) if blend.bound > 0 else None
    if gain is not None:
        return Finding(False, gain=gain)
    clean = stochastic(blend.r)
    holds = True if _robust(a, b, blend, rounding) else None
    return Finding(holds, clean, residual(a, b, clean))


def _of_zeros(b: Mat) -> Floats:
    """The prices of the gain that asks for an output of B which the secret does not rule out.

    B never rules out its own output; some output of A cannot become any output of B without doing so.
    """
    return np.asarray(b.entries != 0, dtype=np.float64)


def _robust(a: Mat, b: Mat, blend: Blend, rounding: float) -> bool:
    """Whether R is so far from 0 that it can follow every change that rounding may have made."""
    sizes = np.linalg.svd(a.floats, compute_uv=False)
    if a.shape[0] > a.shape[1] or not sizes[-1] > 0:
        return False
    drift = rounding * float(np.linalg.norm(a.floats))
    r = blend.r / blend.r.sum(axis=1, keepdims=True)
    wrong = float(np.linalg.norm(a.floats @ r - b.floats))
    spread = rounding * float(np.linalg.norm(b.floats) + np.linalg.norm(a.floats @ np.abs(r)))
    return bool(drift < 0.5 * sizes[-1] and r.min() > 2 * (wrong + spread + rounding) / sizes[-1])


def _certified(a: Mat, b: Mat, rows: list[int]) -> Finding:
    """The program Σ_j R_kj = 1, A·R_j = B_j, with exact certificates."""
    left, right = a.take(rows=rows), b.take(rows=rows)
    n, m = left.shape
    k = b.shape[1]
    entries = np.zeros((m + k * n, m * k), dtype=object)
    for y in range(m):
        entries[y, y * k : (y + 1) * k] = left.den
        for j in range(k):
            entries[m + j * n : m + (j + 1) * n, y * k + j] = left.entries[:, y]
    bounds = [Fraction(1)] * m + [Fraction(right[x, j]) for j in range(k) for x in range(n)]
    outcome = feasible(Mat(entries, left.den), bounds)
    if outcome.status == "optimal":
        return Finding(True, Mat.of([outcome.x[y * k : (y + 1) * k] for y in range(m)]))
    gains = [[Fraction(0)] * a.shape[0] for _ in range(k)]
    for j in range(k):
        for i, x in enumerate(rows):
            gains[j][x] = outcome.y[m + j * n + i]
    short = exact_gain(a, b, np.array([[float(v) for v in row] for row in gains]).T)
    if short is not None:
        return Finding(False, gain=short)
    low, high = min(map(min, gains)), max(map(max, gains))
    gain = Mat.of([[(v - low) / (high - low) for v in row] for row in gains])
    assert uniform_vulnerability(gain, b) > uniform_vulnerability(gain, a)
    return Finding(False, gain=gain)


def _dependence(a: Mat, rows: list[int]) -> Any:
    """The factors with A_rest = factorsᵀ·A_rows; None where the other rows do not depend on these."""
    columns = pivots(a.take(rows=rows))
    square = to_flint(a.take(rows=rows, columns=columns))
    rest = to_flint(a.take(rows=_others(a, rows)))
    factors = square.transpose().solve(
        to_flint(a.take(rows=_others(a, rows), columns=columns)).transpose()
    )
    return factors if factors.transpose() * to_flint(a.take(rows=rows)) == rest else None


def _others(a: Mat, rows: list[int]) -> list[int]:
    return [i for i in range(a.shape[0]) if i not in set(rows)]


def _broken_dependence(a: Mat, b: Mat, rows: list[int], factors: Any) -> Finding | None:
    """A combination of rows that vanishes on A and not on B, as a bet; None when B keeps them all."""
    rest = _others(a, rows)
    off = from_flint(
        to_flint(b.take(rows=rest)) - factors.transpose() * to_flint(b.take(rows=rows))
    )
    found = np.argwhere(off.entries != 0)
    if not len(found):
        return None
    i, j = (int(at) for at in found[0])
    sign = 1 if off.entries[i, j] > 0 else -1
    v = [Fraction(0)] * a.shape[0]
    v[rest[i]] = Fraction(sign)
    for k, x in enumerate(rows):
        v[x] = -sign * Fraction(int(factors[k, i].p), int(factors[k, i].q))
    return Finding(False, bet=exact_bet(a, b, j, v))


def _at_a_corner(a: Mat, b: Mat, whole: tuple[Mat, Mat]) -> Finding | None:
    """The exact answer that a corner of the program suggests: R column by column, or its prices."""
    corner = nearest_corner(a.floats, b.floats)
    if corner is None:
        return None
    used = corner.r > _USED
    r = _column_by_column(whole, used) or _all_at_once(whole, used)
    if r is not None and a @ r == b and all(sum(row) == 1 for row in r.rows()):
        return Finding(True, r)
    gain = exact_gain(a, b, corner.prices)
    return None if gain is None else Finding(False, gain=gain)


def _column_by_column(whole: tuple[Mat, Mat], used: NDArray[np.bool_]) -> Mat | None:
    """R where each of its columns is settled by its own equations."""
    columns = []
    for j in range(used.shape[1]):
        column = solved_on(*whole, j, np.flatnonzero(used[:, j]).tolist())
        if column is None:
            return None
        columns.append([Fraction(value) for value in column])
    return Mat.of(list(zip(*columns, strict=True)))


def _all_at_once(whole: tuple[Mat, Mat], used: NDArray[np.bool_]) -> Mat | None:
    """R from all equations on the entries in use, where there are not too many."""
    a, b = whole
    (n, m), k = a.shape, b.shape[1]
    cells = [(int(y), int(j)) for y, j in np.argwhere(used)]
    if len(cells) > _COUPLED:
        return None
    table = np.zeros((n * k + m, len(cells) + 1), dtype=object)
    table[: n * k, -1] = b.entries.T.ravel()
    table[n * k :, -1] = 1
    for at, (y, j) in enumerate(cells):
        table[j * n : (j + 1) * n, at] = a.entries[:, y]
        table[n * k + y, at] = 1
    system = Mat(table)
    kept = pivots(system)
    if kept[-1] == len(cells):  # the right-hand side is not a combination of the columns
        return None
    rows = pivots(system.take(columns=kept).transposed)
    solution = to_flint(system.take(rows=rows, columns=kept)).solve(
        to_flint(system.take(rows=rows, columns=[len(cells)]))
    )
    r = [[Fraction(0)] * k for _ in range(m)]
    for i, at in enumerate(kept):
        y, j = cells[at]
        r[y][j] = Fraction(int(solution[i, 0].p), int(solution[i, 0].q))
        if r[y][j] < 0:
            return None
    return Mat.of(r)
