"""The state of permanent noise: whose leaders are where, in a file of the owner's alone."""

import hmac
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.geo.leading_places import NEAR, Leaders
from dprivacy.geo.permanent_places import PermanentNoise
from dprivacy.model import as_path
from dprivacy.release import LedgerPlace, Workplace, open_own
from dprivacy.sampling import CONSTRUCTION
from dprivacy.typing import PathArg

_LARGEST = 1 << 31  # bytes
_SEAL = 64  # hexadecimal digits
_FORM = "dprivacy leaders 2"


@dataclass(frozen=True, eq=False, repr=False)
class LeaderState:
    """Leaders of every person under one key and question, and what they were charged to.

    Attributes
    ----------
    leaders
        By the person's tag; in no file does a name stand.
    near
        How far a reading may be from its leader, in metres.
    charged
        The ledger and the account that all of them were charged to; None where one was not.
    charges
        Marks of the entries that did it.
    next
        The mark of the entry that the next release will make. Where the ledger has it already, a later
        state was written, or should have been.
    fresh
        Whether it begins here: a file that was not there.
    """

    leaders: Leaders
    near: Fraction
    charged: LedgerPlace | None = None
    charges: tuple[bytes, ...] = ()
    next: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    fresh: bool = True

    @property
    def most(self) -> int:
        """The most leaders of one person."""
        return max(map(len, self.leaders.values()), default=0)

    def __repr__(self) -> str:
        return f"LeaderState({len(self.leaders)} people, near {in_words(self.near)})"


def empty_state(near: LengthLike | None) -> LeaderState:
    """Of nobody, charged to nobody."""
    return LeaderState({}, NEAR if near is None else metres(near, what="near"))


class StateFile:
    """The file of a state, held while a release is made.

    Notes
    -----
    The first line is an HMAC of the rest under a key of the question: a file of another key, question
    or mechanism, and one that was cut or changed, is refused. An older copy has its seal; the ledger
    tells it from the latest.
    """

    def __init__(self, path: PathArg, noise: PermanentNoise) -> None:
        self._place, self._noise = Workplace(as_path(path, "a state")), noise
        if self._place.output.is_dir():
            raise BadFile(f"{path}: is a folder, and a state is a file; give it a name")

    def read(self, near: LengthLike | None) -> LeaderState:
        """What the file holds; an empty state where there is no file."""
        path = self._place.output
        try:
            handle = open_own(path, os.O_RDONLY)
        except FileNotFoundError:
            return empty_state(near)
        except OSError as reason:
            raise BadFile(f"{path}: cannot be read ({reason.strerror or 'failed'})") from None
        except BadFile:
            raise BadFile(
                f"{path}: is not a file that this user made and that nobody else may read, as a state "
                "must be; chmod 600 it if it is a copy of one, or give another file"
            ) from None
        with os.fdopen(handle, "rb") as file:
            text = file.read(_LARGEST)
        if not hmac.compare_digest(text[:_SEAL], self._sealed(text[_SEAL + 1 :])):
            raise BadFile(
                f"{path}: is not the state of this key, question, level and region, or was changed; "
                "give each its own file, or restore this one from its copy"
            )
        return replace(self._decoded(json.loads(text[_SEAL + 1 :]), near), fresh=False)

    def _decoded(self, body: dict[str, Any], near: LengthLike | None) -> LeaderState:
        held = Fraction(body["near"])
        if near is not None and metres(near, what="near") != held:
            raise NotApplicable(
                f"{self._place.output}: its leaders are {in_words(held)} wide; leave out near"
            )
        leaders = {
            bytes.fromhex(who): np.array(points, dtype=np.int64)
            for who, points in body["people"].items()
        }
        charged = None if body["charged"] is None else LedgerPlace(*body["charged"])
        charges = tuple(bytes.fromhex(mark) for mark in body["charges"])
        return LeaderState(leaders, held, charged, charges, bytes.fromhex(body["next"]))

    def write(self, state: LeaderState) -> None:
        """Put a state in the place of the one before, at once or not at all."""
        body = {
            "construction": CONSTRUCTION,
            "near": str(state.near),
            "charged": state.charged,
            "charges": [mark.hex() for mark in state.charges],
            "next": state.next.hex(),
            "people": {who.hex(): points.tolist() for who, points in state.leaders.items()},
        }
        text = json.dumps(body, separators=(",", ":")).encode()
        place = self._place
        with place.errors():
            try:
                handle = open_own(place.output_part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                with os.fdopen(handle, "wb") as file:
                    file.write(self._sealed(text) + b"\n" + text)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(place.output_part, place.output)
                place.sync()
            finally:
                place.clear()

    @contextmanager
    def held(self) -> Iterator[None]:
        """No other release reads or writes it meanwhile."""
        with self._place.held():
            yield

    def _sealed(self, text: bytes) -> bytes:
        return hmac.digest(self._noise.derived(_FORM), text, "sha256").hex().encode()
