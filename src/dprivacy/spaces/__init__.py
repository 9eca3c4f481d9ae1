"""Spaces: where secrets live, and how far apart they are."""

from dprivacy.spaces.bags import bags
from dprivacy.spaces.cloud import curves, points
from dprivacy.spaces.cubes import hamming, hamming_cube, power_set
from dprivacy.spaces.finite import FiniteSpace
from dprivacy.spaces.graphs import graph
from dprivacy.spaces.grids import grid
from dprivacy.spaces.infinite import BitStrings, GridLine, MetricSpace, Vectors
from dprivacy.spaces.named import named_space
from dprivacy.spaces.products import product
from dprivacy.spaces.queries import induced_space, sensitivity
from dprivacy.spaces.standard import discrete, line, quantised
from dprivacy.spaces.tables import from_table

__all__ = [
    "BitStrings",
    "FiniteSpace",
    "GridLine",
    "MetricSpace",
    "Vectors",
    "bags",
    "curves",
    "discrete",
    "from_table",
    "graph",
    "grid",
    "hamming",
    "hamming_cube",
    "induced_space",
    "line",
    "named_space",
    "points",
    "power_set",
    "product",
    "quantised",
    "sensitivity",
]
