"""Hierarchies: distances by walking the tree, and what is no hierarchy."""

import itertools
from fractions import Fraction as Q

import pytest

from dprivacy.errors import DPrivacyError
from dprivacy.spaces import graph, hierarchy

LEVEL = {"11": "1", "12": "1", "21": "2", "1": None, "2": None}
RAGGED = {"a": "x", "b": "x", "x": "top", "c": "top", "d": None, "e": "alone", "top": None}
DEEP = {f"{k:03b}": f"{k:03b}"[:2] for k in range(8)} | {"00": "0", "01": "0", "10": "1", "11": "1"}


@pytest.mark.parametrize("parents", [LEVEL, RAGGED, DEEP])
def test_a_distance_is_half_the_path_through_the_tree(parents):
    space = hierarchy(parents)
    edges = [(code, ("top of all",) if above is None else above) for code, above in parents.items()]
    roots = {above for above in parents.values() if above is not None} - set(parents)
    edges += [(root, ("top of all",)) for root in roots]
    walked = graph([(one, other, "1/2") for one, other in edges])
    for x, z in itertools.product(space.labels, repeat=2):
        assert space.distance(x, z) == walked.distance(x, z)


def test_leaves_on_one_level_climb_alike():
    space = hierarchy(DEEP)
    assert space.labels == tuple(f"{k:03b}" for k in range(8))
    assert [space.distance("000", z) for z in ("001", "010", "111")] == [1, 2, 3]
    assert hierarchy(RAGGED).distance("a", "c") == Q(3, 2)


def test_leaves_keep_their_order_and_every_pair_counts():
    space = hierarchy(RAGGED)
    assert space.labels == ("a", "b", "c", "d", "e")
    assert len(space.known_edges) == 10
    assert len(space.edges) == 10


@pytest.mark.parametrize(
    ("parents", "words"),
    [
        ({"a": "b", "b": "a", "c": None, "d": None, "e": "a"}, "circle"),
        ({"a": "x", "x": None}, "at least two leaves"),
        ({}, "at least two leaves"),
        (["a", "b"], "the parent of every code"),
    ],
)
def test_what_is_no_hierarchy_is_refused(parents, words):
    with pytest.raises(DPrivacyError, match=words):
        hierarchy(parents)
