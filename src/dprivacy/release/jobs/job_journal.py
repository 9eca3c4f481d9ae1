"""The journal of a file job: what it needs to go on after a crash without drawing anything again."""

import hashlib
import hmac
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn

from dprivacy.errors import BadFile
from dprivacy.release.files.own_files import Workplace, open_own

FORMAT = "dprivacy journal"
VERSION = 7
_LARGEST = 64 << 20
_TAG = 16  # bytes of a line's checksum
_SHORTEST_KEY = 16
_COMMITTED, _DISCARDED = b"\0", b"\1"  # what a destroyed journal is overwritten with


@dataclass(frozen=True)
class Run:
    """What a run began with: its key, and fingerprints of all that its output depends on.

    The fingerprints are made with the key, so that they say nothing to anybody once it is destroyed.
    A ledger knows the run by its mark, and `stream` names what noise is drawn from.
    """

    key: str = field(repr=False)
    mark: str = field(repr=False)
    stream: str
    secure: bool
    replace: bool
    source: str
    plan: dict[str, Any]
    permanent: str
    shuffled: str
    ledger: str
    account: list[str]
    libraries: dict[str, Any]

    @property
    def salt(self) -> str:
        """A public number of this run, from which its key cannot be found."""
        return hmac.digest(bytes.fromhex(self.key), b"dprivacy salt 1", "sha256").hex()[:32]


@dataclass(frozen=True)
class Checkpoint:
    """How far the output is safely on the disk."""

    chunks: int = 0
    rows: int = 0
    bytes: int = 0
    sha256: str = hashlib.sha256().hexdigest()


@dataclass(frozen=True)
class Commit:
    """The output and its card are complete, and only have to be put in place."""

    output: str
    card: str


@dataclass(frozen=True)
class Spent:
    """The ledger's receipt, as plain data."""

    receipt: dict[str, Any]


Record = Run | Checkpoint | Commit | Spent
_MODELS: dict[str, Record] = {
    "run": Run("", "", "", True, True, "", {}, "", "", "", [], {}),
    "checkpoint": Checkpoint(),
    "commit": Commit("", ""),
    "spent": Spent({}),
}


class Journal:
    """A file of one record a line, each with a checksum that covers all lines before it.

    Notes
    -----
    1. It is written under another name, synced and renamed: it is there with its key, or not at all.
    2. A record is appended and synced before what it says is relied on. A last line that is cut off
       was never relied on, and is ignored; any other damage is refused.
    3. It is destroyed by overwriting it, syncing, and removing it. One that begins with a zero or a
       one is therefore no journal any more; which of the two says whether its run was complete.
    """

    def __init__(self, place: Workplace, handle: int, records: list[Record], tag: bytes) -> None:
        self.place, self._handle, self._tag = place, handle, tag
        run = records[0]
        assert isinstance(run, Run)
        self.run = run
        self.checkpoint, self.commit, self.spent = Checkpoint(), None, None
        for record in records[1:]:
            self._note(record)

    checkpoint: Checkpoint
    commit: Commit | None
    spent: Spent | None

    @classmethod
    def create(cls, place: Workplace, run: Run) -> "Journal":
        """Begin the journal of a run."""
        new = _beside(place.journal)
        new.unlink(missing_ok=True)
        handle = open_own(new, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        try:
            line, tag = _line(run, b"")
            _write(handle, line)
            os.fsync(handle)
            os.replace(new, place.journal)
            place.sync()
        except OSError:  # nothing is drawn with this key
            os.close(handle)
            for path in (new, place.journal):
                path.unlink(missing_ok=True)
            raise
        return cls(place, handle, [run], tag)

    @classmethod
    def find(cls, place: Workplace) -> "Journal | None":
        """The journal that an earlier run left, if there is one.

        Raises
        ------
        BadFile
            If it is damaged, or not this user's.
        """
        try:
            handle = open_own(place.journal, os.O_RDWR)
        except FileNotFoundError:
            _beside(place.journal).unlink(missing_ok=True)
            return None
        try:
            if os.fstat(handle).st_size > _LARGEST:
                _damaged(place.journal, "it is too large")
            data = _read(handle)
            if data[:1] in (_COMMITTED, _DISCARDED):  # destroyed, and not yet removed
                place.clear()
                place.journal.unlink()
                os.close(handle)
                return None
            records, length, tag = parse(data, place.journal)
            os.ftruncate(handle, length)
            os.lseek(handle, 0, os.SEEK_END)
        except BaseException:
            with suppress(OSError):
                os.close(handle)
            raise
        return cls(place, handle, records, tag)

    @staticmethod
    def discard(place: Workplace) -> None:
        """Destroy whatever journal lies there, and what was written under it."""
        try:
            handle = open_own(place.journal, os.O_RDWR)
        except FileNotFoundError:
            place.clear()
            return
        try:
            _destroy(place, handle, _DISCARDED)
        finally:
            os.close(handle)

    @staticmethod
    def committed(place: Workplace) -> bool:
        """Whether a run was complete when it stopped, but for the removal of its journal."""
        try:
            handle = open_own(place.journal, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            return os.read(handle, 1) == _COMMITTED
        finally:
            os.close(handle)

    def append(self, record: Checkpoint | Commit | Spent) -> None:
        """Write a record so that it lasts."""
        line, tag = _line(record, self._tag)
        before = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            _write(self._handle, line)
            os.fsync(self._handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._handle, before)
            raise
        self._tag = tag
        self._note(record)

    def destroy(self, *, complete: bool = False) -> None:
        """Overwrite the key and all the rest, and remove what is half-written and the journal."""
        _destroy(self.place, self._handle, _COMMITTED if complete else _DISCARDED)
        self.close()

    def close(self) -> None:
        """Leave the journal where it is."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _note(self, record: Record) -> None:
        setattr(self, _kind(record), record)


def parse(data: bytes, name: Path) -> tuple[list[Record], int, bytes]:
    """The records of a journal, the bytes they take, and the last checksum."""
    records: list[Record] = []
    length, tag = 0, b""
    lines = data.splitlines(keepends=True)
    if not lines:
        _damaged(name, "it is empty")
    for k, line in enumerate(lines):
        text, _, found = line[:-1].rpartition(b"\t")
        if not line.endswith(b"\n") or found != _checksum(text, tag).hex().encode():
            if k and k == len(lines) - 1:  # cut off while it was written
                break
            _damaged(name, f"line {k + 1} does not fit its checksum")
        records.append(_record(text, name, first=k == 0))
        tag, length = bytes.fromhex(found.decode()), length + len(line)
    return records, length, tag


def _record(text: bytes, name: Path, *, first: bool) -> Record:
    try:
        data = json.loads(text)
        kind = type(_MODELS[data.pop("kind")])
        if first and (data.pop("format"), data.pop("version")) != (FORMAT, VERSION):
            _damaged(name, f"this reads version {VERSION} of {FORMAT}")
        if first is not (kind is Run) or set(data) != {item.name for item in fields(kind)}:
            _damaged(name, "a record is not of a known form")
        record = kind(**data)
        _check(record)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as reason:
        if isinstance(reason, BadFile):
            raise
        _damaged(name, "a record is not of a known form")
    return record


def _check(record: Record) -> None:
    """Raise TypeError or ValueError unless every entry is of its kind."""
    for key, model in asdict(_MODELS[_kind(record)]).items():
        value = getattr(record, key)
        if type(value) is not type(model) or (type(value) is int and value < 0):
            raise TypeError
    if isinstance(record, Run):
        for secret in (record.key, record.mark):
            if len(bytes.fromhex(secret)) < _SHORTEST_KEY:
                raise ValueError


def _line(record: Record, before: bytes) -> tuple[bytes, bytes]:
    """A record as a line, and its checksum."""
    head = {"format": FORMAT, "version": VERSION} if isinstance(record, Run) else {}
    text = json.dumps({"kind": _kind(record), **head, **asdict(record)}).encode()
    tag = _checksum(text, before)
    return b"%s\t%s\n" % (text, tag.hex().encode()), tag


def _kind(record: Record) -> str:
    return next(name for name, model in _MODELS.items() if type(record) is type(model))


def _checksum(text: bytes, before: bytes) -> bytes:
    return hashlib.blake2b(before + text, digest_size=_TAG).digest()


def _destroy(place: Workplace, handle: int, how: bytes) -> None:
    size = os.lseek(handle, 0, os.SEEK_END)
    os.lseek(handle, 0, os.SEEK_SET)
    _write(handle, how * min(size, _LARGEST))
    os.fsync(handle)
    place.clear()
    place.journal.unlink(missing_ok=True)
    place.sync()


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-new")


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _read(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    with os.fdopen(os.dup(handle), "rb") as file:
        return file.read()


def _damaged(name: Path, what: str) -> NoReturn:
    raise BadFile(
        f"{name}: the journal is damaged ({what}); pass --discard to throw it away and start anew: "
        "that draws new noise, and spends again if there is a ledger"
    )
