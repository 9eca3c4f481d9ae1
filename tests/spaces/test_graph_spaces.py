"""Graphs against shortest paths found by search."""

import heapq
import math
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import Malformed, NotAMetric
from dprivacy.numbers import as_level, ln
from dprivacy.spaces import graph


def dijkstra(edges, source, nodes):
    best = dict.fromkeys(nodes, math.inf)
    best[source] = Q(0)
    queue = [(0.0, 0, source)]
    count = 0
    while queue:
        _, _, u = heapq.heappop(queue)
        for a, b, w in edges:
            for x, y in ((a, b), (b, a)):
                if x == u and best[u] + w < best[y]:
                    best[y] = best[u] + w
                    count += 1
                    heapq.heappush(queue, (float(best[y]), count, y))
    return best


weights = st.sampled_from(
    [Q(1), Q(2), Q(1, 3), Q(7), as_level("ln 2"), as_level("ln 3"), as_level("sqrt 2")]
)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), weights), max_size=12))
@settings(max_examples=60)
def test_distances_are_shortest_paths(edges):
    """Multi-edges, loops, separate parts and irrational lengths included."""
    space = graph(edges, nodes=range(6), extended=True)
    assert space.labels == tuple(range(6))
    for u in range(6):
        best = dijkstra(edges, u, range(6))
        for v in range(6):
            assert space.distance(u, v) == best[v]
    listed = {frozenset((u, v)) for u, v, _ in edges}
    assert {frozenset(pair) for pair in space.pairs()} <= listed


def test_lengths():
    space = graph([("a", "b"), ("b", "c", "ln 2"), ("c", "d", "3/2"), ("d", "a", 10)])
    assert space.labels == ("a", "b", "c", "d")
    assert space.distance("a", "b") == 1
    assert space.distance("b", "c") == ln(2)
    assert space.distance("a", "d") == Q(5, 2) + ln(2)
    assert space.exact
    assert ("a", "d") not in space.pairs()
    floats = graph([("a", "b", 0.5), ("b", "c")])
    assert not floats.exact
    assert floats.distance("a", "c") == 1.5


def test_parallel_edges_and_loops():
    space = graph([("a", "b", 5), ("b", "a", 2), ("a", "b", 3), ("a", "a", 1)])
    assert space.distance("a", "b") == 2
    assert space.distance("a", "a") == 0
    assert space.pairs() == [("a", "b")]
    assert graph([("a", "a")]).labels == ("a",)


def test_separate_parts():
    with pytest.raises(NotAMetric, match=r"d\('a', 'c'\) = inf.*extended=True"):
        graph([("a", "b"), ("c", "d")])
    space = graph([("a", "b"), ("c", "d")], extended=True)
    assert space.distance("a", "d") == math.inf
    assert space.diameter == math.inf
    assert space.separation == 1
    assert space.pairs() == [("a", "b"), ("c", "d")]
    with pytest.raises(NotAMetric, match="'lonely'"):
        graph([("a", "b")], nodes=["lonely"])


def test_an_edge_of_infinite_length_joins_nothing():
    assert graph([("a", "b", "inf")], extended=True).distance("a", "b") == math.inf


def test_nodes_come_first_and_once():
    space = graph([("a", "b"), ("b", "c")], nodes=["c", "b"])
    assert space.labels == ("c", "b", "a")
    assert graph([("a", "b")], nodes=[]).labels == ("a", "b")
    assert graph([(2, 1), (1, 3), (3, 2)]).labels == (2, 1, 3)


def test_unicode_twins_are_one_vertex():
    space = graph([("caf\u00e9", "bar"), ("cafe\u0301", "pub")])
    assert len(space) == 3
    assert space.distance("bar", "pub") == 2
    assert graph([("cafe\u0301", "bar")]).distance("caf\u00e9", "bar") == 1


@pytest.mark.parametrize("bad", [0, -1, "-ln 2", "0", -0.5, "ln 1"])
def test_lengths_must_be_positive(bad):
    with pytest.raises(Malformed, match="the edge 'a' – 'b' needs a length greater than 0"):
        graph([("a", "b", bad)])


@pytest.mark.parametrize("bad", ["x", "ln 16/7", math.nan, None, True])
def test_unreadable_lengths_are_named_by_their_edge(bad):
    with pytest.raises(Malformed, match=r"^the edge 'a' – 'b': "):
        graph([("b", "c"), ("a", "b", bad)])


@pytest.mark.parametrize("bad", [("a",), ("a", "b", 1, 2), "ab", 5, None, ()])
def test_what_is_no_edge_is_refused(bad):
    with pytest.raises(Malformed, match=r"an edge is \(u, v\) or \(u, v, length\)"):
        graph([("x", "y"), bad])


def test_other_refusals():
    with pytest.raises(Malformed, match=r"nodes: .*'ab'"):
        graph([("a", "b")], nodes="ab")
    with pytest.raises(Malformed, match="cannot be a label"):
        graph([([1], "b")])
    with pytest.raises(Malformed, match="at least one"):
        graph([])


def test_lengths_may_stand_in_a_mapping():
    listed = [("a", "b", 2), ("b", "c", "1/2")]
    assert graph({(u, v): length for u, v, length in listed}) == graph(listed)
