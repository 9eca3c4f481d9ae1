"""The random source, and samplers whose law is exactly the one stated."""

from dprivacy.sampling.alias_tables import alias_table as alias_table, table_law as table_law
from dprivacy.sampling.categorical import CategoricalSampler as CategoricalSampler
from dprivacy.sampling.discrete_laplace import DiscreteLaplace as DiscreteLaplace
from dprivacy.sampling.planar_noise import PlanarNoise as PlanarNoise
from dprivacy.sampling.random_source import (
    InsecureSource as InsecureSource,
    KeyedSource as KeyedSource,
    Source as Source,
    SystemSource as SystemSource,
    choose_source as choose_source,
    uniform_below as uniform_below,
)
from dprivacy.sampling.spatial_noise import SpatialNoise as SpatialNoise
