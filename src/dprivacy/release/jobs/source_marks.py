"""Where a release came from, without a ledger: enough to notice that a file is released again.

A hash of a small table on a public card could be guessed by trying all tables. So the mark is made of
nothing in the file: of its path and the time of its last change, behind a salt.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dprivacy.errors import AlreadyReleased, BadFile
from dprivacy.model import file_text, parsed_json
from dprivacy.release.files.own_files import CARD_ENDING, CARD_NAME
from dprivacy.typing import LedgerLike

_LARGEST = 64 << 20  # bytes of a card
_MOST = 1000  # cards that are looked at


@dataclass(frozen=True)
class Origin:
    """The file that a release is made from, as it was when it was read.

    Attributes
    ----------
    path
        The file.
    told
        Where it lies and when it was changed last; secret.
    salt
        What the mark hides that behind.
    excused
        Whether the file may be released again.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     origin = Origin.of(Path(file.name))
    ...     origin.mark == Origin.of(Path(file.name), salt=origin.salt).mark
    True
    """

    path: Path
    told: str = field(repr=False)
    salt: str
    excused: bool = False

    @classmethod
    def of(cls, path: Path, *, salt: str | None = None, excused: bool = False) -> "Origin":
        """The origin of what is read from a file now."""
        told = f"{path.resolve()}\0{path.stat().st_mtime_ns}"
        return cls(path, told, secrets.token_hex(16) if salt is None else salt, excused)

    @property
    def mark(self) -> dict[str, str]:
        """What the card says of the file."""
        return {"salt": self.salt, "mark": self._behind(self.salt)}

    def require_new(self, folder: Path) -> None:
        """AlreadyReleased when a card in the folder says that this very file was released there before.

        Cards that cannot be read are passed over: they say nothing of this file. A card with the same
        salt is of the same release, saved once more.
        """
        cards = (*folder.glob(f"*{CARD_ENDING}"), *folder.glob(f"*/{CARD_NAME}"))
        for card in [] if self.excused else sorted(cards)[:_MOST]:
            found = _mark_on(card)
            if found is None or found["salt"] == self.salt:
                continue
            if hmac.compare_digest(self._behind(found["salt"]), found["mark"]):
                raise AlreadyReleased(
                    f"{self.path} was released before, and {card} is its card. Two noisy copies say "
                    "more than one; if that is meant, say why with again= (--again), and keep a ledger "
                    "(--ledger), which adds up what both cost"
                )

    def _behind(self, salt: str) -> str:
        told = f"{salt}\0{self.told}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(told).hexdigest()


def origin_of(
    path: Path,
    *,
    ledger: LedgerLike = None,
    again: str | None = None,
    permanent: bool = False,
    salt: str | None = None,
) -> Origin:
    """The origin of a release, with what excuses a second one.

    A ledger remembers by itself, a reason is a decision, and permanent noise is not drawn again.
    """
    excused = ledger is not None or again is not None or permanent
    return Origin.of(path, salt=salt, excused=excused)


def _mark_on(card: Path) -> dict[str, str] | None:
    try:
        data: Any = parsed_json(file_text(card, largest=_LARGEST), str(card))
        found = data["body"]["output"]["source"]
        mark = {key: found[key] for key in ("salt", "mark")}
    except (BadFile, LookupError, TypeError):
        return None
    return mark if all(isinstance(text, str) and text.isascii() for text in mark.values()) else None
