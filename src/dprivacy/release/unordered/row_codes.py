"""Rows as numbers that sort as the rows do, from left to right, and rows again from the numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.extras import arrow
from dprivacy.mechanisms import longest_cell
from dprivacy.release.columns.value_codes import MOST_LISTED
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.domains.published_values import declared_outputs, grid_points, published_type
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.cell_digits import (
    WORD,
    CellDigits,
    Doubles,
    Listed,
    Texts,
    Whole,
)

Codes = NDArray[np.uint64]  # a row for each row of the table, of one word or several


class RowCodes:
    """Codes of the rows of a released table, in words of 64 bits: mixed radix, the first column first.

    Two rows have one code exactly if they are one and the same, so that sorted codes say nothing of
    the order in which rows came.

    Parameters
    ----------
    columns
        The digits of every column, in the order of the table.

    Examples
    --------
    >>> import pyarrow
    >>> codes = RowCodes({"tea": Listed(pyarrow.array(["yes", "no"])), "n": Whole()})
    >>> table = pyarrow.table({"tea": ["no", "yes"], "n": [7, -1]})
    >>> codes.rows(codes.of(table)).equals(table), codes.words
    (True, 2)
    """

    def __init__(self, columns: Mapping[str, CellDigits]) -> None:
        self._columns = dict(columns)
        self._layout: list[list[int]] = []
        held = WORD
        for column in self._columns.values():
            for radix in column.radixes:
                if held * radix > WORD:
                    self._layout.append([])
                    held = 1
                self._layout[-1].append(radix)
                held *= radix

    @property
    def words(self) -> int:
        """How many words a code has."""
        return len(self._layout)

    def of(self, table: Any) -> Codes:
        """The codes of the rows of an Arrow table."""
        digits = self._digits(table)
        codes = np.empty((table.num_rows, self.words), dtype=np.uint64)
        for word, radixes in enumerate(self._layout):
            value = next(digits)
            for radix in radixes[1:]:
                value = value * np.uint64(radix) + next(digits)
            codes[:, word] = value
        return codes

    def _digits(self, table: Any) -> Iterator[Codes]:
        for name, column in self._columns.items():
            yield from column.digits(table.column(name))

    def rows(self, codes: Codes) -> Any:
        """The Arrow table whose rows have these codes."""
        digits: list[Codes] = []
        for word, radixes in enumerate(self._layout):
            value, found = codes[:, word], list[Codes]()
            for radix in reversed(radixes[1:]):
                value, digit = np.divmod(value, np.uint64(radix))
                found.append(digit)
            digits += [value, *reversed(found)]
        cells, at = {}, 0
        for name, column in self._columns.items():
            end = at + len(column.radixes)
            cells[name] = column.cells(digits[at:end])
            at = end
        return arrow().table(cells)


def released_codes(
    plan: Plan,
    names: Sequence[str],
    untouched: Mapping[str, CellDigits],
    *,
    dictionaries: bool = False,
) -> RowCodes:
    """The codes of what a plan releases.

    Parameters
    ----------
    plan
        What happens to every column.
    names
        The columns that come out, in their order.
    untouched
        The digits of those that are published as they are.
    dictionaries
        Whether rows come back with dictionaries of declared outputs, where these are listed.
    """
    return RowCodes(
        {
            name: untouched[name]
            if name in untouched
            else digits_of(plan.column(name), dictionaries=dictionaries)
            for name in names
        }
    )


def digits_of(column: ColumnPlan, *, dictionaries: bool = False) -> CellDigits:
    """The digits of a protected column: positions among its declared outputs, or numbers."""
    pa = arrow()
    listed = declared_outputs(column) if column.listed else grid_points(column)
    if listed is not None:
        return Listed(listed, coded=dictionaries and len(listed) <= MOST_LISTED)
    if column.kind == "bits":
        return Texts(column.mechanism.bits)
    if column.local is not None and published_type(column) == pa.string():
        return Texts(longest_cell(column.local))
    return Whole() if published_type(column) == pa.int64() else Doubles()
