"""Dictionaries as tables: columns found by their names, codes in one cell, labels of codes."""

import pytest

from dprivacy.release.codebooks.dictionary_rows import choices_of, row_codes, row_variables


def variables(text, folder):
    return row_variables(folder / "book.csv", text.encode())


def test_a_column_of_labels_speaks_of_the_codes_where_it_differs(tmp_path):
    (sex,) = variables("Variable,Value,Label\nsex,1,male\nsex,2,female\n", tmp_path)
    assert (sex.label, [v.label for v in sex.values]) == ("", ["male", "female"])
    (sex,) = variables("variable,label,code\nsex,Sex,1\nsex,Sex,2\n", tmp_path)
    assert (sex.label, [v.label for v in sex.values]) == ("Sex", ["", ""])


def test_rows_that_end_early(tmp_path):
    data = b"label,parent,code\nx,,a\nno code\ny,,b\n"
    assert [v.code for v in row_codes(tmp_path / "cl.csv", data)] == ["a", "b"]


def test_marks_for_missing_codes_parents_roles_and_identifiers(tmp_path):
    head = "name,description,code,missing,parent,role,measure,identifier\n"
    rows = "x,An x,1,,,,ordinal,\nx,An x,9,yes,1,,,\nw,,,,,Weight,,\nn,Name,,,,,,y\n"
    x, w, n = variables(head + rows, tmp_path)
    assert [(v.code, v.missing, v.parent) for v in x.values] == [("1", False, ""), ("9", True, "1")]
    assert (x.measure, w.role, n.role) == ("ordinal", "weight", "identifier")


@pytest.mark.parametrize(
    ("cell", "codes"),
    [
        ("1=male; 2=female", {"1": "male", "2": "female"}),
        ("1: yes | 2: no", {"1": "yes", "2": "no"}),
        ("a\nb\nc", {"a": "", "b": "", "c": ""}),
        ("1 - low | 2 - high", {"1": "low", "2": "high"}),
        ("any whole number", {}),
        ("", {}),
    ],
)
def test_codes_in_one_cell(cell, codes):
    assert {v.code: v.label for v in choices_of(cell)} == codes
