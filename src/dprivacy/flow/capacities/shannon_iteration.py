"""Shannon capacity by Blahut and Arimoto's iteration, between certified bounds."""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber
from dprivacy.model import Answer, Dist, as_channel, plain
from dprivacy.numbers import Floats, Frozen
from dprivacy.typing import ChannelLike

_FIRST_POLISH = 16  # updates before Newton's method is tried, and a quarter of the secrets
_VANISHED = 1e-6  # the share of the likeliest secret below which one is not in use
_RETURN = 1e-3  # what a secret that comes back starts with
_MOST_RETURNS, _MOST_STEPS = 8, 20
_SETTLED = 1e-12


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
       again. After some updates, and again after twice as many, Newton's method looks for the prior
       on the secrets that are in use. The bounds of step 3 hold for any p, so that nothing is at risk.

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
    matrix = channel.matrix.floats
    occurs = np.logical_or.reduce(matrix, axis=0)
    matrix = matrix if occurs.all() else matrix[:, occurs]
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
    logs = np.empty(matrix.shape[1])
    lower, upper, gap = 0.0, math.inf, math.inf
    best, at_best, top_best = p, own, 0.0
    step, longest, idle, iterations = 1.0, 1e4, 0, 0
    polish = _FIRST_POLISH + len(matrix) // 4
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        while iterations < most:
            if iterations == polish:
                polish *= 2
                found = _on_support(matrix, own, best)
                if found is not None and found[2] - found[1] <= stop:
                    return found[1], min(found[2], upper), found[0], iterations
            iterations += 1
            p.dot(matrix, out=logs)
            np.log(logs, out=logs)
            D = own - matrix.dot(logs)
            top = float(np.maximum.reduce(D))
            if not top < math.inf:  # an output has all but vanished: 0 times its logarithm is 0
                logs[np.isneginf(logs)] = -1e300
                D = own - matrix.dot(logs)
                top = float(D.max())
            reached = float(p.dot(D))
            upper = min(upper, top)
            if reached < lower - 1e-15 and step > 1:  # too long a step: a shorter one from the best
                step = max(1.0, step / 4)
            else:
                lower, best, at_best, top_best = max(lower, reached), p, D, top
                if upper - lower <= stop:
                    break
                if upper - lower < gap:
                    gap, idle, longest = upper - lower, 0, min(longest * 1.05, 1e4)
                else:
                    idle += 1
                if idle > 20:  # to and fro around the optimum
                    longest, idle = max(1.0, min(longest, step) / 2), 0
                step = min(step * 1.3, longest)
            p = at_best - top_best
            p *= step
            np.exp(p, out=p)
            p *= best
            p /= np.add.reduce(p)
    return lower, upper, best, iterations


def _on_support(matrix: Floats, own: Floats, p: Floats) -> tuple[Floats, float, float] | None:
    """Newton's method for D_x = the same on all x in use, Σ p = 1: a prior and its two bounds.

    A secret whose probability would become negative is left out; one that is left out although its D
    is the largest comes back. None where that leads nowhere.
    """
    used = np.flatnonzero(p > _VANISHED * p.max())
    share = p[used] / p[used].sum()
    for _ in range(_MOST_RETURNS):
        found = _newton(matrix, own, used, share)
        if found is None:
            return None
        used, share = found
        output = share.dot(matrix[used])
        if not output.min() > 0:
            return None
        D = own - matrix.dot(np.log(output))
        lower, upper = float(share.dot(D[used])), float(D.max())
        worst = int(D.argmax())
        if worst in used or upper - lower < _SETTLED:
            whole = np.zeros(len(matrix))
            whole[used] = share
            return whole, lower, upper
        used = np.append(used, worst)
        share = np.append(share * (1 - _RETURN), _RETURN)
    return None


def _newton(
    matrix: Floats, own: Floats, used: NDArray[np.intp], share: Floats
) -> tuple[NDArray[np.intp], Floats] | None:
    """The steps: −H·δ + D = λ on the secrets in use, Σ δ = 0, with H = C·diag(1/q)·Cᵀ."""
    for _ in range(_MOST_STEPS + len(used)):
        rows, n = matrix[used], len(used)
        output = share.dot(rows)
        if not output.min() > 0:
            return None
        D = own[used] - rows.dot(np.log(output))
        system = np.ones((n + 1, n + 1))
        system[n, n] = 0.0
        system[:n, :n] = (rows / output).dot(rows.T)
        try:
            change = np.linalg.solve(system, np.append(D, 0.0))[:n]
        except np.linalg.LinAlgError:
            return None
        falling = change < 0
        room = np.where(falling, -share / np.where(falling, change, 1.0), math.inf)
        first = int(room.argmin())
        if room[first] <= 1.0:
            share = share + room[first] * change
            used, share = np.delete(used, first), np.delete(share, first)
            share = np.maximum(share, 0.0) / share.sum()
            if not len(used):
                return None
            continue
        share = share + change
        if np.abs(change).max() < _SETTLED:
            return used, share / share.sum()
    return None
