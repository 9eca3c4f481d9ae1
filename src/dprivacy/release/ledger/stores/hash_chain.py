"""The chain: entries that hold the hash of the one before them, sealed with the ledger's key."""

import hashlib
import hmac
import json
import os
import secrets
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, BrokenLedger, TooLarge

START = "0" * 64  # what stands for the hash before the first entry
_HEAD = "dprivacy ledger key 1"
_LARGEST = 1 << 20  # characters of an entry


@dataclass(frozen=True)
class Entry:
    """One entry as it is stored: its text, the hash of the text, and the key's seal on the hash."""

    sequence: int
    text: str
    hash: str
    seal: str

    @cached_property
    def body(self) -> dict[str, Any]:
        """What the entry says."""
        try:
            data = json.loads(self.text) if len(self.text) <= _LARGEST else None
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise BrokenLedger(f"entry {self.sequence} of the ledger cannot be read")
        return data

    def faults(self, key: "LedgerKey", previous: str | None = None) -> list[str]:
        """What is wrong with the entry, in words; nothing when it is as it was written."""
        found = []
        if hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest() != self.hash:
            found.append("its content is not what its hash was made of")
        elif not hmac.compare_digest(key.seal(self.hash), self.seal.encode("utf-8", "replace")):
            found.append("its seal was not made with the ledger's key")
        try:
            body = self.body
        except BrokenLedger:
            return [*found, "it cannot be read"]
        if body.get("sequence") != self.sequence:
            found.append(f"it says that it is entry {body.get('sequence')!r}")
        if previous is not None and body.get("previous") != previous:
            found.append("it does not follow the entry before it")
        return found


def entry_of(body: dict[str, Any], key: "LedgerKey") -> Entry:
    """A body, hashed and sealed."""
    text = canonical(body)
    if len(text) > _LARGEST:
        raise TooLarge(
            f"an entry of the ledger would have {len(text):,} characters, more than {_LARGEST:,}; "
            "shorten its note, or release fewer columns at a time"
        )
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Entry(body["sequence"], text, digest, key.seal(digest).decode())


def canonical(data: Any) -> str:
    """JSON in the one form that is hashed."""
    return json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


class LedgerKey:
    """The ledger's secret: seals entries, and hides sources and people behind keyed hashes.

    A plain hash of a small table can be guessed by trying all tables; one under a secret key cannot.

    Parameters
    ----------
    secret
        32 random bytes.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def tag(self, purpose: str, *parts: bytes) -> str:
        """A keyed hash, in hexadecimal; other purposes have other hashes of the same thing."""
        told = b"".join(len(part).to_bytes(8, "big") + part for part in (purpose.encode(), *parts))
        return hmac.digest(self._secret, told, "sha256").hex()

    def seal(self, text: str) -> bytes:
        """The seal on a text."""
        return self.tag("seal", text.encode("utf-8", "surrogatepass")).encode()

    def __repr__(self) -> str:
        return "LedgerKey()"

    def __reduce__(self) -> Any:
        raise BrokenLedger(
            "a ledger's key is not copied or pickled; open the ledger where it is used"
        )


def read_key(path: Path) -> LedgerKey:
    """The key in a file that only its owner can read."""
    try:
        told = path.stat()
        if not stat.S_ISREG(told.st_mode) or told.st_size > 1024:
            raise BrokenLedger(f"{path}: is not the key of a ledger")
        if os.name == "posix" and told.st_mode & 0o077:
            raise BrokenLedger(
                f"{path}: others may read the ledger's key; chmod 600 it, and make a new ledger if "
                "somebody else could have copied it"
            )
        lines = path.read_text(encoding="ascii").split("\n")
        secret = bytes.fromhex(lines[1]) if lines[0] == _HEAD and len(lines) == 3 else b""
    except FileNotFoundError:
        raise BrokenLedger(
            f"{path}: the ledger's key is missing; it lay there when the ledger was made: bring it "
            "back from where it was copied to, or say where it is with key="
        ) from None
    except OSError as reason:
        raise BrokenLedger(f"{path}: cannot be read ({reason.strerror})") from None
    except ValueError as reason:
        if isinstance(reason, BrokenLedger):
            raise
        secret = b""
    if len(secret) != 32:
        raise BrokenLedger(f"{path}: is not the key of a ledger")
    return LedgerKey(secret)


def make_key(path: Path) -> LedgerKey:
    """A new key in a new file, readable by the owner alone; the one that is there, if there is one."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_key(path)
    except OSError as reason:
        raise BadFile(f"{path}: cannot be written ({reason.strerror})") from None
    with os.fdopen(handle, "w", encoding="ascii", newline="") as file:
        file.write(f"{_HEAD}\n{secrets.token_hex(32)}\n")
        file.flush()
        os.fsync(file.fileno())
    return read_key(path)
