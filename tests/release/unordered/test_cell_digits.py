"""Cells as digits: they sort as the cells do, and come back to the last bit."""

import math
import struct

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import UnknownCategory, WrongKind
from dprivacy.release.unordered.cell_digits import Doubles, Listed, Texts, Whole, comparable

DOUBLES = [-math.inf, -1e300, -1.5, -5e-324, -0.0, 0.0, 5e-324, 1.5, 1e300, math.inf]


def back(column, cells):
    return column.cells(column.digits(cells))


def test_doubles_sort_by_value_and_zero_has_two():
    (digits,) = Doubles().digits(pa.array(DOUBLES))
    assert np.all(digits[1:] > digits[:-1])
    bits = [struct.pack("<d", value) for value in back(Doubles(), pa.array(DOUBLES)).to_pylist()]
    assert bits == [struct.pack("<d", value) for value in DOUBLES]


def test_whole_numbers_sort_by_value():
    values = pa.array([-(2**63), -1, 0, 1, 2**63 - 1])
    (digits,) = Whole().digits(values)
    assert np.all(digits[1:] > digits[:-1])
    assert back(Whole(), values).equals(values)


@pytest.mark.parametrize("length", [1, 31, 32, 33, 64, 70])
def test_texts_of_bits_sort_as_texts(length):
    rng = np.random.default_rng(length)
    texts = sorted({"".join(rng.choice(["0", "1"], length)) for _ in range(50)})
    column, cells = Texts(length), pa.array(texts)
    rows = list(zip(*(part.tolist() for part in column.digits(cells)), strict=True))
    assert rows == sorted(rows)
    assert all(
        digit < radix for row in rows for digit, radix in zip(row, column.radixes, strict=True)
    )
    assert back(column, cells).equals(cells)


def test_listed_cells_are_positions_whatever_their_type():
    column = Listed(pa.array(["low", "high", None]))
    cells = pa.array([None, "high", "low"]).dictionary_encode()
    assert column.digits(cells)[0].tolist() == [2, 1, 0]
    assert back(column, cells).to_pylist() == [None, "high", "low"]
    assert Listed(pa.array([3, 1])).digits(pa.array(["1", "3"]))[0].tolist() == [1, 0]


@pytest.mark.parametrize("values", [["low", "high", None], list(range(300)), [None, 7]])
def test_listed_cells_come_back_in_a_dictionary_of_all_values(values):
    column = Listed(pa.array(values), coded=True)
    (digits,) = column.digits(pa.array([values[-1], values[0], values[-1]]))
    found = column.cells([digits])
    found.validate(full=True)
    assert found.to_pylist() == [values[-1], values[0], values[-1]]
    assert found.dictionary.to_pylist() == [value for value in values if value is not None]
    assert column.digits(found)[0].tolist() == digits.tolist()


def test_an_entry_that_no_row_uses_is_not_refused():
    listed = Listed(pa.array(["a", "b"]))
    cells = pa.DictionaryArray.from_arrays(pa.array([1, 1, 0]), pa.array(["b", "a", "old"]))
    assert listed.digits(cells)[0].tolist() == [0, 0, 1]
    used = pa.DictionaryArray.from_arrays(pa.array([1, 2]), pa.array(["b", "a", "old"]))
    with pytest.raises(UnknownCategory, match="not among those that the plan declares"):
        listed.digits(used)


def test_a_cell_outside_the_list_is_refused_and_not_shown():
    with pytest.raises(UnknownCategory, match="not among those that the plan declares") as told:
        Listed(pa.array(["a", "b"])).digits(pa.array(["a", "secret"]))
    assert "secret" not in str(told.value)


def test_there_is_one_nan():
    other = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000123))[0]
    one = comparable(pa.array(np.array([math.nan, other])), "x")
    assert one[0] == one[1]


@pytest.mark.parametrize("cells", [pa.array([[1], [2]]), pa.array([{"a": 1}])])
def test_what_has_no_order_is_refused(cells):
    with pytest.raises(WrongKind, match=r"column 'x' has the type .* cast it to text or numbers"):
        comparable(cells, "x")
