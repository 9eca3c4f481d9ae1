"""Private neighbours: locality-sensitive hashes, two private mechanisms on them, and matching."""

from dprivacy.hashing.bare_lesson import BareHash as BareHash, bare_hash as bare_hash
from dprivacy.hashing.bloom_reports import SetReports as SetReports, set_reports as set_reports
from dprivacy.hashing.friend_matching import (
    Matching as Matching,
    MatchLoss as MatchLoss,
    match as match,
    nearest_distances as nearest_distances,
    utility_loss as utility_loss,
)
from dprivacy.hashing.hash_guarantees import (
    PairGuarantee as PairGuarantee,
    counted_bits as counted_bits,
    distance_guarantees as distance_guarantees,
    eps_for as eps_for,
)
from dprivacy.hashing.hash_then_flip import HashResponse as HashResponse, lshrr as lshrr
from dprivacy.hashing.hashes.hyperplanes import (
    RandomProjection as RandomProjection,
    random_projection as random_projection,
)
from dprivacy.hashing.hashes.linear_hash import LinearHash as LinearHash
from dprivacy.hashing.hashes.locality_hash import (
    HashedInputs as HashedInputs,
    LocalityHash as LocalityHash,
)
from dprivacy.hashing.hashes.packed_bits import (
    Neighbours as Neighbours,
    hamming_distances as hamming_distances,
    nearest as nearest,
)
from dprivacy.hashing.hashes.sampled_bits import (
    BitSampling as BitSampling,
    bit_sampling as bit_sampling,
)
from dprivacy.hashing.hashes.set_hash import MinHash as MinHash, minhash as minhash
from dprivacy.hashing.hashes.stable_strips import (
    StableProjection as StableProjection,
    parity_law as parity_law,
    stable_projection as stable_projection,
)
from dprivacy.hashing.matching_adversary import (
    FriendLeakage as FriendLeakage,
    PairLeakage as PairLeakage,
    friend_leakage as friend_leakage,
    pair_leakage as pair_leakage,
)
from dprivacy.hashing.matching_experiment import (
    hashing_loss as hashing_loss,
    utility_loss_experiment as utility_loss_experiment,
)
from dprivacy.hashing.matching_losses import (
    LossExperiment as LossExperiment,
    LossPoint as LossPoint,
)
from dprivacy.hashing.noise_then_hash import HashOfNoise as HashOfNoise, laplsh as laplsh
from dprivacy.hashing.pair_guarantees import (
    PairPrivacy as PairPrivacy,
    pair_privacy as pair_privacy,
)
from dprivacy.hashing.rating_tables import Ratings as Ratings, read_ratings as read_ratings

# isort: split
# For other rooms; not part of the surface.
from dprivacy.hashing.friend_matching import write_matches as write_matches
