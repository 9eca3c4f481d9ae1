"""Data sets that some items need: where they lie, how to get them, and how to know them again."""

import hashlib
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dprivacy.errors import BadFile, UnknownName

_TOO_LONG = 60  # seconds without an answer


@dataclass(frozen=True)
class Dataset:
    """A data set that is not shipped.

    Attributes
    ----------
    name, title
        What it is called.
    ways
        Sets of files, one of which is enough, with the SHA-256 of each file. They lie in a folder of
        the data set's name inside the data folder.
    page
        Where people read about it.
    address
        The archive.
    steps
        What to put where.
    terms
        What may be done with it.
    inside
        The folder of the archive that holds the files; nothing where the archive is kept as it is.

    Examples
    --------
    >>> datasets()["glove"].terms
    'public domain (PDDL 1.0)'
    >>> from pathlib import Path
    >>> datasets()["glove"].present(Path("nowhere"))
    []
    """

    name: str
    title: str
    ways: tuple[Mapping[str, str], ...]
    page: str
    address: str
    steps: str
    terms: str
    inside: str = ""

    def present(self, folder: Path) -> list[Path]:
        """The files of the first way that is there, known to be the right ones; empty where none is.

        Raises
        ------
        BadFile
            For a file with another SHA-256.
        """
        for way in self.ways:
            places = {folder / self.name / name: wanted for name, wanted in way.items()}
            if all(place.is_file() for place in places):
                for place, wanted in places.items():
                    if hashed(place) != wanted:
                        raise BadFile(
                            f"{self.name}/{place.name} should have the SHA-256 {wanted} and has "
                            f"another: it is not a file of {self.title}; get it again from {self.page}"
                        )
                return list(places)
        return []


MOVIELENS = Dataset(
    "movielens100k",
    "MovieLens 100k",
    (
        {
            "u.data": "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490",
            "u.item": "553841ebc7de3a0fd0d6b62a204ea30c1e651aacfb2814c7a6584ac52f2c5701",
        },
    ),
    page="https://grouplens.org/datasets/movielens/100k/",
    address="https://files.grouplens.org/datasets/movielens/ml-100k.zip",
    steps="put u.data and u.item of ml-100k.zip into FOLDER/movielens100k",
    terms="for research; not to be passed on without permission",
    inside="ml-100k",
)
NEWSGROUPS = Dataset(
    "text_20news",
    "20 Newsgroups",
    (
        {
            "news_authors_topics.parquet": (
                "ff457b47bb590ce2d7f82c0bfe7ba28f193fbe6b194a85769fc7ef65b3549775"
            )
        },
        {
            "20news-bydate.tar.gz": "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"
        },
    ),
    page="http://qwone.com/~jason/20Newsgroups/",
    address="https://ndownloader.figshare.com/files/5975967",
    steps="put 20news-bydate.tar.gz (14 MB) into FOLDER/text_20news",
    terms="posts belong to their authors",
)
GLOVE = Dataset(
    "glove",
    "GloVe 6B",
    (
        {
            "glove6b_100d_top30k.npz": (
                "331d1d6a0ed56030303489ffd01b535c32d21c99bfabba5378ad2880bb6f3027"
            )
        },
        {"glove.6B.zip": "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb"},
    ),
    page="https://nlp.stanford.edu/projects/glove/",
    address="https://nlp.stanford.edu/data/glove.6B.zip",
    steps="put glove.6B.zip (862 MB) into FOLDER/glove",
    terms="public domain (PDDL 1.0)",
)
_ALL = {one.name: one for one in (MOVIELENS, NEWSGROUPS, GLOVE)}


def datasets() -> dict[str, Dataset]:
    """The data sets that items may need, by name.

    Examples
    --------
    >>> sorted(datasets())
    ['glove', 'movielens100k', 'text_20news']
    """
    return dict(_ALL)


def missing(names: Iterable[str], folder: Path | None) -> str:
    """Why an item cannot be computed, and how to get what it needs; empty where it can."""
    said = [
        f"it needs {one.title}: {one.steps}, from {one.page} or with dprivacy reproduce --fetch {name}"
        for name, one in ((name, _ALL[name]) for name in names)
        if folder is None or not one.present(folder)
    ]
    return "; ".join(said) + "; then give the folder with --data FOLDER" if said else ""


def fetch(
    name: str, folder: str | Path, *, opened: Callable[[str], IO[bytes]] | None = None
) -> list[Path]:
    """Fetch a data set into the data folder, on request only.

    Parameters
    ----------
    name
        A data set.
    folder
        The data folder.
    opened
        How to open an address; over the network by default.

    Returns
    -------
    list of Path
        The files, each with the SHA-256 it must have.

    Raises
    ------
    UnknownName
        For an unknown name.
    BadFile
        For an archive that is not the expected one; nothing of it is kept.

    Examples
    --------
    >>> fetch("iris", "data")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    dprivacy.errors.UnknownName: a data set should be one of 'movielens100k', ...
    """
    if name not in _ALL:
        raise UnknownName.among("a data set", name, _ALL)
    one, target = _ALL[name], Path(folder) / name
    target.mkdir(parents=True, exist_ok=True)
    archive = target / "unfinished"
    try:
        with (opened or _over_the_network)(one.address) as answer, archive.open("wb") as file:
            shutil.copyfileobj(answer, file)
        return _unpacked(one, archive, target) if one.inside else _kept(one, archive, target)
    except OSError as trouble:
        why = getattr(trouble, "reason", trouble.strerror) or "no answer"
        raise BadFile(f"{one.address} cannot be read: {why}; {one.steps}") from None
    finally:
        archive.unlink(missing_ok=True)


def hashed(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _kept(one: Dataset, archive: Path, target: Path) -> list[Path]:
    """The archive itself, under its name."""
    ((name, wanted),) = one.ways[-1].items()
    if hashed(archive) != wanted:
        raise BadFile(f"{one.address} gave a file with another SHA-256; nothing is kept")
    archive.replace(target / name)
    return [target / name]


def _unpacked(one: Dataset, archive: Path, target: Path) -> list[Path]:
    """Some files out of the archive: all of them right, or none is kept."""
    try:
        with zipfile.ZipFile(archive) as packed:
            contents = {name: packed.read(f"{one.inside}/{name}") for name in one.ways[0]}
    except (zipfile.BadZipFile, KeyError):
        raise BadFile(f"{one.address} did not give the archive of {one.title}") from None
    for name, content in contents.items():
        if hashlib.sha256(content).hexdigest() != one.ways[0][name]:
            raise BadFile(f"{one.address} gave {name} with another SHA-256; nothing is kept")
    for name, content in contents.items():
        (target / name).write_bytes(content)
    return [target / name for name in contents]


def _over_the_network(address: str) -> Any:
    from urllib.request import urlopen

    return urlopen(address, timeout=_TOO_LONG)
