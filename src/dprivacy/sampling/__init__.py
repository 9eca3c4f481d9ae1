"""The random source, and samplers whose law is exactly the one stated."""

from dprivacy.sampling.categorical import CategoricalSampler as CategoricalSampler
from dprivacy.sampling.device_words import DeviceSource as DeviceSource
from dprivacy.sampling.discrete_laplace import DiscreteLaplace as DiscreteLaplace
from dprivacy.sampling.euclidean_noise import (
    PlanarNoise as PlanarNoise,
    SpatialNoise as SpatialNoise,
)
from dprivacy.sampling.person_words import PersonTags as PersonTags, lanes_of as lanes_of
from dprivacy.sampling.random_source import (
    InsecureSource as InsecureSource,
    KeyedSource as KeyedSource,
    Source as Source,
    SystemSource as SystemSource,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.sampling.counter_mode import (
    CtrWords as CtrWords,
    best_stream as best_stream,
    chunk_stream as chunk_stream,
)
from dprivacy.sampling.exact_coins import (
    toss as toss,
    toss_of_words as toss_of_words,
    uniform_array as uniform_array,
)
from dprivacy.sampling.lane_words import Lanes as Lanes
from dprivacy.sampling.person_words import CONSTRUCTION as CONSTRUCTION, FirstWords as FirstWords
from dprivacy.sampling.random_source import choose_source as choose_source
from dprivacy.sampling.short_words import ShortSampler as ShortSampler
