"""People of a partition: counted by tags, the same wherever they are counted."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import Malformed
from dprivacy.release.spark.spark_people import (
    PeopleTags,
    require_people,
    require_same_people,
    require_same_rows,
    sum_of_tags,
)

KEY = bytes(range(32))


def found(*arrays, key=KEY):
    people = PeopleTags("who", key)
    for array in arrays:
        people.see(array)
    tags, rows, mark = people.found()
    return dict(zip(tags.tolist(), rows.tolist(), strict=True)), mark


def test_as_many_tags_as_people_each_with_its_rows():
    who = np.random.default_rng(1).integers(0, 900, 5000).tolist()
    counts, _ = found(pa.array(who[:2000]), pa.array(who[2000:]))
    assert Counter(counts.values()) == Counter(Counter(who).values())


def test_identifiers_of_one_person_share_a_tag():
    counts, _ = found(pa.array([7, 8]), pa.array([7.0]), pa.array(["7", " 7.0 "]))
    assert sorted(counts.values()) == [1, 4]


def test_tags_are_the_same_in_every_partition_and_other_ones_in_every_run():
    one, two = found(pa.array(["a", "b"]))[0], found(pa.array(["b", "c"]))[0]
    assert len({*one} & {*two}) == 1
    assert not {*one} & {*found(pa.array(["a", "b"]), key=KEY[::-1])[0]}


def test_a_mark_says_who_was_counted_in_any_order():
    marks = [found(pa.array(w))[1] for w in (["a", "b", "b"], ["b", "a", "b"], ["a", "a", "b"])]
    assert marks[0] == marks[1] != marks[2]
    assert all(0 <= mark < 2**62 for mark in marks)
    assert found() == ({}, found()[1])


def test_nobodys_row_is_named_by_its_place():
    people = PeopleTags("who", KEY)
    people.see(pa.array(["a", "b"]))
    with pytest.raises(Malformed, match="column 'who', row 3: is missing"):
        people.see(pa.array(["c", None]))


def test_refusals():
    require_people("who", 2, 2)
    with pytest.raises(Malformed, match="more rows than rows_per_person = 2"):
        require_people("who", 2, 3)
    require_same_people(sum_of_tags(["a", " a", "b"], KEY), sum(found(pa.array(["b", "a"]))[0]))
    with pytest.raises(Malformed, match="than when they were charged"):
        require_same_people(sum_of_tags(["a"], KEY), sum_of_tags(["b"], KEY))
    require_same_rows(5, 5)
    with pytest.raises(Malformed, match="a machine was lost"):
        require_same_rows(5, 6)
