"""Groups of rows that are alike where nothing is protected, against a plain count."""

import math
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import NotApplicable, TooLarge, WrongKind
from dprivacy.release.unordered import untouched_groups
from dprivacy.release.unordered.untouched_groups import GroupCount, require_company

ROWS = st.lists(
    st.tuples(st.sampled_from([None, "", "10", "9", "é"]), st.sampled_from([None, 1, -2]))
)


def counted(names, *tables):
    count = GroupCount(names)
    for table in tables:
        count.see(table)
    return count.found()


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_groups_are_those_of_a_plain_count(parts):
    tables = [
        pa.table({
            "town": pa.array([town for town, _ in part], pa.string()),
            "age": pa.array([age for _, age in part], pa.int64()),
        })
        for part in parts
    ]  # fmt: skip
    found = counted(["town", "age"], *tables)
    truth = Counter(row for part in parts for row in part)
    assert found.rows == truth.total()
    assert found.number == len(truth)
    assert found.smallest == min(truth.values(), default=0)
    if truth:
        towns = {town for town, _ in truth}
        texts = sorted(town for town in towns if town is not None)
        ranks = [None] * (None in towns) + texts
        digits = found.digits["town"].digits(pa.array(ranks, pa.string()))
        assert digits[0].tolist() == list(range(len(ranks)))


def test_values_come_back_in_their_type_and_sort_as_texts():
    cells = pa.array([10.0, 9.0, None, math.nan, -0.0, 0.0, 10.0], pa.float32())
    column = counted(["x"], pa.table({"x": cells})).digits["x"]
    (digits,) = column.digits(cells)
    assert digits.tolist() == [3, 4, 0, 5, 1, 2, 3]  # missing, "-0", "0", "10", "9", "nan"
    again = column.cells([digits])
    assert again.type == pa.float32()
    assert str(again.to_pylist()) == str(cells.to_pylist())


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([True, False, True]),
        pa.array([b"x", b"\xff", b"x"]),
        pa.array([1, 2, 1], pa.timestamp("us", tz="UTC")),
        pa.array([1, 2, 1], pa.date32()),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array(["a", "b", "a"], pa.string_view()),
        pa.nulls(3),
    ],
)
def test_plain_types_come_back(cells):
    column = counted(["x"], pa.table({"x": cells})).digits["x"]
    assert column.cells(column.digits(cells)).to_pylist() == cells.to_pylist()


def test_a_table_without_untouched_columns_is_one_group():
    found = counted([], pa.table({"h": ["a", "b"]}))
    assert (found.rows, found.number, found.smallest) == (2, 1, 2)


def test_types_without_an_order_are_refused():
    with pytest.raises(WrongKind, match="cannot be sorted"):
        counted(["x"], pa.table({"x": [[1], [2]]}))


def test_too_many_groups_are_refused(monkeypatch):
    monkeypatch.setattr(untouched_groups, "MOST", 4)
    with pytest.raises(TooLarge, match="more than 4 different combinations"):
        counted(["x"], pa.table({"x": list(range(9))}))


def test_a_row_that_is_alone_is_refused():
    alone = counted(["town"], pa.table({"town": ["Ulm", "Ulm", "Bonn"]}))
    with pytest.raises(NotApplicable, match="some row is alone there") as told:
        require_company(alone, ["town"])
    assert "Bonn" not in str(told.value)
    require_company(counted(["town"], pa.table({"town": ["Ulm", "Ulm"]})), ["town"])


def test_a_table_of_one_row_is_refused():
    with pytest.raises(NotApplicable, match="the table has 1"):
        require_company(counted([], pa.table({"h": ["a"]})), [])
