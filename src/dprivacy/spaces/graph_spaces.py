"""Graphs: the distance is the length of the shortest path."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, WrongKind
from dprivacy.spaces.distance_matrix import Distance, Distances
from dprivacy.spaces.distance_tables import check_metric, read_distance
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import normal, positions, read_labels, require_list
from dprivacy.spaces.needed_pairs import irredundant_pairs
from dprivacy.spaces.shortest_paths import shortest_paths
from dprivacy.typing import Label, LevelLike


def graph(
    edges: Iterable[Sequence[Label]] | Mapping[tuple[Label, Label], LevelLike],
    *,
    nodes: Iterable[Label] = (),
    extended: bool = False,
) -> FiniteSpace:
    """The vertices of a graph with shortest-path distances.

    Parameters
    ----------
    edges
        Pairs (u, v), of length 1, triples (u, v, length), or ``{(u, v): length}``; lengths may be
        exact ("3/2", "ln 2").
    nodes
        Labels to list first, in this order (also for isolated vertices).
    extended
        Allow infinite distances between separate components.

    Examples
    --------
    >>> graph([("a", "b"), ("b", "c", 2), ("a", "c", 5)]).distance("a", "c")
    Fraction(3, 1)
    """
    listed = []
    ends: list[Any] = []
    lengths = edges if isinstance(edges, Mapping) else {}
    sizes = (2,) if lengths else (2, 3)
    for edge in require_list(edges, "edges", "pairs"):
        if isinstance(edge, str) or not hasattr(edge, "__len__") or len(edge) not in sizes:
            raise WrongKind(f"an edge is (u, v) or (u, v, length), not {edge!r}")
        listed.append((*edge, lengths[edge]) if lengths else tuple(edge))
        ends += listed[-1][:2]
    labels = read_labels(_distinct([*require_list(nodes, "nodes"), *ends]), "vertices")
    index = positions(labels)
    table: list[list[Distance]] = [[math.inf] * len(labels) for _ in labels]
    for i in range(len(labels)):
        table[i][i] = read_distance(0, "")
    for edge in listed:
        u, v = edge[:2]
        length = read_distance(edge[2] if len(edge) == 3 else 1, f"the edge {u!r} – {v!r}")
        if not length > 0:
            raise BadNumber(f"the edge {u!r} – {v!r} needs a length greater than 0, not {length}")
        i, j = index[normal(u)], index[normal(v)]
        if i != j:
            table[i][j] = table[j][i] = min(table[i][j], length)
    distances = shortest_paths(Distances.of(table))
    check_metric(labels, distances, pseudo=False, extended=extended, triangle=False)
    joined = {tuple(sorted((index[normal(u)], index[normal(v)]))) for u, v, *_ in listed}
    known = np.array(sorted(pair for pair in joined if pair[0] != pair[1]), dtype=np.intp)
    return FiniteSpace(labels, distances, edges=irredundant_pairs(distances, known.reshape(-1, 2)))


def _distinct(vertices: list[Any]) -> list[Any]:
    """Each vertex once, in the order of first mention."""
    first: dict[Any, Any] = {}
    try:
        for vertex in vertices:
            first.setdefault(normal(vertex), vertex)
    except TypeError:
        return vertices  # one of them cannot be a label, which reading the labels will say
    return list(first.values())
