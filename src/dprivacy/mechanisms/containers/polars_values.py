"""Series of Polars."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms.containers.label_tables import LabelTables, Positions, same_labels, taken
from dprivacy.mechanisms.containers.python_values import Cells

_NOT_IN_NUMPY = ("Int128", "UInt128")


class PolarsValues:
    """A Series of Polars; its name comes back with the noisy values.

    Text and categories are cast to an Enum of the labels, whose physical codes are positions. What
    comes out of an Enum has all labels as its categories, in their order, whatever occurred.
    """

    def __init__(self, values: Any) -> None:
        self.pl = sys.modules["polars"]
        self.values = values
        self.dtype = values.dtype

    def positions(self, labels: LabelTables) -> Positions:
        """As Held says."""
        pl, values = self.pl, self.values
        if self.dtype in (pl.String, pl.Categorical, pl.Enum):
            found = self._text_positions(labels)
        elif self.dtype.is_integer() and str(self.dtype) not in _NOT_IN_NUMPY:
            found = labels.of_array(values.fill_null(0).to_numpy())
        else:
            found = labels.of_objects(values.to_list())
        if values.null_count():
            found = found.copy()
            found[values.is_null().to_numpy()] = labels.missing
        return found

    def _text_positions(self, labels: LabelTables) -> Positions:
        pl, values = self.pl, self.values
        if self.dtype in (pl.Categorical, pl.Enum):
            present = values.unique().drop_nulls()
            physical = present.to_physical().to_numpy()
            entries = np.full(int(physical.max(initial=0)) + 1, labels.unknown, dtype=labels.dtype)
            entries[physical] = labels.of_objects(present.cast(pl.String).to_list())
            return taken(entries, values.to_physical().fill_null(0).to_numpy())
        found = values.cast(pl.Enum(labels.texts), strict=False).to_physical()
        codes = (
            found.fill_null(len(labels.texts)).to_numpy()
            if found.null_count()
            else found.to_numpy()
        )
        if len(labels.texts) < len(labels.labels):
            codes = taken(labels.text_positions, codes)
        return np.asarray(codes).astype(labels.dtype)

    def plain(self) -> list[Any] | NDArray[Any]:
        """As Held says."""
        if self.dtype.is_numeric() and not self.dtype.is_decimal():
            return np.asarray(self.values.to_numpy())
        listed: list[Any] = self.values.to_list()
        return listed

    def of_labels(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """As Held says."""
        made = labels.kept(("polars", self.dtype), lambda: self._label_series(labels))
        return made.gather(self.pl.Series(positions.astype(np.uint32))).alias(self.values.name)

    def _label_series(self, labels: LabelTables) -> Any:
        """The labels in the values' type if they fit it, or in the type that Polars chooses."""
        pl = self.pl
        wider = [pl.Int64] if self.dtype.is_integer() else []
        own = pl.Enum(labels.texts) if self.dtype == pl.Enum else self.dtype
        for dtype in (own, *wider, None):
            try:
                made = pl.Series(list(labels.labels), dtype=dtype, strict=True)
            except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
                continue
            if same_labels(made.to_list(), labels.labels):
                return made
        return pl.Series(list(labels.labels), dtype=pl.Object)

    def of_cells(self, cells: Cells) -> Any:
        """As Held says."""
        return self.pl.Series(self.values.name, cells)
