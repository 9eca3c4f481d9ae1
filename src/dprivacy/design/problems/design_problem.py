"""The question of an optimal mechanism, read once: a space, a level, a prior, a loss, outputs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from dprivacy.errors import (
    BadNumber,
    NotApplicable,
    SpaceMismatch,
    UnknownName,
    WrongKind,
    WrongShape,
)
from dprivacy.flow import Loss, as_loss, finite, loss as losses
from dprivacy.model import Dist, Gain, about, as_prior, as_space, plain, shown
from dprivacy.numbers import Level, Mat, as_delta, as_eps, as_rational
from dprivacy.spaces import (
    Distances,
    FiniteSpace,
    locate,
    points,
    positions,
    read_labels,
    require_same_labels,
)
from dprivacy.typing import Label, LevelLike, LossLike, NumberLike, PriorLike, SpaceLike

Coordinates = Literal["euclidean", "manhattan", "chebyshev"]
_COORDINATES = get_args(Coordinates)
_NAMED = ("metric", "bayes")


@dataclass(frozen=True, eq=False)
class Problem:
    """Find the ε·d-private channel with the least expected loss Σ_x π_x Σ_y C[x, y]·ℓ(y, x).

    Doubles among distances, prior or loss stand for their exact binary values, as they do in levels.

    Attributes
    ----------
    space
        The metric on the secrets, exact.
    eps, delta
        The level ε, and the slack δ.
    prior, loss
        In the order of the space's labels; the loss's actions are the outputs.
    stretch
        The dilation of the spanner that stands in for all pairs; None for no spanner.
    """

    space: FiniteSpace
    eps: Level
    prior: Dist
    loss: Loss
    delta: Fraction = Fraction(0)
    stretch: Fraction | None = None

    @classmethod
    def read(
        cls,
        space: SpaceLike,
        *,
        eps: LevelLike,
        delta: NumberLike = 0,
        prior: PriorLike = None,
        loss: LossLike | Coordinates = "metric",
        outputs: Iterable[Label] | None = None,
        spanner: NumberLike | None = None,
    ) -> "Problem":
        """Read and check what a person wrote; see `optimal`."""
        space = as_space(space)
        table = read_loss(loss, space, outputs)
        _require_not_negative(table)
        return cls(
            exact_space(space),
            as_eps(eps),
            as_prior(prior, space.labels),
            table,
            as_delta(delta),
            read_stretch(spanner),
        )

    @property
    def outputs(self) -> tuple[Any, ...]:
        """What the channel may answer: the consumer's actions."""
        return self.loss.actions

    @property
    def exact(self) -> bool:
        """Whether prior and loss are exact rationals, so that the expected loss is one."""
        return self.prior.exact and self.loss.exact

    @cached_property
    def costs(self) -> Mat:
        """π_x·ℓ(y, x), secrets by outputs, exactly."""
        weights, table = exact_mat(self.prior.matrix), exact_mat(self.loss.matrix)
        return Mat(weights.entries.T * table.entries.T, weights.den * table.den)

    def expected(self, matrix: Mat) -> Fraction:
        """The expected loss of an exact channel on these secrets and outputs."""
        total = (self.costs.entries * matrix.entries).sum()
        return Fraction(int(total), self.costs.den * matrix.den)

    def told(self, loss: Fraction, bound: Fraction) -> tuple[Fraction | float, Fraction | float]:
        """Loss and bound as they are reported.

        Exact where the optimum is known and prior and loss are exact; doubles otherwise, the loss
        rounded up and the bound down.
        """
        from dprivacy.numbers import float_down, float_up

        if loss == bound:
            return (loss, bound) if self.exact else (float(loss), float(bound))
        return float_up(loss) + 0.0, float_down(bound) + 0.0  # never −0.0

    def words(self) -> str:
        """The question in a few words."""
        slack = f", δ = {about(self.delta)}" if self.delta else ""
        return (
            f"{len(self.space)} secrets, {len(self.outputs)} outputs, ε = {about(self.eps)}{slack}"
        )


def exact_space(space: FiniteSpace) -> FiniteSpace:
    """The same space with exact distances: a double is read as its exact binary value."""
    if space.exact:
        return space
    distinct, codes = np.unique(space.distances.table, return_inverse=True)
    values = [value if value == np.inf else Fraction(value) for value in distinct.tolist()]
    codes = codes.reshape(space.distances.table.shape).astype(np.int32)
    return FiniteSpace(space.labels, Distances(codes, values), numbered=space.numbered)


def exact_mat(matrix: Mat) -> Mat:
    """The same numbers as integers over one denominator; doubles by their exact binary value."""
    if matrix.exact:
        return matrix
    share, power = np.frexp(matrix.entries)
    whole = (share * 2.0**53).astype(np.int64)
    lift = np.where(whole == 0, 0, power - 53)
    lowest = min(int(lift.min(initial=0)), 0)
    rows = [
        [value << up for value, up in zip(*pair, strict=True)]
        for pair in zip(whole.tolist(), (lift - lowest).tolist(), strict=True)
    ]
    return Mat.over(1 << -lowest, rows)


def read_loss(
    loss: LossLike | Coordinates, space: FiniteSpace, outputs: Iterable[Label] | None = None
) -> Loss:
    """A loss by name, table, matrix or function, its secrets in the order of the space."""
    chosen = None if outputs is None else read_labels(outputs, "outputs")
    if isinstance(loss, str):
        if loss not in (*_NAMED, *_COORDINATES):
            raise UnknownName.among("the name of a loss", loss, (*_NAMED, *_COORDINATES))
        if loss in _COORDINATES:
            return _chosen(losses.metric(_by_coordinates(space, loss)), chosen)
    if isinstance(loss, str | Gain):
        table = as_loss(loss, space.labels, space)
        order = require_same_labels(space.labels, table.secrets, "space and secrets of the loss")
        ordered = Loss(table.actions, space.labels, table.matrix.take(columns=order))
        return _chosen(finite(ordered), chosen)
    if callable(loss):
        return losses.function(chosen or space.labels, space, loss)
    count = len(loss) if hasattr(loss, "__len__") else None
    if count is None:
        raise WrongKind(
            "a loss should be a name, a table such as loss.metric(space), a matrix (actions by "
            f"secrets) or a function of action and secret, not {type(loss).__name__}"
        )
    if chosen is None and count != len(space):
        raise WrongShape(
            f"the matrix of the loss should have {len(space)} rows, one for each point of the space, "
            f"not {count}; where actions are not points, name them with outputs=[…]"
        )
    return losses.matrix(chosen or space.labels, space.labels, loss)


def _by_coordinates(space: FiniteSpace, metric: str) -> FiniteSpace:
    """The labels as points in the plane (or on a line), whatever the space's own metric."""
    places = [label if isinstance(label, tuple) else (label,) for label in space.labels]
    numbers = all(_is_coordinate(v) for place in places for v in place)
    if not numbers or len({len(place) for place in places}) != 1:
        raise NotApplicable(
            f'the loss "{metric}" measures between labels that are coordinates, such as those of a '
            f'grid, and these are labels like {shown(space.labels[0])!r}; use "metric", the distances '
            "of the space"
        )
    if space.numbered:
        raise NotApplicable(
            f'the loss "{metric}" measures between labels that are coordinates, and labels like '
            f'{shown(space.labels[0])!r} only count these points; use "metric", the distances of the '
            "space, or make it with coordinates as labels=…"
        )
    return points(places, metric=metric, labels=space.labels, pseudo=True)


def _is_coordinate(value: object) -> bool:
    number = isinstance(value, int | Fraction) and not isinstance(value, bool)
    return number or (isinstance(value, float) and math.isfinite(value))


def _chosen(table: Loss, outputs: tuple[Any, ...] | None) -> Loss:
    if outputs is None:
        return table
    index = positions(table.actions)
    at = [locate(index, y, "the actions of the loss") for y in outputs]
    return Loss(outputs, table.secrets, table.matrix.take(rows=at))


def _require_not_negative(table: Loss) -> None:
    bad = np.argwhere(np.asarray(table.matrix.entries < 0, dtype=bool))
    if len(bad):
        w, x = (int(at) for at in bad[0])
        value = plain(table.matrix[w, x])
        raise BadNumber(
            f"a loss should be at least 0, but action {shown(table.actions[w])!r} on secret "
            f"{shown(table.secrets[x])!r} costs {value}; shift the whole loss with loss.shift, which "
            "changes no optimum"
        )


def read_stretch(spanner: NumberLike | None) -> Fraction | None:
    """The dilation of a spanner: a rational number of at least 1."""
    if spanner is None:
        return None
    stretch = as_rational(spanner, "a spanner's dilation")
    if stretch < 1:
        raise BadNumber(f"a spanner's dilation should be at least 1, not {spanner!r}")
    return stretch


def require_secrets(rows: tuple[Any, ...], table: Gain) -> list[int]:
    """Positions in the loss of a channel's inputs; SpaceMismatch names what differs."""
    try:
        return require_same_labels(rows, table.secrets, "channel and secrets of the loss")
    except SpaceMismatch as reason:
        raise SpaceMismatch(f"{reason}; give the loss on the channel's inputs") from None
