"""Channels: what a mechanism may answer on each secret, and how likely."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import Malformed, NotInvertible, NotStochastic, SpaceMismatch, TooLarge
from dprivacy.model.answers import Pictured, Verdict
from dprivacy.model.labelled_matrix__model_labelled import Labelled
from dprivacy.model.plain_data import plain
from dprivacy.model.proportional_columns import merge_proportional
from dprivacy.numbers import Mat, inverse
from dprivacy.sources import result
from dprivacy.spaces import Label, require_same_labels

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
    """

    row_name, column_name = "input", "output"

    def __init__(self, rows: Iterable[Label], columns: Iterable[Label], matrix: Any) -> None:
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

    @result("T", "Def 3.1.4", "Lem 3.1")
    def __and__(self, other: "Channel") -> "Channel":
        """Sequential composition: observe both channels on the same secret."""
        if not isinstance(other, Channel):
            return NotImplemented
        order = require_same_labels(self.rows, other.rows, "observing both: inputs")
        second = other.matrix.take(rows=order)
        self.matrix._require_same(second)
        _require_fits(len(self.rows), len(self.columns) * len(other.columns))
        pairs = [(y, z) for y in self.columns for z in other.columns]
        entries = self.matrix.entries[:, :, None] * second.entries[:, None, :]
        return Channel(
            self.rows, pairs, Mat(entries.reshape(len(self.rows), -1), self.matrix.den * second.den)
        )

    def select(self, columns: Sequence[Any]) -> Mat:
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
        same = _column_set(mine) == _column_set(theirs)
        if mine.exact or same:
            return Verdict(claim, same, mine.exact)
        near = _mass_apart(mine, theirs) <= FLOAT_ROW_SUM
        return Verdict(claim, None if near else False, False, FLOAT_ROW_SUM)

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
        from dprivacy.model.combined_channels import parallel

        if n < 1:
            raise Malformed(f"a database needs at least one row, not {n}")
        cells = len(self.rows) * len(self.columns)
        if cells > 1 and n > 64 / math.log2(cells):
            raise TooLarge(
                f"{_count(n)} rows of a {len(self.rows)}×{len(self.columns)} channel would have more "
                f"than {_MOST_CELLS:,} entries"
            )
        product = parallel(*[self] * n)
        return (
            product
            if n > 1
            else Channel([(x,) for x in self.rows], [(y,) for y in self.columns], self.matrix)
        )


def check_stochastic(table: Labelled) -> None:
    """Raise NotStochastic, naming the row, unless every row is a distribution."""
    matrix = table.matrix
    floats = not matrix.exact
    with np.errstate(invalid="ignore"):
        bad = matrix.entries < 0
        if floats:
            bad = bad | ~np.isfinite(matrix.entries)
    if bad.any():
        i, j = (int(at) for at in np.argwhere(bad)[0])
        raise NotStochastic(
            f"{table._place(i, j)}: {plain(matrix[i, j])} is not a probability (it must be at least 0)"
        )
    sums = matrix.entries.sum(axis=1)
    for i, total in enumerate(sums):
        off: Any = float(total) - 1 if floats else Fraction(total, matrix.den) - 1
        if abs(off) > (FLOAT_ROW_SUM if floats else 0):
            raise NotStochastic(
                f"{table.row_name} {table.rows[i]!r}: its probabilities sum to {plain(1 + off)}, "
                f"which is {'more' if off > 0 else 'less'} than 1 by {plain(abs(off))}"
            )


def _require_fits(rows: int, columns: int) -> None:
    if rows * columns > _MOST_CELLS:
        raise TooLarge(
            f"the result would have {_count(rows)}×{_count(columns)} entries, more than {_MOST_CELLS:,}"
        )


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"10^{round(number.bit_length() * math.log10(2))}"


def _column_set(matrix: Mat) -> set[tuple[Fraction | float, ...]]:
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


def require_channel_space(channel: Channel, labels: Sequence[Any]) -> list[int]:
    """Positions in the space of the channel's inputs; SpaceMismatch unless the labels agree."""
    try:
        return require_same_labels(channel.rows, labels, "channel and space")
    except SpaceMismatch as reason:
        raise SpaceMismatch(
            f"{reason}; name the channel's inputs with as_channel(..., rows=...)"
        ) from None
