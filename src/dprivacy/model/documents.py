"""Stored nouns: one envelope for every file that dprivacy writes, read strictly.

    {"format": "dprivacy.channel", "version": 1, "body": {…}, "sha256": "…"}

The body of each noun is written and read by its own room; the room `store` has the table of all.
"""

import hashlib
import io
import json
import os
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, DPrivacyError, NotPrivate, WrongKind
from dprivacy.model.plain_data import CONTROL
from dprivacy.typing import PathArg

LARGEST = 256 << 20  # bytes
_PART = 1 << 20
_KEYS = {"format", "version", "body", "sha256"}
_PREFIX = "dprivacy."
_DEEPEST = 100
_MOST_ITEMS, _MOST_PARTS = 1 << 24, 1 << 22


@dataclass(frozen=True)
class Document:
    """What a file says it holds.

    Parameters
    ----------
    noun
        "channel", "space", "mechanism", "rounds", "plan", "card" or "receipt".
    version
        Of that noun's body.
    body
        Plain data, not yet checked by the noun's own reader.
    """

    noun: str
    version: int
    body: dict[str, Any]


def write_document(noun: str, version: int, body: dict[str, Any]) -> str:
    """The text of a stored noun: the envelope around its body, with the hash of all three."""
    data = {"format": _PREFIX + noun, "version": version, "body": body}
    _refuse_control(body, f"the {noun}")
    return _laid_out({**data, "sha256": digest(data)}) + "\n"


def _laid_out(data: Any, margin: str = "\n") -> str:
    """JSON that people can read: a line for each key and for each row of a matrix."""
    inner = margin + " "
    if isinstance(data, dict) and data:
        lines = [
            f"{json.dumps(key, ensure_ascii=False)}: {_laid_out(data[key], inner)}" for key in data
        ]
        return "{" + inner + f",{inner}".join(lines) + margin + "}"
    if isinstance(data, list) and any(isinstance(item, dict | list) for item in data):
        rows = [_laid_out(item, inner) for item in data]
        return "[" + inner + f",{inner}".join(rows) + margin + "]"
    return json.dumps(data, ensure_ascii=False)


def read_document(text: str, *, name: str = "the file") -> Document:
    """Open the envelope.

    Strict: the four keys and no others, no repeated keys anywhere, no floats (numbers that are not
    whole are stored as text), no control characters
    outside of labels, and the hash of the contents, which catches accidents. Whoever
    repairs the hash meets the noun's own reader, which proves again what it can.

    Raises
    ------
    BadFile
        Naming what is wrong.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            times = Counter(key for key, _ in pairs)
            twice = next(key for key in times if times[key] > 1)
            raise BadFile(f"{name}: the key {twice!r} appears twice")
        return found

    def refuse(literal: str) -> Any:
        raise BadFile(f"{name}: numbers are stored as text, but {literal[:24]} is not")

    data = parsed_json(
        text, name, object_pairs_hook=once, parse_float=refuse, parse_constant=refuse
    )
    if not is_document(data):
        raise BadFile(
            f"{name}: not a file of dprivacy; that has format, version, body and sha256, and no more"
        )
    given = data["format"], data["version"], data["body"]
    if type(given[0]) is not str or type(given[1]) is not int or type(given[2]) is not dict:
        raise BadFile(
            f"{name}: the format should be text, the version a whole number, the body an object"
        )
    if digest({key: data[key] for key in ("format", "version", "body")}) != data["sha256"]:
        raise BadFile(f"{name}: the contents do not match their hash; the file was changed")
    _refuse_control(given[2], name)
    return Document(given[0].removeprefix(_PREFIX), given[1], given[2])


def parsed_json(text: str, name: str, **hooks: Any) -> Any:
    """The data of a JSON text; BadFile for anything else, and for what would upset its readers."""
    # A byte of text can take thirty of memory, so that its parts are counted first.
    if not isinstance(text, str):
        raise BadFile(f"{name}: not JSON but an object {type(text).__name__}")
    if text.count("[") + text.count("{") > _MOST_PARTS or text.count(",") > _MOST_ITEMS:
        raise BadFile(f"{name}: has more than {_MOST_ITEMS:,} items, or {_MOST_PARTS:,} lists")
    try:
        data = json.loads(text, **hooks)
    except DPrivacyError:
        raise
    except (TypeError, ValueError, RecursionError) as reason:
        raise BadFile(f"{name}: not JSON ({reason})") from None
    level: list[Any] = [[data]]
    for _ in range(_DEEPEST + 1):
        inside = (part.values() if isinstance(part, dict) else part for part in level)
        level = [item for part in inside for item in part if isinstance(item, dict | list)]
        if not level:
            return data
    raise BadFile(f"{name}: lists or objects are nested more than {_DEEPEST} deep")


def _refuse_control(body: dict[str, Any], name: str) -> None:
    """BadFile for control characters in what a noun says of itself; its labels, in lists, are data."""
    for key, value in body.items():
        if isinstance(value, dict):
            _refuse_control(value, name)
        elif isinstance(value, str) and CONTROL.search(value):
            raise BadFile(f"{name}: {key!r} holds a control character; take it out")


def is_document(data: Any) -> bool:
    """Whether parsed JSON has the keys of the envelope."""
    return isinstance(data, dict) and set(data) == _KEYS


def digest(data: Any) -> str:
    """The SHA-256 of plain data, whatever the order of its keys."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    try:
        return hashlib.sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        raise BadFile("text with half a character (a lone surrogate) cannot be stored") from None


def as_path(given: PathArg, what: str = "a file") -> Path:
    """The path that an argument names; WrongKind for anything else, such as a table in hand."""
    if not isinstance(given, str | PathLike):
        raise WrongKind(f"{what} is named by its path, not by an object {type(given).__name__}")
    name = str(given)
    if not name or "\0" in name:
        raise BadFile(f"{name!r} cannot be the name of {what}")
    return Path(given)


def file_text(path: PathArg, *, largest: int = LARGEST) -> str:
    """The text of a file, or BadFile with the reason it cannot be read."""
    return text_of(file_bytes(path, largest=largest), str(path))


def text_of(data: bytes, name: str) -> str:
    """The text that bytes of UTF-8 stand for, with or without the mark that some programs put first."""
    try:
        return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig").read()
    except UnicodeDecodeError:
        raise BadFile(f"{name}: is not UTF-8 text; save it as UTF-8") from None


def file_bytes(path: PathArg, *, largest: int = LARGEST) -> bytes:
    """All bytes of a file, or BadFile with the reason it cannot be read."""
    try:
        with open_regular(path) as opened:
            data = bytearray()
            # read(n) takes n bytes at once
            while len(data) <= largest and (part := opened.read(_PART)):
                data += part
    except OSError as reason:
        raise BadFile(f"{path}: cannot be read ({reason.strerror})") from None
    if len(data) > largest:
        raise BadFile(f"{path}: larger than {largest >> 20} MiB, the most that is read")
    return bytes(data)


def open_regular(path: PathArg) -> io.BufferedReader:
    """A file, open for reading; a pipe may never end and a device has no end, so they are refused."""
    try:
        opened = open(as_path(path), "rb", opener=_without_waiting)  # noqa: SIM115
    except OSError as reason:
        raise BadFile(f"{path}: cannot be read ({reason.strerror})") from None
    if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
        opened.close()
        raise BadFile(f"{path}: a pipe or a device cannot be read; copy it to a file")
    return opened


def require_regular(path: PathArg) -> None:
    """BadFile for anything but a regular file; for readers that open it themselves."""
    open_regular(path).close()


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes to is opened as well, instead of being waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def require_keys(
    body: dict[str, Any], kinds: Mapping[str, type], optional: Mapping[str, type], name: str
) -> None:
    """BadFile unless a body has the keys it needs, no unknown ones, and each of its kind."""
    strange = sorted((set(kinds) - set(body)) | (set(body) - set(kinds) - set(optional)))
    if strange:
        raise BadFile(f"{name}: unexpected or missing: {', '.join(strange)}")
    for key, kind in {**kinds, **optional}.items():
        if key in body and type(body[key]) is not kind:
            raise BadFile(
                f"{name}: {key!r} should be stored as {_JSON[kind]}, "
                f"not as {_JSON.get(type(body[key]), 'null')}"
            )


_JSON = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def rebuilt(read: Any, body: Any, name: str) -> Any:
    """What a noun's reader makes of a body; whatever goes wrong in it is BadFile, with the name."""
    try:
        return read(body)
    except BadFile as reason:
        text = str(reason)
        raise BadFile(text if text.startswith(name) else f"{name}: {text}") from None
    except NotPrivate as reason:
        raise NotPrivate(f"{name}: {reason}") from None
    except (TypeError, ValueError, LookupError, ArithmeticError, RecursionError) as reason:
        raise BadFile(f"{name}: {reason}") from None
