"""The private channel whose luckiest output leaves the least loss: optimal in the max case.

An output y of a channel leaves its reader the loss min_w Σ_x π_x·C[x, y]·ℓ(w, x) / Σ_x π_x·C[x, y]. The
max case looks at the one output that leaves the least. Only a column counts, and any private column can
be one of a private channel; so the optimum is one small program for each action.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dprivacy.design.optimum import checked
from dprivacy.design.problems.design_problem import Problem, exact_mat
from dprivacy.design.problems.independent_pieces import reach_of
from dprivacy.errors import NotApplicable, TooLarge
from dprivacy.mechanisms import ChannelMechanism, promised
from dprivacy.model import Answer, Channel, Dist, Guarantee, Pictured, about, plain, shown
from dprivacy.numbers import Mat, Outcome, certified, minimise
from dprivacy.verify import PrivacyVerdict

Number = Fraction | float
_MOST_CELLS = 40_000  # constraints times secrets of an exact program
REST = "anything else"


@dataclass(frozen=True, eq=False)
class ActionProgram:
    """Why no private column leaves less loss to one action: a program and its dual solution.

    Minimise Σ π_x·ℓ(w, x)·v_x over private columns v with Σ π_x·v_x = 1.
    """

    action: Any
    cost: list[Fraction]
    matrix: Mat
    right: list[Fraction]
    outcome: Outcome

    def holds(self) -> bool:
        """Check it again in rationals."""
        return certified(self.cost, self.matrix, self.right, self.outcome)


@dataclass(frozen=True, eq=False, repr=False)
class MaxOptimum(Answer, Pictured):
    """A private channel with an output that leaves the least loss that any output can.

    Attributes
    ----------
    problem
        What was asked.
    channel
        Exact, and proved private: one output that says the most, named after its action, and the rest.
    loss, bound
        What that output leaves, and what no output of a private channel can go below; the same number
        where e^(ε·d) is rational, prior and loss are exact.
    action
        The best action after that output.
    posterior
        What is believed after it.
    privacy
        The verdict on the channel.
    proofs
        One program for each action; `holds()` checks them again.
    also
        Another mechanism that is optimal too, whatever the prior: "geometric" on a line where every
        action's loss falls and then rises, "randomised response" for guessing among categories.

    Examples
    --------
    >>> from dprivacy.design import optimal
    >>> best = optimal("line:3", eps="ln 2", loss=[[0, 1, 0]], outputs=["an end"], case="max")
    >>> print(best.loss, [str(p) for p in best.posterior.weights])
    1/5 ['2/5', '1/5', '2/5']
    >>> best.holds(), best.mechanism().channel == best.channel
    (True, True)
    """

    problem: Problem
    channel: Channel
    loss: Number
    bound: Number
    action: Any
    posterior: Dist
    privacy: PrivacyVerdict
    proofs: tuple[ActionProgram, ...]
    also: str | None = None

    @property
    def exact(self) -> bool:
        """Whether loss and bound are the same number."""
        return self.loss == self.bound

    def holds(self) -> bool:
        """Check all programs again, in rationals."""
        return bool(self.privacy) and all(proof.holds() for proof in self.proofs)

    def mechanism(self) -> ChannelMechanism:
        """The channel as a mechanism: the same integers."""
        problem = self.problem
        return promised(
            "max-case optimum",
            self.channel,
            Guarantee(problem.eps, problem.space, problem.delta, "its certificate (max case)"),
            least_loss=str(plain(self.loss)),
        )

    def explain(self) -> str:
        """The answer in words."""
        best = (
            "no output of a private channel can leave less"
            if self.exact
            else f"no output of a private channel can leave less than {about(self.bound)}"
        )
        lines = [
            f"After the output {shown(self.channel.columns[0])!r} the best action "
            f"{shown(self.action)!r} is expected to lose {about(self.loss)}; {best} (proved)."
        ]
        if self.also is not None:
            lines.append(
                f"The {self.also} mechanism at this ε has such an output too, for every prior."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data, without the matrix."""
        found = self._told("loss", "bound", "exact", "action", "posterior", "also")
        return {**found, "private": bool(self.privacy)}

    def __repr__(self) -> str:
        return f"MaxOptimum({self.problem.words()}: loss {about(self.loss)})"


def max_case_optimum(problem: Problem) -> MaxOptimum:
    """The optimum of a problem in the max case."""
    if problem.delta or problem.stretch is not None:
        raise NotApplicable('case="max" needs δ = 0 and no spanner; leave them out')
    size = (2 * len(problem.space.edges) + 1) * len(problem.space)
    if size > _MOST_CELLS:
        raise TooLarge(
            f"the max case is solved exactly, for a few dozen secrets; {problem.words()} need programs "
            f"of {size:,} entries, and at most {_MOST_CELLS:,} are taken"
        )
    inner = [_program(problem, w, high=False) for w in range(len(problem.outputs))]
    outer = [_program(problem, w, high=True) for w in range(len(problem.outputs))]
    at = min(range(len(inner)), key=lambda w: inner[w].outcome.value)
    column = inner[at].outcome.x[: len(problem.space)]
    loss, bound = problem.told(
        inner[at].outcome.value, min(program.outcome.value for program in outer)
    )
    channel = _channel(problem, column, problem.outputs[at])
    weights = [p * v for p, v in zip(_prior(problem), column, strict=True)]
    return MaxOptimum(
        problem,
        channel,
        loss,
        bound,
        problem.outputs[at],
        Dist(problem.space.labels, weights),
        checked(problem, channel),
        tuple(outer),
        _also(problem),
    )


def _prior(problem: Problem) -> list[Fraction]:
    return [Fraction(p) for p in exact_mat(problem.prior.matrix).row(0)]


def _factors(problem: Problem, *, high: bool) -> list[tuple[int, int, Fraction]]:
    """(x, z, e^(ε·d)) for the ordered pairs that imply all others."""
    found = []
    for i, j in problem.space.edges.tolist():
        reach = reach_of(problem.eps, problem.space.distances[i, j], None)
        factor = reach.high if high else reach.low
        found += [(i, j, factor), (j, i, factor)]
    return found


def _program(problem: Problem, w: int, *, high: bool) -> ActionProgram:
    """Columns v ≥ 0 with v_x ≤ e^(ε·d)·v_z and Σ π_x·v_x = 1; slacks follow the entries of v."""
    n, factors, prior = len(problem.space), _factors(problem, high=high), _prior(problem)
    losses = [Fraction(v) for v in exact_mat(problem.loss.matrix).row(w)]
    zero = Fraction(0)
    rows = []
    for k, (x, z, factor) in enumerate(factors):
        row = [zero] * (n + len(factors))
        row[x], row[z], row[n + k] = Fraction(1), -factor, Fraction(1)
        rows.append(row)
    rows.append([*prior, *[zero] * len(factors)])
    right = [zero] * len(factors) + [Fraction(1)]
    cost = [p * v for p, v in zip(prior, losses, strict=True)] + [zero] * len(factors)
    matrix = Mat.of(rows)
    return ActionProgram(problem.outputs[w], cost, matrix, right, minimise(cost, matrix, right))


def _channel(problem: Problem, column: list[Fraction], action: Any) -> Channel:
    """The column made as large as the rest of the row allows, and that rest."""
    most = min(
        [1 / v for v in column if v]
        + [
            (factor - 1) / (factor * column[z] - column[x])
            for x, z, factor in _factors(problem, high=False)
            if factor * column[z] > column[x]
        ]
    )
    rows = [[most * v, 1 - most * v] for v in column]
    rest = REST
    while rest in problem.outputs:  # which are names of actions
        rest += " still"
    return Channel(problem.space.labels, [action, rest], Mat.of(rows))


def _also(problem: Problem) -> str | None:
    """A mechanism that is optimal in the max case for every prior, where a theorem says so."""
    table = problem.loss.matrix
    n = len(problem.space)
    apart = problem.space.uniform_distance
    if apart is not None and apart < math.inf and len(problem.outputs) == n:
        guess = all(
            table[w, x] == int(problem.outputs[w] != problem.space.labels[x])
            for w in range(n)
            for x in range(n)
        )
        if guess:
            return "randomised response"
    order = _line_order(problem)
    if order is None:
        return None
    dipped = all(_single_dipped([table[w, x] for x in order]) for w in range(len(problem.outputs)))
    return "geometric" if dipped else None


def _line_order(problem: Problem) -> list[int] | None:
    """The positions of the points in their order, where they lie on a line."""
    edges = [tuple(edge) for edge in problem.space.edges.tolist()]
    n = len(problem.space)
    near: dict[int, list[int]] = {k: [] for k in range(n)}
    for i, j in edges:
        near[i].append(j)
        near[j].append(i)
    ends = [k for k in range(n) if len(near[k]) == 1]
    if len(edges) != n - 1 or len(ends) != 2 or any(len(other) > 2 for other in near.values()):
        return None
    order = [ends[0]]
    while len(order) < n:
        order.append(next(k for k in near[order[-1]] if k not in order[-2:]))
    return order


def _single_dipped(values: list[Any]) -> bool:
    """Whether values fall, then rise."""
    low = values.index(min(values))
    falls = all(a >= b for a, b in pairwise(values[: low + 1]))
    return falls and all(a <= b for a, b in pairwise(values[low:]))
