"""The Laplace against the geometric on 0, 1/N, …, 1: what it costs more, and why never less."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.design.universality.laplace_enclosures import (
    Bounds,
    Setting,
    decay,
    geometric_loss,
    laplace_loss,
)
from dprivacy.errors import Uncertified
from dprivacy.flow import Loss
from dprivacy.mechanisms import geometric_steps, pixelated_laplace, whole
from dprivacy.model import Answer, Channel, Dist, Verdict, about
from dprivacy.numbers import Level, Mat, as_eps, exp_bounds
from dprivacy.sources import result
from dprivacy.typing import LevelLike, LossLike, PriorLike

_BITS = 96


@dataclass(frozen=True)
class LossDifference(Answer):
    """What a consumer loses under the geometric and under the Laplace mechanism on 0, 1/N, …, 1.

    `geometric`, `laplace` and `difference` are lower and upper bounds, equal where exact. `kappa` is
    the Lipschitz constant of the loss. `theorem` is the source's bound cκ/N on the difference with
    c = 3ε²/(1 − e^(−ε))² (E12). `sharper` is the smaller of κ/2·tanh(ε/(2N)) ≤ κε/(4N) and
    κ/(3N)·(1 + 3λ)/(1 + λ) ≤ 2κ/(3N) with λ = e^(−ε/N). Both are rounded up where they are not
    rational.

    Examples
    --------
    >>> from dprivacy.design import laplace_against_geometric
    >>> found = laplace_against_geometric(2, eps="4 ln 2", loss=lambda w, x: int(w != x))
    >>> found.difference[0] <= found.difference[1] <= found.sharper
    True
    """

    N: int
    eps: Level
    prior: Dist
    loss: Loss
    kappa: Fraction
    geometric: Bounds
    laplace: Bounds
    theorem: Fraction
    sharper: Fraction

    @property
    def difference(self) -> Bounds:
        """How much more the Laplace costs."""
        return (
            max(Fraction(0), self.laplace[0] - self.geometric[1]),
            self.laplace[1] - self.geometric[0],
        )

    @property
    def exact(self) -> bool:
        """Whether both losses are known exactly."""
        return self.geometric[0] == self.geometric[1] and self.laplace[0] == self.laplace[1]

    def explain(self) -> str:
        """The comparison in words."""
        low, high = self.difference
        more = about(low) if low == high else f"{float(high):.6g}"
        return (
            f"On 0, 1/{self.N}, …, 1 at ε = {about(self.eps)} the expected loss is "
            f"{_shown(self.geometric)} with the geometric mechanism and {_shown(self.laplace)} with "
            f"the Laplace mechanism: {more} more.\n"
            f"For this {about(self.kappa)}-Lipschitz loss the difference is at most "
            f"{float(self.sharper):.6g} whatever the prior (the coarser bound cκ/N: "
            f"{float(self.theorem):.6g})."
        )

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return super().to_dict() | self._told("difference")


@result("T", "Thm 7.9", "Thm 7.10")
def laplace_against_geometric(
    N: int, *, eps: LevelLike, prior: PriorLike = None, loss: LossLike
) -> LossDifference:
    """U_ℓ[π ▷ L] − U_ℓ[π ▷ G_N] on 0, 1/N, …, 1, with the bounds that it cannot exceed.

    Parameters
    ----------
    N, eps, prior, loss
        As for `laplace_loss`.

    Notes
    -----
    Between k/N and (k+1)/N every posterior of the Laplace is a mixture of the geometric's posteriors of
    k and of k+1. These two agree given that the secret is at most k/N, and given that it is more; the
    odds of the two cases differ by the factor e^(2ε/N). So their Kantorovich distance is at most
    tanh(ε/(2N)), mixing moves them by half of that on average, and a κ-Lipschitz loss changes by at
    most κ/2·tanh(ε/(2N)) ≤ κε/(4N). Counting how far the mass has to move gives
    κ/(3N)·(1 + 3λ)/(1 + λ), which is less for large ε/N. Both hold for every prior, and are always
    below cκ/N.

    Examples
    --------
    >>> found = laplace_against_geometric(2, eps="4 ln 2", loss=lambda w, x: abs(w - x))
    >>> print(found.geometric[0], found.kappa, found.sharper)
    3/20 1 7/30
    """
    setting = Setting.of(N, eps, prior, loss)
    steps, table = len(setting.space) - 1, setting.loss.matrix.entries
    kappa = Fraction(int(abs(table[:, 1:] - table[:, :-1]).max()), setting.loss.matrix.den) * steps
    low, high = setting.powers[0][1], setting.powers[1][1]
    return LossDifference(
        steps,
        setting.eps,
        setting.prior,
        setting.loss,
        kappa,
        geometric_loss(steps, eps=setting.eps, prior=setting.prior, loss=setting.loss),
        laplace_loss(steps, eps=setting.eps, prior=setting.prior, loss=setting.loss),
        kappa * _constant(setting.eps) / steps,
        kappa * min((1 - low) / (1 + low) / 2, (1 + 3 * high) / (1 + high) / (3 * steps)),
    )


def _constant(eps: Level) -> Fraction:
    """c = 3ε²/(1 − e^(−ε))², rounded up."""
    low, high = eps.bounds(_BITS)
    return 3 * (high / (1 - exp_bounds(-low, -low, _BITS)[1])) ** 2


def _shown(bounds: Bounds) -> str:
    return about(bounds[0]) if bounds[0] == bounds[1] else f"{float(bounds[0]):.6g}"


@dataclass(frozen=True)
class LaplaceRefinement(Verdict):
    """G_N ⊑ ᵀL: the post-processing `R` that makes the Laplace, in T pixels, out of the geometric.

    Examples
    --------
    >>> from dprivacy.design import refined_by_laplace
    >>> found = refined_by_laplace(1, 2, eps="2 ln 2")
    >>> len(found.R.columns), found.geometric @ found.R == found.laplace
    (2, True)
    """

    geometric: Channel | None = None
    laplace: Channel | None = None
    R: Channel | None = None

    def explain(self) -> str:
        """The verdict in words."""
        return (
            f"{super().explain()}\nEach pixel takes its share of the two geometric outputs around it, "
            "and geometric @ R is the pixelated Laplace, entry by entry."
        )


@result("T", "Lem 7.7", "Thm 7.8", "Fig 7.3")
def refined_by_laplace(N: int, T: int, *, eps: LevelLike) -> LaplaceRefinement:
    """That G_N ⊑ ᵀL on 0, 1/N, …, 1, with the post-processing written down and checked exactly.

    Parameters
    ----------
    N
        Steps of the input.
    T
        Pixels of the output; N need not divide T.
    eps
        The level per unit of distance; e^(ε/m) must be rational for m = lcm(N, T).

    Raises
    ------
    Uncertified
        When it is not, with a level for which it is.

    Notes
    -----
    With λ = e^(−ε/N) and μ = e^(−ε·t), column y = k/N + t of the Laplace's density is
    ε/2·(p·g_k + q·g_{k+1}), where g_k[x] = λ^|Nx − k| has the direction of the geometric's column k and

    p = (μ − λ²/μ)/(1 − λ²),  q = (λ/μ − λ·μ)/(1 − λ²),

    both ≥ 0 for 0 ≤ t ≤ 1/N. The atoms are halves of g_0 and g_N. R integrates p and q over the pixels,
    and divides by the weight of the geometric's column.

    Examples
    --------
    >>> found = refined_by_laplace(2, 4, eps="4 ln 2")
    >>> bool(found), found.geometric @ found.R == found.laplace
    (True, True)
    """
    N, T, level = whole(N, "steps"), whole(T, "pixels"), as_eps(eps)
    fine = math.lcm(N, T)
    step, high = decay(level, Fraction(1, fine))
    if step != high:
        raise Uncertified(
            f"e^(ε/{fine}) should be rational, so that the channels have exact entries, and it is not "
            f"for ε = {level}; take ε = {fine} ln(q) with q rational, such as '{fine} ln 2'"
        )
    geometric = geometric_steps(N, eps=level).channel
    laplace = pixelated_laplace(N, T, eps=level).channel
    R = Channel(geometric.columns, laplace.columns, Mat.of(_shares(N, T, step)))
    pixels, steps = f"the Laplace mechanism in {T} pixels", f"the geometric on {N} steps"
    return LaplaceRefinement(
        f"{pixels} is a post-processing of {steps}, and so at least as safe",
        geometric @ R == laplace,
        True,
        denial=f"{pixels} is not a post-processing of {steps}",
        geometric=geometric,
        laplace=laplace,
        R=R,
    )


def _shares(N: int, T: int, step: Fraction) -> list[list[Fraction]]:
    """R, by geometric outputs and pixels; `step` is e^(−ε/lcm(N, T))."""
    fine = math.lcm(N, T)
    in_step, in_pixel = fine // N, fine // T
    each = step**in_step
    inside = (1 - each) / (1 + each)
    weights = [1 / (1 + each) if k in (0, N) else inside for k in range(N + 1)]
    table = [[Fraction(0)] * T for _ in range(N + 1)]
    table[0][0] += Fraction(1, 2) / weights[0]
    table[N][T - 1] += Fraction(1, 2) / weights[N]
    for piece in range(fine):
        k, pixel = piece // in_step, piece // in_pixel
        start = step ** (piece - k * in_step)  # μ at the start of the piece
        falling = start * (1 - step) / 2  # ∫ ε/2·μ dt, and of its reciprocal
        rising = (1 / step - 1) / start / 2
        table[k][pixel] += (falling - each**2 * rising) / (1 - each**2) / weights[k]
        table[k + 1][pixel] += each * (rising - falling) / (1 - each**2) / weights[k + 1]
    return table
