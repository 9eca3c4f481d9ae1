"""Personal data in a text: found before the noise, offline, and never with a guarantee."""

from collections.abc import Iterable
from dataclasses import dataclass

from dprivacy.errors import UnknownName
from dprivacy.text.documents.text_pieces import require_text
from dprivacy.text.finding.personal_rules import by_rules
from dprivacy.text.finding.proper_names import Names
from dprivacy.text.finding.word_lists import NameLists, name_lists

KINDS = ("name", "email", "phone", "card", "iban", "date", "link", "handle", "address", "id", "ip")


@dataclass(frozen=True)
class Found:
    """A stretch of a text, and what kind of personal data it looks like.

    Examples
    --------
    >>> Found("email", 8, 24)
    Found(kind='email', start=8, end=24)
    """

    kind: str
    start: int
    end: int


def find_personal(
    text: str, *, kinds: Iterable[str] = KINDS, lists: NameLists | None = None
) -> list[Found]:
    """What in a text looks like personal data, in order and without overlaps.

    Parameters
    ----------
    text
        A text.
    kinds
        What to look for: "name" (any proper name), "email", "phone", "card" and "iban" (by their check
        digits), "date", "link", "handle", "address", "id" and "ip".
    lists
        Names and ordinary words; those of the package by default, which are English.

    Notes
    -----
    Rules come first, then names among what they leave. A word with a capital counts as a name if it
    follows a title or a greeting; if it is a listed first name; if it is a listed surname and not an
    ordinary word, or stands in mid-sentence without "the" or "my" before it; or if it stands in
    mid-sentence and is not an ordinary word. A word in small letters counts if it is a listed first
    name and not an ordinary word; the surname after it counts too. Accents and a final 's do not
    matter. The time is in proportion to the length of the text. Nothing is guaranteed.

    Examples
    --------
    >>> note = "Please ring Maria Oliveira on +44 20 7946 0958."
    >>> [(found.kind, note[found.start : found.end]) for found in find_personal(note)]
    [('name', 'Maria Oliveira'), ('phone', '+44 20 7946 0958')]
    """
    require_text(text)
    asked = read_kinds(kinds)
    taken = bytearray(len(text))
    # Every rule is tried, asked for or not: so a card's number is not taken for a telephone's.
    found = [Found(*span) for span in by_rules(text, taken) if span[0] in asked]
    if "name" in asked:
        chosen = name_lists() if lists is None else lists
        found += [Found("name", *span) for span in Names(text, taken, chosen).spans()]
    return sorted(found, key=lambda one: one.start)


def read_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """The kinds that are asked for, in the order of `KINDS`."""
    asked = [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in asked:
        UnknownName.require("find", kind, KINDS)
    return tuple(kind for kind in KINDS if kind in asked)
