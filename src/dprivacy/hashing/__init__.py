"""Private neighbours: locality-sensitive hashes, two private mechanisms on them, and matching."""

from dprivacy.hashing.bare import BareHash, bare_hash
from dprivacy.hashing.bloom import SetReports, set_reports
from dprivacy.hashing.experiment import hashing_loss, utility_loss_experiment
from dprivacy.hashing.laplsh import HashOfNoise, laplsh
from dprivacy.hashing.linear import LinearHash
from dprivacy.hashing.locality import HashedInputs, LocalityHash
from dprivacy.hashing.losses import LossExperiment, LossPoint
from dprivacy.hashing.lshrr import HashResponse, lshrr
from dprivacy.hashing.matching import (
    Matching,
    MatchLoss,
    match,
    nearest_distances,
    utility_loss,
)
from dprivacy.hashing.packed import Neighbours, hamming_distances, nearest
from dprivacy.hashing.pairs import PairPrivacy, pair_privacy
from dprivacy.hashing.projection import RandomProjection, random_projection
from dprivacy.hashing.promises import PairPromise, counted_bits, distance_promises, eps_for
from dprivacy.hashing.ratings import Ratings, read_ratings
from dprivacy.hashing.sampled import BitSampling, bit_sampling
from dprivacy.hashing.sets import MinHash, minhash
from dprivacy.hashing.stable import StableProjection, parity_law, stable_projection

__all__ = [
    "LocalityHash",
    "LinearHash",
    "HashedInputs",
    "RandomProjection",
    "random_projection",
    "StableProjection",
    "stable_projection",
    "parity_law",
    "MinHash",
    "minhash",
    "BitSampling",
    "bit_sampling",
    "HashResponse",
    "lshrr",
    "HashOfNoise",
    "laplsh",
    "PairPrivacy",
    "PairPromise",
    "pair_privacy",
    "distance_promises",
    "counted_bits",
    "eps_for",
    "SetReports",
    "set_reports",
    "BareHash",
    "bare_hash",
    "Neighbours",
    "hamming_distances",
    "nearest",
    "Matching",
    "match",
    "MatchLoss",
    "utility_loss",
    "nearest_distances",
    "Ratings",
    "read_ratings",
    "LossExperiment",
    "LossPoint",
    "hashing_loss",
    "utility_loss_experiment",
]
