"""A card as DDI Codebook 2.5, the form in which archives of survey data keep their metadata."""

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

NAMESPACE = "ddi:codebook:2_5"


def card_ddi(card: Card | PathArg) -> str:
    """The card of a released table as a codebook in DDI Codebook 2.5.

    It holds the guarantee in words, the file with its hash, and every released column: its possible
    values or its range, and which noise was added. The card itself stays the document that proves
    this, and is named as further material.

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
    >>> print(card_ddi(card).splitlines()[-5].strip())
    <catValu>no</catValu>
    """
    held = described(card, "codebook")
    root = Element("codeBook", xmlns=NAMESPACE, version="2.5")
    _document(root, held)
    _study(root, held)
    _file(root, held)
    columns = inside(root, "dataDscr")
    for k, (column, name) in enumerate(released_columns(held)):
        _variable(columns, k, column, held, name)
    if held.output:
        other = inside(root, "otherMat", type="card", level="study", URI=_card_name(held))
        inside(
            other, "labl", "The card of the release, from which its guarantee can be proved again"
        )
    return xml_text(root)


def _titled(parent: Element, title: str) -> Element:
    citation = inside(parent, "citation")
    inside(inside(citation, "titlStmt"), "titl", title)
    return citation


def _document(root: Element, card: Card) -> None:
    name, _, version = card.library.partition(" ")
    made = _titled(inside(root, "docDscr"), f"Codebook of {card.title or 'a release'}")
    inside(inside(made, "prodStmt"), "software", name, version=version)


def _study(root: Element, card: Card) -> None:
    study = inside(root, "stdyDscr")
    _titled(study, card.title or "A release")
    about = inside(study, "stdyInfo")
    inside(about, "abstract", card.explain())
    inside(inside(about, "sumDscr"), "anlyUnit", card.guarantee.unit or "record")
    level = card.guarantee.eps or "no single level"
    slack = "" if card.guarantee.delta == "0" else f", delta {card.guarantee.delta}"
    broken = void_words(card)
    done = f"{broken}Noise was added to every protected value; epsilon of a record: {level}{slack}."
    inside(inside(study, "method"), "dataProcessing", done, type="differential privacy")
    inside(
        inside(inside(study, "dataAccs"), "useStmt"), "confDec", broken + card.guarantee.sentence
    )


def _file(root: Element, card: Card) -> None:
    file = inside(root, "fileDscr", ID="F1")
    text = inside(file, "fileTxt")
    if card.output:
        inside(text, "fileName", card.output["name"])
    size = inside(text, "dimensns")
    inside(size, "caseQnty", str(card.count))
    inside(size, "varQnty", str(len(card.columns)))
    if card.output:  # a fingerprint of its own is younger than the first schema of 2.5
        inside(file, "notes", card.output["sha256"], type="SHA-256", level="file")


def _card_name(card: Card) -> str:
    return f"{card.output['name']}.card.json"


def _variable(parent: Element, k: int, column: str, card: Card, name: str) -> None:
    """A column; `name` is the entry of the card that protects it, empty where nothing does."""
    found = inside(parent, "var", ID=f"V{k + 1}", name=column, files="F1")
    inside(found, "labl", column)
    inside(found, "security", noise_of(card, name))
    if not name:
        return
    entry = card.mechanisms[name]
    if "reports" in entry:
        inside(found, "txt", f"A cell is {entry['reports']['cells']}.")
    elif entry["type"] in RANGED:
        inside(inside(found, "valrng"), "range", min=entry["low"], max=entry["high"])
        found.set("intrvl", "contin")
        for code in card.plan.get("columns", {}).get(name, {}).get("codes", ()):
            _category(found, code)
    elif len(entry["columns"]) == 1 or entry["type"] == "joint":
        found.set("nature", "ordinal" if entry["type"] == "ordered" else "nominal")
        for value in listed_values(card, column, name)[:MOST_CATEGORIES]:
            _category(found, value)


def _category(found: Element, value: Any) -> None:
    category = inside(found, "catgry", **({"missing": "Y"} if value is None else {}))
    inside(category, "catValu", "" if value is None else shown(value))
    if value is None:
        inside(category, "labl", "missing")
