"""Matrices with named rows and columns: what channels and gains share, and gains."""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from dprivacy.errors import WrongShape, counted
from dprivacy.model.answers import Pictured
from dprivacy.model.notebooks.notebook_views import html_matrix, latex_matrix
from dprivacy.model.plain_data import plain, shown
from dprivacy.numbers import Frozen, Mat, read_matrix
from dprivacy.spaces import locate, positions, read_labels
from dprivacy.typing import Label, Number, TableLike

_SHOWN = 12  # rows and columns of a printed table


class Labelled(Frozen):
    """A matrix whose rows and columns carry labels.

    Parameters
    ----------
    rows, columns
        Distinct, hashable labels.
    matrix
        Nested lists, an array or a Mat; see `read_matrix` for what entries may be.

    Examples
    --------
    >>> bet = Gain(["bet on rain", "stay out"], ["rain", "sun"], [[2, -1], [0, 0]])
    >>> bet.exact, bet.row_position("stay out"), bet.column_position("sun")
    (True, 1, 1)
    >>> bet.row("stay out"), bet.restrict(["stay out"]).to_dict()["matrix"]
    ({'rain': Fraction(0, 1), 'sun': Fraction(0, 1)}, [['0', '0']])
    """

    row_name, column_name = "row", "column"
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    matrix: Mat

    def __init__(
        self, rows: Iterable[Label], columns: Iterable[Label], matrix: TableLike | Mat
    ) -> None:
        self._set(rows=read_labels(rows, f"{self.row_name}s"))
        self._set(columns=read_labels(columns, f"{self.column_name}s"))
        self._set(matrix=read_matrix(matrix, self._place))
        if self.matrix.shape != (len(self.rows), len(self.columns)):
            n, m = self.matrix.shape
            raise WrongShape(
                f"{counted(len(self.rows), self.row_name)} and "
                f"{counted(len(self.columns), self.column_name)} were named, but the matrix is {n}×{m}"
            )

    @cached_property
    def _row_index(self) -> dict[Label, int]:
        return positions(self.rows)

    @cached_property
    def _column_index(self) -> dict[Label, int]:
        return positions(self.columns)

    def _place(self, i: int, j: int) -> str:
        row = repr(self.rows[i]) if i < len(self.rows) else str(i)
        column = repr(self.columns[j]) if j < len(self.columns) else str(j)
        return f"{self.row_name} {row}, {self.column_name} {column}"

    @property
    def exact(self) -> bool:
        """Whether the entries are exact rationals."""
        return self.matrix.exact

    def __getitem__(self, at: tuple[Label, Label]) -> Number:
        """The entry at (row label, column label)."""
        return self.matrix[self.row_position(at[0]), self.column_position(at[1])]

    def row_position(self, label: Label) -> int:
        """Where a row stands."""
        return locate(self._row_index, label, f"the {self.row_name}s")

    def column_position(self, label: Label) -> int:
        """Where a column stands."""
        return locate(self._column_index, label, f"the {self.column_name}s")

    def row(self, label: Label) -> dict[Label, Number]:
        """One row, by column label."""
        return dict(zip(self.columns, self.matrix.row(self.row_position(label)), strict=True))

    def _like(self, rows: Sequence[Label], columns: Sequence[Label], matrix: Mat) -> Self:
        return type(self)(rows, columns, matrix)

    def restrict(self, rows: Sequence[Label]) -> Self:
        """Only the given rows, in the given order: M↓X."""
        chosen = [self.row_position(label) for label in read_labels(rows, f"{self.row_name}s")]
        return self._like(
            [self.rows[i] for i in chosen], self.columns, self.matrix.take(rows=chosen)
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Labelled)
        return (self.rows, self.columns, self.matrix) == (other.rows, other.columns, other.matrix)

    def __hash__(self) -> int:
        return hash((self.rows, self.columns, self.matrix))

    def to_dict(self) -> dict[str, Any]:
        """Rows, columns and entries as plain data."""
        return {
            "rows": plain(self.rows),
            "columns": plain(self.columns),
            "matrix": plain(self.matrix.rows()),
            "exact": self.exact,
        }

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float"
        head = f"{type(self).__name__}({len(self.rows)}×{len(self.columns)}, {kind})"
        if len(self.rows) > _SHOWN or len(self.columns) > _SHOWN:
            return head
        cells = [["", *(shown(y) for y in self.columns)]]
        for i, x in enumerate(self.rows):
            values = self.matrix.row(i)
            cells.append([shown(x), *(str(v) if self.exact else f"{v:.6g}" for v in values)])
        widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
        if max(widths) > 24:
            return head
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([head, *lines])

    def _repr_html_(self) -> str:
        """A table, for a notebook."""
        kind = "exact" if self.exact else "float"
        rows = counted(len(self.rows), self.row_name)
        columns = counted(len(self.columns), self.column_name)
        caption = f"{type(self).__name__}: {rows}, {columns} ({kind})"
        return html_matrix(caption, self.rows, self.columns, self.matrix.row)

    def _repr_latex_(self) -> str | None:
        """A formula, for a notebook that is printed; None where it would be too large."""
        return latex_matrix(self.rows, self.columns, self.matrix.row)


class Gain(Pictured, Labelled):
    """Actions by secrets: `gain[w, x]` is what action w is worth when the secret is x.

    A loss is its mirror image, where less is better.

    Parameters
    ----------
    rows, columns
        Actions and secrets.
    matrix
        What each is worth, exact or float.

    Examples
    --------
    >>> bet = Gain(["bet on rain", "stay out"], ["rain", "sun"], [[2, -1], [0, 0]])
    >>> bet["bet on rain", "sun"]
    Fraction(-1, 1)
    >>> bet.actions, bet.secrets
    (('bet on rain', 'stay out'), ('rain', 'sun'))
    """

    row_name, column_name = "action", "secret"

    @property
    def actions(self) -> tuple[Label, ...]:
        """The actions."""
        return self.rows

    @property
    def secrets(self) -> tuple[Label, ...]:
        """The secrets."""
        return self.columns


def proportional_groups(matrix: Mat) -> list[list[int]]:
    """Columns of the same direction, taken together; columns of zeros belong to no group."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for j, column in enumerate(matrix.entries.T.tolist()):
        if any(column):
            groups.setdefault(_direction(column, exact=matrix.exact), []).append(j)
    return list(groups.values())


def summed_groups(matrix: Mat, groups: Sequence[Sequence[int]]) -> Mat:
    """The matrix of the sums of groups of columns."""
    sums = [matrix.entries[:, list(group)].sum(axis=1) for group in groups]
    return Mat(np.stack(sums, axis=1), matrix.den)


def merge_proportional(labels: Sequence[Any], matrix: Mat) -> tuple[list[Any], Mat]:
    """Columns of the same direction added up, columns of zeros dropped; first come, first kept.

    A merged column is named after all that went into it.
    """
    groups = proportional_groups(matrix)
    taken = {labels[group[0]] for group in groups if len(group) == 1}
    names: list[Any] = []
    for group in groups:
        name = labels[group[0]]
        if len(group) > 1:
            name = " | ".join(shown(labels[j]) for j in group)
            while name in taken:
                name = f"({name})"
            taken.add(name)
        names.append(name)
    return names, summed_groups(matrix, groups)


def _direction(column: Sequence[Any], *, exact: bool) -> tuple[Any, ...]:
    """A key shared by exactly the positive multiples of a column that is not 0."""
    if exact:
        common = math.gcd(*column)
        return tuple(value // common for value in column)
    largest = max(column)
    return tuple(value / largest for value in column)
