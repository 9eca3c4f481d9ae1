"""What every description of a card in XML says: the released columns, and their noise in words."""

from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dprivacy.errors import NotApplicable
from dprivacy.release.plans.release_card import Card, read_card
from dprivacy.typing import PathArg

MOST_CATEGORIES = 1000
RANGED = ("numbers", "dates")


def described(card: Card | PathArg, document: str) -> Card:
    """The card of a table, for a document of this name; NotApplicable for another card."""
    held = card if isinstance(card, Card) else read_card(card)
    if held.what != "table":
        raise NotApplicable(
            f"a {document} describes the columns of a table, and this is a card of {held.what}; keep "
            "the card itself"
        )
    return held


def released_columns(card: Card) -> list[tuple[str, str]]:
    """Every column with the entry of the card that protects it, which is empty where nothing does."""
    noisy = [
        (column, name) for name, entry in card.mechanisms.items() for column in entry["columns"]
    ]
    return noisy + [(column, "") for column in card.pass_through]


def noise_of(card: Card, name: str) -> str:
    """Which noise an entry of a card adds, in words."""
    if not name:
        return "Published as it is, hence not protected."
    entry = card.mechanisms[name]
    slack = "" if entry["delta"] == "0" else f", delta {entry['delta']}"
    unit = "" if entry["type"] in ("categories", "joint") else " per unit of distance"
    joint = entry["type"] == "joint"
    together = f", in one draw for {' and '.join(entry['columns'])} together" if joint else ""
    return f"Noise of {entry['family']}, epsilon {entry['eps']}{unit}{slack}{together}."


def listed_values(card: Card, column: str, name: str) -> tuple[Any, ...]:
    """The values that a column may have, in the order of the card; none where it lists none."""
    entry, found = card.mechanisms[name], card.outputs(name) or ()
    if entry["type"] == "joint":
        at = entry["columns"].index(column)
        return tuple(dict.fromkeys(combination[at] for combination in found))
    return found if len(entry["columns"]) == 1 else ()


def void_words(card: Card) -> str:
    """Why nothing is guaranteed; empty where something is."""
    return f"NO GUARANTEE: {'; '.join(card.void)}. " if card.void else ""


def inside(parent: Element, tag: str, text: str = "", **attributes: Any) -> Element:
    """A new element with a text and attributes, without what XML cannot hold."""
    found = SubElement(parent, tag, {key: _clean(value) for key, value in attributes.items()})
    found.text = _clean(text) or None
    return found


def _clean(value: Any) -> str:
    return "".join(c if c in "\t\n" or _allowed(ord(c)) else "\ufffd" for c in str(value))


def _allowed(point: int) -> bool:
    return 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point >= 0x10000


def xml_text(root: Element) -> str:
    """The text of a file."""
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'
