"""Writing an output: hashed as it goes, in a thread of its own, with checkpoints in the journal."""

import hashlib
import os
from collections import deque
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from dprivacy.errors import Unfinished
from dprivacy.release.files.own_files import open_own
from dprivacy.release.files.table_files import is_parquet, write_errors, writer_of
from dprivacy.release.jobs.job_journal import Checkpoint, Journal

CHECKPOINT = 64 << 20  # bytes of output from one checkpoint to the next
WAITING = 2  # chunks between two threads
_PIECE = 1 << 20


class HashedFile:
    """A file that is written once from beginning to end, and hashed on the way.

    Parameters
    ----------
    path
        The file; this user's, and nobody else's to read.
    known
        A checkpoint of an earlier run. If the file still begins with its bytes, they stay. What is
        behind them is cut off.
    skip
        Whether writing goes on after the bytes that stay; otherwise the same bytes are expected again
        from the start, and are compared by their hash instead of written.
    """

    def __init__(self, path: Path, known: Checkpoint, *, skip: bool) -> None:
        self._handle = open_own(path, os.O_RDWR | os.O_CREAT)
        try:
            self._hash, kept = hashlib.sha256(), known.bytes
            found = self._begins(known)
            if found is None:
                kept = 0
            os.ftruncate(self._handle, kept)
            os.lseek(self._handle, 0, os.SEEK_END)
        except BaseException:
            self.stop()
            raise
        self.kept, self._known, self._at = kept, known, 0
        if skip and found is not None:
            self._hash, self._at = found, kept
        self.dead = False

    def _begins(self, known: Checkpoint) -> Any:
        """The hash of the bytes that stay; None if they are not those of the checkpoint."""
        state, left = hashlib.sha256(), known.bytes
        os.lseek(self._handle, 0, os.SEEK_SET)
        while left:
            piece = os.read(self._handle, min(left, _PIECE))
            if not piece:
                return None
            state.update(piece)
            left -= len(piece)
        return state if state.hexdigest() == known.sha256 else None

    def write(self, data: Any) -> int:
        """Append bytes."""
        view = memoryview(data).cast("B")
        size = len(view)
        if self.dead:  # a writer that is closed after a failure has a last word that nobody needs
            return size
        try:
            if self._at < self._known.bytes:
                again = view[: self._known.bytes - self._at]
                self._put(again, keep=not self.kept)
                view = view[len(again) :]
                if self._at == self._known.bytes and self.sha256 != self._known.sha256:
                    raise Unfinished(
                        "what was written before the job stopped does not come out the same again; "
                        "pass --discard to throw it away and start anew, with new noise"
                    )
            self._put(view, keep=True)
        except BaseException:
            self.dead = True
            raise
        return size

    def _put(self, view: memoryview, *, keep: bool) -> None:
        self._hash.update(view)
        self._at += len(view)
        while keep and len(view):
            view = view[os.write(self._handle, view) :]

    @property
    def sha256(self) -> str:
        """The hash of all that was written so far."""
        return self._hash.hexdigest()

    def tell(self) -> int:
        """How many bytes were written."""
        return self._at

    def sync(self) -> None:
        """Make what was written last."""
        os.fsync(self._handle)

    def stop(self) -> None:
        """Close the file."""
        os.close(self._handle)

    closed = False

    def flush(self) -> None:
        """Nothing is held back here."""

    def close(self) -> None:
        """Writers that are done close their file; this one is closed by `stop`."""

    def writable(self) -> bool:
        """Yes."""
        return True


class Writing:
    """Writes sanitised batches behind the thread that draws the next ones, of which two may wait.

    Parameters
    ----------
    output
        The name of the output, which decides its format.
    journal
        Where checkpoints go; its last one is gone on from.
    coded
        The columns that come as dictionaries of their declared outputs.
    """

    def __init__(self, output: Path, journal: Journal, *, coded: Collection[str] = ()) -> None:
        self._output, self._journal, self._coded = output, journal, coded
        self._lines = not is_parquet(output)
        part = journal.place.output_part
        self.file = HashedFile(part, journal.checkpoint, skip=self._lines)
        self._saved = self.file.kept
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dprivacy-writing")
        self._behind: deque[Future[None]] = deque()
        self._writer: Any = None

    @property
    def done(self) -> Checkpoint:
        """What need not be made again: lines are continued, a Parquet file is made again."""
        return self._journal.checkpoint if self._lines and self.file.kept else Checkpoint()

    def put(self, table: Any, chunks: int, rows: int) -> None:
        """Write a batch; the chunks and rows are those that are done with it."""
        self._wait(WAITING - 1)
        self._behind.append(self._thread.submit(self._write, table, chunks, rows))

    def _write(self, table: Any, chunks: int, rows: int) -> None:
        if self.file.dead:  # a batch that waited is not written behind one that failed
            return
        try:
            self._written(table, chunks, rows)
        except BaseException:
            self.file.dead = True
            raise

    def _written(self, table: Any, chunks: int, rows: int) -> None:
        with write_errors(self._output, table):
            if self._writer is None:
                header = not self.file.tell()
                self._writer = writer_of(
                    self.file, self._output, table.schema, header=header, coded=self._coded
                )
            self._writer.write_table(table)
            if self.file.tell() - self._saved < CHECKPOINT:
                return
            self.file.sync()
            at = self._saved = self.file.tell()
            self._journal.append(Checkpoint(chunks, rows, at, self.file.sha256))

    def finish(self) -> str:
        """Wait for the last batch, close and sync the file; its hash."""
        self._wait(0)
        with write_errors(self._output):
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            self.file.sync()
        return self.file.sha256

    def _wait(self, most: int) -> None:
        """Wait until only this many batches are left to write."""
        while len(self._behind) > most:
            self._behind.popleft().result()

    def __enter__(self) -> "Writing":
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
        self.file.dead = True
        if self._writer is not None:
            with suppress(Exception):
                self._writer.close()
        self.file.stop()
