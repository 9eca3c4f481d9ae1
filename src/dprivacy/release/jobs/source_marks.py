"""Where a release came from, without a ledger: enough to notice that a file is sanitised again.

A hash of a small table on a public card could be guessed by trying all tables. So the mark is made of
nothing in the table: of the file's path and the time of its last change, behind a salt.
"""

import hashlib
import hmac
import json
import secrets
from pathlib import Path
from typing import Any

from dprivacy.errors import AlreadyReleased
from dprivacy.release.files.own_files import CARD_ENDING

_LARGEST = 64 << 20  # bytes of a card
_MOST = 1000  # cards that are looked at


def origin_mark(source: Path, *, salt: str | None = None) -> dict[str, str]:
    """A mark of a source file for the card of its release.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     mark = origin_mark(Path(file.name))
    ...     mark == origin_mark(Path(file.name), salt=mark["salt"])
    True
    """
    salt = secrets.token_hex(16) if salt is None else salt
    told = f"{salt}\0{source.resolve()}\0{source.stat().st_mtime_ns}"
    return {"salt": salt, "mark": hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()}


def require_not_released_here(source: Path, folder: Path) -> None:
    """AlreadyReleased when a card in the folder says that this very file was released there before.

    Cards that cannot be read are passed over: they say nothing of this file.
    """
    for card in sorted(folder.glob(f"*{CARD_ENDING}"))[:_MOST]:
        mark = _mark_on(card)
        if mark is not None and hmac.compare_digest(
            origin_mark(source, salt=mark["salt"])["mark"].encode(), mark["mark"].encode()
        ):
            raise AlreadyReleased(
                f"{source} was released before, and {card} is its card. Two noisy copies say more than "
                "one; if that is meant, say why with again= (--again), and keep a ledger (--ledger), "
                "which adds up what both cost"
            )


def _mark_on(card: Path) -> dict[str, str] | None:
    try:
        if card.stat().st_size > _LARGEST:
            return None
        data: Any = json.loads(card.read_text(encoding="utf-8-sig"))
        found = data["body"]["output"]["source"]
        mark = {key: found[key] for key in ("salt", "mark")}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return mark if all(isinstance(text, str) for text in mark.values()) else None
