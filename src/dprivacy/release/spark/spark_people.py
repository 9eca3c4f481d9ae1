"""Whose the rows of a Spark frame are: counted in the same job that draws their noise."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadPlan, NotApplicable
from dprivacy.release.columns.tagged_people import TaggedPeople


class PeopleTags:
    """Tags of the people of one partition: 64 bits each, under a key that nobody else has.

    Two people who share a tag can at worst cause a refusal.

    Parameters
    ----------
    column
        The column that says whose a row is.
    key
        The key of the tags of this run.
    """

    def __init__(self, column: str, key: bytes) -> None:
        self.column, self._key = column, key
        self._seen: list[NDArray[np.int64]] = []
        self._rows = 0

    def see(self, array: Any) -> None:
        """Note whom the next rows belong to."""
        if array.null_count:
            at = self._rows + int(np.flatnonzero(np.asarray(array.is_null()))[0])
            raise NotApplicable(
                f"column {self.column!r}, row {at}: is missing, and it should say whose row it is"
            )
        self._seen.append(TaggedPeople(array, self._key).tags[:, 0].view(np.int64))
        self._rows += len(array)

    def found(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Every tag once, how many rows it has, and a mark of all this: a number below 2^62."""
        tags, rows = np.unique(
            np.concatenate([*self._seen, np.empty(0, np.int64)]), return_counts=True
        )
        digest = hashlib.sha256(
            tags.astype("<i8").tobytes() + rows.astype("<i8").tobytes()
        ).digest()
        return tags, rows, int.from_bytes(digest[:8], "little") >> 2


def require_people(column: str, allowed: int, most: int) -> None:
    """Refuse a table in which somebody has too many rows."""
    if most > allowed:
        raise BadPlan(
            f"somebody has more rows than rows_per_person = {allowed} (by column {column!r}); raise it "
            "in the plan, or leave out the rows beyond it"
        )


def sum_of_tags(people: Sequence[Any], key: bytes) -> int:
    """The tags of people added up, each once."""
    tags = np.unique(TaggedPeople(people, key).tags[:, 0].view(np.int64))
    return sum(map(int, tags))


def require_same_people(charged: int, written: int) -> None:
    """Refuse a frame that had other people when they were charged than when noise was drawn."""
    if charged != written:
        raise NotApplicable(
            "the frame gave other people when its noise was drawn than when they were charged; write "
            "it down first"
        )


def require_same_rows(counted: int, written: int) -> None:
    """Refuse to say whose the rows are when those that were counted are not those that were written."""
    if counted != written:
        raise NotApplicable(
            "a machine was lost, and the frame gave other people when it was evaluated again, so that "
            "they could not be counted; write the frame down first, or run this once more"
        )
