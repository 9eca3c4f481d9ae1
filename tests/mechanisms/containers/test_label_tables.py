"""Tables of labels: whole numbers of every type and size, and labels in arrays of every type."""

from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.mechanisms.containers.label_tables import LabelTables, taken

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i8", ">u4"]


@pytest.mark.parametrize("dtype", INTEGERS)
@given(
    labels=st.lists(st.integers(-(2**53), 2**53), min_size=1, max_size=8, unique=True),
    data=st.data(),
)
def test_integers_are_found_where_the_dictionary_has_them(dtype, labels, data):
    """Also next to the labels, at the ends of the type, and where a careless cast would wrap."""
    limits = np.iinfo(dtype)
    near = [
        x + d + k for x in labels for d in (-1, 0, 1) for k in (0, 2**32, 2**63, 2**64, -(2**64))
    ]
    inside = [x for x in (*near, limits.min, limits.max, 0) if limits.min <= x <= limits.max]
    rows = data.draw(st.lists(st.sampled_from(inside), max_size=20))
    index = {label: i for i, label in enumerate(labels)}
    found = LabelTables(labels).of_array(np.array(rows, dtype=dtype))
    assert found.tolist() == [index.get(x, len(labels)) for x in rows]


def test_pieces_join_without_a_seam():
    rows = np.arange(100_000) % 7 - 1
    found = LabelTables(range(5)).of_array(rows)
    assert (found == np.where((rows >= 0) & (rows < 5), rows, 5)).all()
    assert (taken(np.arange(5) * 3, found.clip(0, 4)) == found.clip(0, 4) * 3).all()


@pytest.mark.parametrize("count", [1, 254, 255, 256, 65_535, 65_536])
def test_the_smallest_type_holds_every_position_and_the_unknown(count):
    labels = [f"x{i}" for i in range(count)]
    tables = LabelTables(labels)
    found = tables.of_objects([labels[-1], "?", labels[0]])
    assert found.tolist() == [count - 1, count, 0]
    assert found.dtype == (np.uint8 if count < 256 else np.uint16 if count < 65_536 else np.uint32)


def test_whole_numbers_of_other_kinds_are_labels_of_integer_arrays():
    tables = LabelTables([0.0, Q(3), None, "a", 2.5])
    assert tables.of_array(np.array([3, 0, 2])).tolist() == [1, 0, 5]


def test_a_time_in_nanoseconds_is_no_number():
    for kind in ("datetime64[ns]", "timedelta64[ns]", "timedelta64"):
        moments = np.array([5, "NaT", 6], dtype=kind)
        assert LabelTables([5, 6]).of_array(moments).tolist() == [2, 2, 2]
        assert LabelTables([5, 6, None]).of_array(moments[1:]).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("labels", "like", "made"),
    [
        ([0, 1], "f4", "f4"),
        ([0, 2**24 + 1], "f4", "i8"),
        ([0.5, 0.1], "f4", "f8"),
        ([0, 300], "u1", "i8"),
        ([2**63, 0], "i8", "O"),
        ([2**64, 0], "i8", "O"),
        ([True, False], "i8", "?"),
        ([b"a", b"bc"], "S9", "S2"),
        ([b"a\0"], "S9", "O"),
        (["a", 1], "U9", "O"),
        ([(0, 1), (1, 0)], "i8", "O"),
        ([Q(1, 2)], "f8", "f8"),
        ([Q(1, 3)], "f8", "O"),
        ([1, 2], "O", "O"),
    ],
)
def test_labels_take_the_values_type_only_if_nothing_changes(labels, like, made):
    array = LabelTables(labels).label_array(np.dtype(like))
    assert array.dtype == np.dtype(made)
    assert array.tolist() == labels
