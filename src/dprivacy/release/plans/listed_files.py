"""The files of a release that is a folder, as its card lists them."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.model import require_keys

_HASH = re.compile(r"[0-9a-f]{64}")
_PART = r"[^\W_][\w .=+,()'&@-]{0,200}"
_NAME = re.compile(rf"{_PART}(?:/{_PART}){{0,20}}")  # below the folder, and never hidden


@dataclass(frozen=True)
class ListedFile:
    """A file as a card lists it.

    Examples
    --------
    >>> ListedFile("part-00000.parquet", 2, 700, "ab" * 32).to_dict()["rows"]
    2
    """

    name: str
    rows: int
    bytes: int
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        """As it stands on a card."""
        return asdict(self)


def listed(output: Mapping[str, Any]) -> list[ListedFile]:
    """The files that the `output` of a card lists; none where the release is one file."""
    return [ListedFile(**entry) for entry in output.get("files", ())]


def listing_hash(files: Iterable[ListedFile]) -> str:
    """A hash of the names, sizes and hashes of files, in any order.

    Examples
    --------
    >>> one, two = (ListedFile(name, 1, 9, "ab" * 32) for name in ("a", "b"))
    >>> listing_hash([one, two]) == listing_hash([two, one])
    True
    """
    lines = sorted(f"{file.sha256} {file.bytes} {file.name}" for file in files)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def may_be_listed(name: str) -> bool:
    """Whether a name is that of a file below the folder of a card.

    Examples
    --------
    >>> [may_be_listed(name) for name in ("a/one note.txt", "../one.txt", "_SUCCESS", "/etc/passwd")]
    [True, False, False, False]
    """
    return _NAME.fullmatch(name) is not None


def require_hash(text: str, name: str) -> None:
    """BadFile where a text on a card is no SHA-256."""
    if not _HASH.fullmatch(text):
        raise BadFile(f"{name}: {text[:70]!r} is not a SHA-256")


def require_listing(entries: list[Any], name: str) -> None:
    """BadFile where a card lists anything but files in its folder, each once."""
    for entry in entries:
        if not isinstance(entry, dict):
            raise BadFile(
                f"{name}: lists something other than a file with its rows, bytes and hash"
            )
        require_keys(entry, {"name": str, "rows": int, "bytes": int, "sha256": str}, {}, name)
        require_hash(entry["sha256"], name)
        if not may_be_listed(entry["name"]) or min(entry["rows"], entry["bytes"]) < 0:
            raise BadFile(
                f"{name}: {entry['name'][:70]!r} is not a file of this folder with its size"
            )
    if len({entry["name"] for entry in entries}) != len(entries):
        raise BadFile(f"{name}: a file is listed twice")
