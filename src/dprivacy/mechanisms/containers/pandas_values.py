"""pandas: a Series, an Index or an extension array, whatever stores its values."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms.containers.arrow_values import ArrowValues
from dprivacy.mechanisms.containers.label_tables import LabelTables, Positions, same_labels, taken
from dprivacy.mechanisms.containers.python_values import Cells, boxed


class PandasValues:
    """A Series, an Index or an array of pandas; index and name come back with the noisy values.

    A category's entries are looked up among the labels, and what comes out has all labels as its
    categories, in their order, whatever occurred.
    """

    def __init__(self, values: Any) -> None:
        self.pd = sys.modules["pandas"]
        self.values = values
        self.dtype = values.dtype
        self.array = getattr(values, "array", values)

    def positions(self, labels: LabelTables) -> Positions:
        """As Held says."""
        pd = self.pd
        if isinstance(self.dtype, pd.CategoricalDtype):
            entries = labels.of_entries(self.dtype.categories.tolist())
            return taken(entries, self.array.codes)  # −1, for missing, takes the last entry
        if self._in_arrow:
            return ArrowValues(self.array.__arrow_array__()).positions(labels)
        if isinstance(self.dtype, np.dtype) and self.dtype.kind not in "mM":
            return labels.of_array(self.values.to_numpy())
        gone = np.asarray(self.array.isna())
        if self._masked:
            found = labels.of_array(self.array.to_numpy(self.dtype.numpy_dtype, na_value=0))
        else:
            found = labels.of_objects(list(self.array.astype(object)))
        if gone.any():
            found = found.copy()
            found[gone] = labels.missing
        return found

    @property
    def _in_arrow(self) -> bool:
        pd = self.pd
        stored = isinstance(self.dtype, pd.StringDtype) and self.dtype.storage == "pyarrow"
        return stored or isinstance(self.dtype, pd.ArrowDtype)

    @property
    def _masked(self) -> bool:
        """Whether it is numbers or booleans with a mask beside them."""
        kinds = self.pd.arrays
        masked = (kinds.IntegerArray, kinds.FloatingArray, kinds.BooleanArray)
        return isinstance(self.array, masked)

    def plain(self) -> list[Any] | NDArray[Any]:
        """As Held says."""
        if self.pd.api.types.is_numeric_dtype(self.dtype) and not self._missing_integers():
            plain: NDArray[Any] = self.values.to_numpy()
            return plain
        if self.pd.api.types.is_numeric_dtype(self.dtype):
            return np.asarray(self.values.to_numpy(dtype=np.float64, na_value=np.nan))
        return list(self.values)

    def _missing_integers(self) -> bool:
        return not isinstance(self.dtype, np.dtype) and bool(np.asarray(self.array.isna()).any())

    def of_labels(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """As Held says."""
        if isinstance(self.dtype, self.pd.CategoricalDtype):
            return self._in_kind(self._category(labels, positions))
        if isinstance(self.dtype, np.dtype):
            known = labels.label_array(self.dtype)
            if known.dtype.kind != "U":
                return self._in_kind(taken(known, positions))
        made = labels.kept(("pandas", self.dtype), lambda: self._label_array(labels))
        return self._in_kind(made.take(positions.astype(np.intp)))

    def _category(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        named = [label for label in labels.labels if label is not None]
        codes = positions.astype(np.int32)
        if labels.missing != labels.unknown:
            codes -= codes > labels.missing
            codes[positions == labels.missing] = -1
        return self.pd.Categorical.from_codes(codes, categories=named, ordered=self.dtype.ordered)

    def _label_array(self, labels: LabelTables) -> Any:
        """The labels in the values' type if they fit it, or in the type that pandas chooses."""
        pd = self.pd
        wider: list[Any] = []
        if self._masked and self.dtype.kind in "iu":
            wider = [pd.Int64Dtype()]
        elif isinstance(self.dtype, pd.ArrowDtype) and self.dtype.kind in "iu":
            wider = [pd.ArrowDtype(sys.modules["pyarrow"].int64())]
        for dtype in (self.dtype, *wider):
            try:
                made = pd.array(list(labels.labels), dtype=dtype)
            except (TypeError, ValueError, OverflowError):
                continue
            plain = [
                None if gone else x for x, gone in zip(made.tolist(), made.isna(), strict=True)
            ]
            if same_labels(plain, labels.labels):
                return made
        return pd.Series(list(labels.labels)).array

    def of_cells(self, cells: Cells) -> Any:
        """As Held says."""
        return self._in_kind(boxed(cells))

    def _in_kind(self, made: Any) -> Any:
        """An array of NumPy or pandas with the values' index and name; pandas must not guess a type."""
        pd = self.pd
        if isinstance(self.values, pd.Series):
            return pd.Series(
                made, index=self.values.index, name=self.values.name, dtype=made.dtype, copy=False
            )
        if isinstance(self.values, pd.Index):
            return pd.Index(made, name=self.values.name, dtype=made.dtype, tupleize_cols=False)
        return pd.array(made, dtype=made.dtype, copy=False)
