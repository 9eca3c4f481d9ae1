"""A card as an SDMX 2.1 structure message: concepts for its columns, and lists of their codes."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dprivacy.errors import NotApplicable
from dprivacy.model import shown
from dprivacy.release.plans.release_card import Card, read_card
from dprivacy.release.sheets.ddi_fragment import MOST_CATEGORIES, RANGED, noise_of, xml_text
from dprivacy.typing import PathArg

AGENCY = "DPRIVACY"
_SPACES = {
    part: f"http://www.sdmx.org/resources/sdmxml/schemas/v2_1/{name}"
    for part, name in (("mes", "message"), ("str", "structure"), ("com", "common"))
}
_CODE = re.compile(r"[A-Za-z0-9_@$\-]+")  # what the standard allows as the id of a code
_SCHEME = "RELEASE"


def card_sdmx(card: Card | PathArg) -> str:
    """The card of a released table as an SDMX 2.1 structure message.

    Every released column is a concept, with the noise it has as an annotation, and a list of codes
    where its values are listed. How the columns make up a data structure is for the agency to say.
    Ids that SDMX does not allow are numbered, and the name holds what the table holds.

    Parameters
    ----------
    card
        The card of a table, or the path of one.

    Returns
    -------
    str
        The text of an XML file.

    Raises
    ------
    NotApplicable
        For a card of places, curves, texts or matches, which has no columns.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> card = sanitise(pandas.DataFrame({"tea": ["yes", "no"]}), {"columns": {"tea": tea}}).card
    >>> [line.strip() for line in card_sdmx(card).splitlines() if "str:Code " in line]
    ['<str:Code id="yes">', '<str:Code id="no">']
    """
    held = card if isinstance(card, Card) else read_card(card)
    if held.what != "table":
        raise NotApplicable(
            f"a structure describes the columns of a table, and this is a card of {held.what}; keep "
            "the card itself"
        )
    root = Element("mes:Structure", {f"xmlns:{part}": name for part, name in _SPACES.items()})
    _header(root)
    parts = _inside(root, "mes:Structures")
    columns = [
        (column, name) for name, entry in held.mechanisms.items() for column in entry["columns"]
    ]
    columns += [(column, "") for column in held.pass_through]
    lists = {k: codes for k, (_, name) in enumerate(columns) if (codes := _codes(held, name))}
    if lists:
        folder = _inside(parts, "str:Codelists")
        for k, codes in lists.items():
            _codelist(folder, _list_id(k), columns[k][0], codes)
    scheme = _kept(_inside(parts, "str:Concepts"), "str:ConceptScheme", _SCHEME)
    _note(scheme, "guarantee", _void(held) + held.guarantee.sentence)
    if held.output:
        _note(scheme, "SHA-256", held.output["sha256"])
    _named(scheme, held.title or "A release")
    for k, (column, name) in enumerate(columns):
        concept = _inside(scheme, "str:Concept", id=f"C{k + 1}")
        noise = noise_of(held.mechanisms[name]) if name else "Published as it is, not protected."
        _note(concept, "noise", noise)
        _named(concept, column)
        _represented(concept, held, name, _list_id(k) if k in lists else "")
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _inside(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    found = SubElement(parent, tag, {key: xml_text(value) for key, value in attributes.items()})
    found.text = xml_text(text) or None
    return found


def _header(root: Element) -> None:
    header = _inside(root, "mes:Header")
    _inside(header, "mes:ID", _SCHEME)
    _inside(header, "mes:Test", "false")
    _inside(header, "mes:Prepared", datetime.now(UTC).isoformat(timespec="seconds"))
    _inside(header, "mes:Sender", id=AGENCY)


def _void(card: Card) -> str:
    return f"NO GUARANTEE: {'; '.join(card.void)}. " if card.void else ""


def _kept(parent: Element, tag: str, name: str) -> Element:
    """Something that an agency keeps, with a version."""
    return _inside(parent, tag, id=name, agencyID=AGENCY, version="1.0")


def _note(parent: Element, kind: str, text: str) -> None:
    held = parent.find("com:Annotations")
    held = _inside(parent, "com:Annotations") if held is None else held
    note = _inside(held, "com:Annotation")
    _inside(note, "com:AnnotationType", kind)
    _inside(note, "com:AnnotationText", text).set("xml:lang", "en")


def _named(parent: Element, text: str) -> None:
    _inside(parent, "com:Name", text).set("xml:lang", "en")


def _codes(card: Card, name: str) -> Sequence[Any]:
    """The values that a protected column may have; none where they are not listed."""
    entry = card.mechanisms.get(name)
    if entry is None or "reports" in entry or len(entry["columns"]) != 1:
        return ()
    if entry["type"] in RANGED:
        return ()
    found = card.outputs(name) or ()
    return found if len(found) <= MOST_CATEGORIES else ()


def _list_id(k: int) -> str:
    return f"CL_{k + 1}"


def _codelist(parent: Element, name: str, column: str, values: Sequence[Any]) -> None:
    found = _kept(parent, "str:Codelist", name)
    _named(found, column)
    texts = ["missing" if value is None else shown(value) for value in values]
    plain = len(set(texts)) == len(texts) and all(map(_CODE.fullmatch, texts))
    for k, text in enumerate(texts):
        _named(_inside(found, "str:Code", id=text if plain else f"V{k + 1}"), text)


def _represented(concept: Element, card: Card, name: str, listed: str) -> None:
    """Of which form the cells are: codes of a list, or numbers within a range and nothing else."""
    entry = card.mechanisms.get(name, {})
    coded = "codes" in card.plan.get("columns", {}).get(name, {})
    if listed:
        core = _inside(_inside(concept, "str:CoreRepresentation"), "str:Enumeration")
        _inside(core, "Ref", id=listed, agencyID=AGENCY, version="1.0")
    elif entry.get("type") == "numbers" and not coded:
        core = _inside(concept, "str:CoreRepresentation")
        ends = {"minValue": str(entry["low"]), "maxValue": str(entry["high"])}
        if not all(re.fullmatch(r"-?\d+(\.\d+)?", end) for end in ends.values()):
            ends = {}
        _inside(core, "str:TextFormat", textType="Decimal", **ends)
