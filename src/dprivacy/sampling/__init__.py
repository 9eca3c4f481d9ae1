"""The random source, and samplers whose law is exactly the one stated."""

from dprivacy.sampling.alias import alias_table, table_law
from dprivacy.sampling.categorical import CategoricalSampler
from dprivacy.sampling.laplace import DiscreteLaplace
from dprivacy.sampling.planar import PlanarNoise
from dprivacy.sampling.source import (
    InsecureSource,
    KeyedSource,
    Source,
    SystemSource,
    choose_source,
    uniform_below,
)
from dprivacy.sampling.spatial import SpatialNoise

__all__ = [
    "Source",
    "SystemSource",
    "KeyedSource",
    "InsecureSource",
    "choose_source",
    "uniform_below",
    "alias_table",
    "table_law",
    "CategoricalSampler",
    "DiscreteLaplace",
    "PlanarNoise",
    "SpatialNoise",
]
