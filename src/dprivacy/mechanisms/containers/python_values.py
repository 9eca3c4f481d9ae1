"""Values as Python and NumPy hold them: one value, a list, a tuple, an array."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongKind
from dprivacy.mechanisms.containers.label_tables import LabelTables, Positions, taken

Cells = Sequence[Any] | NDArray[Any]  # new contents, one a value


class Held(Protocol):
    """Values in their container: what to read of them, and how others get into such a container."""

    def positions(self, labels: LabelTables) -> Positions:
        """Where each value stands among some labels, in a flat array."""
        ...

    def plain(self) -> list[Any] | NDArray[Any]:
        """The values as a list or an array of numbers, missing ones as None or NaN."""
        ...

    def of_labels(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """The same kind of container and type with the labels at some positions."""
        ...

    def of_cells(self, cells: Cells) -> Any:
        """The same kind of container with other contents, of their own type."""
        ...


class OneValue:
    """A single value; a text only where it is a label."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def positions(self, labels: LabelTables) -> Positions:
        """As Held says; WrongKind for a single value that is not a label."""
        if not labels.holds(self.value):
            raise _no_single(self.value, "one of the labels")
        return labels.of_objects([self.value])

    def plain(self) -> list[Any]:
        """As Held says."""
        if not isinstance(self.value, int | float) and not hasattr(self.value, "__float__"):
            raise _no_single(self.value, "a number")
        return [self.value]

    def of_labels(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """As Held says."""
        return labels.labels[int(positions[0])]

    def of_cells(self, cells: Cells) -> Any:
        """As Held says."""
        return np.asarray(cells).tolist()[0] if isinstance(cells, np.ndarray) else cells[0]


class ListedValues:
    """A list, a tuple, or anything else that gives its values one after the other."""

    def __init__(self, values: Any) -> None:
        self.values = listed(values)
        self._kind = tuple if isinstance(values, tuple) else list

    def positions(self, labels: LabelTables) -> Positions:
        """As Held says."""
        return labels.of_objects(self.values)

    def plain(self) -> list[Any]:
        """As Held says."""
        return self.values

    def of_labels(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """As Held says."""
        known = labels.label_array(np.dtype(object))
        return self._kind(taken(known, positions).tolist())

    def of_cells(self, cells: Cells) -> Any:
        """As Held says."""
        return self._kind(cells.tolist() if isinstance(cells, np.ndarray) else cells)


class ArrayValues:
    """A NumPy array of any shape, or a NumPy scalar."""

    def __init__(self, values: Any) -> None:
        refuse_masked(values)
        self._scalar = isinstance(values, np.generic)
        self.values: NDArray[Any] = np.asarray(values)

    def positions(self, labels: LabelTables) -> Positions:
        """As Held says."""
        return labels.of_array(self.values.reshape(-1))

    def plain(self) -> NDArray[Any]:
        """As Held says."""
        return self.values

    def of_labels(self, labels: LabelTables, positions: NDArray[np.integer]) -> Any:
        """As Held says."""
        return self._shaped(taken(labels.label_array(self.values.dtype), positions))

    def of_cells(self, cells: Cells) -> Any:
        """As Held says."""
        return self._shaped(boxed(cells))

    def _shaped(self, flat: NDArray[Any]) -> Any:
        shaped = flat.reshape(self.values.shape + flat.shape[1:])
        return shaped[()] if self._scalar else shaped


def boxed(cells: Cells) -> NDArray[Any]:
    """Contents as an array; those of a list are objects, whatever they are."""
    if isinstance(cells, np.ndarray):
        return cells
    made = np.empty(len(cells), dtype=object)
    made[:] = cells
    return made


def listed(values: Any) -> list[Any]:
    """Values as a list; WrongKind for what has no list of values, or more than one."""
    if hasattr(values, "columns"):
        names = getattr(values, "column_names", values.columns)  # Arrow's columns are the data
        way = f"not a whole frame; pass one column, such as frame[{next(iter(names), 'name')!r}]"
    elif isinstance(values, str | bytes) or not isinstance(values, Iterable):
        way = f"not a single {_kind(values)}; put it in a list"
    elif isinstance(values, Mapping):
        way = "not a mapping; pass list(mapping.values()) or list(mapping)"
    elif isinstance(values, Set):
        way = "not a set, which has no order; pass sorted(values)"
    else:
        return list(values.to_pylist() if hasattr(values, "to_pylist") else values)  # of Arrow
    raise WrongKind(f"values should be a list or an array, {way}")


def _no_single(value: Any, one: str) -> WrongKind:
    return WrongKind(
        f"values should be a list or an array, or {one}, not another single {_kind(value)}"
    )


def _kind(value: Any) -> str:
    return "text" if isinstance(value, str | bytes) else type(value).__name__


def refuse_masked(values: Any) -> None:
    """WrongKind, by row number, if an array says that some of its values are missing."""
    if np.ma.is_masked(values):
        masked = np.atleast_1d(np.ma.getmaskarray(values))
        row = int(np.flatnonzero(masked.reshape(len(masked), -1).any(axis=1))[0])
        raise WrongKind(
            f"row {row} is masked, that is missing; fill such rows in or leave them out"
        )
