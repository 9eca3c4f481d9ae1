"""What people write for a matrix, and how a bad entry is named."""

import math
from decimal import Decimal
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import Malformed, MixedArithmetic
from dprivacy.numbers import Level, Mat, ln
from dprivacy.numbers.number_input import read_matrix, read_number, read_vector


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1/3", Q(1, 3)),
        (" 0.1 ", Q(1, 10)),
        ("1e-2", Q(1, 100)),
        ("-7", Q(-7)),
        (3, Q(3)),
        (10**50, Q(10**50)),
        (Q(2, 6), Q(1, 3)),
        (Decimal("0.1"), Q(1, 10)),
        (Decimal("1.5E+2"), Q(150)),
        (np.int64(4), Q(4)),
        (np.uint8(255), Q(255)),
        (Level("1/2"), Q(1, 2)),
        (ln(4) - 2 * ln(2), Q(0)),
    ],
)
def test_exact_entries(value, expected):
    got = read_number(value, "here")
    assert type(got) is Q
    assert type(got.numerator) is int
    assert got == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, 0.1),
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (math.inf, math.inf),
        (Decimal("-Infinity"), -math.inf),
    ],
)
def test_float_entries(value, expected):
    got = read_number(value, "here")
    assert type(got) is float
    assert got == expected


BAD = [
    "", "abc", "1/0", "nan", "NaN", "inf", "1/2/3", "1 2", "ln 2", "1,5", "1e1000000000",
    "1e-1000000000",
    "9" * 6000, Decimal("1e1000000000"), math.nan, np.float64("nan"), np.float32("nan"), Decimal("NaN"),
    Decimal("sNaN"), True, False, np.True_, None, [1], (1,), 1j, np.complex128(1), b"1", np.array([1]),
    {},
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=lambda v: f"{type(v).__name__}-{str(v)[:12]}")
def test_bad_numbers_name_their_place(bad):
    with pytest.raises(Malformed, match=r"^the cell Q7: "):
        read_number(bad, "the cell Q7")


@pytest.mark.parametrize("bad", BAD, ids=lambda v: f"{type(v).__name__}-{str(v)[:12]}")
def test_bad_entries_are_found_wherever_they_stand(bad):
    for i, j in ((0, 0), (1, 2)):
        rows = [[1, 2, 3], [4, 5, 6]]
        rows[i][j] = bad
        with pytest.raises(Malformed, match=f"row {i}, column {j}: "):
            read_matrix(rows)
        with pytest.raises(Malformed, match=f"<{i}/{j}>: "):
            read_matrix(rows, lambda i, j: f"<{i}/{j}>")
    with pytest.raises(Malformed, match="entry 1: "):
        read_vector([1, bad])
    with pytest.raises(Malformed, match="weight of b: "):
        read_vector([1, bad], lambda j: f"weight of {'ab'[j]}")


def test_nan_in_an_array_is_named():
    array = np.ones((3, 4))
    array[2, 1] = np.nan
    with pytest.raises(Malformed, match="row 2, column 1: NaN"):
        read_matrix(array)


def test_nan_and_ragged_rows_among_floats_alone():
    with pytest.raises(Malformed, match="row 1, column 0: NaN"):
        read_matrix([[0.5, 0.5], [math.nan, 1.0]])
    with pytest.raises(Malformed, match="ragged matrix: row 1 is 1 long"):
        read_matrix([[0.5, 0.5], [1.0]])
    assert read_matrix([[0.5, -math.inf]]).rows() == [[0.5, -math.inf]]


def test_exact_tables():
    m = read_matrix([["1/3", Q(2, 3)], [0, Decimal("1.0")]])
    assert m.exact
    assert m.rows() == [[Q(1, 3), Q(2, 3)], [0, 1]]
    assert read_matrix(np.array([[1, 2], [3, 4]])).rows() == [[1, 2], [3, 4]]
    assert read_matrix(np.array([[1, 2]])).exact
    assert read_matrix(np.array([[Q(1, 2), "1/2"]], dtype=object)).rows() == [[Q(1, 2)] * 2]
    assert read_matrix(((1, 2), (3, 4))).shape == (2, 2)
    assert read_matrix(iter([iter([1, 2])])).shape == (1, 2)


def test_float_tables_and_whole_numbers_among_them():
    m = read_matrix([[0.5, 1], [0, 0.25]])
    assert not m.exact
    assert m.rows() == [[0.5, 1.0], [0.0, 0.25]]
    assert read_matrix(np.array([[0.1, 0.9]], dtype=np.float32)).rows() == [
        [float(np.float32(0.1)), float(np.float32(0.9))]
    ]
    assert read_matrix([[2**60, 0.5]]).rows() == [[2.0**60, 0.5]]


@pytest.mark.parametrize("exact", [Q(1, 3), "1/3", "0.1", Decimal("0.5"), 2**53 + 1, 10**400])
def test_fractions_among_floats_raise_and_name_both(exact):
    with pytest.raises(MixedArithmetic) as caught:
        read_matrix([[0.25, 1], [0, exact]])
    text = str(caught.value)
    assert "row 1, column 1" in text
    assert "row 0, column 0" in text
    assert "0.25" in text
    assert "as a fraction or string" in text


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [[]],
        [[], []],
        np.empty((0, 3)),
        np.empty((3, 0)),
        np.empty((0, 0)),
        np.empty((0, 2), dtype=int),
    ],
    ids=range(7),
)
def test_empty_tables_are_refused(rows):
    with pytest.raises(Malformed, match="empty"):
        read_matrix(rows)


def test_ragged_tables_are_refused():
    with pytest.raises(Malformed, match="row 2 is 1 long, and the first row 2"):
        read_matrix([[1, 2], [3, 4], [5]])
    with pytest.raises(Malformed, match="row 1 is 3 long"):
        read_matrix([[0.5, 0.5], [0.1, 0.2, 0.7]])


@pytest.mark.parametrize("rows", [["12", "34"], "12", [b"12"], [1, 2], 5, None, [[1], 2]])
def test_what_is_no_list_of_rows_is_refused(rows):
    with pytest.raises(Malformed, match=r"list of (rows|numbers)"):
        read_matrix(rows)


@pytest.mark.parametrize("values", ["12", 3, None])
def test_what_is_no_list_of_numbers_is_refused(values):
    with pytest.raises(Malformed):
        read_vector(values)


@pytest.mark.parametrize("dimensions", [1, 3])
def test_arrays_of_other_dimensions_are_refused(dimensions):
    with pytest.raises(Malformed, match=f"two dimensions, not {dimensions}"):
        read_matrix(np.ones((2,) * dimensions))


def test_boolean_arrays_are_refused():
    with pytest.raises(Malformed, match="row 0, column 0: a number is needed, not True"):
        read_matrix(np.array([[True, False]]))


def test_a_matrix_is_read_as_itself_and_arrays_are_copied():
    m = Mat.of([[1]])
    assert read_matrix(m) is m
    array = np.array([[0.5, 0.5]])
    m = read_matrix(array)
    array[0, 0] = 7
    assert m[0, 0] == 0.5


def test_vectors():
    assert read_vector(["1/3", 1]).rows() == [[Q(1, 3), 1]]
    assert read_vector(np.array([0.5, 0.5])).rows() == [[0.5, 0.5]]
    assert read_vector(x for x in (1, 2)).rows() == [[1, 2]]
