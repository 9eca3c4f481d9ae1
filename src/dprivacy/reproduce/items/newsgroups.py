"""Posts with their authors and topics out of the 20 Newsgroups archive, and vectors out of GloVe's."""

import hashlib
import re
import tarfile
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path

from dprivacy.extras import parquet
from dprivacy.reproduce.items.data_sets import GLOVE, NEWSGROUPS
from dprivacy.text import Embedding, read_embedding

_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+")
_QUOTED = re.compile(r"^\s*([>|:]|.*\b(writes|wrote|said):?\s*$)")
SHORTEST, LONGEST = 100, 2000  # words of a post
FEWEST, MOST = 5, 20  # posts of an author on a topic
WORDS = 30_000
_LETTERS = re.compile(r"[a-z]+(-[a-z]+)*")

Post = tuple[str, str, str]


def read_posts(folder: Path, topics: tuple[str, ...]) -> list[Post]:
    """Triples (author, topic, text) on these topics; authors are pseudonyms.

    Notes
    -----
    From the archive: the address in the From line is the author; headers, quoted lines, attributions
    and what follows a line "--" are left out, addresses are masked; posts of 100 to 2,000 words count,
    of authors with at least five on a topic, the first twenty of each.
    """
    (place,) = NEWSGROUPS.present(folder)
    if place.suffix == ".parquet":
        rows = parquet().read_table(place, columns=["author", "topic", "text"]).to_pylist()
        return [(r["author"], r["topic"], r["text"]) for r in rows if r["topic"] in topics]
    written: dict[tuple[str, str], list[str]] = defaultdict(list)
    with tarfile.open(place) as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            topic = member.name.split("/")[1] if "/" in member.name else ""
            file = archive.extractfile(member) if member.isfile() and topic in topics else None
            if file is None:
                continue
            author, text = read_post(file.read().decode("latin-1"))
            fits = author and SHORTEST <= len(text.split()) <= LONGEST
            if fits and text not in written[author, topic]:
                written[author, topic].append(text)
    return [
        (author, topic, text)
        for (author, topic), texts in written.items()
        if len(texts) >= FEWEST
        for text in texts[:MOST]
    ]


def read_post(raw: str) -> tuple[str, str]:
    r"""The author's pseudonym and what they wrote themselves.

    Examples
    --------
    >>> author, text = read_post("From: ann@example.org\n\nBob writes:\n> no\nYes.\n--\nAnn")
    >>> len(author), text
    (12, 'Yes.')
    """
    head, _, body = raw.partition("\n\n")
    sender = next((one for one in head.splitlines() if one.lower().startswith("from:")), "")
    address = _ADDRESS.search(sender)
    kept = []
    for one in body.splitlines():
        if one.rstrip() == "--":
            break
        if not _QUOTED.match(one):
            kept.append(_ADDRESS.sub("[address]", one))
    name = hashlib.sha256(address[0].lower().encode()).hexdigest()[:12] if address else ""
    return name, "\n".join(kept).strip()


def read_vectors(folder: Path) -> Embedding:
    """The first 30,000 words of letters and hyphens, 100 dimensions."""
    (place,) = GLOVE.present(folder)
    if place.suffix == ".npz":
        return read_embedding(place)
    with tempfile.TemporaryDirectory() as room, zipfile.ZipFile(place) as packed:
        text = Path(room) / "glove.txt"
        with packed.open("glove.6B.100d.txt") as lines, text.open("wb") as kept:
            count = 0
            for one in lines:
                if _LETTERS.fullmatch(one.split(b" ", 1)[0].decode()):
                    kept.write(one)
                    count += 1
                if count == WORDS:
                    break
        return read_embedding(text)
