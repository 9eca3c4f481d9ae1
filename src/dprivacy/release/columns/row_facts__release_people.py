"""How many rows each person has, so that a guarantee for people is not one for rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import Malformed


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
            raise Malformed(
                f"column {self.column!r}, row {at}: is missing, and it should say whose row it is"
            )
        found = [hash(who if isinstance(who, str) else repr(who)) for who in array.to_pylist()]
        self._seen.append(np.array(found, dtype=np.int64))
        self._rows += len(found)

    def check(self) -> None:
        """Malformed when somebody has more rows than the plan allows."""
        people = np.sort(np.concatenate(self._seen)) if self._seen else np.empty(0, np.int64)
        if self._rows > self.most and (people[self.most :] == people[: -self.most]).any():
            raise Malformed(
                f"somebody has more rows than rows_per_person = {self.most} (by column "
                f"{self.column!r}); raise it in the plan, or leave out the rows beyond it"
            )
