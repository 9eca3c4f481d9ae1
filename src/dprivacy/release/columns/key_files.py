"""Files of permanent keys: one line that names the construction, so that a key means one noise."""

import os
import re
import secrets
from pathlib import Path

from dprivacy.errors import BadFile, OutputExists
from dprivacy.model import file_bytes
from dprivacy.release.files.own_files import open_own
from dprivacy.sampling import CONSTRUCTION
from dprivacy.typing import PathArg

_LARGEST = 1 << 20
_LINE = re.compile(r"dprivacy (permanent \S+) ((?:[0-9a-fA-F]{2}){16,})\s*")
_MAKE = "make one with write_permanent_key (dprivacy.release)"


def write_permanent_key(path: PathArg) -> None:
    """Draw a key for permanent noise and write it into a new file that its owner alone can read.

    Parameters
    ----------
    path
        A file that is not there yet. Whoever has it can take the noise off; without it nothing can be
        repeated.

    Raises
    ------
    OutputExists
        When something is there: another key would give other noise, and everything is paid for anew.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_permanent_key(f"{folder}/answers.key")
    ...     len(read_permanent_key(f"{folder}/answers.key"))
    32
    """
    target = Path(path)
    try:
        handle = open_own(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        raise OutputExists(
            f"{target} already exists; keep it, or choose another name: another key gives other noise"
        ) from None
    except OSError as reason:
        raise BadFile(f"{target}: cannot be written ({reason.strerror or 'failed'})") from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"dprivacy {CONSTRUCTION} {secrets.token_hex(32)}\n")


def read_permanent_key(path: PathArg) -> bytes:
    """The key of a file that `write_permanent_key` made.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    BadFile
        When it is not such a file, or of another construction: the same key would give other noise.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "key").write_text("dprivacy permanent 3 " + "5a" * 16)
    ...     read_permanent_key(f"{folder}/key")
    b'ZZZZZZZZZZZZZZZZ'
    """
    found = _LINE.fullmatch(file_bytes(Path(path), largest=_LARGEST).decode("ascii", "replace"))
    if found is None:
        raise BadFile(
            f"{path}: a permanent key's file is one line, 'dprivacy {CONSTRUCTION}' and at least 32 "
            f"hexadecimal digits; {_MAKE}"
        )
    if found[1] != CONSTRUCTION:
        raise BadFile(
            f"{path}: the key is for noise by '{found[1]}', and here noise is drawn by "
            f"'{CONSTRUCTION}', which would be a second draw; use the version of dprivacy that it was "
            f"made with, or pay for new answers: {_MAKE}"
        )
    return bytes.fromhex(found[2])
