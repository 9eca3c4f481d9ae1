"""From a float channel to integers that are proved private.

The engines work at a level a little below ε, so that their columns have room for rounding. What they
return is made private in floats first, by raising what is too small, and its rows are closed by a
private column; then it becomes integers, and every constraint is checked on those.
"""

import math
from collections.abc import Callable

import numpy as np

from dprivacy.design.engines.upper_envelope import upper_envelope
from dprivacy.design.problems.design_problem import Problem
from dprivacy.errors import Uncertified
from dprivacy.model import Channel
from dprivacy.numbers import Floats, Mat
from dprivacy.verify import PrivacyVerdict, bits_for, privacy

EVERYTHING = -1
_SHARES = (0, 60, 52, 44, 36, 28, 20)  # −log₂ of what may be redistributed; 0 stands for nothing
# Where ε·d is tiny, the rows of a good channel are almost the same, and it takes more to drown the
# rounding of doubles; in the end there is one row for all.
_TINY, _LARGE_SHARES = 1e-6, (12, 4, EVERYTHING)
_CLOSED = 1e-13  # rows that sum to 1 within this need no further column
_LOG2 = math.log(2.0)


def room(nearest: float) -> float:
    """By how much of itself ε is lowered in the engines: 2⁻³⁴, or more where distances are short."""
    return min(max(2.0**-34, 4e-12 / nearest), 2.0**-20) if nearest > 0 else 2.0**-20


def logarithms(channel: Floats, scaled: Floats, costs: Floats) -> Floats:
    """A channel that is private for `scaled` up to rounding, near a given one: ln of its entries.

    Notes
    -----
    1. The upper envelope ln z'[x] = max over x' of ln z[x'] − ε·d(x, x') is private, and raises only
       what was too small; logarithms keep the relative precision of the smallest entries.
    2. Its rows, scaled to sums s ≤ 1, are filled up: with a factor α a little below 1 the column
       1 − α·s is private too, and goes to the output where it costs least.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(channel, 0.0))
    raised = upper_envelope(logs, scaled)
    sums = np.exp(raised).sum(axis=1)
    raised -= math.log(sums.max())
    sums /= sums.max()
    if np.ptp(sums) > _CLOSED:
        loose = _loose(sums, scaled)
        column = 1.0 - (1.0 - loose) * sums
        y = int(np.argmin(column @ costs))
        raised += math.log1p(-loose)
        raised[:, y] = np.logaddexp(raised[:, y], np.log(column))
    return raised


def _loose(sums: Floats, scaled: Floats) -> float:
    """1 − α for which 1 − α·sums is a private column, with room: twice what is needed, if small."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        fall = np.exp(-scaled)
        most = -np.expm1(-scaled) / (sums[None, :] - fall * sums[:, None])
    most = most[(scaled > 0) & np.isfinite(most) & (most > 0)]
    least = float(most.min(initial=1.0))
    return min(2.0 * (1.0 - least) + 1e-12, 1.0 - least / 2)


def integers(logs: Floats, bits: int, share: int) -> Mat:
    """The channel as integers over 2^bits, each row closed exactly.

    With `share` = k > 0 the part 2⁻ᵏ of every row goes to the average output: a constant column is
    private for every ε, so that every constraint gets looser. With EVERYTHING all rows are the average.
    """
    possible = np.isfinite(logs)
    power = np.where(possible, logs, 0.0) / _LOG2
    whole = np.floor(power)
    digits = np.where(possible, np.exp2(power - whole) * 2.0**53, 0.0)
    lift = whole.astype(np.int64) + bits - 53
    rows = [
        [v << up if up >= 0 else v >> -up for v, up in zip(*line, strict=True)]
        for line in zip(digits.astype(np.int64).tolist(), lift.tolist(), strict=True)
    ]
    total = 1 << bits
    closed = [_closed(row, total) for row in rows]
    if share:
        sums = [sum(column) for column in zip(*closed, strict=True)]
        if share == EVERYTHING:
            return Mat.over(total, [_closed(sums, total)] * len(closed))
        mean = _closed(sums, total >> share)
        closed = [
            _closed([v - (v >> share) + extra for v, extra in zip(row, mean, strict=True)], total)
            for row in closed
        ]
    return Mat.over(total, closed)


def _closed(row: list[int], total: int) -> list[int]:
    """Integers in the same proportions that sum to the total; what is left goes to the largest."""
    have = sum(row)
    scaled = [v * total // have for v in row]
    scaled[row.index(max(row))] += total - sum(scaled)
    return scaled


def proved(problem: Problem, matrix: Callable[[int, int], Mat]) -> tuple[Channel, PrivacyVerdict]:
    """A channel given as matrix(bits, share), and the proof that it is private; the share grows.

    Parameters
    ----------
    problem
        What the channel was made for.
    matrix
        Given a number of bits and a share as in `integers`, the exact matrix.

    Raises
    ------
    Uncertified
        When the channel is further from private than rounding explains.
    """
    bits = bits_for(problem.space, problem.eps)
    apart = problem.space.distances.floats
    tiny = float(problem.eps) * apart.max(where=apart < np.inf, initial=0.0) < _TINY
    for share in (*_SHARES, *_LARGE_SHARES) if tiny else _SHARES:
        channel = Channel(problem.space.labels, problem.outputs, matrix(bits, share))
        verdict = privacy(channel, problem.space, eps=problem.eps)
        if verdict:
            return channel, verdict
    raise Uncertified(
        f"no rounding of the channel that was found is private ({problem.words()}); ask for another ε, "
        "and please report this"
    )
