"""Scores in rational numbers: closed forms applied exactly, and taken only if nothing is left over."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from dprivacy.model import Channel
from dprivacy.numbers import Mat

_FEW = 24  # inputs up to which a channel without a closed form is solved exactly in a moment


def exact_scores(
    channel: Channel, functions: Sequence[Sequence[Fraction]]
) -> list[list[Fraction]] | None:
    """g with C·g = f, exactly, for each function; None where no closed form leaves a residual of 0.

    Notes
    -----
    The numbers of the closed form are read off the channel: a and b of a·I + 1·bᵀ, the ratios
    α = C[x, x+1]/C[x+1, x+1] along a line. C·g is then computed in integers. A channel whose entries
    were rounded, as those of e^(−ε) must be, leaves a residual of the size of that rounding, and its
    scores are taken in floats, with a bound of the residual.
    """
    n, m = channel.matrix.shape
    if n != m or n < 2 or not channel.exact:
        return None
    target = Mat.of([list(row) for row in zip(*functions, strict=True)])
    for form, may_be in ((_response, _may_be_response), (_line, _may_be_line)):
        if not may_be(channel.matrix.entries):
            continue
        scores = [form(channel.matrix, list(f)) for f in functions]
        if any(g is None for g in scores):
            continue
        found = Mat.of(zip(*(g for g in scores if g is not None), strict=True))
        left = channel.matrix @ found
        if left.den == target.den and (left.entries == target.entries).all():
            return [g for g in scores if g is not None]
    return None


def few_enough(channel: Channel) -> bool:
    """Whether a channel without a closed form is small enough to be solved in rationals."""
    return channel.matrix.shape[0] <= _FEW


def _may_be_response(entries: NDArray[Any]) -> bool:
    """Whether the first rows agree off the diagonal, which is soon seen not to be so."""
    return len(entries) < 3 or bool(
        entries[0, 1] == entries[2, 1] and entries[0, 2] == entries[1, 2]
    )


def _may_be_line(entries: NDArray[Any]) -> bool:
    """Whether two steps weigh the product of one and one, at the start and in the middle."""
    at = (0, (len(entries) - 3) // 2) if len(entries) > 2 else ()
    return all(
        entries[x, x + 2] * entries[x + 1, x + 1] == entries[x, x + 1] * entries[x + 1, x + 2]
        for x in at
    )


def _response(matrix: Mat, f: Sequence[Fraction]) -> list[Fraction] | None:
    """(f − b·f)/a."""
    drawn = [_entry(matrix, 1, 0), *(_entry(matrix, 0, y) for y in range(1, len(f)))]
    kept = _entry(matrix, 0, 0) - drawn[0]
    if kept == 0:
        return None
    base = sum((b * v for b, v in zip(drawn, f, strict=True)), Fraction(0))
    return [(v - base) / kept for v in f]


def _line(matrix: Mat, f: Sequence[Fraction]) -> list[Fraction] | None:
    """The tridiagonal inverse of α^|x−y| with a factor for each column, gaps equal or not."""
    n = len(f)
    sides = [Fraction(0)]
    for x in range(n - 1):
        below = _entry(matrix, x + 1, x + 1)
        ratio = _entry(matrix, x, x + 1) / below if below else Fraction(0)
        if not 0 < ratio < 1:
            return None
        sides.append(ratio)
    sides.append(Fraction(0))
    scores = []
    for y in range(n):
        left, right = sides[y], sides[y + 1]
        steep = 1 / (1 - left * left) + 1 / (1 - right * right) - 1
        value = steep * f[y]
        if y:
            value -= left / (1 - left * left) * f[y - 1]
        if y < n - 1:
            value -= right / (1 - right * right) * f[y + 1]
        scores.append(value * (1 + left) * (1 + right) / (1 - left * right))
    return scores


def _entry(matrix: Mat, x: int, y: int) -> Fraction:
    return Fraction(matrix.entries[x, y], matrix.den)
