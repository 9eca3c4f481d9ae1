"""What is seen of all rows together: their order by a secret column, and how many each person has."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadPlan, NotApplicable

_FEWEST = 20  # rows below which an order may well be chance
_MOST_RUNS = 1 << 12
_FIRST = 1 << 8  # rows looked at first: nearly every table shows there that it is not sorted


class RowOrder:
    """Notices rows that are sorted, or grouped, by the values of one column.

    Noise changes values and leaves rows where they are. In a table that is sorted by a secret column,
    the place of a row says nearly what its value was, whatever ε is.

    Notes
    -----
    1. Rows are *sorted* while no value steps down, or none steps up, from one row to the next.
    2. They are *grouped* while no value comes back after another one; this finds an order that is not
       the declared one, such as the alphabet's. At least two rows a value are asked for, since values
       that all differ are always grouped.
    3. Both are decided on the run; only the last value and those that a run began with are kept, and
       nothing after the order is broken.

    Examples
    --------
    >>> order = RowOrder()
    >>> order.see(np.repeat([2, 0, 1], 10))
    >>> order.kept
    True
    """

    __slots__ = ("_falling", "_grouped", "_last", "_rising", "_rows", "_seen")

    def __init__(self) -> None:
        self._rows = 0
        self._rising = self._falling = self._grouped = True
        self._last: NDArray[np.generic] = np.empty(0)
        self._seen: set[object] = set()

    @property
    def broken(self) -> bool:
        """Whether the rows seen so far are in no order, so that later ones do not matter."""
        return not (self._rising or self._falling or self._grouped)

    @property
    def kept(self) -> bool:
        """Whether the rows came sorted or grouped, too many of them for chance."""
        if self._rows < _FEWEST or len(self._seen) < 2:
            return False
        grouped = self._grouped and self._rows >= 2 * len(self._seen)
        return self._rising or self._falling or grouped

    def see(self, values: NDArray[np.generic]) -> None:
        """Note the next values, in the order of the rows."""
        for part in (values[:_FIRST], values[_FIRST:]):
            if len(part) and not self.broken:
                self._look(part)

    def give_up(self) -> None:
        """Say that the order was seen to be broken before."""
        self._rising = self._falling = self._grouped = False

    def _look(self, values: NDArray[np.generic]) -> None:
        joined = np.concatenate([self._last.astype(values.dtype), values])
        before, after = joined[:-1], joined[1:]
        self._rising = self._rising and not bool((after < before).any())
        self._falling = self._falling and not bool((after > before).any())
        starts = [
            *(() if len(self._last) else (joined[0].item(),)),
            *after[after != before].tolist(),
        ]
        if self._grouped:
            new = set(starts)
            self._grouped = len(new) == len(starts) <= _MOST_RUNS and not new & self._seen
        if len(self._seen) < _MOST_RUNS:
            self._seen.update(starts[:_MOST_RUNS])
        self._rows += len(values)
        self._last = values[-1:].copy()


class RowsPerPerson:
    """Holds a table to the most rows that one person may have.

    Only a hash of 64 bits is kept of who each row belongs to; two people who share one can at worst
    cause a refusal.
    """

    def __init__(self, column: str, most: int) -> None:
        self.column, self.most = column, most
        self._seen: list[NDArray[np.int64]] = []
        self._rows = 0

    def see(self, array: Any) -> None:
        """Note whom the next rows belong to."""
        if array.null_count:
            at = self._rows + int(np.flatnonzero(np.asarray(array.is_null()))[0])
            raise NotApplicable(
                f"column {self.column!r}, row {at}: is missing, and it should say whose row it is"
            )
        found = [hash(who if isinstance(who, str) else repr(who)) for who in array.to_pylist()]
        self._seen.append(np.array(found, dtype=np.int64))
        self._rows += len(found)

    def check(self) -> None:
        """BadPlan when somebody has more rows than the plan allows."""
        people = np.sort(np.concatenate(self._seen)) if self._seen else np.empty(0, np.int64)
        if self._rows > self.most and (people[self.most :] == people[: -self.most]).any():
            raise BadPlan(
                f"somebody has more rows than rows_per_person = {self.most} (by column "
                f"{self.column!r}); raise it in the plan, or leave out the rows beyond it"
            )
