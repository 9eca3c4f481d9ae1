"""The table of stored nouns, and the two functions that read it."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, OutputExists, WrongKind
from dprivacy.mechanisms import (
    ChannelMechanism,
    LocalMechanism,
    PrefixRounds,
    local_body,
    local_from,
    mechanism_body,
    mechanism_from,
    rounds_body,
    rounds_from,
)
from dprivacy.model import (
    Channel,
    as_path,
    channel_body,
    channel_from,
    file_text,
    read_document,
    rebuilt,
    space_body,
    space_from,
    write_document,
)
from dprivacy.release import (
    Card,
    Plan,
    Receipt,
    card_body,
    card_from,
    plan_body,
    plan_from,
    receipt_body,
    receipt_from,
)
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import PathArg


@dataclass(frozen=True)
class StoredForm:
    """How a class is written and read: its noun, the version of its body, and both directions."""

    noun: str
    version: int
    kind: type
    body: Callable[[Any], dict[str, Any]]
    rebuild: Callable[[dict[str, Any]], Any]


FORMS = (
    StoredForm("channel", 1, Channel, channel_body, channel_from),
    StoredForm("space", 1, FiniteSpace, space_body, space_from),
    StoredForm("mechanism", 1, ChannelMechanism, mechanism_body, mechanism_from),
    StoredForm("mechanism", 2, LocalMechanism, local_body, local_from),  # sets, without a matrix
    StoredForm("rounds", 1, PrefixRounds, rounds_body, rounds_from),
    StoredForm("plan", 1, Plan, plan_body, plan_from),
    StoredForm("card", 3, Card, card_body, card_from),
    StoredForm("receipt", 2, Receipt, receipt_body, receipt_from),
)
NOUNS = tuple(dict.fromkeys(form.noun for form in FORMS))


def save(
    thing: Any,  # whatever noun the table has
    path: PathArg,
    *,
    replace: bool = False,
) -> None:
    """Write a noun to a file that `load` reads back.

    Parameters
    ----------
    thing
        A channel, a space, a mechanism, rounds, a plan, a card or a receipt.
    path
        The file.
    replace
        Overwrite a file that is there.

    Raises
    ------
    OutputExists
        When the file is there and `replace` was not said.
    WrongKind
        For anything else, such as a mechanism whose outputs cannot be listed.

    Examples
    --------
    >>> import tempfile, dprivacy as dp
    >>> from dprivacy.store import load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(dp.line(3), f"{folder}/line.json")
    ...     load(f"{folder}/line.json")
    FiniteSpace(3 points, diameter 2, exact)
    """
    text = stored_text(thing)
    target = as_path(path)
    if os.path.lexists(target) and not replace:
        raise OutputExists(f"{path} already exists; choose another name, or pass replace=True")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".dprivacy.") as folder:
            part = Path(folder, "part")
            part.touch(mode=0o600)
            with open(part, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
    except OSError as reason:
        raise BadFile(f"{path}: cannot be written ({reason.strerror})") from None


def load(path: PathArg) -> Any:
    """Read back whatever noun a file holds, checked as if it came from a stranger.

    A mechanism is proved private again from its integers; a file that was changed is refused.

    Parameters
    ----------
    path
        A file that `save` or a verb of the command line wrote. (A table of numbers, CSV or JSON, is
        read by `as_channel` or `as_space` instead: it does not say which of the two it is.)

    Returns
    -------
    Channel, FiniteSpace, Mechanism, PrefixRounds, Plan, Card or Receipt
        As the file says.

    Examples
    --------
    >>> import tempfile, dprivacy as dp
    >>> from dprivacy.store import load, save
    >>> coin = dp.Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(coin, f"{folder}/coin.json")
    ...     load(f"{folder}/coin.json") == coin
    True
    """
    return from_text(file_text(path), name=str(path))


def stored_text(thing: Any) -> str:
    """A noun as the text of its file."""
    for form in FORMS:
        if isinstance(thing, form.kind):
            return write_document(form.noun, form.version, form.body(thing))
    raise WrongKind(f"{', '.join(NOUNS)} can be saved, but not {type(thing).__name__}")


def from_text(text: str, *, name: str = "the file") -> Any:
    """The noun in the text of a file."""
    document = read_document(text, name=name)
    for form in FORMS:
        if (form.noun, form.version) == (document.noun, document.version):
            return rebuilt(form.rebuild, document.body, name)
    raise BadFile(
        f"{name}: this release does not read dprivacy.{document.noun}, version {document.version}"
    )
