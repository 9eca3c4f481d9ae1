"""Spaces: where secrets live, and how far apart they are."""

from dprivacy.spaces.bag_spaces import bags as bags
from dprivacy.spaces.cubes_and_products import (
    hamming as hamming,
    hamming_cube as hamming_cube,
    power_set as power_set,
    product as product,
)
from dprivacy.spaces.distance_tables import from_table as from_table
from dprivacy.spaces.endless_spaces import (
    BitStrings as BitStrings,
    Categories as Categories,
    GridLine as GridLine,
    GridVectors as GridVectors,
    MetricSpace as MetricSpace,
    Vectors as Vectors,
)
from dprivacy.spaces.finite_space import FiniteSpace as FiniteSpace
from dprivacy.spaces.graph_spaces import graph as graph
from dprivacy.spaces.point_clouds import curves as curves, points as points
from dprivacy.spaces.queries_between import (
    induced_space as induced_space,
    sensitivity as sensitivity,
)
from dprivacy.spaces.standard_spaces import (
    discrete as discrete,
    grid as grid,
    line as line,
    quantised as quantised,
)
from dprivacy.spaces.trees.codes_beside_numbers import anchored as anchored
from dprivacy.spaces.trees.leaf_distances import hierarchy as hierarchy

# isort: split
# For other rooms; not part of the surface.
from dprivacy.spaces.distance_matrix import (
    Distance as Distance,
    Distances as Distances,
    Exact as Exact,
    plus as plus,
    times as times,
)
from dprivacy.spaces.distance_tables import read_distance as read_distance
from dprivacy.spaces.labels import (
    locate as locate,
    normal as normal,
    positions as positions,
    python_value as python_value,
    read_labels as read_labels,
    require_list as require_list,
    require_same_labels as require_same_labels,
)
from dprivacy.spaces.needed_pairs import zero_classes as zero_classes
from dprivacy.spaces.space_grammar import (
    GRAMMAR as GRAMMAR,
    names_space as names_space,
    space_from_text as space_from_text,
    space_in_words as space_in_words,
)
