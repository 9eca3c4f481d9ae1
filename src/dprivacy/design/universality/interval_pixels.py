"""From [0, 1] to 0, 1/N, …, 1 and back: what reading inputs in steps does to losses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dprivacy.design.universality.laplace_enclosures import (
    Bounds,
    decay,
    geometric_loss,
    laplace_loss,
)
from dprivacy.design.universality.ordered_losses import is_ordered
from dprivacy.errors import BadNumber
from dprivacy.flow import loss as losses
from dprivacy.mechanisms import whole
from dprivacy.model import Answer, Dist, about
from dprivacy.numbers import Level, as_eps, read_number
from dprivacy.sources import result
from dprivacy.spaces import quantised
from dprivacy.typing import Label, LevelLike, NumberLike, Reward


@result("T", "Def 7.5.1", "Lem 7.4")
def gathered(cdf: Callable[[Fraction], NumberLike], N: int) -> Dist:
    """π_N: a continuous prior on [0, 1] with the chance of each step of 1/N moved to its left end.

    U_{ℓ_N}[π ▷ M_N] = U_ℓ[π_N ▷ M]: an N-step mechanism and loss on [0, 1] see nothing but this.

    Parameters
    ----------
    cdf
        The prior's distribution function, P(X ≤ x) for Fractions x; without jumps.
    N
        Steps.

    Returns
    -------
    Dist
        On 0, 1/N, …, 1, with nothing on 1; exact where the function gives exact values.

    Examples
    --------
    >>> print(*gathered(lambda x: x * x, 2).weights)
    1/4 3/4 0
    """
    N = whole(N, "steps")
    values = [read_number(cdf(Fraction(k, N)), f"the prior up to {k}/{N}") for k in range(N + 1)]
    if values[0] != 0 or values[-1] != 1 or any(b < a for a, b in pairwise(values)):
        raise BadNumber(
            "a distribution function without jumps should rise from 0 at 0 to 1 at 1; this one has the "
            f"values {', '.join(map(str, values[:6]))}{' …' if N > 5 else ''}"
        )
    chances = [b - a for a, b in pairwise(values)]
    return Dist(quantised(0, 1, Fraction(1, N)).labels, [*chances, chances[0] * 0])


@dataclass(frozen=True)
class IntervalLoss(Answer):
    """What the Laplace mechanism costs on all of [0, 1], from a computation in N steps.

    `laplace` bounds U_ℓ[π ▷ L] from both sides. `least` bounds the loss of *every* ε·d-private
    mechanism from below; it is None for a loss that is not ordered along the line.

    Examples
    --------
    >>> from dprivacy.design import laplace_on_interval
    >>> apart = lambda w, x: abs(w - x)
    >>> found = laplace_on_interval(lambda x: x, N=64, eps=1, kappa=1, loss=apart)
    >>> 0 < found.least <= found.laplace[1], float(found.regret) < 0.1
    (True, True)
    """

    N: int
    eps: Level
    kappa: Fraction
    laplace: Bounds
    least: Fraction | None

    @property
    def exact(self) -> bool:
        """Whether both bounds of the Laplace's loss are the same number."""
        return self.laplace[0] == self.laplace[1]

    @property
    def regret(self) -> Fraction | None:
        """At most how much the Laplace costs more than the best private mechanism."""
        return None if self.least is None else self.laplace[1] - self.least

    def explain(self) -> str:
        """The bounds in words."""
        low, high = (float(bound) for bound in self.laplace)
        text = (
            f"At ε = {about(self.eps)} the expected loss of the Laplace mechanism on [0, 1] lies "
            f"between {low:.6g} and {high:.6g} (computed in {self.N} steps)."
        )
        if self.least is None:
            return f"{text} The loss is not ordered, so other mechanisms are not compared."
        return f"{text} No private mechanism has a smaller one than {float(self.least):.6g}."

    def to_dict(self) -> dict[str, Any]:
        """The bounds as plain data."""
        return self._told("N", "eps", "kappa", "laplace", "least", "regret", "exact")


@result("T", "Thm 7.3", "Lem 7.5", "Lem 7.11", "Cor 7.12")
def laplace_on_interval(
    cdf: Callable[[Fraction], NumberLike],
    *,
    N: int,
    eps: LevelLike,
    kappa: NumberLike,
    loss: Reward,
    actions: Sequence[Label] | None = None,
) -> IntervalLoss:
    """Bounds of the Laplace's loss on [0, 1], and of any private mechanism's, which meet as N grows.

    Parameters
    ----------
    cdf
        The prior's distribution function, exact and without jumps.
    N
        Steps.
    eps
        The level of privacy per unit of distance.
    kappa
        A Lipschitz constant of the loss in the secret.
    loss
        A function of action and secret, at least 0, on [0, 1].
    actions
        The consumer's actions; 0, 1/N, …, 1 by default.

    Notes
    -----
    1. Reading inputs in steps changes every mechanism's chances by a factor of at most e^(ε/N), and
       so its loss (Lem 7.5); it changes the loss by at most κ/N.
    2. Read so, the geometric is best for ordered losses (Lem 7.6), and the Laplace costs at most
       κ/2·tanh(ε/(2N)) more (`laplace_against_geometric`).
    3. So the bounds close in on each other: the Laplace is optimal on [0, 1] (Thm 7.3).

    Examples
    --------
    >>> apart = lambda w, x: abs(w - x)
    >>> found = laplace_on_interval(lambda x: x, N=8, eps="8 ln 2", kappa=1, loss=apart)
    >>> found.least < found.laplace[1]
    True
    """
    N, level, slope = whole(N, "steps"), as_eps(eps), Fraction(read_number(kappa, "kappa"))
    points = quantised(0, 1, Fraction(1, N)).labels
    table = losses.function(points if actions is None else actions, points, loss)
    if any(value < 0 for row in table.matrix.rows() for value in row):
        least = min(value for row in table.matrix.rows() for value in row)
        raise BadNumber(
            f"the loss should be at least 0 everywhere, not {least}; add a constant to it"
        )
    prior = gathered(cdf, N)
    low, high = laplace_loss(N, eps=level, prior=prior, loss=table)
    shrink, slack = decay(level, Fraction(1, N))[0], slope / N
    bounds = max(Fraction(0), low * shrink - slack), high / shrink + slack
    if not is_ordered(table, points):
        return IntervalLoss(N, level, slope, bounds, None)
    best = geometric_loss(N, eps=level, prior=prior, loss=table)[0] * shrink - slack
    return IntervalLoss(N, level, slope, bounds, max(Fraction(0), best))
