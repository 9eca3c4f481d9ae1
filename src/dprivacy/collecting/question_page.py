"""The files that a collector serves: the question, the estimates, and the JavaScript client.

The client is the package in ``clients/javascript`` of the repository, file by file; a wheel carries
these very files. The page is static: what was chosen never leaves the browser.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath

from dprivacy.collecting.books.collection_book import Collection
from dprivacy.errors import BadFile
from dprivacy.model import about

_HERE = files("dprivacy.collecting")
_CHECKOUT = Path(str(_HERE)).parents[2] / "clients" / "javascript"
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
def client_folder() -> Traversable:
    """Where the JavaScript client lies: in the package where it is installed, or in a checkout."""
    for folder in (_HERE / "client", _CHECKOUT):
        if (folder / "client.mjs").is_file():
            return folder
    raise BadFile(f"{_HERE}: the JavaScript client is missing; install dprivacy again")


def page_files(collection: Collection, *, estimates: bool) -> dict[str, File]:
    """Every file that is served, by its path."""
    served = {f"/client/{name}": file for name, file in _files(client_folder(), ".mjs")}
    served |= {f"/{name}": file for name, file in _files(_HERE / "page", ".mjs", ".css")}
    served["/"] = _page("question", collection, estimates=estimates)
    if estimates:
        served["/estimates"] = _page("estimates", collection, estimates=True)
    served["/v1/mechanism"] = File(collection.mechanism.encode(), b"application/json")
    return served


def _rounded_up(odds: Fraction) -> str:
    """A factor with some decimals, never below it."""
    number = str(-(-odds * 10**_DECIMALS // 1))
    whole, part = number[:-_DECIMALS], number[-_DECIMALS:].rstrip("0")
    return f"{whole}.{part}" if part else whole


def _files(folder: Traversable, *kinds: str) -> Iterator[tuple[str, File]]:
    """The files of these kinds in a folder, by name."""
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        kind = PurePath(path.name).suffix
        if kind in kinds:
            yield path.name, File(path.read_bytes(), _KINDS[kind])


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
