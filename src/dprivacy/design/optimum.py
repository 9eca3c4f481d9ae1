"""An optimal mechanism with its two proofs: that it is private, and that nothing private is better."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dprivacy.design.engines.lower_bounds import Bound
from dprivacy.design.engines.whole_program import Program
from dprivacy.design.problems.approximation import Approximation
from dprivacy.design.problems.design_problem import Problem
from dprivacy.design.problems.independent_pieces import Piece
from dprivacy.errors import Uncertified
from dprivacy.flow import posterior_uncertainty
from dprivacy.mechanisms import ChannelMechanism, promised
from dprivacy.model import Answer, Channel, Guarantee, Pictured, about, plain, shown
from dprivacy.polytope import Decomposition, decompose
from dprivacy.verify import PrivacyVerdict, privacy

Number = Fraction | float
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Proof:
    """Why no private channel has a smaller loss, for one piece of the space."""

    piece: Piece
    bound: Bound

    def holds(self) -> bool:
        """Check it again in rationals, from the flows alone."""
        return self.bound.holds(self.piece)


@dataclass(frozen=True, eq=False)
class OptimalityCertificate:
    """What proves an optimum: the channel's privacy, and a dual solution that bounds all others.

    Attributes
    ----------
    privacy
        The verdict on the channel, from its integers.
    multipliers
        λ, one number for each group of secrets (secrets at distance 0 share one): what the requirement
        that the row sums to 1 is worth. Their sum is the bound.
    proofs
        For each piece of the space the flows that make λ feasible, or the whole program (δ > 0).

    Examples
    --------
    >>> from dprivacy.design import optimal
    >>> from dprivacy.spaces import line
    >>> certificate = optimal(line(3), eps="ln 2").certificate
    >>> certificate.holds(), str(sum(certificate.multipliers.values()))
    (True, '5/9')
    """

    privacy: PrivacyVerdict
    multipliers: Mapping[Any, Number]
    proofs: tuple[Proof | Program, ...]

    def holds(self) -> bool:
        """Check the bound again, in exact arithmetic, from the flows alone.

        The channel's privacy is the verdict that was proved when it was made; `mechanism().verify()`
        proves that again too.
        """
        return bool(self.privacy) and all(proof.holds() for proof in self.proofs)


@dataclass(frozen=True, eq=False, repr=False)
class Optimum(Answer, Pictured):
    """The best private channel for a prior and a loss, or the best that was found.

    Attributes
    ----------
    problem
        What was asked.
    channel
        Exact, and proved private. It can stand wherever a channel is expected.
    loss
        Its expected loss: exact for an exact prior and loss, else rounded up.
    bound
        No private channel has a smaller expected loss than this: exact, or rounded down.
    gap
        (loss − bound)/loss; 0 for a proved optimum, else rounded up.
    certificate
        Both proofs; `certificate.holds()` checks them again.
    finished
        Whether the gap that was asked for was reached (with a spanner: among the channels it allows).
    method
        How it was found; it has no part in the proofs.
    seconds
        How long it took.

    Examples
    --------
    >>> from dprivacy.design import optimal
    >>> from dprivacy.spaces import line
    >>> best = optimal(line(3), eps="ln 2")
    >>> print(best.loss, best.exact, best.certificate.holds())
    5/9 True True
    >>> set(best.randomise([0, 1, 2, 2])) <= {0, 1, 2}
    True
    >>> best.mechanism()
    optimal(3→3, ε = ln(2) ≈ 0.6931)
    """

    problem: Problem
    channel: Channel
    loss: Number
    bound: Number
    gap: Number
    certificate: OptimalityCertificate
    finished: bool
    method: str
    seconds: float
    approximations: tuple[Approximation | None, ...] = field(default=(), repr=False)

    @property
    def exact(self) -> bool:
        """Whether the optimum is known exactly: loss and bound are the same number."""
        return self.gap == 0

    @property
    def guarantee(self) -> Guarantee:
        """What the channel guarantees."""
        problem = self.problem
        return Guarantee(
            problem.eps,
            problem.space,
            problem.delta,
            "its certificate (optimal for a prior and a loss)",
        )

    def mechanism(self) -> ChannelMechanism:
        """The channel as a mechanism: the same integers, to draw from and to save."""
        return promised(
            "optimal",
            self.channel,
            self.guarantee,
            expected_loss=_text(self.loss),
            bound=_text(self.bound),
            gap=_text(self.gap),
        )

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:  # of any kind
        """Draw from the channel, as `mechanism().randomise` does."""
        return self.mechanism().randomise(values, insecure_seed=insecure_seed)

    def explain(self) -> str:
        """The answer in words."""
        problem = self.problem
        lines = [
            f"{'The best private channel' if self.exact else 'Best private channel found'} for "
            f"{problem.words()}:",
            f"its expected loss is {about(self.loss)}, "
            + (
                "and no private channel has a smaller one (proved exactly)."
                if self.exact
                else f"and no private channel gets below {about(self.bound)} (proved): "
                f"{_room(self.gap)}."
            ),
            f"Privacy is proved: {self.certificate.privacy.claim}.",
        ]
        if problem.stretch is not None:
            lines.append(
                f"Only channels private on a spanner of dilation {about(problem.stretch)} were "
                "considered; the bound holds for all private channels."
            )
        used = [
            y
            for y, total in zip(
                self.channel.columns, self.channel.matrix.entries.sum(axis=0), strict=True
            )
            if total
        ]
        if len(used) < len(self.channel.columns):
            names = ", ".join(shown(y) for y in used[:_SHOWN])
            more = f" and {len(used) - _SHOWN} more" if len(used) > _SHOWN else ""
            lines.append(f"It answers only {names}{more}.")
        if not self.finished:
            lines.append("The search stopped before it reached the gap that was asked for.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, without the matrix."""
        problem = self.problem
        return {
            "secrets": len(problem.space),
            "outputs": len(problem.outputs),
            "eps": plain(problem.eps),
            "delta": plain(problem.delta),
            **self._told("loss", "bound", "gap", "exact", "finished"),
            "private": bool(self.certificate.privacy),
            "spanner": plain(problem.stretch),
            "method": self.method,
            "seconds": round(self.seconds, 3),
        }

    def __repr__(self) -> str:
        return (
            f"Optimum({self.problem.words()}: loss {about(self.loss)}, "
            f"{'exact' if self.exact else f'gap {float(self.gap):.1g}'})"
        )


def as_kernels(optimum: Optimum) -> Decomposition:
    """An optimal channel as (Σ λ_i·K_i) @ R: kernels, how much of each, and what is done with them.

    Every kernel of an exact optimum is optimal by itself, once the consumer remaps it.

    Parameters
    ----------
    optimum
        An exact optimum on a space with rational e^(ε·d) and finite distances.

    Raises
    ------
    Uncertified
        When the optimum is not exact: rounded channels are made of thousands of vertices.

    Examples
    --------
    >>> from dprivacy.design import optimal
    >>> from dprivacy.spaces import line
    >>> mixed = as_kernels(optimal(line(3), eps="ln 2"))
    >>> print(*mixed.weights)
    1
    """
    if not optimum.exact:
        raise Uncertified(
            f"only an exact optimum is a mixture of kernels, and this one has a gap of "
            f"{float(optimum.gap):.2g}; take few points, and an ε = ln(q) for which e^(ε·d) is rational"
        )
    return decompose(optimum.channel, optimum.problem.space, eps=optimum.problem.eps)


def kernel_losses(optimum: Optimum) -> tuple[Number, ...]:
    """The expected loss of each kernel of an exact optimum, remapped; they all equal the optimum's.

    Examples
    --------
    >>> from dprivacy.design import optimal
    >>> from dprivacy.spaces import discrete
    >>> best = optimal(discrete(["a", "b", "c"]), eps="ln 2", loss="bayes")
    >>> {str(loss) for loss in kernel_losses(best)} == {str(best.loss)}
    True
    """
    problem = optimum.problem
    return tuple(
        Fraction(posterior_uncertainty(kernel, prior=problem.prior, loss=problem.loss))
        if problem.exact
        else posterior_uncertainty(kernel, prior=problem.prior, loss=problem.loss)
        for kernel in as_kernels(optimum).kernels
    )


def checked(problem: Problem, channel: Channel) -> PrivacyVerdict:
    """The verdict on a channel, from its numbers."""
    return privacy(channel, problem.space, eps=problem.eps, delta=problem.delta)


def _text(value: Number) -> str:
    """A number for a file: text, since files hold no floats."""
    return str(plain(value)) if len(str(value)) <= 60 else repr(float(value))


def _room(gap: Number) -> str:
    """What is left to gain, in words."""
    if float(gap) >= 1:
        return "how near it is to the optimum is not known"
    return f"the loss could fall by at most {100 * float(gap):.2g} %"
