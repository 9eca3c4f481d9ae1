"""What a comparison of two channels came to, with its witness, in words and as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dprivacy.model import Channel, Dist, Gain, Pictured, Verdict, about, shown
from dprivacy.refine.deciding.separating_gains import Number
from dprivacy.spaces import Distance, FiniteSpace
from dprivacy.verify import Eps

_LISTED = 6


@dataclass(frozen=True)
class Refinement(Pictured, Verdict):
    """Whether B is at least as safe as A in one of the orders; `names` are what A and B are called.

    Examples
    --------
    >>> from dprivacy.refine import refines
    >>> found = refines([["3/4", "1/4"], ["1/4", "3/4"]], [["1/2", "1/2"]] * 2, by="max")
    >>> found.order, found.names, found.status
    ('max', ('A', 'B'), 'proved')
    >>> found.reasons()
    ['Every posterior of B is a mixture of posteriors of A.']
    """

    names: tuple[str, str] = ("A", "B")
    order: str = "average"

    def reasons(self) -> list[str]:
        """What shows it, a sentence each."""
        return []

    def _reach(self) -> float:
        """How near an undecided answer is: the residual, or what rounding may hide."""
        return max(getattr(self, "residual", 0.0), self.error)

    def explain(self) -> str:
        """The verdict in words, with its witness."""
        return "\n".join([super().explain(), *self.reasons()])


@dataclass(frozen=True)
class AverageRefinement(Refinement):
    """A ⊑ B: whether B is A followed by a post-processing.

    `R` is that post-processing, and `residual` is max |A·R − B|: 0 where R is exact. It is more
    than 0 for float channels, and for exact ones whose R is proved to exist but has too many digits to
    write out. Where it fails, `gain` (from 0 to 1) is an adversary who gains `after` from B and only
    `before` from A under the prior `prior`. `output` names B's observation that makes the difference,
    where a single one does.

    Examples
    --------
    >>> from dprivacy.refine import refines
    >>> coin, fair = [["3/4", "1/4"], ["1/4", "3/4"]], [["1/2", "1/2"]] * 2
    >>> found = refines(fair, coin)
    >>> print(found.before, found.after)
    1/2 5/8
    """

    R: Channel | None = None
    residual: float = 0.0
    gain: Gain | None = None
    prior: Dist | None = None
    before: Number | None = None
    after: Number | None = None
    output: Any = None

    def reasons(self) -> list[str]:
        """The post-processing, or the adversary who prefers B."""
        first, second = self.names
        if self.gain is not None:
            return self._adversary()
        if self.R is None:
            return []
        if self.holds is None:
            return [
                f"{second} is within {self._reach():.1g} of {first} followed by a post-processing; "
                + self._open()
            ]
        lines = [f"{second} is {first} followed by a post-processing R" + self._precision()]
        return lines + [f"  {line}" for line in _rows_in_words(self.R)]

    def _open(self) -> str:
        if self.exact:
            return "the channels are too large to settle it exactly."
        return "that is as near as floats tell: give exact entries to decide it."

    def _precision(self) -> str:
        if not self.residual:
            return ":"
        return f" (shown to within {self.residual:.1g}; it has too many digits):"

    def _adversary(self) -> list[str]:
        first, second = self.names
        assert self.gain is not None
        assert self.before is not None
        assert self.after is not None
        if self.output is not None:
            who = _bet_in_words(self.gain, self.output)
        else:
            who = (
                f"an attacker who chooses among {len(self.gain.actions)} guesses, one for each output "
                f"of {second}, with the worth that `gain` lists"
            )
        return [
            f"{second} is not safe in place of {first} against {who}.",
            f"Under the uniform prior that attacker gains {about(self.after)} from {second} and only "
            f"{about(self.before)} from {first}.",
        ]


@dataclass(frozen=True)
class MaxRefinement(Refinement):
    """A ⊑max B: whether every posterior of B lies in the convex hull of A's posteriors.

    `coefficients` (outputs of B × outputs of A) are the mixtures, under the uniform prior. Where it
    fails, `output` is the observation of B whose `posterior` lies outside; the linear function with the
    values `worth` (from 0 to 1) is `after` there and at most `before` on every posterior of A.

    Examples
    --------
    >>> from dprivacy.refine import refines
    >>> coin, fair = [["3/4", "1/4"], ["1/4", "3/4"]], [["1/2", "1/2"]] * 2
    >>> print(refines(fair, coin, by="max").posterior)
    Dist(0: 3/4, 1: 1/4)
    """

    order: str = "max"
    coefficients: Channel | None = None
    residual: float = 0.0
    output: Any = None
    posterior: Dist | None = None
    worth: dict[Any, Number] | None = None
    before: Number | None = None
    after: Number | None = None

    def reasons(self) -> list[str]:
        """The mixtures, or the posterior that lies outside."""
        first, second = self.names
        if self.worth is not None:
            table: list[list[Any]] = [list(self.worth.values()), [self.before] * len(self.worth)]
            gain = Gain(["bet", "pass"], list(self.worth), table)
            return [
                f"Output {shown(self.output)} of {second} tells more than any output of {first} to "
                f"{_bet_in_words(gain, self.output)}.",
                f"After that output (uniform prior) the bet is worth {about(self.after)}; after an "
                f"output of {first} at most {about(self.before)}.",
            ]
        if self.holds:
            return [f"Every posterior of {second} is a mixture of posteriors of {first}."]
        return [
            f"Every posterior of {second} is within {self._reach():.1g} of a mixture of posteriors of "
            f"{first}, and nearer cannot be told."
        ]


@dataclass(frozen=True)
class PrivateRefinement(Refinement):
    """A ⊑prv B: whether d_B ≤ d_A, or, on one metric, whether B has the smaller ε.

    On all metrics: where it fails, `pair` are two secrets that B tells apart better (`after`, their
    distance under d_B) than A (`before`, under d_A), and `metric` is d_A, for which A is private at
    ε = 1 and B is not. On one metric: `before` and `after` are the smallest ε of A and of B.

    Examples
    --------
    >>> from dprivacy.refine import refines
    >>> coin, fair = [["3/4", "1/4"], ["1/4", "3/4"]], [["1/2", "1/2"]] * 2
    >>> print(refines(fair, coin, by="private"))
    No: B is less private than A on some metric (disproved exactly).
    0 and 1 are told apart to ln(3) ≈ 1.099 by B and to 0 by A.
    For the metric d_A, A is private at ε = 1 and B is not.
    """

    order: str = "private"
    pair: tuple[Any, Any] | None = None
    before: Distance | Eps | None = None
    after: Distance | Eps | None = None
    metric: FiniteSpace | None = None
    space: FiniteSpace | None = None

    def reasons(self) -> list[str]:
        """The levels on one metric, or the pair that decides."""
        first, second = self.names
        if self.space is not None:
            return [
                f"The smallest ε is {about(self.before)} for {first} and {about(self.after)} for "
                f"{second}."
            ]
        if self.pair is None:
            return [f"{second} tells no two secrets apart better than {first} does."]
        x, z = (shown(label) for label in self.pair)
        lines = [
            f"{x} and {z} are told apart to {about(self.after)} by {second} and to "
            f"{about(self.before)} by {first}."
        ]
        if self.metric is not None:
            lines.append(
                f"For the metric d_{first}, {first} is private at ε = 1 and {second} is not."
            )
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data; a metric as its table of distances."""
        answer = super().to_dict()
        for name in ("metric", "space"):
            space = getattr(self, name)
            if space is not None:
                n = range(len(space))
                answer[name] = [[str(space.distances[i, j]) for j in n] for i in n]
        return answer


def _bet_in_words(gain: Gain, output: Any) -> str:
    """Who takes the bet, and on what."""
    worth, refused = gain.matrix.row(0), gain.matrix[1, 0]
    ranked = sorted(zip(worth, gain.secrets, strict=True), key=lambda item: -item[0])
    pays = [f"{about(v)} on {shown(x)}" for v, x in ranked]
    return (
        f"an attacker who may take a bet that pays {_listed(pays)}, or pass for {about(refused)}, and "
        f"who takes it on seeing {shown(output)}"
    )


def _listed(items: Sequence[str]) -> str:
    more = len(items) - _LISTED
    if more > 0:
        return ", ".join(items[:_LISTED]) + f" and {more} more"
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def _rows_in_words(R: Channel) -> list[str]:
    lines = []
    for i, y in enumerate(R.rows[:_LISTED]):
        row = sorted(zip(R.matrix.row(i), R.columns, strict=True), key=lambda item: -item[0])
        likely = [f"{shown(z)} with {about(p)}" for p, z in row if p]
        rest = f", {len(likely) - 3} more" if len(likely) > 3 else ""
        lines.append(f"output {shown(y)} becomes {', '.join(likely[:3])}{rest}")
    if len(R.rows) > _LISTED:
        lines.append(f"and so on for {len(R.rows) - _LISTED} more outputs")
    return lines
