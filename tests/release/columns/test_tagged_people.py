"""Tags of people follow the one rule of who is the same person, in every container, on every path."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import Malformed, NotApplicable
from dprivacy.release import TaggedPeople, person_name
from support.plain_aes import tag_of

KEY = bytes(range(32))


def by_the_rule(person):
    """The tag from the name that the rule gives, and from AES as it is defined."""
    name = person_name(person, 0)
    try:
        number = int(name)
    except ValueError:
        return tag_of(KEY, name)
    plain = str(number).encode() == name and -(2**63) <= number < 2**63
    return tag_of(KEY, number if plain else name)


def tags(people):
    return [row.tobytes() for row in TaggedPeople(people, KEY).tags]


WRITTEN = ["7", "7.0", "7.00", "07", "-7", "-0", "-0.0", "0", "00", "1.10", "1.1", "7.", ".7", "-"]
WRITTEN += [
    "--7",
    "+7",
    "7 ",
    " 7",
    "\u00a07",
    "x",
    " x\t",
    "x\x1f",
    "x y",
    "é",
    "e\u0301",
    "\u212b",
]
WRITTEN += ["9" * 18, "9" * 19, "1" * 40, "1e5", "0x10", "٣", "1_000", "7\x00", "ann", "x" * 16]
WRITTEN += ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "x" * 2000]
WRITTEN += ["-9223372036854775809", "7-", "7a7"]


def test_every_way_to_write_a_person_follows_the_rule():
    assert tags(WRITTEN) == [by_the_rule(text) for text in WRITTEN]
    for text in WRITTEN:  # by itself as in company
        assert tags([text]) == [by_the_rule(text)]


def test_numbers_of_all_kinds():
    people = [
        7,
        7.0,
        -0.0,
        0,
        1e15,
        1e300,
        0.5,
        2**63,
        -(2**63),
        2**70,
        decimal.Decimal("7.10"),
        1.5,
        "7",
    ]
    assert tags(people) == [by_the_rule(person) for person in people]
    assert tags([2**63 - 1, -1]) == [by_the_rule(2**63 - 1), by_the_rule(-1)]
    assert tags([1, 2**64]) == [by_the_rule(1), by_the_rule(2**64)]


def test_every_container_gives_the_same_tags():
    names = ["ann", "7", "é", " bob", "12.0"]
    expected = tags(names)
    for people in (
        tuple(names),
        np.array(names),
        np.array(names, object),
        pd.Series(names, index=[4, 3, 2, 1, 0]),
        pd.Series(names, dtype="category"),
        pl.Series(names),
        pa.array(names),
        pa.array(names, pa.large_string()),
        pa.array(names, pa.string_view()),
        pa.array(names).dictionary_encode(),
        pa.chunked_array([names[:2], names[2:]]),
        pa.array(["zero", *names, "last"]).slice(1, 5),
    ):
        assert tags(people) == expected
    numbers = [3, -4, 0, 2**40]
    expected = tags(numbers)
    for people in (
        np.array(numbers),
        np.array(numbers, ">i8"),
        np.array(numbers)[::-1][::-1],
        np.array(numbers, float),
        pd.Series(numbers),
        pd.Series(numbers, dtype="Int64"),
        pl.Series(numbers),
        pa.array(numbers),
        [str(number) for number in numbers],
        pa.array([str(number) for number in numbers]),
    ):
        assert tags(people) == expected
    big = [2**63, 5]
    assert tags(np.array(big, np.uint64)) == tags(pa.array(big, pa.uint64())) == tags(big)


@given(
    st.lists(st.one_of(st.text(max_size=40), st.integers(), st.floats(allow_nan=False)), max_size=9)
)
def test_drawn_people_follow_the_rule(people):
    known = [person for person in people if _named(person)]
    assert tags(known) == [by_the_rule(person) for person in known]
    texts = [str(person) for person in known if isinstance(person, str)]
    assert tags(texts) == [by_the_rule(text) for text in texts]


def _named(person):
    try:
        return bool(person_name(person, 0))
    except Malformed:
        return False


@pytest.mark.parametrize(
    "people",
    [
        ["ann", ""],
        ["ann", "  "],
        ["ann", None],
        [1.5, np.nan],
        np.array([1.0, np.nan]),
        pa.array(["ann", None]),
        pa.array([1, None]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series(["ann", None]),
        [pd.Timestamp("2026-01-01"), pd.NaT],
        pl.Series(["ann", None]),
        np.ma.array([1, 2], mask=[False, True]),
        np.ma.array([1.5, 2.5], mask=[False, True]),
    ],
)
def test_nobody_is_refused_by_the_row(people):
    with pytest.raises(NotApplicable, match="row 1 belongs to nobody"):
        TaggedPeople(people, KEY)


@pytest.mark.parametrize(
    "people",
    [[True], np.array([True]), pa.array([True]), [b"ann"], [["a"]], np.arange(4).reshape(2, 2)],
)
def test_what_identifies_nobody_is_refused(people):
    with pytest.raises(Malformed, match="identified by texts or numbers"):
        TaggedPeople(people, KEY)


@pytest.mark.parametrize("people", ["ann", b"ann", 7, None])
def test_one_value_is_no_list(people):
    with pytest.raises(Malformed, match="a list with the person of each value"):
        TaggedPeople(people, KEY)


def test_nothing_is_shown_and_nothing_changes():
    found = TaggedPeople(["ann"], KEY)
    assert repr(found) == "TaggedPeople(1 row)"
    assert len(TaggedPeople([], KEY)) == 0
    with pytest.raises(ValueError, match="read-only"):
        found.tags[0] = 0
