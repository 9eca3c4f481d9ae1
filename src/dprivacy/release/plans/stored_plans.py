"""The data of a plan: people write TOML, and programs keep plain data without floats."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from dprivacy.errors import BadFile, BadPlan
from dprivacy.model import digest, plain, read_document

VERSION = 1
_DOUBLE = "double"
_MOST_BITS = 4096  # of a whole number
_DEEPEST = 100
_LONGEST_TOML = 1 << 20  # characters: a second of parsing
_HALF = re.compile("[\ud800-\udfff]")
_DOTTED = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)++""")


def stored_body(text: str, noun: str, version: int, *, name: str) -> dict[str, Any]:
    """The body of a stored noun; any other noun or version is refused."""
    found = read_document(text, name=name)
    if (found.noun, found.version) != (noun, version):
        raise BadFile(
            f"{name}: holds a {found.noun} of version {found.version}, where a {noun} of version "
            f"{version} is needed"
        )
    return found.body


def plan_hash(raw: Mapping[str, Any]) -> str:
    """A hash of what a plan file says, by which a ledger and a card know the plan."""
    return digest(plan_out(raw))


def plan_out(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan file says, without floats: 0.5 is {"double": "0x1.0000000000000p-1"}."""
    out: dict[str, Any] = _out(plain(raw))
    return out


def plan_in(data: dict[str, Any]) -> dict[str, Any]:
    """What `plan_out` made, as it was."""
    found: dict[str, Any] = {key: _in(value) for key, value in data.items()}
    return found


def _out(value: Any) -> Any:
    if isinstance(value, float):
        return {_DOUBLE: value.hex()}
    if isinstance(value, dict):
        return {key: _out(item) for key, item in value.items()}
    return [_out(item) for item in value] if isinstance(value, list) else value


def _in(value: Any) -> Any:
    if isinstance(value, dict):
        written = value.get(_DOUBLE)
        if len(value) == 1 and isinstance(written, str):
            return float.fromhex(written)
        return {key: _in(item) for key, item in value.items()}
    return [_in(item) for item in value] if isinstance(value, list) else value


def parsed_toml(text: str, name: str) -> dict[str, Any]:
    """The data of a TOML text; BadFile for anything else, and for what would take for ever."""
    if len(text) > _LONGEST_TOML:
        raise BadFile(
            f"{name}: longer than {_LONGEST_TOML:,} characters, too long for a plan in TOML; write it "
            "as a stored plan (JSON), or pass a mapping"
        )
    if any(key[0].count(".") > _DEEPEST for key in _DOTTED.finditer(text)):
        raise BadPlan(f"{name}: lists or tables are nested more than {_DEEPEST} deep")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as reason:  # also a number of too many digits
        raise BadFile(f"{name}: not TOML ({reason})") from None


def require_sizes(data: Mapping[str, Any], name: str) -> None:
    """Refuse what cannot be written out: 0xfff… of TOML, lists in lists in lists, halves of letters."""
    waiting: list[tuple[Any, int]] = [(data, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            raise BadPlan(f"{name}: lists or tables are nested more than {_DEEPEST} deep")
        if isinstance(value, Mapping):
            waiting.extend((item, depth + 1) for pair in value.items() for item in pair)
        elif isinstance(value, list | tuple):
            waiting.extend((item, depth + 1) for item in value)
        elif isinstance(value, str) and not value.isascii() and _HALF.search(value):
            raise BadPlan(
                f"{name}: {value[:40]!a} holds half of a character (a lone surrogate); write the "
                "whole character"
            )
        elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise BadPlan(f"{name}: a whole number of {value.bit_length():,} bits is too long")
