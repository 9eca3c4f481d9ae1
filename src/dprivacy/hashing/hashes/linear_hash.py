"""Hashes that look at projections of a vector: reading vectors, dense or by item."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable, WrongKind, WrongShape
from dprivacy.hashing.hashes.locality_hash import Input, Inputs, LocalityHash
from dprivacy.mechanisms import listed, read_doubles, whole
from dprivacy.numbers import Floats
from dprivacy.spaces import python_value
from dprivacy.typing import Label


@dataclass(frozen=True)
class LinearHash(LocalityHash):
    """A hash of the projections of a vector on κ public directions.

    Parameters
    ----------
    bits, key
        As in `LocalityHash`.
    dimension
        The length of the vectors. Without it an input is a mapping from items (texts or whole
        numbers) to numbers, and what it does not mention is 0; item i and coordinate i are the same.

    Examples
    --------
    >>> from dprivacy.hashing import random_projection
    >>> H = random_projection(bits=4, key="demo")
    >>> isinstance(H, LinearHash), H.project([{"tea": 1.0}]).shape
    (True, (1, 4))
    >>> matrix, items = H.read([{"tea": 1.0}, {"rum": 2.0}])
    >>> items, H.directions(items).shape, H.projected(matrix, items).shape
    (('tea', 'rum'), (2, 4), (2, 4))
    >>> [side.tolist() for side in H.pair({"tea": 1.0}, {"rum": 2.0})]
    [[1.0, 0.0], [0.0, 2.0]]
    """

    dimension: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dimension is not None:
            object.__setattr__(self, "dimension", whole(self.dimension, "dimension"))

    @abstractmethod
    def directions(self, items: Sequence[Label]) -> Floats:
        """One coordinate of every direction for each item: shape (items, κ)."""

    @cached_property
    def _all_directions(self) -> Floats:
        return self.directions(range(self.dimension or 0))

    def read(self, values: Inputs) -> tuple[Any, Sequence[Any]]:
        """The inputs as a matrix, and the items that its columns stand for.

        The matrix is an array where there is a dimension, and sparse where there is none.

        Raises
        ------
        WrongShape, WrongKind, BadNumber
            For rows of another length or kind, and for numbers that are not finite; by row number,
            never by value.
        """
        if self.dimension is not None:
            return read_dense(values, self.dimension), range(self.dimension)
        return read_items(values)

    def project(self, values: Inputs) -> Floats:
        """The projections of every input: shape (inputs, κ)."""
        matrix, items = self.read(values)
        return self.projected(matrix, items)

    def projected(self, matrix: Any, items: Sequence[Label]) -> Floats:
        """The same for what `read` gave."""
        known = self._all_directions if self.dimension is not None else self.directions(items)
        with np.errstate(all="ignore"):
            found = np.asarray(matrix @ known, dtype=np.float64)
        refuse_unlimited(found, "is too large to be projected")
        return found

    def pair(self, x: Input, z: Input) -> tuple[Floats, Floats]:
        """Two inputs as arrays over the same coordinates."""
        matrix, _ = self.read([x, z])
        both = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        return both[0], both[1]


def read_dense(values: Inputs, dimension: int) -> Floats:
    """Vectors as an array of shape (inputs, dimension)."""
    array = read_doubles(values, "vectors")
    if array.ndim != 2 or array.shape[1] != dimension:
        raise WrongShape(
            f"vectors should be rows of {dimension} numbers, not an array of shape {array.shape}"
        )
    refuse_unlimited(array, "has a number that is missing or infinite; leave such rows out")
    return array


def read_items(values: Inputs) -> tuple[Any, tuple[Any, ...]]:
    """Mappings from items to numbers as a sparse matrix, and the items of its columns."""
    from scipy.sparse import csr_array

    rows = listed(values)
    places: dict[Any, int] = {}
    columns: list[int] = []
    numbers: list[Any] = []
    starts = [0]
    for k, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise WrongKind(
                f"row {k} should be a mapping from items to numbers, not a value of type "
                f"{type(row).__name__}; for arrays give the dimension"
            )
        for item, number in row.items():
            columns.append(places.setdefault(_kind(item, k), len(places)))
            numbers.append(number)
        starts.append(len(columns))
    data = read_doubles(numbers, "the numbers of items")
    if data.ndim != 1:
        raise WrongShape(
            f"items should be mapped to single numbers, not to arrays of shape {data.shape[1:]}"
        )
    strange = np.flatnonzero(~np.isfinite(data))
    if len(strange):
        row = int(np.searchsorted(starts, strange[0], side="right")) - 1
        raise BadNumber(f"row {row} has a number that is missing or infinite; leave such rows out")
    shape = (len(rows), len(places))
    return csr_array((data, columns, starts), shape=shape), tuple(places)


def _kind(item: Any, row: int) -> Any:
    value = python_value(item)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise WrongKind(
            f"row {row}: items should be texts or whole numbers, not of type {type(value).__name__}"
        )
    return value


def refuse_unlimited(array: Floats, what: str) -> None:
    """BadNumber, by row number, where a row has NaN or an infinity."""
    broken = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(broken):
        raise BadNumber(f"row {int(broken[0])} {what}")


def scaled_rows(matrix: Any) -> Any:
    """Every row divided by its largest entry, so that nothing over- or underflows.

    Raises
    ------
    NotApplicable
        For a row of zeros, by its number: it points nowhere.
    """
    dense = isinstance(matrix, np.ndarray)
    most = np.abs(matrix).max(axis=1) if dense else abs(matrix).max(axis=1).toarray().ravel()
    empty = np.flatnonzero(most == 0)
    if len(empty):
        raise NotApplicable(
            f"row {int(empty[0])} is the zero vector, which has no direction; leave such rows out"
        )
    if dense:
        return matrix / most[:, None]
    # Entry by entry: the reciprocal of a denormal number would be infinite.
    scaled = matrix.copy()
    scaled.data = matrix.data / np.repeat(most, np.diff(matrix.indptr))
    return scaled
