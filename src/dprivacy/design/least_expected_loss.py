"""`optimal`: the private channel with the least expected loss, with proofs of both."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np

from dprivacy.design.columns.arithmetic_device import require_device
from dprivacy.design.engines.certified_integers import proved
from dprivacy.design.engines.fan_program import by_rays
from dprivacy.design.engines.whole_program import solved
from dprivacy.design.max_case_optimum import MaxOptimum, max_case_optimum
from dprivacy.design.optimum import OptimalityCertificate, Optimum, Proof, checked
from dprivacy.design.piece_answer import Clock, PieceAnswer, answered
from dprivacy.design.problems.approximation import Approximation, Progress
from dprivacy.design.problems.design_problem import Coordinates, Problem
from dprivacy.design.problems.independent_pieces import Piece, pieces_of
from dprivacy.design.problems.machine_limits import require_memory
from dprivacy.errors import BadNumber, NotApplicable, UnknownName, WrongKind
from dprivacy.numbers import Mat, float_up
from dprivacy.sources import result
from dprivacy.typing import Label, LevelLike, LossLike, NumberLike, PriorLike, SpaceLike
from dprivacy.verify import bits_for


@overload
def optimal(
    space: SpaceLike,
    *,
    eps: LevelLike,
    delta: NumberLike = ...,
    prior: PriorLike = ...,
    loss: LossLike | Coordinates = ...,
    outputs: Iterable[Label] | None = ...,
    gap: float = ...,
    seconds: float | None = ...,
    start: Optimum | None = ...,
    spanner: NumberLike | None = ...,
    progress: Progress | None = ...,
    force: bool = ...,
    device: Literal["cpu", "gpu"] = ...,
    case: Literal["average"] = ...,
) -> Optimum: ...
@overload
def optimal(
    space: SpaceLike,
    *,
    eps: LevelLike,
    prior: PriorLike = ...,
    loss: LossLike | Coordinates = ...,
    outputs: Iterable[Label] | None = ...,
    case: Literal["max"],
) -> MaxOptimum: ...
@result("T", "Def 6.2.3")
def optimal(
    space: SpaceLike,
    *,
    eps: LevelLike,
    delta: NumberLike = 0,
    prior: PriorLike = None,
    loss: LossLike | Coordinates = "metric",
    outputs: Iterable[Label] | None = None,
    gap: float = 1e-6,
    seconds: float | None = None,
    start: Optimum | None = None,
    spanner: NumberLike | None = None,
    progress: Progress | None = None,
    force: bool = False,
    device: Literal["cpu", "gpu"] = "cpu",
    case: Literal["average", "max"] = "average",
) -> Optimum | MaxOptimum:
    """The ε·d-private channel with the least expected loss Σ_x π_x Σ_y C[x, y]·ℓ(y, x).

    Parameters
    ----------
    space
        The metric on the secrets. Distances may be infinite (such secrets need no protection from each
        other) or 0 (such secrets get the same row).
    eps
        The level.
    delta
        The slack δ: (ε·d, δ)-privacy. For small spaces only; on up to five or six categories with any
        number of outputs, at most n² of which are used.
    prior
        How likely each secret is: a Dist, a mapping, or weights in the order of the space; uniform when
        omitted.
    loss
        What an answer costs: "metric" (its distance from the secret), "bayes" (1 unless it is the
        secret), "euclidean", "manhattan" or "chebyshev" (between labels that are coordinates), a table
        such as ``loss.threshold(space, 2)``, a matrix (actions by secrets), or a function of action and
        secret. At least 0.
    outputs
        What may be answered: actions of the loss. All of them when omitted; more outputs than actions
        gain nothing.
    gap
        How near to the optimum is near enough, as a share of the loss.
    seconds
        Time limit of the search, with the best that was found by then. The proofs come after it, and
        take minutes for thousands of secrets. Only for δ = 0, as `start`.
    start
        An earlier answer for the same secrets and outputs to start from, for instance at another ε. One
        for others is passed over.
    spanner
        A dilation t ≥ 1: look only among channels that keep ε·d/t on the edges of a spanner. They are
        all ε·d-private, and their optimum is no worse than that at ε/t. It saves time on spaces with
        many pairs; the bound stays that of the whole problem.
    progress
        Called now and then with (loss, bound, seconds so far), and at least once.
    force
        Go on although the estimate of the memory is more than the machine has.
    device
        "gpu" for column generation on an NVIDIA card (extra ``gpu``), worthwhile from some hundred
        secrets on. Both proofs are made on the processor all the same.
    case
        "average" for the expected loss; "max" for the loss that the most telling output leaves, where
        only `space`, `eps`, `prior`, `loss` and `outputs` count.

    Returns
    -------
    Optimum
        With `channel`, `loss`, `bound`, `gap` and `certificate`. The channel is exact and proved
        private; the bound is proved too. A search that is interrupted from the keyboard gives the
        best so far, proved likewise; while proofs are made, an interruption ends everything. In the
        max case a MaxOptimum.

    Raises
    ------
    SpaceMismatch
        Prior or loss speak of other secrets.
    BadNumber
        A negative loss.
    MissingExtra
        A card is asked for, and CuPy or the card is missing.
    TooLarge
        More than the machine has memory for; with δ > 0, more than an exact program takes.

    Notes
    -----
    1. Secrets that no finite distance ties together are separate problems; those at distance 0 are one.
    2. Up to 64 secrets are solved exactly, at every scale of e^(ε·d): a vertex that floats
       propose and balls of enough bits confirm, solved again and checked in rationals. Where e^(ε·d) is
       rational, the gap is 0; elsewhere it is below 1e-18.
    3. Others are solved in floats at a level a little below ε, by column generation over the extreme
       rays of the private cone, or, where that stalls, by a structured interior point.
    4. The channel becomes integers that are proved private; the dual becomes flows whose lower bound is
       computed with every rounding downward.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> best = optimal(line(3), eps="ln 2")
    >>> print(best.loss, best.gap)
    5/9 0
    >>> print(best.channel)
    Channel(3×3, exact)
         0    1    2
    0  2/3  1/6  1/6
    1  1/3  1/3  1/3
    2  1/6  1/6  2/3
    """
    problem = Problem.read(
        space, eps=eps, prior=prior, loss=loss, outputs=outputs, delta=delta, spanner=spanner
    )
    if case == "max":
        return max_case_optimum(problem)
    if case != "average":
        raise UnknownName.among("case", case, ("average", "max"))
    gap = _read_gap(gap)
    require_device(device)
    clock = Clock(_read_seconds(seconds), progress)
    if progress is not None and not callable(progress):
        raise WrongKind(
            f"progress should be a function of (loss, bound, seconds), not {progress!r}"
        )
    if start is not None and not isinstance(start, Optimum):
        raise WrongKind(f"start should be an answer of `optimal`, not {type(start).__name__}")
    if problem.delta:
        if start is not None or seconds is not None:
            raise NotApplicable(
                f"start and seconds need δ = 0, not {problem.delta}: with δ > 0 there is one exact "
                "program, which cannot start elsewhere or stop half-way; leave them out"
            )
        return _with_slack(problem, clock)
    require_memory(len(problem.space), len(problem.outputs), force=force)
    bits_for(problem.space, problem.eps)  # refuses what has no integers of bearable length
    pieces = pieces_of(problem)
    before: tuple[Approximation | None, ...] = (None,) * len(pieces)
    if start is not None and len(start.approximations) == len(pieces):
        before = start.approximations
    with clock.listening():
        answers = [
            answered(piece, gap=gap, clock=clock, start=earlier, device=device)
            for piece, earlier in zip(pieces, before, strict=True)
        ]
    return _finished(problem, pieces, answers, gap, clock)


def _read_gap(gap: object) -> float:
    if isinstance(gap, bool) or not isinstance(gap, int | float) or not 0 < gap < math.inf:
        raise BadNumber(f"gap should be a positive number such as 1e-6, not {gap!r}")
    return float(gap)


def _read_seconds(seconds: object) -> float | None:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise BadNumber(f"seconds should be a number of at least 0, not {seconds!r}")
    return float(seconds)


def _finished(
    problem: Problem, pieces: list[Piece], answers: list[PieceAnswer], gap: float, clock: Clock
) -> Optimum:
    channel, verdict = proved(
        problem, lambda bits, share: _whole(problem, pieces, answers, bits, share)
    )
    loss = problem.expected(channel.matrix)
    bound = sum((answer.bound.value for answer in answers), Fraction(0))
    assert bound <= loss, "a bound above a loss"
    multipliers = {
        _named(problem, members): value
        for piece, answer in zip(pieces, answers, strict=True)
        for members, value in zip(piece.classes, answer.bound.multipliers, strict=True)
    }
    proofs = tuple(
        Proof(piece, answer.bound) for piece, answer in zip(pieces, answers, strict=True)
    )
    apart = _apart(loss, bound)
    return Optimum(
        problem,
        channel,
        *problem.told(loss, bound),
        apart,
        OptimalityCertificate(verdict, multipliers, proofs),
        apart <= gap or (problem.stretch is not None and _ended(answers)),
        ", ".join(dict.fromkeys(answer.method for answer in answers)),
        clock.spent,
        tuple(answer.approximation for answer in answers),
    )


def _ended(answers: list[PieceAnswer]) -> bool:
    """Whether the engines got as near to what they were looking for as they were asked to."""
    return all(answer.approximation is None or answer.approximation.finished for answer in answers)


def _named(problem: Problem, members: tuple[int, ...]) -> Any:
    """The label of a group of secrets: of the one secret, or the set of those at distance 0."""
    labels = [problem.space.labels[i] for i in members]
    return labels[0] if len(labels) == 1 else frozenset(labels)


def _apart(loss: Fraction, bound: Fraction) -> Fraction | float:
    """The relative gap: 0, or a double that is at least as large."""
    if loss == bound:
        return Fraction(0)
    return float_up((loss - bound) / loss)


def _whole(
    problem: Problem, pieces: list[Piece], answers: list[PieceAnswer], bits: int, share: int
) -> Mat:
    """The rows of all pieces as one matrix over one denominator."""
    made = [answer.matrix(bits, share) for answer in answers]
    common = math.lcm(*(matrix.den for matrix in made))
    entries = np.empty((len(problem.space), len(problem.outputs)), dtype=object)
    for piece, matrix in zip(pieces, made, strict=True):
        for row, members in enumerate(piece.classes):
            entries[list(members)] = matrix.entries[row] * (common // matrix.den)
    return Mat(entries, common)


def _with_slack(problem: Problem, clock: Clock) -> Optimum:
    """The optimum for δ > 0, by one exact program (two where e^(ε·d) is irrational).

    On categories its columns are the rays of a fan, where that is the smaller program.
    """
    if problem.stretch is not None:
        raise NotApplicable(
            f"a spanner needs δ = 0, not {problem.delta}, because with δ > 0 pairs do not imply each "
            "other; leave the spanner out"
        )
    fan = by_rays(problem)
    channel, outer = fan or solved(problem)
    loss, bound = problem.expected(channel.matrix), outer.outcome.value
    clock.tell(float(loss), float(bound), clock.spent)
    multipliers = dict(zip(problem.space.labels, outer.outcome.y, strict=False))
    apart = _apart(loss, bound)
    return Optimum(
        problem,
        channel,
        *problem.told(loss, bound),
        apart,
        OptimalityCertificate(checked(problem, channel), multipliers, (outer,)),
        True,
        "exact program" if fan is None else "exact program of rays",
        clock.spent,
    )
