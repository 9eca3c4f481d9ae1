"""Whether a release can say how its own answers go together, or is too noisy for that."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.estimation import Axes, Known, climb, redrawn_tables
from dprivacy.numbers import Floats

MOST_SPREAD = 0.1
MOST_SHIFT = 0.02
_DRAWS = 20
TOO_NOISY = "This release is too noisy to say how its answers go together."


@dataclass(frozen=True)
class OwnStatistics:
    """How far estimates of the joint distribution of some columns can be trusted.

    Attributes
    ----------
    spread
        √(T/n): the root of the noise variance of all estimated shares together; 0.1 at most.
    shift
        How far the rate in question moves on average when the estimate is taken for the truth, noise is
        drawn anew and everything is estimated again; 0.02 at most. None where the spread has decided.

    Examples
    --------
    >>> OwnStatistics(0.06, 0.001).trusted, OwnStatistics(45.0, None).trusted
    (True, False)
    """

    spread: float
    shift: float | None

    @property
    def trusted(self) -> bool:
        """Whether rates that rest on these statistics may be told."""
        return self.spread <= MOST_SPREAD and self.shift is not None and self.shift <= MOST_SHIFT

    def to_dict(self) -> dict[str, Any]:
        """Both numbers, and what follows, as plain data."""
        return {**vars(self), "trusted": self.trusted}

    def explain(self) -> str:
        """What speaks against it; empty where they may be told."""
        if self.trusted:
            return ""
        if self.shift is None:
            return (
                f"{TOO_NOISY} Noise alone moves the estimated shares of their combinations by "
                f"{self.spread:.2g} together (root mean square), and {MOST_SPREAD} is the most that "
                "such a figure can rest on."
            )
        return (
            f"{TOO_NOISY} Drawn again from its own estimates, it gives a figure that is "
            f"{100 * self.shift:.1f} percentage points away."
        )


def noise_total(matrix: Floats) -> float:
    """T: the noise variance of one person's corrected shares, summed over the values.

    All values are equally likely. Infinite where counts cannot be corrected.

    Examples
    --------
    >>> round(noise_total(np.array([[0.75, 0.25], [0.25, 0.75]])), 9)
    1.5
    """
    inverse = np.linalg.pinv(matrix)
    if not np.allclose(matrix @ inverse, np.eye(len(matrix)), atol=1e-8):
        return math.inf
    return float(matrix.mean(axis=0) @ (inverse**2).sum(axis=1)) - 1


def own_statistics(
    matrices: Sequence[Floats],
    shares: Floats,
    people: int,
    rate: Callable[[Floats], float],
) -> OwnStatistics:
    """Whether a rate may be found from the shares that a release lets one estimate.

    Parameters
    ----------
    matrices
        For every column the probabilities of its outputs, a row for each true value.
    shares, people
        The estimate, and from how many rows it is.
    rate
        The figure in question, as a function of such shares.

    Notes
    -----
    1. For columns with noise totals T₁, T₂, … the joint table has Π(1 + T_c) − 1.
    2. Where that is small, a parametric bootstrap has the last word.
    """
    spread = math.sqrt((math.prod(1 + noise_total(matrix) for matrix in matrices) - 1) / people)
    if not spread <= MOST_SPREAD:
        return OwnStatistics(spread, None)
    operator = Axes([Known(matrix).operator for matrix in matrices])
    again = []
    for table in redrawn_tables(matrices, shares, n=people, draws=_DRAWS):
        found = climb(operator, table.ravel() / people, tolerance=1e-9, max_iterations=100_000)
        again.append(rate(found.p.reshape(shares.shape)))
    return OwnStatistics(spread, abs(float(np.mean(again)) - rate(shares)))
