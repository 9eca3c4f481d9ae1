"""Rows as numbers: which of all rows that a plan declares each one is, before its noise and after."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.extras import arrow
from dprivacy.release.columns.sanitiser import Sanitiser, one_chunk
from dprivacy.release.columns.text_views import without_views
from dprivacy.release.plans.table_plan import Plan
from dprivacy.sampling import Source

KINDS = 1 << 16  # of rows that are counted at most
_NOISY = 24  # bits of a noisy row at most, so that 40 of a word are left for its place


def shapes_of(plan: Plan) -> list[tuple[int, int]] | None:
    """How many inputs and outputs each column has; None where rows cannot be counted.

    They can where nothing but the columns that are drawn comes out, every one of them has a channel,
    and there are few combinations.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["green", "black", "none"], "epsilon": "ln 3"}
    >>> shapes_of(Plan.read({"columns": {"tea": tea}}))
    [(3, 3)]
    >>> shapes_of(Plan.read({"columns": {"tea": tea}, "pass_through": ["id"]}))
    """
    if plan.unit != "row" or plan.pass_through:
        return None
    channels = [column.channel for column in plan.columns]
    found = [(len(c.rows), len(c.columns)) for c in channels if c is not None]
    few = math.prod(size for size, _ in found) <= KINDS and sum(_bits_of(found)) <= _NOISY
    return found if few and len(found) == len(channels) else None


def _bits_of(shapes: Sequence[tuple[int, int]]) -> list[int]:
    return [(outputs - 1).bit_length() for _, outputs in shapes]


class RowNumbers:
    """The rows of a plan whose columns have few values, as numbers.

    A true row is a number below `kinds`: the positions of its values, as digits. A noisy one has some
    bits for each column, in all `bits`.

    Parameters
    ----------
    plan
        A plan with `shapes_of`.
    source
        Where random words come from.
    """

    def __init__(self, plan: Plan, source: Source) -> None:
        shapes = shapes_of(plan)
        assert shapes is not None
        self._sanitiser = Sanitiser(plan, source, dictionaries=True)
        self._sizes = [inputs for inputs, _ in shapes]
        self._widths = _bits_of(shapes)
        self.kinds, self.bits = math.prod(self._sizes), sum(self._widths)
        every = np.unravel_index(np.arange(self.kinds), self._sizes)
        self._digits = [digits.astype(np.uint16) for digits in every]

    def of(self, table: Any) -> NDArray[np.uint16]:
        """The numbers of the rows of a table."""
        found = np.zeros(table.num_rows, np.uint16)
        for protector, size in zip(self._sanitiser.protectors, self._sizes, strict=True):
            names = protector.column.columns
            codes = protector.look([one_chunk(without_views(table.column(c))) for c in names])
            # Where one column has all of the kinds, the others have one each, and before it all is 0.
            found *= np.uint16(size % KINDS)
            found += codes.astype(np.uint16)
        return found

    def noisy(self, numbers: NDArray[np.uint16]) -> NDArray[np.uint64]:
        """Noisy rows for true ones."""
        found = np.zeros(len(numbers), np.uint64)
        for protector, digits, width in zip(
            self._sanitiser.protectors, self._digits, self._widths, strict=True
        ):
            found <<= np.uint64(width)
            drawn = protector.sampler.draw(digits.take(numbers), protector.source)
            found |= drawn.astype(np.uint64)
        return found

    def table(self, noisy: NDArray[np.uint64], names: Sequence[str]) -> Any:
        """Noisy rows as a table with these columns, which are dictionaries of declared outputs."""
        pa, done, left = arrow(), dict[str, Any](), self.bits
        for protector, width in zip(self._sanitiser.protectors, self._widths, strict=True):
            left -= width
            small = np.uint8 if width <= 8 else np.uint32
            places = noisy >> np.uint64(left)
            places &= np.uint64((1 << width) - 1)
            columns = protector.column.columns
            cells = protector.cells_at(places.astype(small), [pa.null()] * len(columns))
            done |= dict(zip(columns, cells, strict=True))
        return pa.table({name: done[name] for name in names})
