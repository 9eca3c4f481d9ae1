"""A released table that is a folder of Parquet files, as clusters write it, with its card inside."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from dprivacy.errors import BadFile

_NO_DATA = ("_", ".")  # how names of other files begin


def listing_hash(files: Iterable[tuple[str, int]]) -> str:
    """A hash of the names and sizes of the data files in a folder.

    The names hold the identifier of the job that wrote them, so that files of another release, a file
    too many and a file too few are found out without reading the data.

    Parameters
    ----------
    files
        Names and sizes in bytes. Names that begin with an underscore or a dot are no data.

    Examples
    --------
    >>> listing_hash([("b", 2), ("a", 1), ("_SUCCESS", 0)]) == listing_hash([("a", 1), ("b", 2)])
    True
    """
    lines = sorted(f"{size} {name}" for name, size in files if not name.startswith(_NO_DATA))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def files_in(folder: Path) -> list[tuple[str, int]]:
    """Names and sizes of the files in a folder of this machine."""
    return [(path.name, path.stat().st_size) for path in folder.iterdir() if path.is_file()]


def data_files(folder: Path) -> list[Path]:
    """The data files in a folder of this machine, by name; BadFile where there are none."""
    found = sorted(path for path in folder.iterdir() if not path.name.startswith(_NO_DATA))
    if not found:
        raise BadFile(f"{folder}: holds no files of data")
    return found
