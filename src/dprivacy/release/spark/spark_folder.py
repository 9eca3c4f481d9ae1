"""A folder that a run of Spark writes: claimed by one run, committed by its card, which comes last.

The files of a release are named by its card. Until the card is there, the folder holds no release, and
a file that no card lists belongs to none.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from dprivacy.errors import BadFile, NotApplicable, OutputExists
from dprivacy.release.files.own_files import CARD_NAME
from dprivacy.release.plans.listed_files import ListedFile
from dprivacy.release.spark.spark_session import at_the_store, is_connect
from dprivacy.release.spark.spark_store import Store, local_path, store_at

CLAIM = ".dprivacy-claim"
_ROOM = ".dprivacy-"


@dataclass(frozen=True)
class Folder:
    """A folder that a run writes into.

    Parameters
    ----------
    session
        The Spark session.
    address
        Where the folder is, for all machines.
    room
        A folder in it, of this run alone, for what is on its way.
    word
        What the names of this run's files hold, and no other's.
    """

    session: Any
    address: str
    room: str
    word: str

    @property
    def name(self) -> str:
        """The last part of its address."""
        return unquote(self.address.rstrip("/").rsplit("/", 1)[1])

    def do(self, work: Callable[[], Any]) -> Any:
        """Do something at the store."""
        return at_the_store(self.session, work)

    def put(self, name: str, text: str) -> None:
        """Write a text for the tasks."""
        address, place = self.address, f"{self.room}/{name}"
        self.do(lambda: store_at(address).put(place, text.encode(), lasting=False))

    def commit(self, card: str, files: Sequence[ListedFile], *, replace: bool) -> None:
        """Put the card down, last, once all files that it lists are there as they should be."""
        address, room = self.address, self.room
        sizes = {file.name: file.bytes for file in files}
        self.do(lambda: _commit(address, room, card, sizes, replace=replace))

    def addresses(self, files: Sequence[ListedFile]) -> list[str]:
        """Where the files are, for Spark."""
        return [f"{self.address}/{file.name}" for file in files]


@contextmanager
def claimed_folder(session: Any, address: str, word: str, *, replace: bool) -> Iterator[Folder]:
    """A folder to write into that holds a release once `Folder.commit` was called.

    Parameters
    ----------
    session
        The Spark session.
    address
        Where the folder goes, from `address_of`.
    word
        A word that is in all names of this run's files.
    replace
        Whether an existing release may be replaced: the card is exchanged at once, and the old files
        are removed then.

    Notes
    -----
    1. One run claims the folder, by a name that is given only once. On a disk a new folder is its
       owner's alone until the card is there.
    2. After an error all of this run is removed, and an older release is untouched. What a driver that
       was killed leaves behind holds no card and says nothing (see `Drafts`); the claim keeps others
       from writing there until somebody has deleted it.
    """
    room = f"{_ROOM}{word}"
    made = at_the_store(session, lambda: _claim(address, room, replace=replace))
    try:
        yield Folder(session, address, room, word)
    except BaseException:
        with suppress(Exception):  # the reason is told, also where the store cannot be reached
            at_the_store(session, lambda: _abandon(address, room, word, made=made))
        raise


def address_of(session: Any, place: str) -> str:
    """Where an output lies, with the name of its store unless that is a disk."""
    scheme = urlsplit(place).scheme
    if not scheme and not is_connect(session):
        conf = session._jsc.hadoopConfiguration()
        usual = str(conf.get("fs.defaultFS") or "file:///").rstrip("/")
        if not usual.startswith("file:"):
            if not place.startswith("/"):
                raise NotApplicable(f"{place}: on {usual} give the whole path, which begins with /")
            return f"{usual}{place}".rstrip("/")
        return os.path.abspath(place)
    if not scheme and not place.startswith("/"):
        raise NotApplicable(
            f"{place}: with Spark Connect the folder is on other machines; give its whole path"
        )
    if scheme in ("", "file"):
        return local_path(place).rstrip("/")
    if not is_connect(session):
        store_at(place)  # which refuses what it does not know
    return place.rstrip("/")


def _claim(address: str, room: str, *, replace: bool) -> bool:
    """Whether the folder is new; OutputExists where it is not free."""
    store = store_at(address)
    found = store.sizes()
    if CARD_NAME in found and not replace:
        raise OutputExists(
            f"{address} already exists; choose another name, or pass --replace to overwrite it"
        )
    if CLAIM in found:
        _require_own(store, address, room)
    elif found and CARD_NAME not in found:
        raise OutputExists(
            f"{address} is not empty and holds no release; choose another name, or empty it"
        )
    made = store.prepare(room)
    try:
        store.create(CLAIM, room.encode())
    except FileExistsError:
        _require_own(store, address, room)
    return made


def _require_own(store: Store, address: str, room: str) -> None:
    """OutputExists where the claim is another run's, and not of an attempt before this one."""
    if store.read(CLAIM) != room.encode():
        raise OutputExists(
            f"{address}: another run is writing there, or was broken off; in the latter case delete "
            f"what begins with .dprivacy in it"
        )


def _commit(address: str, room: str, card: str, sizes: dict[str, int], *, replace: bool) -> None:
    store = store_at(address)
    found = store.sizes()
    if any(found.get(name) != size for name, size in sizes.items()):
        raise BadFile(
            f"{address}: not all files that were written can be seen here; does every machine see the "
            "folder under the same name?"
        )
    word = room.removeprefix(_ROOM)  # also in what a killed attempt left half written of a file
    store.remove(name for name in found if name.startswith(".") and word in name)
    store.drop(room)
    if replace:
        store.put(CARD_NAME, card.encode())
        store.remove(name for name in found if name not in (*sizes, CARD_NAME))
    else:
        try:
            store.create(CARD_NAME, card.encode())
        except FileExistsError:
            if store.read(CARD_NAME) != card.encode():
                raise OutputExists(f"{address} holds another release by now") from None
        store.remove([CLAIM])
    store.open()


def _abandon(address: str, room: str, word: str, *, made: bool) -> None:
    store = store_at(address)
    store.remove(name for name in store.sizes() if name.startswith(room) or word in name)
    store.drop(room)
    store.remove([CLAIM])
    if made:
        store.drop("")
