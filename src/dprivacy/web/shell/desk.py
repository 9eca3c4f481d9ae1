"""The desk: the one folder that the page works in, for its owner alone, cleared when a page closes."""

import hashlib
import os
import secrets
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dprivacy.errors import AlreadyReleased, BadFile, DPrivacyError, PrivacyLeakWarning, TooLarge
from dprivacy.web.shell.page_refusals import on_the_page

_PREFIX = "dprivacy-page-"
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._- ")
_heard = threading.local()


class Desk:
    """A folder (0700) for one run of the page; each open page has a drawer in it.

    What a run that was killed left behind is removed by the next one: a lock tells which folders are in
    use.
    """

    def __init__(self) -> None:
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _locked(self.folder / ".lock")
        self._salt = secrets.token_bytes(16)
        self._released: set[bytes] = set()
        self._kept: dict[tuple[str, str], tuple[Drawer, Mapping[str, Any]]] = {}
        self._before = tempfile.tempdir
        tempfile.tempdir = str(self.folder)  # uploads are spooled in here, too

    def drawer(self) -> "Drawer":
        """A new, empty folder of its own for one open page."""
        return Drawer(self, Path(tempfile.mkdtemp(dir=self.folder)))

    def keep(self, tab: str, room: str, drawer: "Drawer", state: Mapping[str, Any]) -> None:
        """Remember, in this process alone, what a tab of the browser has open in a room."""
        self._kept[tab, room] = drawer, state

    def kept(self, tab: str, room: str, drawer: "Drawer") -> Mapping[str, Any]:
        """What the same tab had open in a room before it was reloaded; its files come along.

        Nothing, where its page was closed too long ago.
        """
        before, state = self._kept.pop((tab, room), (None, {}))
        if before is None or not before.folder.is_dir():
            return {}
        drawer.take_over(before)
        return state

    def forget(self, drawer: "Drawer") -> None:
        """Remember nothing more of a drawer."""
        self._kept = {key: found for key, found in self._kept.items() if found[0] is not drawer}

    def close(self) -> None:
        """Remove everything."""
        tempfile.tempdir = self._before
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._lock is not None:
            with suppress(OSError):
                os.close(self._lock)

    def require_new(self, table: Path) -> None:
        """AlreadyReleased when a table with these very bytes was sanitised in this run."""
        if self._mark(table) in self._released:
            raise AlreadyReleased(
                f"{table.name} was protected before, in this run of the page. Two noisy copies reveal "
                "more than one; if you mean it, give the reason"
            )

    def released(self, table: Path) -> None:
        """Remember that a table was sanitised, by a salted hash."""
        self._released.add(self._mark(table))

    def _mark(self, table: Path) -> bytes:
        digest = hashlib.blake2b(key=self._salt)
        with table.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
        return digest.digest()


class Drawer:
    """The files of one open page."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk, self.folder = desk, folder
        self._before: Drawer | None = None

    def place(self, name: str) -> Path:
        """Where a file of this name goes: never outside the drawer, whatever the name says."""
        kept = "".join(c if c in _SAFE else "_" for c in name.replace("\\", "/").split("/")[-1])
        return self.folder / (kept.strip(". ")[-120:] or "table")

    def take_over(self, before: "Drawer") -> None:
        """Have the files of a drawer as well; a job that is at work there is not disturbed."""
        self._before = before
        for path in before.folder.iterdir():
            if path.is_file() and not path.name.startswith("."):
                with suppress(OSError):
                    os.link(path, self.folder / path.name)

    def clear(self) -> None:
        """Remove all files, and keep the drawer."""
        self.desk.forget(self)
        if self._before is not None and self._before.folder.is_dir():
            self._before.clear()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def close(self) -> None:
        """Remove the drawer."""
        self.desk.forget(self)
        shutil.rmtree(self.folder, ignore_errors=True)

    def told(self, error: BaseException) -> str:
        """An error for the page: the library's own words without our folders, or no detail at all."""
        if isinstance(error, DPrivacyError):
            text = str(error).replace(f"{self.folder}{os.sep}", "")
            text = on_the_page(text.replace(str(self.folder), "here"))
            # ε and the name of a file stay as they are
            if text[:1].isascii() and "." not in text.split(" ", 1)[0]:
                text = text[:1].upper() + text[1:]
            return text if text.endswith((".", "?", "!")) else f"{text}."
        if isinstance(error, MemoryError):
            return "There is not enough memory for this."
        # The text of other errors may quote what was being read.
        return f"Something unexpected went wrong ({type(error).__name__}); nothing was released."


@contextmanager
def warnings_heard() -> Iterator[list[str]]:
    """The warnings about leaks that are raised in this thread, as texts.

    ``warnings.catch_warnings`` would be shared by all threads.
    """
    _install_ear()
    found: list[str] = []
    _heard.texts = found
    try:
        yield found
    finally:
        _heard.texts = None


def _install_ear() -> None:
    before = warnings.showwarning
    if getattr(before, "is_ear", False):
        return
    warnings.simplefilter("always", PrivacyLeakWarning)

    def ear(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        texts = getattr(_heard, "texts", None)
        if texts is not None and issubclass(category, PrivacyLeakWarning):
            texts.append(str(message))
        else:
            before(message, category, *rest, **more)

    ear.is_ear = True  # type: ignore[attr-defined]
    warnings.showwarning = ear


def read_text(path: Path) -> str:
    """The text of a file that was chosen, which is removed then."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(f"{path.name} is not UTF-8 text; save it as UTF-8") from None
    finally:
        path.unlink(missing_ok=True)


def require_small(size: int, most: int, what: str) -> None:
    """TooLarge for a file that a room of the page does not take."""
    if size > most:
        raise TooLarge(
            f"{what} is larger than {most >> 20} MiB, too large for the page; use the command line"
        )


def _locked(path: Path) -> int | None:
    """Take a lock that the system frees when the process ends; None where there are none."""
    if sys.platform == "win32":
        return None
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _sweep() -> None:
    """Remove folders of this user's runs that are over."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            handle = _locked(folder / ".lock")
            shutil.rmtree(folder, ignore_errors=True)
            if handle is not None:
                os.close(handle)
