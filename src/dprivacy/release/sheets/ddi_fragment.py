"""A card as DDI Codebook 2.5, the form in which archives of survey data keep their metadata."""

from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dprivacy.errors import NotApplicable
from dprivacy.model import shown
from dprivacy.release.plans.release_card import Card, read_card
from dprivacy.typing import PathArg

NAMESPACE = "ddi:codebook:2_5"
MOST_CATEGORIES = 1000
RANGED = ("numbers", "dates")


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
    held = card if isinstance(card, Card) else read_card(card)
    if held.what != "table":
        raise NotApplicable(
            f"a codebook describes the columns of a table, and this is a card of {held.what}; keep "
            "the card itself"
        )
    root = Element("codeBook", xmlns=NAMESPACE, version="2.5")
    _document(root, held)
    _study(root, held)
    _file(root, held)
    columns = _inside(root, "dataDscr")
    names = [
        (name, column) for name, entry in held.mechanisms.items() for column in entry["columns"]
    ]
    for k, (name, column) in enumerate(names):
        _variable(columns, k, column, held, name)
    for k, column in enumerate(held.pass_through, len(names)):
        _variable(columns, k, column, held, None)
    if held.output:
        other = _inside(root, "otherMat", type="card", level="study", URI=_card_name(held))
        _inside(
            other, "labl", "The card of the release, from which its guarantee can be proved again"
        )
    indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _inside(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    found = SubElement(parent, tag, attributes)
    found.text = xml_text(text) or None
    return found


def xml_text(value: Any) -> str:
    """A text without what XML cannot hold."""
    return "".join(c if c in "\t\n" or _allowed(ord(c)) else "\ufffd" for c in str(value))


def _allowed(point: int) -> bool:
    return 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point >= 0x10000


def _titled(parent: Element, title: str) -> Element:
    citation = _inside(parent, "citation")
    _inside(_inside(citation, "titlStmt"), "titl", title)
    return citation


def _document(root: Element, card: Card) -> None:
    name, _, version = card.library.partition(" ")
    made = _titled(_inside(root, "docDscr"), f"Codebook of {card.title or 'a release'}")
    _inside(_inside(made, "prodStmt"), "software", name, version=xml_text(version))


def _study(root: Element, card: Card) -> None:
    study = _inside(root, "stdyDscr")
    _titled(study, card.title or "A release")
    about = _inside(study, "stdyInfo")
    _inside(about, "abstract", card.explain())
    _inside(_inside(about, "sumDscr"), "anlyUnit", card.guarantee.unit or "record")
    level = card.guarantee.eps or "no single level"
    slack = "" if card.guarantee.delta == "0" else f", delta {card.guarantee.delta}"
    broken = f"NO GUARANTEE: {'; '.join(card.void)}. " if card.void else ""
    done = f"{broken}Noise was added to every protected value; epsilon of a record: {level}{slack}."
    _inside(_inside(study, "method"), "dataProcessing", done, type="differential privacy")
    _inside(
        _inside(_inside(study, "dataAccs"), "useStmt"), "confDec", broken + card.guarantee.sentence
    )


def _file(root: Element, card: Card) -> None:
    text = _inside(_inside(root, "fileDscr", ID="F1"), "fileTxt")
    if card.output:
        _inside(text, "fileName", card.output["name"])
        mark = _inside(text, "dataFingerprint", type="dataFile")
        _inside(mark, "digitalFingerprintValue", card.output["sha256"])
        _inside(mark, "algorithmSpecification", "SHA-256")
    size = _inside(text, "dimensns")
    _inside(size, "caseQnty", str(card.count))
    _inside(size, "varQnty", str(len(card.columns)))


def _card_name(card: Card) -> str:
    return xml_text(f"{card.output['name']}.card.json")


def _variable(parent: Element, k: int, column: str, card: Card, name: str | None) -> None:
    """A column; `name` is the entry of the card that protects it, or None where nothing does."""
    found = _inside(parent, "var", ID=f"V{k + 1}", name=xml_text(column), files="F1")
    _inside(found, "labl", column)
    if name is None:
        _inside(found, "security", "Published as it is, hence not protected.")
        return
    entry = card.mechanisms[name]
    _inside(found, "security", noise_of(entry))
    if "reports" in entry:
        _inside(found, "txt", f"A cell is {entry['reports']['cells']}.")
    elif entry["type"] in RANGED:
        ends = {"min": xml_text(entry["low"]), "max": xml_text(entry["high"])}
        _inside(_inside(found, "valrng"), "range", **ends)
        found.set("intrvl", "contin")
        for code in card.plan.get("columns", {}).get(name, {}).get("codes", ()):
            _category(found, code)
    elif len(entry["columns"]) == 1:
        outputs = card.outputs(name) or ()
        found.set("nature", "ordinal" if entry["type"] == "ordered" else "nominal")
        for value in outputs[:MOST_CATEGORIES]:
            _category(found, value)


def noise_of(entry: Any) -> str:
    """Which noise the entry of a card adds, in words."""
    slack = "" if entry["delta"] == "0" else f", delta {entry['delta']}"
    unit = "" if entry["type"] == "categories" else " per unit of distance"
    return f"Noise of {entry['family']}, epsilon {entry['eps']}{unit}{slack}."


def _category(found: Element, value: Any) -> None:
    category = _inside(found, "catgry", **({"missing": "Y"} if value is None else {}))
    _inside(category, "catValu", "" if value is None else shown(value))
    if value is None:
        _inside(category, "labl", "missing")
