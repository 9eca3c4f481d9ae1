"""Standard input as a file: - wherever a file is read."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.errors import NotApplicable

NAME = "standard input"
_ENDINGS = {
    b"PAR1": ".parquet",
    b"\x1f\x8b": ".csv.gz",
    b"PK\x03\x04": ".xlsx",
    b"$FL2": ".sav",
    b"$FL3": ".zsav",
    b"<stata_dta>": ".dta",
    b"{": ".json",
    b"[": ".json",
}
_HELD: dict[str, click.Context | None] = {}  # what is open, and for which run
_NAMES: list[str] = []  # ever: messages come out after the file is gone


class Input(click.Path):
    """A path, or - for standard input.

    What comes in is kept in memory (where the system can do that: Linux), never on the disk: it may be
    the table that is to be protected. Its beginning tells its format.

    Parameters
    ----------
    secret
        Whether records of people are read. Where there are no files in memory, these are refused; other
        input is put into a file that only its owner can read, and that is removed.
    """

    def __init__(self, *, secret: bool = False) -> None:
        super().__init__(path_type=Path, allow_dash=True)
        self.secret = secret

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; for - that of a file which holds what came in."""
        if str(value) != "-":
            return super().convert(value, param, ctx)
        if ctx is not None and ctx in _HELD.values():
            self.fail("standard input can be read once: only one - is possible", param, ctx)
        return held(self.secret, ctx)


def held(secret: bool, ctx: click.Context | None, ending: str = "") -> Path:
    """A file with what comes in, whose name ends as it is said, or as its beginning tells."""
    content = sys.stdin.buffer.read()
    ending = ending or next(
        (end for start, end in _ENDINGS.items() if content[:99].lstrip().startswith(start)), ".csv"
    )
    folder = Path(tempfile.mkdtemp(prefix="dprivacy-"))  # its owner's alone
    path = folder / f"stdin{ending}"
    handle = -1
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("dprivacy")
        with os.fdopen(handle, "wb", closefd=False) as file:
            file.write(content)
        path.symlink_to(f"/proc/self/fd/{handle}")
    elif secret:
        folder.rmdir()
        raise NotApplicable(
            f"{NAME}: this system keeps no files in memory; name a file instead of -"
        )
    else:
        path.write_bytes(content)
    _HELD[str(path)] = ctx
    _NAMES.append(str(path))

    def forget() -> None:
        if _HELD.pop(str(path), "gone") != "gone":
            shutil.rmtree(folder, ignore_errors=True)
            if handle >= 0:
                os.close(handle)

    atexit.register(forget)  # a run that is refused while its options are read closes no context
    if ctx is not None:
        ctx.call_on_close(forget)
    return path


def named(text: str) -> str:
    """A message in which standard input goes by its name."""
    for path in _NAMES:
        text = text.replace(path, NAME)
    return text
