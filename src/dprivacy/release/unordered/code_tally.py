"""How often each code occurs, in flat memory: sorted runs go to a private file where they are too many.

Counting is sorting here, since rows with one code are the same. While the different codes fit into
memory nothing is written at all. Beyond that they are merged from sorted runs, in a file that its owner
alone may read and that has no name from the moment it is opened, so that a crash leaves nothing behind.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import Unfinished
from dprivacy.release.files.own_files import open_own
from dprivacy.release.unordered.row_codes import Codes

HELD = 16 << 20  # bytes of codes and counts that are held at a time
_FOLDED = 1 << 16  # codes that wait at least, and twice those known, before they are added to these
_LEAST = 1 << 10  # codes of a run that are read at a time
Counted = NDArray[np.uint64]  # rows of a code and, in the last place, its count


class Tally:
    """Counts codes, and gives them back sorted.

    Parameters
    ----------
    spill
        The private file, which is made if it is needed.
    held
        Bytes of codes that are held at a time, 16 MiB by default.
    """

    def __init__(self, spill: Path, *, held: int | None = None) -> None:
        self._spill, self._bytes, self._most = spill, HELD if held is None else held, 0
        self._waiting: list[Counted] = []
        self._held = 0
        self._known = np.empty((0, 0), dtype=np.uint64)
        self._handle, self._runs = -1, list[tuple[int, int]]()

    @property
    def spilled(self) -> int:
        """How many runs lie in the private file."""
        return len(self._runs)

    def add(self, codes: Codes) -> None:
        """Count some rows, all of which have codes of as many words."""
        if not self._most:
            width = codes.shape[1] + 1
            self._most = max(self._bytes // (8 * width), 2)
            self._known = np.empty((0, width), dtype=np.uint64)
        for start in range(0, len(codes), self._most):
            part = _counted(codes[start : start + self._most])
            self._waiting.append(part)
            self._held += len(part)
            if self._held >= min(self._most, max(2 * len(self._known), _FOLDED)):
                self._fold()

    def _fold(self) -> None:
        self._known = _summed(np.vstack([self._known, *self._waiting]))
        self._waiting, self._held = [], 0
        if len(self._known) > self._most:
            self._put(self._known)
            self._known = self._known[:0].copy()

    def _put(self, run: Counted) -> None:
        if self._handle < 0:
            self._handle = open_own(self._spill, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            with suppress(OSError):  # where a file cannot lose its name while it is open
                self._spill.unlink()
        start = os.lseek(self._handle, 0, os.SEEK_END)
        view = np.ascontiguousarray(run).data.cast("B")
        while view:
            view = view[os.write(self._handle, view) :]
        self._runs.append((start, len(run)))

    def counted(self) -> Iterator[tuple[Codes, NDArray[np.uint64]]]:
        """All codes in their order, each once, and their counts, some at a time."""
        if self._most:
            self._fold()
        if not self._runs:
            if len(self._known):
                yield self._known[:, :-1], self._known[:, -1]
            return
        if len(self._known):
            self._put(self._known)
            self._known = self._known[:0].copy()
        block = max(self._most // len(self._runs), _LEAST)
        width = self._known.shape[1]
        runs = [_Run(self._handle, start, n, width, block) for start, n in self._runs]
        while True:
            for run in runs:
                run.fill()
            bounds = [tuple(run.held[-1, :-1].tolist()) for run in runs if run.left]
            bound = min(bounds) if bounds else None
            merged = _summed(np.vstack([run.take(bound) for run in runs]))
            if not len(merged):
                return
            yield merged[:, :-1], merged[:, -1]

    def repeated(self, size: int) -> Iterator[Codes]:
        """All codes in their order, each as often as it was counted, at most `size` at a time."""
        for codes, counts in self.counted():
            ends = np.cumsum(counts)
            for start in range(0, int(ends[-1]), size):
                at = np.arange(start, min(start + size, int(ends[-1])), dtype=np.uint64)
                yield codes[np.searchsorted(ends, at, side="right")]

    def close(self) -> None:
        """Give the private file back."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        self._spill.unlink(missing_ok=True)

    def __enter__(self) -> "Tally":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class _Run:
    """A sorted run in the file, read a block at a time."""

    handle: int
    at: int
    left: int
    width: int
    block: int

    def __post_init__(self) -> None:
        self.held = np.empty((0, self.width), dtype=np.uint64)

    def fill(self) -> None:
        """Have something in hand, while there is something."""
        if len(self.held) or not self.left:
            return
        width = 8 * self.width
        size = min(self.block, self.left)
        data = bytearray()
        while len(data) < size * width:
            os.lseek(self.handle, self.at + len(data), os.SEEK_SET)
            piece = os.read(self.handle, size * width - len(data))
            if not piece:
                raise Unfinished("a temporary file of sorted rows was cut off; start the job again")
            data += piece
        self.held = np.frombuffer(bytes(data), dtype=np.uint64).reshape(size, -1)
        self.at, self.left = self.at + size * width, self.left - size

    def take(self, bound: tuple[int, ...] | None) -> Counted:
        """What is in hand up to a code, which is then no longer in hand."""
        n = len(self.held) if bound is None else _up_to(self.held, bound)
        taken, self.held = self.held[:n], self.held[n:]
        return taken


def _up_to(held: Counted, bound: tuple[int, ...]) -> int:
    """How many sorted codes are at most the bound."""
    if len(bound) == 1:
        return int(np.searchsorted(held[:, 0], np.uint64(bound[0]), side="right"))
    below, equal = np.zeros(len(held), dtype=bool), np.ones(len(held), dtype=bool)
    for word, value in enumerate(bound):
        below |= equal & (held[:, word] < np.uint64(value))
        equal &= held[:, word] == np.uint64(value)
    return int(np.count_nonzero(below | equal))


def _counted(codes: Codes) -> Counted:
    """Sorted codes, each once, with their counts."""
    if codes.shape[1] == 1:  # sorted without an index of where they were, which is faster
        found, counts = np.unique(codes[:, 0], return_counts=True)
        return np.column_stack([found, counts.astype(np.uint64)])
    return _summed(np.hstack([codes, np.ones((len(codes), 1), dtype=np.uint64)]))


def _summed(counted: Counted) -> Counted:
    """Sorted by code, each code once, with the sum of its counts."""
    if len(counted) < 2:
        return counted
    words = counted.shape[1] - 1
    if words == 1 and (counted[:, 1] == 1).all():
        return _counted(counted[:, :1])
    order = np.argsort(counted[:, 0]) if words == 1 else np.lexsort(counted[:, :words].T[::-1])
    found = counted[order]
    fresh = np.empty(len(found), dtype=bool)
    fresh[0] = True
    np.any(found[1:, :words] != found[:-1, :words], axis=1, out=fresh[1:])
    starts = np.flatnonzero(fresh)
    kept = found[starts]
    kept[:, words] = np.add.reduceat(found[:, words], starts)
    return kept
