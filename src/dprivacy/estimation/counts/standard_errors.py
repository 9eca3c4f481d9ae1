"""How far an estimated count may be off: variances, and the intervals made of them."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np

from dprivacy.errors import BadNumber, Malformed, NotInvertible, UnknownName
from dprivacy.estimation.operators.channel_operator import Dense, Operator
from dprivacy.numbers import Floats, read_number
from dprivacy.typing import NumberLike

Of = Literal["table", "population"]
Scale = Literal["counts", "proportions"]
OF, SCALES = get_args(Of), get_args(Scale)

EDGE = 1e-6  # a share below this, times the largest, counts as 0 for the standard errors


@dataclass(frozen=True)
class Spread:
    """The unconstrained estimates of the counts and their variances, for both questions.

    `table` asks for the true counts among these n people: only the noise errs. `population` asks for n
    times the shares in the population they were drawn from: drawing them errs too.
    """

    centres: tuple[Any, ...]
    table: tuple[Any, ...]
    population: tuple[Any, ...]

    def variances(self, of: Of) -> tuple[Any, ...]:
        """Of the counts."""
        UnknownName.require("of", of, OF)
        return self.table if of == "table" else self.population


def spread(centres: list[Any], squares: list[Any], n: Any) -> Spread:
    """Variances of inverted counts.

    With B = C⁻¹ and m the noisy counts, n̂ = m·B and

        Cov(n̂ | true counts n_x) = Bᵀ·diag(nC)·B − diag(n_x)
        Cov(n̂ | shares π_x)      = Bᵀ·diag(NπC)·B − N·π·πᵀ.

    Their diagonals are estimated without bias (the first exactly, the second up to 1/N) by
    Σ_y m_y·B_yx² − n̂_x and Σ_y m_y·B_yx² − n̂_x²/N. They differ by n̂_x(1 − n̂_x/N): drawing the people.
    Neither is let below what it cannot be: 0, and the first.

    Parameters
    ----------
    centres
        n̂_x.
    squares
        Σ_y m_y·B_yx².
    n
        N.
    """
    table = tuple(max(s - c, c * 0) for c, s in zip(centres, squares, strict=True))
    both = zip(centres, squares, table, strict=True)
    drawn = tuple(max(s - c * c / n, noise) for c, s, noise in both)
    return Spread(tuple(centres), table, drawn)


def around(operator: Operator, counts: Floats, p: Floats) -> tuple[list[float], list[float], bool]:
    """The unconstrained estimate near the distribution p, its squares, and whether all is known.

    Notes
    -----
    1. A square channel has one inverse.
    2. With more outputs, B = D⁻¹Cᵀ·M⁻¹ with D = diag(pC) and M = C·D⁻¹Cᵀ, the Fisher information of one
       answer. At an interior maximum m·B is that maximum itself, and the variances are those of the
       delta method.
    3. Where M is singular, a count is known only if its unit vector is among the rows' combinations;
       the others have infinite variance.
    """
    if not isinstance(operator, Dense):
        return (
            operator.inverted(counts).tolist(),
            operator.inverted_squares(counts).tolist(),
            True,
        )
    if operator.inputs == operator.outputs:
        try:
            centres = operator.inverted(counts)
            return centres.tolist(), operator.inverted_squares(counts).tolist(), True
        except NotInvertible:
            pass
    matrix = operator.floats
    r = p @ matrix
    weighted = np.divide(matrix, r, out=np.zeros_like(matrix), where=r > 0)
    inverse = (np.linalg.pinv(weighted @ matrix.T, rcond=1e-11, hermitian=True) @ weighted).T
    unknown = np.abs(matrix @ inverse - np.eye(len(p))).max(axis=0) > 1e-6
    centres, squares = counts @ inverse, counts @ inverse**2
    centres[unknown] = p[unknown] * counts.sum()
    squares[unknown] = np.inf
    return centres.tolist(), squares.tolist(), not unknown.any()


def read_chance(value: NumberLike, what: str = "confidence") -> float:
    """A number between 0 and 1, neither of them."""
    try:
        number = float(read_number(value, what))
    except Malformed:
        number = math.nan
    if not 0 < number < 1:
        raise BadNumber(f"{what} should be a number between 0 and 1, such as 0.95, not {value!r}")
    return number


def quantile(confidence: float) -> float:
    """z with P(|N(0,1)| ≤ z) = confidence."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def interval(
    centre: Any, variance: Any, confidence: float, within: tuple[float, Any] | None, point: Any
) -> tuple[float, float]:
    """centre ± z·√variance, cut to a range and never without the point estimate."""
    reach = quantile(confidence) * math.sqrt(float(variance))
    low, high = float(centre) - reach, float(centre) + reach
    if within is not None:
        bottom, top = float(within[0]), float(within[1])
        low, high = min(max(low, bottom), top), max(min(high, top), bottom)
    return min(low, float(point)), max(high, float(point))
