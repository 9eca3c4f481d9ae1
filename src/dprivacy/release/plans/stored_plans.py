"""Plans as plain data without floats: people write TOML, programs keep this in stored nouns."""

from collections.abc import Mapping
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.model import digest, plain, read_document

VERSION = 1
_DOUBLE = "double"


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
