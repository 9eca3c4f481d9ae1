"""Where a file job works: hidden files of the owner's alone beside the output, and a lock."""

import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dprivacy.errors import BadFile, Unfinished
from dprivacy.model import open_regular

CARD_ENDING, CARD_NAME = ".card.json", "_card.json"
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def card_path(output: str | Path) -> Path:
    """Where the card of an output lies: out.csv has out.csv.card.json beside it, a folder _card.json.

    Readers of Parquet folders leave out names with an underscore.
    """
    path = Path(output)
    return path / CARD_NAME if path.is_dir() else path.with_name(f"{path.name}{CARD_ENDING}")


def file_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Workplace:
    """The files of one job, all in the output's folder so that they can be renamed into place."""

    output: Path

    @property
    def card(self) -> Path:
        """The release card."""
        return card_path(self.output)

    @property
    def output_part(self) -> Path:
        """The output as far as it is written."""
        return self._hidden("part")

    @property
    def card_part(self) -> Path:
        """The card before it is in place."""
        return self._hidden("card")

    @property
    def runs(self) -> Path:
        """Rows on their way to being sorted; it loses its name as soon as it is opened."""
        return self._hidden("runs")

    @property
    def journal(self) -> Path:
        """What the job needs to go on after a crash."""
        return self._hidden("journal")

    @property
    def lock(self) -> Path:
        """Held by the process that works here."""
        return self._hidden("lock")

    def _hidden(self, what: str) -> Path:
        return self.output.with_name(f".{self.output.name}.dprivacy-{what}")

    def clear(self) -> None:
        """Remove what is half-written."""
        for path in (self.output_part, self.card_part, self.runs):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def sync(self) -> None:
        """Make what was renamed and removed last through a power cut."""
        if sys.platform == "win32":  # folders cannot be opened there
            return
        handle = os.open(self.output.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """What the system refuses before anything is drawn, in words."""
        try:
            yield
        except OSError as reason:
            raise BadFile(
                f"{self.output.parent}: cannot be written to ({reason.strerror or 'failed'}); choose a "
                "folder that you may write to, with room in it"
            ) from None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock, or refuse because another process does.

        The system frees the lock of a process that dies, so that a left-over file locks nobody out.
        """
        with self.errors():
            handle = self._take()
        try:
            yield
        finally:
            with suppress(OSError):
                self.lock.unlink()
            os.close(handle)

    def _take(self) -> int:
        while True:
            handle = open_own(self.lock, os.O_RDWR | os.O_CREAT)
            try:
                _lock(handle)
                there = os.stat(self.lock, follow_symlinks=False)
                if os.path.samestat(os.fstat(handle), there):
                    return handle
            except FileNotFoundError:
                pass  # its last owner removed it between our opening and locking it
            except BlockingIOError:
                os.close(handle)
                raise Unfinished(
                    f"{self.output}: another job is writing it now; wait until that one is done"
                ) from None
            except OSError:
                os.close(handle)
                raise
            os.close(handle)


def open_own(path: Path, flags: int) -> int:
    """Open a file, not a link, that belongs to this user and that nobody else may read.

    The names of these files can be guessed, so that somebody else may have put something there.
    """
    try:
        handle = os.open(path, flags | _SAFE, 0o600)
    except OSError:
        if path.is_symlink():
            raise _strange(path) from None
        raise
    found = os.fstat(handle)
    mine = sys.platform == "win32" or (
        found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
    )
    if mine and stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
        return handle
    os.close(handle)
    raise _strange(path)


def _strange(path: Path) -> BadFile:
    return BadFile(
        f"{path}: is not a file that this user made and that nobody else may read; look at it, and "
        "remove it"
    )


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
