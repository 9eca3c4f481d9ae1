"""SDMX: one list of codes, in the ways its versions write parents."""

import pytest

from dprivacy.errors import BadFile
from dprivacy.release.codebooks.bounded_xml import xml_tree
from dprivacy.release.codebooks.sdmx_lists import sdmx_codes
from support.made_codebooks import SDMX_21, SDMX_30


def codes(text):
    return sdmx_codes(xml_tree(text.encode(), "cl.xml"), "cl.xml")


def test_two_versions_say_the_same_of_parents():
    assert [(v.code, v.parent) for v in codes(SDMX_21)] == [
        (v.code, v.parent) for v in codes(SDMX_30)
    ]


def test_the_oldest_version_has_values_descriptions_and_an_attribute():
    text = (
        '<S><CodeList><Code value="1"><Description>one</Description></Code>'
        '<Code value="11" parentCode="1"/></CodeList></S>'
    )
    assert [(v.code, v.label, v.parent) for v in codes(text)] == [("1", "one", ""), ("11", "", "1")]


def test_several_lists_are_refused():
    with pytest.raises(BadFile, match="one code list with its codes, not 2"):
        codes(
            SDMX_21.replace(
                "</str:Codelists>", '<Codelist><Code id="a"/></Codelist></str:Codelists>'
            )
        )
    with pytest.raises(BadFile, match="not 0"):
        codes("<S><Codelist/></S>")
