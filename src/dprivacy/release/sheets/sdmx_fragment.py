"""A card as an SDMX 2.1 structure message: concepts for its columns, and lists of their codes."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element

from dprivacy.model import shown
from dprivacy.release.plans.release_card import Card
from dprivacy.release.sheets.described_columns import (
    MOST_CATEGORIES,
    RANGED,
    described,
    inside,
    listed_values,
    noise_of,
    released_columns,
    void_words,
    xml_text,
)
from dprivacy.typing import PathArg

_AGENCY = "DPRIVACY"
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
    held = described(card, "structure")
    root = Element("mes:Structure", {f"xmlns:{part}": name for part, name in _SPACES.items()})
    _header(root)
    parts = inside(root, "mes:Structures")
    columns = released_columns(held)
    lists = {k: codes for k, each in enumerate(columns) if (codes := _codes(held, *each))}
    if lists:
        folder = inside(parts, "str:Codelists")
        for k, codes in lists.items():
            _codelist(folder, _list_id(k), columns[k][0], codes)
    scheme = _kept(inside(parts, "str:Concepts"), "str:ConceptScheme", _SCHEME)
    _note(scheme, "guarantee", void_words(held) + held.guarantee.sentence)
    if held.output:
        _note(scheme, "SHA-256", held.output["sha256"])
    _named(scheme, held.title or "A release")
    for k, (column, name) in enumerate(columns):
        concept = inside(scheme, "str:Concept", id=f"C{k + 1}")
        _note(concept, "noise", noise_of(held, name))
        _named(concept, column)
        _represented(concept, held, name, _list_id(k) if k in lists else "")
    return xml_text(root)


def _header(root: Element) -> None:
    header = inside(root, "mes:Header")
    inside(header, "mes:ID", _SCHEME)
    inside(header, "mes:Test", "false")
    inside(header, "mes:Prepared", datetime.now(UTC).isoformat(timespec="seconds"))
    inside(header, "mes:Sender", id=_AGENCY)


def _kept(parent: Element, tag: str, name: str) -> Element:
    """Something that an agency keeps, with a version."""
    return inside(parent, tag, id=name, agencyID=_AGENCY, version="1.0")


def _note(parent: Element, kind: str, text: str) -> None:
    held = parent.find("com:Annotations")
    held = inside(parent, "com:Annotations") if held is None else held
    note = inside(held, "com:Annotation")
    inside(note, "com:AnnotationType", kind)
    inside(note, "com:AnnotationText", text).set("xml:lang", "en")


def _named(parent: Element, text: str) -> None:
    inside(parent, "com:Name", text).set("xml:lang", "en")


def _codes(card: Card, column: str, name: str) -> Sequence[Any]:
    """The values that a protected column may have; none where they are not listed."""
    entry = card.mechanisms.get(name)
    if entry is None or "reports" in entry or entry["type"] in RANGED:
        return ()
    found = listed_values(card, column, name)
    return found if len(found) <= MOST_CATEGORIES else ()


def _list_id(k: int) -> str:
    return f"CL_{k + 1}"


def _codelist(parent: Element, name: str, column: str, values: Sequence[Any]) -> None:
    found = _kept(parent, "str:Codelist", name)
    _named(found, column)
    texts = ["missing" if value is None else shown(value) for value in values]
    plain = len(set(texts)) == len(texts) and all(map(_CODE.fullmatch, texts))
    for k, text in enumerate(texts):
        _named(inside(found, "str:Code", id=text if plain else f"V{k + 1}"), text)


def _represented(concept: Element, card: Card, name: str, listed: str) -> None:
    """Of which form the cells are: codes of a list, or numbers within a range and nothing else."""
    entry = card.mechanisms.get(name, {})
    coded = "codes" in card.plan.get("columns", {}).get(name, {})
    if listed:
        core = inside(inside(concept, "str:CoreRepresentation"), "str:Enumeration")
        inside(core, "Ref", id=listed, agencyID=_AGENCY, version="1.0")
    elif entry.get("type") == "numbers" and not coded:
        core = inside(concept, "str:CoreRepresentation")
        ends = {"minValue": str(entry["low"]), "maxValue": str(entry["high"])}
        if not all(re.fullmatch(r"-?\d+(\.\d+)?", end) for end in ends.values()):
            ends = {}
        inside(core, "str:TextFormat", textType="Decimal", **ends)
