"""JSON: by names, as a list, and as Table Schema."""

import json
from decimal import Decimal

import pytest

from dprivacy.errors import BadFile
from dprivacy.release.codebooks.json_dictionary import json_variables
from support.real_data import real


def variables(data):
    return json_variables(json.dumps(data).encode(), "book.json")


def test_a_list_of_variables():
    (v,) = variables({
        "variables": [
            {"name": "x", "label": "An x", "measure": "Ordinal", "unit": "kg", "role": "Weight",
             "values": [{"code": 1, "label": "a", "missing": True}, {"code": 2, "parent": "1"}, 3]},
        ]
    })  # fmt: skip
    assert (v.name, v.label, v.measure, v.unit, v.role) == ("x", "An x", "ordinal", "kg", "weight")
    assert [(c.code, c.label, c.missing, c.parent) for c in v.values] == [
        ("1", "a", True, ""), ("2", "", False, "1"), ("3", "", False, ""),
    ]  # fmt: skip


def test_table_schema():
    fields = [
        {"name": "age", "title": "Age", "constraints": {"minimum": 0, "maximum": 110.5}},
        {"name": "sex", "constraints": {"enum": ["m", "f"]}, "missingValues": ["", "-9"]},
        {"name": "size", "categories": ["s", "m", "l"], "categoriesOrdered": True},
    ]
    age, sex, size = variables({"fields": fields})
    assert (age.label, age.low, age.high) == ("Age", Decimal(0), Decimal("110.5"))
    assert [(c.code, c.missing) for c in sex.values] == [("m", False), ("f", False), ("-9", True)]
    assert ([c.code for c in size.values], size.measure) == (["s", "m", "l"], "ordinal")


@pytest.mark.parametrize("data", [{"x": 1}, [1], {"x": {"values": "1"}}, {"x": {"values": 7}}])
def test_what_does_not_describe_a_variable_is_refused(data):
    with pytest.raises(BadFile, match="variable 1: "):
        variables(data)


def test_the_dictionary_of_the_nist_excerpts():
    data = real("nist_acs_excerpts", "data_dictionary.json").read_bytes()
    found = {v.name: v for v in json_variables(data, "data_dictionary.json")}
    assert len(found) == 24
    assert (found["DENSITY"].low, found["DENSITY"].high) == (Decimal("16.3"), Decimal("52864.7"))
    assert len(found["PUMA"].values) == 31
    assert found["INDP"].values == ()
    assert [v.code for v in found["POVPIP"].values] == ["N", "501"]
