"""Which ids were seen, in memory that does not grow: recent ones by name, earlier ones in sorted runs.

A run is a sorted row of ids on the disk. A filter of fixed size says of an id that it is certainly in
none of the runs, which is nearly always so; only otherwise are they searched.
"""

import secrets
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SIZE = 16  # bytes of an id
_BITS = 28  # of a position in the filter, 32 MiB
_HASHES = 4
_CHUNK = 1 << 10  # ids of a run that are read at once


class IdFilter:
    """Says "never added" only of what never was; of others, once in many, that it may have been.

    Positions depend on a key of this process, so that nobody can choose ids that collide.

    Examples
    --------
    >>> some = IdFilter()
    >>> some.add(b"0123456789abcdef")
    >>> some.maybe(b"0123456789abcdef" + b"fedcba9876543210").tolist()
    [True, False]
    """

    def __init__(self) -> None:
        self._field = np.zeros(1 << (_BITS - 3), dtype=np.uint8)
        drawn = np.frombuffer(secrets.token_bytes(16 * _HASHES), dtype=np.uint64)
        self._keys = (drawn | np.uint64(1)).reshape(_HASHES, 2)

    def _at(self, ids: bytes) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        words = np.frombuffer(ids, dtype=np.uint64).reshape(-1, 2)
        mixed = words[:, None, 0] * self._keys[:, 0] + words[:, None, 1] * self._keys[:, 1]
        mixed = (mixed ^ (mixed >> np.uint64(29))) * self._keys[:, 1]
        at = mixed >> np.uint64(64 - _BITS)
        return at >> np.uint64(3), np.left_shift(1, at & np.uint64(7)).astype(np.uint8)

    def add(self, ids: bytes) -> None:
        """Add ids that stand one after the other."""
        bytes_, bits = self._at(ids)
        np.bitwise_or.at(self._field, bytes_.ravel(), bits.ravel())

    def maybe(self, ids: bytes) -> NDArray[np.bool_]:
        """For each id whether it may have been added."""
        bytes_, bits = self._at(ids)
        return np.asarray(((self._field[bytes_] & bits) != 0).all(axis=1))


def sorted_run(ids: bytes) -> bytes:
    """The same ids, sorted."""
    return np.sort(np.frombuffer(ids, dtype=f"S{SIZE}")).tobytes()


def chunks(run: bytes) -> list[tuple[bytes, bytes]]:
    """A run in pieces that are quickly read, each with its first id."""
    step = _CHUNK * SIZE
    return [(run[at : at + SIZE], run[at : at + step]) for at in range(0, len(run), step)]


def in_sorted(ident: bytes, ids: bytes) -> bool:
    """Whether an id is among sorted ones that stand one after the other."""
    low, high = 0, len(ids) // SIZE
    while low < high:
        middle = (low + high) // 2
        found = ids[middle * SIZE : middle * SIZE + SIZE]
        if found == ident:
            return True
        if found < ident:
            low = middle + 1
        else:
            high = middle
    return False


def split(ids: bytes) -> list[bytes]:
    """Ids that stand one after the other, one by one."""
    return [ids[at : at + SIZE] for at in range(0, len(ids), SIZE)]


def joined(ids: Sequence[bytes]) -> bytes:
    """Ids in rising order, one after the other: the order says nothing of when they came."""
    return b"".join(sorted(ids))
