"""A card as a DDI codebook: its structure, what it says, and that a reader of codebooks reads it."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.release import Card, Plan, card_ddi, read_codebook
from dprivacy.release.plans.release_card import StatedGuarantee
from dprivacy.release.plans.table_card import table_card
from support.card_edits import COLUMNS, MORE

DDI = "{ddi:codebook:2_5}"
# The order of the standard's elements, of those that are used.
ORDER = {
    "codeBook": ["docDscr", "stdyDscr", "fileDscr", "dataDscr", "otherMat"],
    "docDscr": ["citation"],
    "citation": ["titlStmt", "prodStmt"],
    "titlStmt": ["titl"],
    "prodStmt": ["software"],
    "stdyDscr": ["citation", "stdyInfo", "method", "dataAccs"],
    "stdyInfo": ["abstract", "sumDscr"],
    "sumDscr": ["anlyUnit"],
    "method": ["dataProcessing"],
    "dataAccs": ["useStmt"],
    "useStmt": ["confDec"],
    "fileDscr": ["fileTxt", "notes"],
    "fileTxt": ["fileName", "dimensns"],  # of the first 2.5; later ones know a dataFingerprint too
    "dimensns": ["caseQnty", "varQnty"],
    "dataDscr": ["var"],
    "var": ["labl", "security", "valrng", "txt", "catgry"],
    "valrng": ["range"],
    "catgry": ["catValu", "labl"],
    "otherMat": ["labl"],
}


def card_of(name, **top):
    plan = Plan.read({"columns": {name: {**COLUMNS, **MORE}[name]}, **top})
    return table_card(plan, rows=3, secure=True).saved_as("out.csv", "ab" * 32)


def require_structure(element):
    tags = [child.tag.removeprefix(DDI) for child in element]
    allowed = ORDER.get(element.tag.removeprefix(DDI), [])
    assert tags == sorted(tags, key=allowed.index)
    for child in element:
        require_structure(child)


def words(root, path):
    return [found.text for found in root.iterfind("/".join(DDI + part for part in path.split("/")))]


@pytest.mark.parametrize("name", [*COLUMNS, *MORE])
def test_every_type_of_column_has_the_structure_of_the_standard(name):
    root = ElementTree.fromstring(card_ddi(card_of(name, pass_through=["region"])))
    assert root.tag == f"{DDI}codeBook"
    require_structure(root)
    ids = [found.get("ID") for found in root.iter() if found.get("ID")]
    assert len(ids) == len(set(ids))


def test_it_says_what_the_card_says():
    card = card_of("plain", pass_through=["region"], title="Tea & <i>milk</i>")
    root = ElementTree.fromstring(card_ddi(card))
    assert words(root, "stdyDscr/citation/titlStmt/titl") == ["Tea & <i>milk</i>"]
    assert words(root, "stdyDscr/stdyInfo/abstract") == [card.explain()]
    assert words(root, "stdyDscr/dataAccs/useStmt/confDec") == [card.guarantee.sentence]
    assert words(root, "fileDscr/fileTxt/fileName") == ["out.csv"]
    assert words(root, "fileDscr/notes") == ["ab" * 32]
    assert words(root, "fileDscr/fileTxt/dimensns/caseQnty") == ["3"]
    assert words(root, "fileDscr/fileTxt/dimensns/varQnty") == ["2"]
    assert words(root, "dataDscr/var/security") == [
        "Noise of randomised_response, epsilon ln(3).",
        "Published as it is, hence not protected.",
    ]
    assert root.find(f"{DDI}otherMat").get("URI") == "out.csv.card.json"


def test_the_reader_of_codebooks_finds_the_released_values(tmp_path):
    file = tmp_path / "codebook.xml"
    plan = {"columns": {name: COLUMNS[name] for name in ("plain", "age", "visit", "coded")}}
    file.write_text(card_ddi(table_card(Plan.read(plan), rows=3, secure=True)), encoding="utf-8")
    found = {each.name: each for each in read_codebook(file).variables}
    assert [value.code for value in found["plain"].values] == ["a", "b", "c"]
    assert (found["age"].low, found["age"].high) == (0, 20)
    assert str(found["visit"].low) == "2020-01-01"
    assert [value.code for value in found["coded"].values] == ["N", "99"]


def test_a_void_guarantee_is_said_first():
    plan = Plan.read({"columns": {"plain": COLUMNS["plain"]}})
    root = ElementTree.fromstring(card_ddi(table_card(plan, rows=3, secure=False)))
    for path in ("stdyDscr/method/dataProcessing", "stdyDscr/dataAccs/useStmt/confDec"):
        assert words(root, path)[0].startswith("NO GUARANTEE: the noise came from a seed")


def test_what_xml_cannot_hold_is_replaced():
    card = replace(card_of("plain"), pass_through=("a\x0bb\ud800", '"&<'))
    root = ElementTree.fromstring(card_ddi(card).encode())
    names = [found.get("name") for found in root.iter(f"{DDI}var")]
    assert names == ["plain", "a\ufffdb\ufffd", '"&<']


def test_columns_that_were_drawn_together_have_their_own_values():
    plan = {
        "columns": {
            "a": {"type": "categories", "values": ["x", "y"]},
            "b": {"type": "ordered", "values": [1, 2, 3]},
        },
        "joint": {"ab": {"columns": ["a", "b"], "epsilon": "ln 3"}},
    }
    root = ElementTree.fromstring(card_ddi(table_card(Plan.read(plan), rows=3, secure=True)))
    require_structure(root)
    assert words(root, "dataDscr/var/catgry/catValu") == ["x", "y", "1", "2", "3"]
    noise = "Noise of randomised_response, epsilon ln(3), in one draw for a and b together."
    assert words(root, "dataDscr/var/security") == [noise] * 2


def test_other_cards_and_other_files(tmp_path):
    promise = StatedGuarantee("ln(2)", sentence="The odds change by at most 2.")
    with pytest.raises(NotApplicable, match="a card of text; keep the card itself"):
        card_ddi(Card.of("text", promise, count=1, secure=True))
    (tmp_path / "plan.toml").write_text("x = 1", encoding="utf-8")
    with pytest.raises(BadFile):
        card_ddi(tmp_path / "plan.toml")
