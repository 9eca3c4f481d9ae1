"""Spaces by a short name, as a command line or a file gives them."""

import re
from collections.abc import Sequence
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.point_clouds import points
from dprivacy.spaces.standard_spaces__spaces_grids import grid
from dprivacy.spaces.standard_spaces__spaces_standard import discrete, line

NAMES = "discrete, line, order, hamming, grid:ROWSxCOLUMNS[:manhattan|:chebyshev]"
_GRID = re.compile(r"grid:(\d{1,4})x(\d{1,4})(?::(euclidean|manhattan|chebyshev))?")


def named_space(name: str, labels: Sequence[Any]) -> FiniteSpace:
    """A space on given labels, by name.

    Parameters
    ----------
    name
        "discrete" (all distances 1), "line" (labels are numbers), "order" (labels are classes in
        order, neighbours at distance 1), "hamming" (labels are texts of one length; the distance
        counts characters that differ), or "grid:3x4" (labels are cells, row by row), with
        ":manhattan" or ":chebyshev" for another distance.
    labels
        The labels, in order.
    """
    if name == "discrete":
        return discrete(labels)
    if name == "line":
        try:
            return line(labels)
        except Malformed as reason:
            raise Malformed(f"{reason}. For classes in order use the metric 'order'") from None
    if name == "order":
        chain = line(len(labels))
        return FiniteSpace(labels, chain.distances, edges=chain.known_edges)
    if name == "hamming":
        texts = [str(label) for label in labels]
        if len({len(text) for text in texts}) != 1:
            raise Malformed("the metric 'hamming' needs labels of one length, such as 010 and 110")
        return points([[ord(c) for c in text] for text in texts], metric="hamming", labels=labels)
    found = _GRID.fullmatch(name)
    if found:
        rows, columns = int(found[1]), int(found[2])
        if rows * columns != len(labels):
            raise Malformed(
                f"{name} has {rows * columns} cells, but there are {len(labels)} labels"
            )
        cells = grid(rows, columns, metric=found[3] or "euclidean")
        return FiniteSpace(labels, cells.distances, edges=cells.known_edges)
    raise Malformed(f"there is no metric {name!r}; choose {NAMES}, or give a file of distances")
