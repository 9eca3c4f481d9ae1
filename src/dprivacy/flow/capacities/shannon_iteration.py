"""Shannon capacity by Blahut and Arimoto's iteration, between certified bounds."""

import math
from typing import Any, ClassVar

import numpy as np

from dprivacy.errors import BadNumber
from dprivacy.model import Answer, Dist, as_channel, plain
from dprivacy.numbers import Floats, Frozen
from dprivacy.typing import ChannelLike


class ShannonCapacity(Frozen, Answer, float):
    """The capacity in bits, a float that carries the bounds between which the true value lies.

    Attributes
    ----------
    lower, upper
        Bounds in bits, widened by what rounding may have cost.
    prior
        A distribution whose mutual information reaches the lower bound.
    iterations
        How many updates it took.

    Examples
    --------
    >>> found = shannon_capacity([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> found.lower <= found <= found.upper, round(found, 6)
    (True, 0.188722)
    """

    lower: float
    upper: float
    prior: Dist
    iterations: int

    def __new__(  # noqa: D102
        cls, lower: float, upper: float, prior: Dist, iterations: int
    ) -> "ShannonCapacity":
        value = super().__new__(cls, (lower + upper) / 2 if math.isfinite(upper) else lower)
        value._set(lower=lower, upper=upper, prior=prior, iterations=iterations)
        return value

    def __init__(self, *_: Any) -> None:
        """Everything is set when it is made, as for every float."""

    exact: ClassVar = False  # it is a float between bounds

    def explain(self) -> str:
        """The capacity in words."""
        return (
            f"The Shannon capacity lies between {self.lower:.9g} and {self.upper:.9g} bits a use "
            f"({self.iterations} updates). The lower bound is reached by the prior {self.prior}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The capacity as plain data."""
        return {
            "bits": float(self),
            "lower": self.lower,
            "upper": plain(self.upper),
            "prior": self.prior.to_dict(),
            "iterations": self.iterations,
            "exact": self.exact,
        }


def shannon_capacity(
    C: ChannelLike, *, tolerance: float = 1e-9, max_iterations: int = 100_000
) -> ShannonCapacity:
    """The Shannon capacity max_π I(X; Y), in bits.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads. The answer is in doubles.
    tolerance
        Stop when the bounds are this close, in bits.
    max_iterations
        Stop anyway after this many updates; the bounds hold at every step.

    Notes
    -----
    1. Start from the uniform prior p.
    2. With q = p·C, D_x = Σ_y C[x,y]·ln(C[x,y]/q_y) is the divergence of row x from the output.
    3. Σ_x p_x·D_x ≤ capacity ≤ max_x D_x, whatever p is.
    4. p_x becomes p_x·e^(s·D_x), divided by the sum; O(n·m) a step.
    5. While that helps, s grows; when the lower bound falls, it shrinks and the best prior is taken up
       again. The bounds of step 3 hold for any p, so that nothing is at risk.

    Examples
    --------
    >>> round(shannon_capacity([["1/2", "1/2"], [0, 1]]), 6)
    0.321928
    """
    if not tolerance > 0 or max_iterations < 1:
        raise BadNumber(
            f"tolerance and max_iterations should be greater than 0, not {tolerance} and "
            f"{max_iterations}"
        )
    channel = as_channel(C)
    matrix = channel.reduced().matrix.floats
    n, m = matrix.shape
    positive = matrix > 0
    own = np.where(positive, matrix * np.log(np.where(positive, matrix, 1.0)), 0.0).sum(axis=1)
    bits = math.log(2)
    lower, upper, best, iterations = _climb(matrix, own, tolerance * bits, max_iterations)
    slack = (n + m) * 2.0**-50 * (1 + abs(float(own.min(initial=0.0))) + math.log(max(n, 2)))
    prior = Dist(channel.rows, (best / best.sum()).tolist())
    return ShannonCapacity(
        max(lower - slack, 0.0) / bits, (upper + slack) / bits, prior, iterations
    )


def _climb(matrix: Floats, own: Floats, stop: float, most: int) -> tuple[float, float, Floats, int]:
    """The iteration, in nats: lower and upper bound, the best prior, and how many steps."""
    p = np.full(len(matrix), 1.0 / len(matrix))
    lower, upper, gap = 0.0, math.inf, math.inf
    best, at_best = p, own
    step, longest, idle, iterations = 1.0, 1e4, 0, 0
    while iterations < most:
        iterations += 1
        with np.errstate(divide="ignore"):
            logs = np.log(p @ matrix)
        D = own - (np.where(np.isfinite(logs), logs, -1e300) * matrix).sum(axis=1)
        reached = float(p @ D)
        upper = min(upper, float(D.max()))
        if reached < lower - 1e-15 and step > 1:  # too long a step: a shorter one from the best
            step = max(1.0, step / 4)
        else:
            lower, best, at_best = max(lower, reached), p, D
            if upper - lower <= stop:
                break
            if upper - lower < gap:
                gap, idle, longest = upper - lower, 0, min(longest * 1.05, 1e4)
            else:
                idle += 1
            if idle > 20:  # to and fro around the optimum
                longest, idle = max(1.0, min(longest, step) / 2), 0
            step = min(step * 1.3, longest)
        with np.errstate(under="ignore"):
            p = best * np.exp(step * (at_best - at_best.max()))
        p = p / p.sum()
    return lower, upper, best, iterations
