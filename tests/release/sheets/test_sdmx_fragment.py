"""A card as an SDMX structure message: its order, ids and references; a reader reads it."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from dprivacy.errors import NotApplicable
from dprivacy.release import Card, Plan, card_sdmx, read_codebook
from dprivacy.release.plans.release_card import StatedGuarantee
from dprivacy.release.plans.table_card import table_card
from support.card_edits import COLUMNS, MORE

PLACE = "{http://www.sdmx.org/resources/sdmxml/schemas/v2_1/"
STR, COM = f"{PLACE}structure}}", f"{PLACE}common}}"
# The order of the standard's elements, of those that are used, and what each must have.
ORDER = {
    "Structure": ["Header", "Structures"],
    "Header": ["ID", "Test", "Prepared", "Sender"],
    "Structures": ["Codelists", "Concepts"],
    "Codelists": ["Codelist"],
    "Codelist": ["Annotations", "Name", "Code"],
    "Code": ["Name"],
    "Concepts": ["ConceptScheme"],
    "ConceptScheme": ["Annotations", "Name", "Concept"],
    "Concept": ["Annotations", "Name", "CoreRepresentation"],
    "CoreRepresentation": ["TextFormat", "Enumeration"],
    "Enumeration": ["Ref"],
    "Annotations": ["Annotation"],
    "Annotation": ["AnnotationType", "AnnotationText"],
}
NEEDED = {
    "Header": {"ID", "Test", "Prepared", "Sender"},
    "Codelist": {"Name", "Code"},
    "Code": {"Name"},
    "ConceptScheme": {"Name", "Concept"},
    "Concept": {"Name"},
}
ITEM, NAME = r"[A-Za-z0-9_@$\-]+", r"[A-Za-z][A-Za-z0-9_\-]*"


def bare(element):
    return element.tag.rpartition("}")[2]


def require_structure(element):
    tags = [bare(child) for child in element]
    assert tags == sorted(tags, key=ORDER.get(bare(element), []).index)
    assert NEEDED.get(bare(element), set()) <= set(tags)
    for child in element:
        require_structure(child)


def card_of(name, **top):
    plan = Plan.read({"columns": {name: {**COLUMNS, **MORE}[name]}, **top})
    return table_card(plan, rows=3, secure=True).saved_as("out.csv", "ab" * 32)


@pytest.mark.parametrize("name", [*COLUMNS, *MORE])
def test_every_type_of_column_has_the_structure_of_the_standard(name):
    root = ElementTree.fromstring(card_sdmx(card_of(name, pass_through=["region"])))
    require_structure(root)
    lists = {found.get("id"): found for found in root.iter(f"{STR}Codelist")}
    for concept in root.iter(f"{STR}Concept"):
        assert re.fullmatch(NAME, concept.get("id"))
        assert all(reference.get("id") in lists for reference in concept.iter("Ref"))
    for found in lists.values():
        ids = [code.get("id") for code in found.iter(f"{STR}Code")]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(ITEM, each) for each in ids)


def said(root, path):
    return [found.text for found in root.iterfind(path, {"s": STR[1:-1], "c": COM[1:-1]})]


def test_it_says_what_the_card_says():
    card = card_of("plain", pass_through=["region"], title="Tea & <i>milk</i>")
    root = ElementTree.fromstring(card_sdmx(card))
    scheme = root.find(f".//{STR}ConceptScheme")
    assert said(scheme, "c:Name") == ["Tea & <i>milk</i>"]
    notes = said(scheme, "c:Annotations/c:Annotation/c:AnnotationText")
    assert notes == [card.guarantee.sentence, "ab" * 32]
    assert said(scheme, "s:Concept/c:Name") == ["plain", "region"]
    assert said(scheme, "s:Concept/c:Annotations/c:Annotation/c:AnnotationText") == [
        "Noise of randomised_response, epsilon ln(3).",
        "Published as it is, hence not protected.",
    ]


def test_the_reader_of_code_lists_finds_the_released_values(tmp_path):
    file = tmp_path / "structure.xml"
    file.write_text(card_sdmx(card_of("plain")), encoding="utf-8")
    (found,) = read_codebook(None, codes={"plain": file}).variables
    assert [(value.code, value.label) for value in found.values] == [(c, c) for c in "abc"]


def test_values_that_are_no_ids_are_numbered_and_named():
    spec = {
        "type": "categories",
        "values": ["a b", "<&>", "c\x0b"],
        "epsilon": 1,
        "nulls": "category",
    }
    card = table_card(Plan.read({"columns": {"h": spec}}), rows=3, secure=True)
    codes = list(ElementTree.fromstring(card_sdmx(card)).iter(f"{STR}Code"))
    assert [code.get("id") for code in codes] == ["V1", "V2", "V3", "V4"]
    assert [code.findtext(f"{COM}Name") for code in codes][::3] == ["a b", "missing"]


TOGETHER = {
    "columns": {
        "a": {"type": "categories", "values": ["x", "y"], "nulls": "category"},
        "b": {"type": "ordered", "values": [1, 2, 3]},
    },
    "joint": {"ab": {"columns": ["a", "b"], "epsilon": "ln 3"}},
}


def test_columns_that_were_drawn_together_have_their_own_lists():
    root = ElementTree.fromstring(card_sdmx(table_card(Plan.read(TOGETHER), rows=3, secure=True)))
    require_structure(root)
    assert said(root, ".//s:Codelist/c:Name") == ["a", "b"]
    assert said(root, ".//s:Code/c:Name") == ["x", "y", "missing", "1", "2", "3"]
    noise = "Noise of randomised_response, epsilon ln(3), in one draw for a and b together."
    assert said(root, ".//s:Concept/c:Annotations/c:Annotation/c:AnnotationText") == [noise] * 2


def test_numbers_have_a_range_unless_codes_stand_beside_them():
    for name, ranges in (("age", [("0", "20")]), ("coded", [])):
        root = ElementTree.fromstring(card_sdmx(card_of(name)))
        found = [(f.get("minValue"), f.get("maxValue")) for f in root.iter(f"{STR}TextFormat")]
        assert found == ranges


def test_a_void_guarantee_is_said_first():
    card = replace(card_of("plain"), void=("the noise came from a seed",))
    notes = said(ElementTree.fromstring(card_sdmx(card)), ".//c:AnnotationText")
    assert notes[0].startswith("NO GUARANTEE: the noise came from a seed.")


def test_other_cards():
    promise = StatedGuarantee("ln(2)", sentence="The odds change by at most 2.")
    with pytest.raises(NotApplicable, match="a card of text; keep the card itself"):
        card_sdmx(Card.of("text", promise, count=1, secure=True))
