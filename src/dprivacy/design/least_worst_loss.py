"""The channel whose worst expected loss is smallest, and the prior that makes it so."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.design.engines.whole_program import Program, solved
from dprivacy.design.optimum import checked
from dprivacy.design.problems.best_remap import worst_case_loss
from dprivacy.design.problems.design_problem import Coordinates, Problem, exact_mat
from dprivacy.flow import Loss
from dprivacy.mechanisms import ChannelMechanism, promised
from dprivacy.model import Answer, Channel, Dist, Guarantee, Pictured, about, plain, shown
from dprivacy.sources import result
from dprivacy.typing import Label, LevelLike, LossLike, NumberLike, SpaceLike
from dprivacy.verify import PrivacyVerdict

Number = Fraction | float


@dataclass(frozen=True, eq=False, repr=False)
class Minimax(Answer, Pictured):
    """A private channel with the smallest worst-case loss.

    Attributes
    ----------
    problem
        What was asked (its prior plays no part).
    channel
        Exact, and proved private.
    loss
        The largest expected loss of any secret.
    secret
        A secret that has it.
    bound
        No private channel has a smaller worst case.
    prior
        The least favourable prior: against it no private channel has a smaller expected loss.
    privacy
        The verdict on the channel.
    proof
        The program and its dual solution; `proof.holds()` checks it again.

    Examples
    --------
    >>> from dprivacy.design import minimax
    >>> from dprivacy.spaces import line
    >>> found = minimax(line(3), eps="ln 2")
    >>> print(found.loss, found.secret, found.proof.holds())
    4/7 0 True
    >>> found.mechanism()
    minimax(3→3, ε = ln(2) ≈ 0.6931)
    """

    problem: Problem
    channel: Channel
    loss: Number
    secret: Any
    bound: Number
    prior: Dist
    privacy: PrivacyVerdict
    proof: Program

    @property
    def exact(self) -> bool:
        """Whether loss and bound are the same number."""
        return self.loss == self.bound

    def mechanism(self) -> ChannelMechanism:
        """The channel as a mechanism: the same integers."""
        problem = self.problem
        return promised(
            "minimax",
            self.channel,
            Guarantee(problem.eps, problem.space, problem.delta, "its certificate (minimax loss)"),
            worst_loss=str(plain(self.loss)),
        )

    def explain(self) -> str:
        """The answer in words."""
        likely = ", ".join(f"{shown(x)}: {about(w)}" for x, w in list(self.prior.items())[:8] if w)
        best = (
            "no private channel has a smaller one"
            if self.exact
            else f"no private channel gets below {about(self.bound)}"
        )
        return (
            f"The worst expected loss is {about(self.loss)}, for the secret {shown(self.secret)}; "
            f"{best} (proved).\n"
            f"The least favourable prior: {likely}{' …' if len(self.prior) > 8 else ''}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, without the matrix."""
        found = self._told("loss", "secret", "bound", "exact", "prior")
        return {**found, "private": bool(self.privacy)}


@result("C", "Thm 10")
def minimax(
    space: SpaceLike,
    *,
    eps: LevelLike,
    delta: NumberLike = 0,
    loss: LossLike | Coordinates = "metric",
    outputs: Iterable[Label] | None = None,
) -> Minimax:
    """The private channel with the smallest max_x Σ_y C[x, y]·ℓ(y, x).

    Parameters
    ----------
    space, eps, delta, loss, outputs
        As for `optimal`; small spaces only, since the whole program is solved exactly.

    Returns
    -------
    Minimax
        With the least favourable prior as witness: the smallest worst case over channels is the largest
        optimum over priors.

    Examples
    --------
    >>> from dprivacy.spaces import discrete
    >>> found = minimax(discrete(["yes", "no", "unknown"]), eps="ln 2", loss="bayes")
    >>> print(found.loss, found.exact)
    1/2 True
    """
    problem = Problem.read(space, eps=eps, loss=loss, outputs=outputs, delta=delta)
    channel, outer = solved(problem, worst=True)
    table = Loss(problem.outputs, problem.space.labels, exact_mat(problem.loss.matrix))
    worst, secret = worst_case_loss(channel, loss=table)
    # The last n equations say that a secret's loss is at most t; their duals are −π. They sum to 1
    # unless t = 0, and then every prior is least favourable.
    weights = [-v for v in outer.outcome.y[-len(problem.space) :]]
    rest = (1 - sum(weights)) / len(weights)
    prior = Dist(problem.space.labels, [weight + rest for weight in weights])
    least, bound = problem.told(Fraction(worst), outer.outcome.value)
    return Minimax(
        problem,
        channel,
        least,
        secret,
        bound,
        prior,
        checked(problem, channel),
        outer,
    )
