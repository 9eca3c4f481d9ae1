"""Cells as texts: the same as Arrow makes of them, and refused where they are not UTF-8."""

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.release.intake.text_cells import as_texts

CELLS = st.lists(st.none() | st.binary(max_size=4) | st.text(max_size=3).map(str.encode))


def converted(columns):
    (batch,) = as_texts([pa.record_batch(columns)])
    return batch


@given(CELLS)
def test_texts_are_those_of_arrow(cells):
    array = pa.array(cells, pa.binary())
    try:
        expected = array.cast(pa.string())
    except pa.ArrowInvalid:
        with pytest.raises(pa.ArrowInvalid, match="UTF8"):
            converted({"a": pa.array(["x"] * len(cells), pa.binary()), "b": array})
        return
    found = converted({"a": array}).column("a")
    found.validate(full=True)
    assert found.equals(expected)


def test_a_slice_and_a_column_of_nothing_keep_their_rows():
    sliced = pa.array([b"\xc3\xa9", b"a", None, b"bc"], pa.binary()).slice(1)
    assert converted({"a": sliced}).to_pydict() == {"a": ["a", None, "bc"]}
    plain = pa.array([b"z", b"a", None, b"bc"], pa.binary()).slice(1)
    assert converted({"a": plain}).to_pydict() == {"a": ["a", None, "bc"]}
    assert converted({"a": pa.nulls(3, pa.binary())}).to_pydict() == {"a": [None] * 3}


def test_a_letter_cut_in_two_by_cells_is_not_utf8():
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        converted({"a": pa.array([b"\xc3", b"\xa9"], pa.binary())})
