"""XML: no document type, no entity, a limit on elements and depth, prefixes do not matter."""

import pytest

from dprivacy.errors import BadFile, TooLarge
from dprivacy.release.codebooks import bounded_xml
from dprivacy.release.codebooks.bounded_xml import xml_tree

LAUGHS = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>'


@pytest.mark.parametrize(
    "text", [LAUGHS, '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "<!DOCTYPE a><a/>"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_types_and_entities_are_refused_in_any_encoding(text, encoding):
    with pytest.raises(BadFile, match="declares a document type or an entity"):
        xml_tree(text.encode(encoding), "x.xml")


def test_depth_and_number_of_elements_are_bounded(monkeypatch):
    with pytest.raises(TooLarge, match="60 deep"):
        xml_tree(b"<a>" * 99, "x.xml")
    monkeypatch.setattr(bounded_xml, "_MOST_ELEMENTS", 10)
    with pytest.raises(TooLarge, match="more than 10 elements"):
        xml_tree(b"<a>" + b"<b/>" * 10 + b"</a>", "x.xml")
    assert xml_tree(b"<a>" + b"<b/>" * 10 + b"</a>", "x.xml", without={"b"}).children == []


def test_prefixes_and_text_inside():
    root = xml_tree(b'<x:a y:k=" v "><x:b>one <c>two</c></x:b></x:a>', "x.xml")
    assert (root.tag, root.get("k"), root.words("b")) == ("a", "v", "one two")


@pytest.mark.parametrize(
    "data", [b"", b"no xml", b"<a>", b'<?xml version="1.0" encoding="klingon"?><a/>', b"\xff\xfe<"]
)
def test_what_is_no_xml_is_refused(data):
    with pytest.raises(BadFile):
        xml_tree(data, "x.xml")
