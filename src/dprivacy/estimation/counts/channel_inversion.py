"""Inverting the channel: unbiased estimates, exact where the channel is, and their projection."""

from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import NotInvertible
from dprivacy.estimation.counts.observed_counts import Observed
from dprivacy.estimation.operators.channel_operator import not_invertible
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.numbers import Floats, Mat, rank, solve
from dprivacy.sources import result

_MOST_EXACT = 300  # inputs up to which inverting in rationals is a matter of seconds


def inverse_matrix(matrix: Mat) -> Mat:
    """B with C·B = I and rows that sum to 1, exactly; see `left_inverse` for which one."""
    inputs = matrix.shape[0]
    return inverse_times(
        matrix, Mat.of([[int(i == j) for j in range(inputs)] for i in range(inputs)])
    )


def inverse_times(matrix: Mat, right: Mat) -> Mat:
    """B·right for the inverse B of a channel, exactly; far quicker than B itself for few columns.

    Notes
    -----
    1. Square: solve C·X = right.
    2. More outputs than inputs: B = D⁻¹Cᵀ·(C·D⁻¹Cᵀ)⁻¹, D the average row (zero columns left out).
    """
    inputs, outputs = matrix.shape
    try:
        if inputs == outputs:
            return solve(matrix, right)
        if inputs > outputs:
            raise NotInvertible(f"{inputs} inputs are more than {outputs} outputs")
        sums = [Fraction(sum(column), matrix.den) for column in matrix.entries.T.tolist()]
        weights = [inputs / total if total else Fraction(0) for total in sums]
        weighted = Mat.of(
            [[Fraction(v) * w for v, w in zip(row, weights, strict=True)] for row in matrix.rows()]
        )
        return weighted.transposed @ solve(weighted @ matrix.transposed, right)
    except NotInvertible:
        raise not_invertible(inputs, outputs, rank(matrix)) from None


@result("T", "§8.3.1")
def inverted_counts(known: Known, observed: Observed) -> tuple[list[Any], list[Any]]:
    """True counts n̂ = m·C⁻¹ and Σ_y m_y·(C⁻¹_yx)², exact or float.

    The second list is what both kinds of variance are made of. Exact for an exact channel and exact
    counts, up to a size at which rationals become slow.
    """
    channel = known.exact
    if channel is not None and observed.exact and len(known.rows) <= _MOST_EXACT:
        inverse = inverse_matrix(channel.matrix)
        counts = Mat.of([[Fraction(count) for count in observed.counts]])
        squared = Mat(inverse.entries**2, inverse.den**2)
        return (counts @ inverse).row(0), (counts @ squared).row(0)
    counts_ = observed.floats
    operator = known.operator
    return operator.inverted(counts_).tolist(), operator.inverted_squares(counts_).tolist()


def projected(v: Floats) -> Floats:
    """The distribution nearest to v in Euclidean distance: max(v − θ, 0) with θ such that it sums to 1.

    Notes
    -----
    1. Sort downwards.
    2. θ is (sum of the k largest − 1)/k for the largest k whose k-th value stays above it.
    """
    down = np.sort(v)[::-1]
    excess = np.cumsum(down) - 1
    size = np.arange(1, len(v) + 1)
    k = int(np.flatnonzero(down * size > excess)[-1])
    return np.asarray(np.maximum(v - excess[k] / size[k], 0.0))


def projected_exactly(v: list[Fraction]) -> list[Fraction]:
    """The same in rationals."""
    down = sorted(v, reverse=True)
    total, shift = Fraction(0), Fraction(0)
    for k, value in enumerate(down, start=1):
        total += value
        if value * k > total - 1:
            shift = (total - 1) / k
    return [max(value - shift, Fraction(0)) for value in v]
