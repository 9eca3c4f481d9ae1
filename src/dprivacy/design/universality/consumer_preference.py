"""What one consumer prefers: the kernel that serves a prior and a loss best, and by how much."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar

from dprivacy.errors import MixedArithmetic, TooLarge, Uncertified
from dprivacy.flow import Loss, aligned, as_loss, posterior_uncertainty, restrict
from dprivacy.model import Answer, Channel, Dist, about, as_prior, as_space, shown
from dprivacy.numbers import Mat, minimise
from dprivacy.polytope import Column, Cone, rays
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, require_same_labels
from dprivacy.typing import LevelLike, LossLike, PriorLike, SpaceLike

MOST_VERTICES = 4096


@dataclass(frozen=True, eq=False)
class BestKernel(Answer):
    """The kernel with the smallest expected loss for one prior and one loss, and why none is better.

    `multipliers` hold a number for every secret. They sum to `loss`, and for every private column c the
    sum of multiplier times entry is at most the loss of c's best action: so no private channel, whose
    columns sum to 1 on every secret, loses less.

    Examples
    --------
    >>> from dprivacy.design import best_kernel
    >>> from dprivacy.spaces import line
    >>> found = best_kernel(line(3), eps="ln 2", loss="bayes")
    >>> print(found.loss, sum(found.multipliers.values()))
    4/9 4/9
    """

    channel: Channel
    loss: Fraction
    multipliers: dict[Any, Fraction]
    prior: Dist
    exact: ClassVar[bool] = True

    def explain(self) -> str:
        """The choice in words."""
        shares = ", ".join(f"{shown(x)}: {about(m)}" for x, m in self.multipliers.items())
        return (
            f"The smallest expected loss of any private channel is {about(self.loss)}, attained by "
            f"this kernel:\n{self.channel}\nProof: {shares} is a dual solution of the same value."
        )


@dataclass(frozen=True, eq=False)
class Preference(Answer):
    """Someone who is served strictly better by another private channel: a prior and a loss.

    `here` is the expected loss of the channel in question, `there` that of `channel`.

    Examples
    --------
    >>> from dprivacy.design import universally_optimal
    >>> from dprivacy.mechanisms import geometric
    >>> found = universally_optimal(geometric(3, eps="ln 2"), eps="ln 2").preference
    >>> found.there < found.here
    True
    """

    prior: Dist
    loss: Loss
    channel: Channel
    here: Fraction
    there: Fraction
    exact: ClassVar[bool] = True

    def explain(self) -> str:
        """The preference in words."""
        held = {x: p for x, p in zip(self.prior.labels, self.prior.weights, strict=True) if p}
        belief = ", ".join(f"{shown(x)}: {about(p)}" for x, p in held.items())
        return (
            f"For the prior {belief} and the loss\n{restrict(self.loss, held)}\nits expected loss is "
            f"{about(self.here)}; this private channel has {about(self.there)}:\n{self.channel}"
        )


@result("T", "Thm 6.16", "Def 6.2.3")
def best_kernel(
    space: SpaceLike, *, eps: LevelLike, prior: PriorLike = None, loss: LossLike = "metric"
) -> BestKernel:
    """The kernel that serves one consumer best, exactly: min over ε·d-private channels of U_ℓ[π ▷ C].

    Parameters
    ----------
    space
        A finite space with exact, finite distances and few points: all vertices are listed.
    eps
        The level; e^(ε·d) must be rational.
    prior
        An exact distribution on its labels, or weights in their order; uniform when omitted.
    loss
        An exact loss on its labels (a gain stands for the loss behind it), "metric" or "bayes".

    Returns
    -------
    BestKernel
        With its loss and a dual solution that proves it.

    Raises
    ------
    TooLarge
        With more than 4,096 vertices; `optimal` solves such problems.

    Notes
    -----
    1. A private channel is a sum of vertices of the cone, Σ_v λ_v·v = 1, and its loss is at least
       Σ_v λ_v·c_v, where c_v = min_w Σ_x π_x·v_x·ℓ(w, x); a vertex mechanism has that loss.
    2. So the optimum is the program min c·λ with one equation a secret. A basic solution has
       independent vertices: it is a kernel.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> from dprivacy.model import uniform
    >>> from dprivacy.spaces import line
    >>> found = best_kernel(line(3), eps="ln 2", prior=uniform(line(3)), loss=loss.identity(range(3)))
    >>> print(found.loss)
    4/9
    """
    space = as_space(space)
    cone = Cone.of(space, eps)
    cone.require_rational()
    belief, table = consumer(space, prior, loss)
    columns = listed(cone)
    if columns is None:
        raise TooLarge(
            f"the kernel is chosen among at most {MOST_VERTICES:,} vertices, and this space of "
            f"{cone.n} points has more; use `optimal`"
        )
    found = chosen(cone, columns, belief, table)
    assert found is not None
    return found


def consumer(space: FiniteSpace, prior: PriorLike, loss: LossLike) -> tuple[Dist, Loss]:
    """An exact prior and an exact loss, their secrets in the order of the space."""
    table = as_loss(loss, space.labels, space)
    belief = as_prior(prior, space.labels)
    order = require_same_labels(space.labels, belief.labels, "prior and space")
    if not table.exact or not belief.exact:
        what = "prior" if table.exact else "loss"
        raise MixedArithmetic(
            f"this {what} has float entries, and ties decide here; give fractions or strings such as "
            "'1/3'"
        )
    weights = belief.matrix.take(columns=order)
    return Dist(space.labels, weights), Loss(
        table.actions, space.labels, aligned(table, space.labels)
    )


def listed(cone: Cone) -> list[Column] | None:
    """The vertices of a cone, or None when there are too many."""
    try:
        found = list(islice(rays(cone), MOST_VERTICES + 1))
    except (TooLarge, Uncertified):
        return None
    return found if len(found) <= MOST_VERTICES else None


def chosen(cone: Cone, columns: list[Column], prior: Dist, loss: Loss) -> BestKernel | None:
    """The best kernel made of the given vertices; None when they do not make one."""
    spread = Mat.over(
        1, [list(row) for row in zip(*(cone.spread(v) for v in columns), strict=True)]
    )
    weighted = Mat(loss.matrix.entries * prior.matrix.entries, loss.matrix.den * prior.matrix.den)
    scores = weighted @ spread
    cost = [Fraction(int(v), scores.den) for v in scores.entries.min(axis=0)]
    matrix = Mat.over(1, [list(row) for row in zip(*columns, strict=True)])
    outcome = minimise(cost, matrix, [Fraction(1)] * cone.n)
    if outcome.status != "optimal":
        return None
    used = [k for k, share in enumerate(outcome.x) if share]
    table = [[Fraction(row[k]) * outcome.x[k] for k in used] for row in spread.entries.tolist()]
    names = [f"y{k}" for k in range(1, len(used) + 1)]
    multipliers = {cone.label(i): m for i, m in enumerate(outcome.y)}
    return BestKernel(
        Channel(cone.space.labels, names, Mat.of(table)), outcome.value, multipliers, prior
    )


def preferred(
    C: Channel, cone: Cone, prior: Dist, loss: Loss, other: Channel | None = None
) -> Preference | None:
    """The consumer's preference: for the best kernel, or for `other` where there are too many."""
    here = Fraction(posterior_uncertainty(C, prior=prior, loss=loss))
    columns = listed(cone)
    best = None if columns is None else chosen(cone, columns, prior, loss)
    if best is not None:
        channel, there = best.channel, best.loss
    elif other is not None:
        channel, there = other, Fraction(posterior_uncertainty(other, prior=prior, loss=loss))
    else:
        return None
    return Preference(prior, loss, channel, here, there) if there < here else None
