"""LSHRR: hash first, then randomised response on every hash bit. Exact, and the better of the two."""

from dataclasses import dataclass
from typing import Any, ClassVar

from dprivacy.errors import WrongKind
from dprivacy.hashing.hashes.locality_hash import Bits, HashedInputs, Inputs, LocalityHash
from dprivacy.mechanisms import BitwiseMechanism, randomised_response
from dprivacy.model import Guarantee, Sourced, about
from dprivacy.numbers import Level, as_eps
from dprivacy.sampling import Source
from dprivacy.sources import result
from dprivacy.spaces import BitStrings
from dprivacy.typing import LevelLike


@dataclass(frozen=True)
class PrivateHash(Sourced):
    """What mechanisms on hashes share: a report has the bits of the hash, and a level ε.

    Examples
    --------
    >>> from dprivacy.hashing import minhash
    >>> mechanism = lshrr(minhash(bits=16, key="demo"), eps="ln 3")
    >>> mechanism.bits, str(mechanism.eps)
    (16, 'ln(3)')
    """

    function: LocalityHash
    channel: ClassVar[None] = None

    @property
    def bits(self) -> int:
        """κ, how many bits a report has."""
        return self.function.bits

    @property
    def eps(self) -> Level:
        """ε: on each bit of the hash, or per unit of distance between vectors."""
        return self.guarantee.eps


@dataclass(frozen=True)
class HashResponse(PrivateHash):
    """Bitwise randomised response on the bits of a locality-sensitive hash.

    The hash is public, so the guarantee is the one *given* the hash: ε for every bit of it in which two
    inputs differ, at most κ·ε. What it comes to for two inputs before the hash is drawn says
    `pair_privacy`.

    Examples
    --------
    >>> from dprivacy.hashing import minhash
    >>> mechanism = lshrr(minhash(bits=16, key="demo"), eps="ln 3")
    >>> mechanism.guarantee.space.distance({"tea"}, {"tea"}), mechanism.channel
    (Fraction(0, 1), None)
    """

    response: BitwiseMechanism
    guarantee: Guarantee
    source: Source | None = None
    family: str = "lshrr"

    def randomise(self, values: Inputs, *, insecure_seed: int | None = None) -> Bits:
        """A noisy hash string for every input: an array of shape (inputs, κ).

        Parameters
        ----------
        values
            Inputs of the hash.
        insecure_seed
            For tests only; it warns.
        """
        hashed = self.function.hash(values)
        noisy: Bits = self.response.using(self._source(insecure_seed)).randomise(hashed)
        return noisy

    def __repr__(self) -> str:
        metric = self.function.metric
        return f"lshrr({self.bits} bits of the {metric} hash, ε = {about(self.eps)} a bit)"


@result("T", "Def 10.3.8", "Prop 10.2")
def lshrr(function: LocalityHash, *, eps: LevelLike) -> HashResponse:
    """Hash, then flip each bit with chance 1/(e^ε + 1).

    Parameters
    ----------
    function
        A hash: `random_projection`, `minhash`, `bit_sampling` or `stable_projection`.
    eps
        The level of privacy of each hash bit.

    Returns
    -------
    HashResponse
        ε·d_H(H(x), H(z))-private for the public hash H, exactly; tight.

    Examples
    --------
    >>> from dprivacy.hashing import random_projection
    >>> m = lshrr(random_projection(3, bits=20, key="demo"), eps="ln 3")
    >>> m.randomise([[5, 0, 3], [0, 4, 1]]).shape
    (2, 20)
    """
    require_hash(function)
    response = bit_response(function.bits, eps=eps)
    claim = Guarantee(response.guarantee.eps, HashedInputs(function), because="T Prop 10.2")
    return HashResponse(function, response, claim)


@result("T", "Prop 10.1")
def bit_response(bits: int, *, eps: LevelLike) -> BitwiseMechanism:
    """Bitwise randomised response on strings that are never listed, however short they are."""
    level = as_eps(eps)
    flip = randomised_response([0, 1], eps=level).channel
    return BitwiseMechanism(bits, flip, Guarantee(level, BitStrings(bits), because="T Prop 10.1"))


def require_hash(function: Any) -> None:
    """Refuse anything but a hash of this room."""
    if not isinstance(function, LocalityHash):
        raise WrongKind(
            "function should be a locality-sensitive hash, such as random_projection(…), not a value "
            f"of type {type(function).__name__}"
        )
