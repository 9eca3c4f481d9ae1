"""Channels, and the hyper-distributions that they make of priors."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import (
    MixedArithmetic,
    NotInvertible,
    NotStochastic,
    SpaceMismatch,
    TooLarge,
    WrongShape,
    counted,
)
from dprivacy.model.answers import Pictured, Verdict
from dprivacy.model.distributions import Dist, as_prior
from dprivacy.model.labelled_matrix import Labelled, merge_proportional
from dprivacy.model.notebooks.notebook_views import html_matrix
from dprivacy.model.plain_data import plain, shown
from dprivacy.numbers import Frozen, Mat, inverse, read_whole
from dprivacy.sources import result
from dprivacy.spaces import locate, positions, require_same_labels
from dprivacy.typing import Label, Number, NumberLike, PriorLike, TableLike

FLOAT_ROW_SUM = 1e-9  # how far from 1 the sum of a row of doubles may be
_MOST_CELLS = 50_000_000


class Channel(Pictured, Labelled):
    """A row-stochastic matrix: rows are secrets, columns are observations.

    Parameters
    ----------
    rows, columns
        Labels of secrets and of observations.
    matrix
        Probabilities: exact ("1/3", Fractions, whole numbers) or floats.

    Examples
    --------
    >>> coin = Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> (coin @ coin)["yes", "no"]
    Fraction(3, 8)
    >>> print(coin.select(["yes"])[0, 0], coin.inverse()["yes", "no"], len(coin.over_rows(3).rows))
    3/4 -1/2 8
    >>> bool(coin.equivalent(coin.reduced()))
    True
    """

    row_name, column_name = "input", "output"

    def __init__(
        self, rows: Iterable[Label], columns: Iterable[Label], matrix: TableLike | Mat
    ) -> None:
        super().__init__(rows, columns, matrix)
        check_stochastic(self)

    @result("T", "Lem 3.3")
    def __matmul__(self, other: "Channel") -> "Channel":
        """Post-processing: run this channel, then the other on what came out."""
        if not isinstance(other, Channel):
            return NotImplemented
        order = require_same_labels(
            self.columns, other.rows, "post-processing: outputs of the first, inputs of the second"
        )
        return Channel(self.rows, other.columns, self.matrix @ other.matrix.take(rows=order))

    def __rrshift__(self, prior: PriorLike) -> "Hyper":
        """``prior >> C``: the hyper-distribution [prior ▷ C]."""
        return Hyper(self.rows, self.columns, joint_probabilities(self, prior))

    @result("T", "Def 3.1.4", "Lem 3.1")
    def __and__(self, other: "Channel") -> "Channel":
        """Sequential composition: observe both channels on the same secret."""
        if not isinstance(other, Channel):
            return NotImplemented
        order = require_same_labels(self.rows, other.rows, "observing both: inputs")
        second = other.matrix.take(rows=order)
        self.matrix._require_same(second)
        require_cells(len(self.rows), len(self.columns) * len(other.columns))
        pairs = [(y, z) for y in self.columns for z in other.columns]
        entries = self.matrix.entries[:, :, None] * second.entries[:, None, :]
        return Channel(
            self.rows, pairs, Mat(entries.reshape(len(self.rows), -1), self.matrix.den * second.den)
        )

    def select(self, columns: Sequence[Label]) -> Mat:
        """The matrix of some columns (not a channel: its rows need not sum to 1)."""
        return self.matrix.take(columns=[self.column_position(y) for y in columns])

    def reduced(self) -> "Channel":
        """The abstract channel: proportional columns merged, impossible outputs dropped.

        Two channels leak the same to every adversary exactly when these forms agree up to order.
        For floats only columns that are proportional to the last bit are merged.
        """
        labels, matrix = merge_proportional(self.columns, self.matrix)
        return Channel(self.rows, labels, matrix)

    def equivalent(self, other: "Channel") -> Verdict:
        """Whether both have the same abstract channel (so that each refines the other)."""
        order = require_same_labels(self.rows, other.rows, "equivalence: inputs")
        mine = self.reduced().matrix
        theirs = other.reduced().matrix.take(rows=order)
        mine._require_same(theirs)
        claim = "the two channels leak the same to every adversary"
        denial = "some adversary gains more from one of the two channels than from the other"
        same = _column_set(mine) == _column_set(theirs)
        if mine.exact or same:
            return Verdict(claim, same, mine.exact, denial=denial)
        near = _mass_apart(mine, theirs) <= FLOAT_ROW_SUM
        return Verdict(claim, None if near else False, False, FLOAT_ROW_SUM, denial=denial)

    def inverse(self) -> Labelled:
        """The inverse matrix, from observed to true frequencies; its rows are this channel's outputs.

        Its rows sum to 1 but may hold negative entries, so that it is not a channel.
        """
        try:
            return Labelled(self.columns, self.rows, inverse(self.matrix))
        except NotInvertible as reason:
            raise NotInvertible(
                f"this channel cannot be inverted: {reason}. Estimate by maximum likelihood instead"
            ) from None

    @result("C", "Def 5")
    def over_rows(self, n: int) -> "Channel":
        """Product sanitisation: every one of n rows is sent through this channel independently.

        Inputs and outputs are tuples of length n.
        """
        n = read_whole(n, "rows of a database")
        cells = len(self.rows) * len(self.columns)
        if cells > 1 and n > 64 / math.log2(cells):
            raise TooLarge(
                f"{_count(n)} rows of a {len(self.rows)}×{len(self.columns)} channel would have more "
                f"than {_MOST_CELLS:,} entries"
            )
        require_cells(len(self.rows) ** n, len(self.columns) ** n)
        matrix = reduce(Mat.kron, [self.matrix] * n)
        return Channel(product(self.rows, repeat=n), product(self.columns, repeat=n), matrix)


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

    Examples
    --------
    >>> from dprivacy.model import uniform
    >>> coin = Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> hyper = uniform(["yes", "no"]) >> coin
    >>> hyper.outer["yes"], hyper.inner("yes")["no"]
    (Fraction(1, 2), Fraction(1, 4))
    >>> print(hyper.prior(), hyper.inners[1], hyper.channel()["yes", "no"], hyper.exact)
    Dist(yes: 1/2, no: 1/2) Dist(yes: 1/4, no: 3/4) 1/4 True
    >>> Hyper.mix(["1/2", "1/2"], [hyper, hyper]).to_dict().keys() == hyper.to_dict().keys()
    True
    """

    secrets: tuple[Label, ...]
    observations: tuple[Label, ...]
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

    def inner(self, observation: Label) -> Dist:
        """The posterior after one observation."""
        return self.inners[locate(positions(self.observations), observation, "the observations")]

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
    def mix(cls, weights: Sequence[NumberLike], hypers: Sequence["Hyper"]) -> "Hyper":
        """The convex sum of hypers on the same secrets: a coin decides, and is seen."""
        if len(weights) != len(hypers) or not hypers:
            raise WrongShape(
                f"{counted(len(weights), 'weight')} for {counted(len(hypers), 'hyper')}"
            )
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
        sizes = counted(len(self.secrets), "secret"), counted(len(self.observations), "posterior")
        lines = [f"Hyper({', '.join(sizes)})"]
        for (name, chance), inner in zip(self.outer.items(), self.inners, strict=True):
            lines.append(f"  {shown(name)}: {chance} × {inner}")
        return "\n".join(lines[:14])

    def _repr_html_(self) -> str:
        """The posteriors as a table, each with its probability, for a notebook."""
        rows = [*self.outer.items()]
        return html_matrix(
            "Hyper: posteriors",
            [name for name, _ in rows],
            ["probability", *self.secrets],
            lambda i: [rows[i][1], *self.inners[i].weights],
        )


def prior_for(channel: Channel, prior: PriorLike) -> Dist:
    """The prior on a channel's inputs; exact where the channel is exact, and in floats where not."""
    belief = as_prior(prior, channel.rows, exact=channel.exact)
    if belief.exact != channel.exact:
        way = "text or fractions, such as '0.3' or '1/3'" if channel.exact else "floats"
        raise MixedArithmetic(
            f"the prior is {_kind(belief)} and the channel is {_kind(channel)}; write the weights of "
            f"the prior as {way}"
        )
    return belief


def _kind(noun: Dist | Channel) -> str:
    return "exact" if noun.exact else "in floats"


def joint_probabilities(channel: Channel, prior: PriorLike) -> Mat:
    """π_x·C[x, y], in the order of the channel's inputs and outputs."""
    entries, den = joint_entries(channel, prior)
    return Mat(entries, den) if channel.matrix.exact else Mat.doubles(entries)


def joint_entries(channel: Channel, prior: PriorLike) -> tuple[NDArray[Any], int]:
    """π_x·C[x, y] in a new array: whole numbers and what they are over, or doubles and 1."""
    table = channel.matrix
    if table.exact:
        weights = prior_for(channel, prior).matrix
        return table.entries * weights.entries.T, table.den * weights.den
    if prior is None:  # uniform
        return table.entries * (1 / len(channel.rows)), 1
    spread = prior_for(channel, prior).matrix.entries.repeat(len(channel.columns))
    joint = spread.reshape(table.shape)
    joint *= table.entries  # NumPy multiplies two whole arrays faster than each row by a number
    return joint, 1


def check_stochastic(table: Labelled) -> None:
    """Raise NotStochastic, naming the row, unless every row is a distribution."""
    matrix = table.matrix
    floats = not matrix.exact
    with np.errstate(invalid="ignore"):
        sums = matrix.entries.sum(axis=1)
        if floats and matrix.entries.min() >= 0 and abs(sums - 1).max() <= FLOAT_ROW_SUM:
            return
        bad = matrix.entries < 0
        if floats:
            bad = bad | ~np.isfinite(matrix.entries)
    if bad.any():
        i, j = (int(at) for at in np.argwhere(bad)[0])
        raise NotStochastic(
            f"{table._place(i, j)}: {plain(matrix[i, j])} is not a probability (it must be at least 0)"
        )
    for i, total in enumerate(sums):
        off: Any = float(total) - 1 if floats else Fraction(total, matrix.den) - 1
        if abs(off) > (FLOAT_ROW_SUM if floats else 0):
            raise NotStochastic(
                f"{table.row_name} {table.rows[i]!r}: its probabilities sum to {plain(1 + off)}, "
                f"which is {'more' if off > 0 else 'less'} than 1 by {plain(abs(off))}"
            )


def require_cells(rows: int, columns: int) -> None:
    """Raise TooLarge when a matrix would not fit."""
    if rows * columns > _MOST_CELLS:
        raise TooLarge(
            f"the result would have {_count(rows)}×{_count(columns)} entries, more than {_MOST_CELLS:,}"
        )


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"10^{round(number.bit_length() * math.log10(2))}"


def _column_set(matrix: Mat) -> set[tuple[Number, ...]]:
    return {tuple(column) for column in matrix.transposed.rows()}


def _mass_apart(mine: Mat, theirs: Mat) -> float:
    """The largest difference left when columns that are nearly proportional are merged as well."""
    directions: list[Any] = []
    totals: list[Any] = []
    for sign, matrix in ((1, mine), (-1, theirs)):
        for column in matrix.floats.T:
            direction = column / column.sum()
            for k, known in enumerate(directions):
                if np.abs(direction - known).max() <= FLOAT_ROW_SUM:
                    totals[k] = totals[k] + sign * column
                    break
            else:
                directions.append(direction)
                totals.append(sign * column)
    return float(max(np.abs(total).max() for total in totals))


def require_channel_space(inputs: Sequence[Any], labels: Sequence[Any]) -> list[int]:
    """Positions in the space of a channel's inputs; SpaceMismatch unless the labels agree."""
    try:
        return require_same_labels(inputs, labels, "channel and space")
    except SpaceMismatch as reason:
        raise SpaceMismatch(
            f"{reason}; name the channel's inputs with as_channel(..., rows=...)"
        ) from None
