"""LapLSH: Laplace noise on the vector first, then the hash. In idealised numerics."""

from dataclasses import dataclass, replace
from typing import Literal

from dprivacy.errors import NotApplicable
from dprivacy.hashing.hash_then_flip import PrivateHash, require_hash
from dprivacy.hashing.hashes.linear_hash import LinearHash
from dprivacy.hashing.hashes.locality_hash import Bits, Inputs
from dprivacy.mechanisms import VectorMechanism, vector_laplace
from dprivacy.model import Guarantee, about
from dprivacy.sampling import Source
from dprivacy.sources import result
from dprivacy.typing import LevelLike


@dataclass(frozen=True)
class HashOfNoise(PrivateHash):
    """The hash of a vector with Laplace noise.

    Hashing is post-processing: the guarantee is that of the noise, ε times the Euclidean distance, for
    exact real arithmetic. The noise is computed in doubles, of which only the hash bits are released.

    Examples
    --------
    >>> from dprivacy.hashing import random_projection
    >>> mechanism = laplsh(random_projection(3, bits=8, key="demo"), eps=10, numerics="idealised")
    >>> mechanism.bits, mechanism.secure
    (8, True)
    """

    function: LinearHash
    noise: VectorMechanism
    guarantee: Guarantee
    source: Source | None = None
    family: str = "laplsh"
    numerics: str = "idealised"

    def randomise(self, values: Inputs, *, insecure_seed: int | None = None) -> Bits:
        """The hash strings of the noisy vectors: an array of shape (inputs, κ)."""
        noisy = self.noise.using(self._source(insecure_seed)).randomise(values)
        return self.function.hash(noisy)

    def __repr__(self) -> str:
        return f"laplsh({self.bits} bits, ε = {about(self.eps)} per unit, idealised)"


@result("T", "Def 10.3.9", "Prop 10.9")
def laplsh(
    function: LinearHash, *, eps: LevelLike, numerics: Literal["idealised"] | None = None
) -> HashOfNoise:
    """Add n-dimensional Laplace noise, then hash.

    Parameters
    ----------
    function
        A hash of vectors with a dimension: `random_projection` or `stable_projection`.
    eps
        The level of privacy per unit of Euclidean distance.
    numerics
        Must be "idealised", as for `vector_laplace`: the guarantee is for exact real arithmetic.

    Returns
    -------
    HashOfNoise
        ε·‖x − z‖₂-private.

    Examples
    --------
    >>> from dprivacy.hashing import random_projection
    >>> m = laplsh(random_projection(3, bits=20, key="demo"), eps=10, numerics="idealised")
    >>> m.randomise([[5, 0, 3], [0, 4, 1]]).shape
    (2, 20)
    """
    require_hash(function)
    dimension = getattr(function, "dimension", None)
    if dimension is None:
        raise NotApplicable(
            f"{type(function).__name__} has no dimension, which Laplace noise needs: noise on the "
            "items that a person has would show which items these are; give the hash its dimension, "
            "or use lshrr"
        )
    noise = vector_laplace(dimension, eps=eps, numerics=numerics)
    claim = replace(noise.guarantee, because="T Prop 10.9")
    return HashOfNoise(function, noise, claim)
