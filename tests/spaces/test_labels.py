"""Labels: what is refused, and what the refusal says."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import DuplicateLabel, Malformed, SpaceMismatch, UnknownCategory
from dprivacy.spaces import discrete, line
from dprivacy.spaces.labels import locate, normal, positions, read_labels, require_same_labels

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def test_labels_come_back_as_they_were():
    labels = ["a", 1, (2, "b"), None, frozenset({3}), Q(1, 3), 2.5]
    assert read_labels(labels) == tuple(labels)
    assert read_labels(x for x in "ab") == ("a", "b")
    assert read_labels({"k": 1}) == ("k",)


def test_numpy_scalars_become_python_values():
    plain = read_labels([np.int64(3), np.float64(0.5), np.str_("x"), np.bool_(False)])
    assert plain == (3, 0.5, "x", False)
    assert [type(label) for label in plain] == [int, float, str, bool]
    assert [type(label) for label in read_labels(np.arange(2))] == [int, int]


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["a", "b", "a"], "'a' appears twice"),
        ([1, True], "True is the same label as 1"),
        ([1, 1.0], "1.0 is the same label as 1"),
        ([Q(1, 2), 0.5], r"0.5 is the same label as Fraction\(1, 2\)"),
        ([(1, 2), (1, 2)], r"\(1, 2\) appears twice"),
        ([None, None], "None appears twice"),
    ],
)
def test_duplicates_are_named(labels, shown):
    with pytest.raises(DuplicateLabel, match=f"^drinks: {shown}; labels must be distinct"):
        read_labels(labels, "drinks")


@pytest.mark.parametrize(
    "labels",
    [range(3, 0, -1), [5, -5, 2**70], ["b", "a", "A", "a "], ["é", "e"], [1, "1"], [True, 0]],
)
def test_labels_of_any_kind_are_read_and_found(labels):
    assert [*map(repr, read_labels(labels))] == [*map(repr, labels)]
    assert [positions(labels)[normal(label)] for label in labels] == [*range(len(labels))]


@pytest.mark.parametrize(
    "labels", [[1, 2, 1], ["a", "b", "a"], [1, True], [1, 1.0], ["a", np.str_("a")]]
)
def test_twins_of_plain_labels_are_duplicates(labels):
    with pytest.raises(DuplicateLabel, match="labels must be distinct"):
        read_labels(labels)


def test_unicode_twins_are_duplicates():
    assert COMPOSED != DECOMPOSED
    for labels in (
        [COMPOSED, DECOMPOSED],
        [(COMPOSED, 1), (DECOMPOSED, 1)],
        [frozenset({COMPOSED}), frozenset({DECOMPOSED})],
        [("x", (COMPOSED,)), ("x", (DECOMPOSED,))],
    ):
        with pytest.raises(DuplicateLabel, match="is the same label as"):
            read_labels(labels)
    assert normal(("a", DECOMPOSED)) == ("a", COMPOSED)
    assert normal(7) == 7


def test_a_twin_finds_its_label():
    space = discrete([COMPOSED, "tea"])
    assert space.distance(DECOMPOSED, "tea") == 1
    assert DECOMPOSED in space
    assert space.restrict([DECOMPOSED]).labels == (COMPOSED,)
    twin = discrete(["tea", DECOMPOSED])
    assert twin == space
    assert hash(twin) == hash(space)


@pytest.mark.parametrize("bad", ["abc", b"abc", 5, None, 2.5])
def test_what_is_no_list_of_labels_is_refused(bad):
    with pytest.raises(Malformed, match="a list of labels is needed"):
        read_labels(bad)


@pytest.mark.parametrize("bad", [[], {}, set(), np.array([1, 2])], ids=range(4))
def test_what_cannot_be_a_key_is_refused(bad):
    with pytest.raises(Malformed, match="cannot be a label"):
        read_labels(["fine", bad])


def test_nan_and_nothing_are_refused():
    with pytest.raises(Malformed, match="NaN"):
        read_labels([1.0, math.nan])
    with pytest.raises(Malformed, match=r"^rows: at least one"):
        read_labels([], "rows")


def test_an_unknown_label_is_met_with_a_suggestion():
    index = positions(["Sports", "Cars", "Television"])
    with pytest.raises(
        UnknownCategory, match=r"^'Sport' is not among the answers; did you mean Sports"
    ):
        locate(index, "Sport", "the answers")
    with pytest.raises(
        UnknownCategory,
        match="the answers; they are 'Sports', 'Cars', 'Television'",
    ):
        locate(index, "zzz", "the answers")
    with pytest.raises(UnknownCategory, match=r"^\[1\] is not"):
        locate(index, [1], "the answers")
    with pytest.raises(UnknownCategory, match="and 14 more"):
        line(20).distance(0, "nowhere at all")


def test_require_same_labels():
    assert require_same_labels(["a", "b", "c"], ["c", "a", "b"], "x") == [1, 2, 0]
    assert require_same_labels([COMPOSED, "t"], ["t", DECOMPOSED], "x") == [1, 0]
    with pytest.raises(
        SpaceMismatch, match=r"two things: .*'b' only in the first; 'd' only in the second"
    ):
        require_same_labels(["a", "b"], ["a", "d"], "two things")
    with pytest.raises(SpaceMismatch, match="'b' only in the first"):
        require_same_labels(["a", "b"], ["a"], "x")
