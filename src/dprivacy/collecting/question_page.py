"""The files that a collector serves: the question, the estimates, and the JavaScript client.

The client is the package in ``clients/javascript`` of the repository, file by file; a wheel carries
these very files. The page is static: what was chosen never leaves the browser.
"""

import hashlib
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from html import escape
from pathlib import Path

from dprivacy.collecting.books.collection_book import Collection
from dprivacy.errors import BadFile
from dprivacy.model import about

_HERE = Path(__file__).parent
_CLIENT = (_HERE / "client", _HERE.parents[2] / "clients" / "javascript")  # installed; a checkout
_DECIMALS = 4
_KINDS = {
    ".mjs": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
}


@dataclass(frozen=True)
class File:
    """A file with its kind, as browsers want to know it."""

    body: bytes
    kind: bytes


@cache
def client_folder() -> Path:
    """Where the JavaScript client lies."""
    for folder in _CLIENT:
        if (folder / "client.mjs").is_file():
            return folder
    raise BadFile(f"{_CLIENT[0]}: the JavaScript client is missing; install dprivacy again")


def page_files(collection: Collection, *, estimates: bool) -> dict[str, File]:
    """Every file that is served, by its path."""
    files = {f"/client/{path.name}": _file(path) for path in sorted(client_folder().glob("*.mjs"))}
    files |= {f"/{path.name}": _file(path) for path in sorted((_HERE / "page").glob("*.[mc]*s"))}
    files["/"] = _page("question", collection, estimates=estimates)
    if estimates:
        files["/estimates"] = _page("estimates", collection, estimates=True)
    files["/v1/mechanism"] = File(collection.mechanism.encode(), b"application/json")
    return files


def _rounded_up(odds: Fraction) -> str:
    """A factor with some decimals, never below it."""
    number = str(-(-odds * 10**_DECIMALS // 1))
    whole, part = number[:-_DECIMALS], number[-_DECIMALS:].rstrip("0")
    return f"{whole}.{part}" if part else whole


def _file(path: Path) -> File:
    return File(path.read_bytes(), _KINDS[path.suffix])


def _page(name: str, collection: Collection, *, estimates: bool) -> File:
    """A page with what it needs to know filled in."""
    text = (_HERE / "page" / f"{name}.html").read_text(encoding="utf-8")
    wire = collection.wire
    filled = {
        "question": collection.question,
        "odds": _rounded_up(wire.largest_odds),
        "level": about(wire.mechanism.guarantee.eps),
        "sha256": wire.hash,
        # What this browser has answered; nobody can tell the collection's own mark from it.
        "name": hashlib.sha256(collection.mark.encode()).hexdigest()[:16],
    }
    # All at once: a question may itself look like something to be filled in.
    text = re.sub(r"{{(\w+)}}", lambda found: escape(filled[found[1]]), text)
    if not estimates:
        text = text.replace('<p class="more">', '<p class="more" hidden>')
    return File(text.encode(), _KINDS[".html"])
