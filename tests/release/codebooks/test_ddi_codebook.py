"""DDI: missing codes, groups as a hierarchy, and what archives add."""

import pytest

from dprivacy.errors import BadFile
from dprivacy.release.codebooks.bounded_xml import xml_tree
from dprivacy.release.codebooks.ddi_codebook import WITHOUT, ddi_variables
from support.made_codebooks import DDI, GROUPED


def variables(text):
    return ddi_variables(xml_tree(text.encode(), "book.xml", without=WITHOUT), "book.xml")


def test_roles_measures_and_missing_codes_are_read():
    found = {v.name: v for v in variables(DDI)}
    assert found["wt"].role == "weight"
    assert [found[name].measure for name in ("sex", "income", "health")] == [
        "nominal", "scale", "ordinal",
    ]  # fmt: skip
    gone = {value.code for v in found.values() for value in v.values if value.missing}
    assert gone == {"99998", "N", "8"}
    assert found["income"].unit == "INT"


def test_groups_of_categories_are_the_level_above():
    (job,) = variables(GROUPED)
    assert [(v.code, v.parent) for v in job.values] == [
        ("11", "G1"), ("12", "G1"), ("21", "G2"), ("22", "G2"),
    ]  # fmt: skip
    assert [(v.code, v.label, v.parent) for v in job.groups] == [
        ("G1", "Industry", ""), ("G2", "Services", ""),
    ]  # fmt: skip


def test_groups_of_groups():
    text = GROUPED.replace(
        '<catgryGrp ID="G1"', '<catgryGrp ID="G0" catGrp="G1 G2"/><catgryGrp ID="G1"'
    )
    (job,) = variables(text)
    assert {v.code: v.parent for v in job.groups} == {"G0": "", "G1": "G0", "G2": "G0"}


def test_a_range_of_missing_codes_is_every_code_in_it():
    text = (
        '<codeBook><var name="x"><invalrng><range min="97" max="99"/></invalrng></var></codeBook>'
    )
    assert [(v.code, v.missing) for v in variables(text)[0].values] == [
        ("97", True), ("98", True), ("99", True),
    ]  # fmt: skip


def test_a_codebook_without_variables_is_refused():
    with pytest.raises(BadFile, match="describes no variable"):
        variables("<codeBook/>")
