"""Hyper-distributions: what a channel makes of a prior, as posteriors and their chances."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.model.answers import Pictured
from dprivacy.model.channels__model_channel import Channel
from dprivacy.model.distributions import Dist
from dprivacy.model.plain_data import plain, shown
from dprivacy.model.proportional_columns import merge_proportional
from dprivacy.numbers import Frozen, Mat
from dprivacy.sources import result
from dprivacy.spaces import Label, locate, positions, require_same_labels


class Hyper(Frozen, Pictured):
    """[prior ▷ C]: a distribution (outer) on distributions (inners, the posteriors).

    Observations that lead to the same posterior are one, and impossible observations are none:
    a hyper holds all that leaks, and nothing else.

    Parameters
    ----------
    secrets, observations
        Labels.
    joint
        The joint probabilities, secrets by observations, exact or float.
    """

    secrets: tuple[Any, ...]
    observations: tuple[Any, ...]
    joint: Mat

    def __init__(self, secrets: Sequence[Label], observations: Sequence[Label], joint: Mat) -> None:
        names, merged = merge_proportional(observations, joint)
        self._set(secrets=tuple(secrets), observations=tuple(names), joint=merged)

    @property
    def exact(self) -> bool:
        """Whether all probabilities are exact rationals."""
        return self.joint.exact

    @property
    def outer(self) -> Dist:
        """The distribution of the observations (one label for each distinct posterior)."""
        return Dist(self.observations, Mat(self.joint.entries.sum(axis=0)[None, :], self.joint.den))

    @property
    def inners(self) -> tuple[Dist, ...]:
        """The posteriors, in the order of the outer's labels."""
        columns = self.joint.entries.T.tolist()
        if self.exact:
            return tuple(Dist(self.secrets, Mat.over(sum(c), [c])) for c in columns)
        return tuple(Dist(self.secrets, Mat(np.array([c]) / sum(c))) for c in columns)

    def inner(self, observation: Any) -> Dist:
        """The posterior after one observation."""
        return self.inners[locate(positions(self.observations), observation, "the hyper")]

    @result("T", "Lem 6.9")
    def prior(self) -> Dist:
        """The prior: the average of the posteriors."""
        return Dist(self.secrets, Mat(self.joint.entries.sum(axis=1)[None, :], self.joint.den))

    def channel(self) -> Channel:
        """The (reduced) channel that makes this hyper from its prior.

        Secrets of prior probability 0 are left out: nothing can be said of their rows.
        """
        prior = self.prior()
        kept = [i for i, weight in enumerate(prior.weights) if weight]
        matrix = self.joint.take(rows=kept)
        if self.exact:
            rows: Any = [[Fraction(v, sum(row)) for v in row] for row in matrix.entries.tolist()]
        else:
            rows = matrix.entries / matrix.entries.sum(axis=1, keepdims=True)
        return Channel([self.secrets[i] for i in kept], self.observations, rows)

    @classmethod
    def mix(cls, weights: Sequence[Any], hypers: Sequence["Hyper"]) -> "Hyper":
        """The convex sum of hypers on the same secrets: a coin decides, and is seen."""
        if len(weights) != len(hypers) or not hypers:
            raise Malformed(f"{len(weights)} weights for {len(hypers)} hypers")
        choice = Dist(range(len(hypers)), weights).matrix
        names: list[Any] = []
        columns: list[Mat] = []
        for k, hyper in enumerate(hypers):
            order = require_same_labels(hypers[0].secrets, hyper.secrets, "mixing hypers: secrets")
            hyper.joint._require_same(choice)
            columns.append(hyper.joint.take(rows=order).scaled(choice[0, k]))
            names += [(k, y) for y in hyper.observations]
        if choice.exact:
            joint = Mat.of(
                [
                    [Fraction(v) for m in columns for v in m.row(i)]
                    for i in range(len(hypers[0].secrets))
                ]
            )
        else:
            joint = Mat(np.concatenate([m.floats for m in columns], axis=1))
        return cls(hypers[0].secrets, names, joint)

    def __eq__(self, other: object) -> bool:
        """The same posteriors with the same chances, whatever the observations are called."""
        if not isinstance(other, Hyper):
            return NotImplemented
        if set(self.secrets) != set(other.secrets) or self.exact != other.exact:
            return False
        order = require_same_labels(self.secrets, other.secrets, "hypers")
        mine = {tuple(c) for c in self.joint.transposed.rows()}
        return mine == {tuple(c) for c in other.joint.take(rows=order).transposed.rows()}

    def __hash__(self) -> int:
        return hash(frozenset(self.secrets))

    def to_dict(self) -> dict[str, Any]:
        """Outer and inners as plain data."""
        return {
            "outer": self.outer.to_dict(),
            "inners": [inner.to_dict() for inner in self.inners],
            "secrets": plain(self.secrets),
        }

    def __repr__(self) -> str:
        lines = [f"Hyper({len(self.secrets)} secrets, {len(self.observations)} posteriors)"]
        for (name, chance), inner in zip(self.outer.items(), self.inners, strict=True):
            lines.append(f"  {shown(name)}: {chance} × {inner}")
        return "\n".join(lines[:14])


@result("T", "Def 2.4.1")
def push(prior: Dist, channel: Channel) -> Hyper:
    """[prior ▷ C], the hyper-distribution of a prior pushed through a channel.

    a_y = Σ_x π_x·C_{x,y} is the chance of observation y, and δ^y_x = π_x·C_{x,y} / a_y its posterior.

    Parameters
    ----------
    prior
        A distribution on the channel's inputs.
    channel
        The channel. Exact with exact, float with float.
    """
    order = require_same_labels(channel.rows, prior.labels, "pushing a prior: channel and prior")
    weights = prior.matrix.take(columns=order)
    weights._require_same(channel.matrix)
    joint = Mat(channel.matrix.entries * weights.entries.T, channel.matrix.den * weights.den)
    return Hyper(channel.rows, channel.columns, joint)
