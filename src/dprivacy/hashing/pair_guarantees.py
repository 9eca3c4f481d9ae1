"""What a private hash guarantees about two given inputs: every guarantee, side by side."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dprivacy.errors import UnknownName, WrongKind
from dprivacy.hashing.hash_guarantees import Number, PairGuarantee, distance_guarantees, odds_factor
from dprivacy.hashing.hash_then_flip import HashResponse
from dprivacy.hashing.hashes.locality_hash import Input
from dprivacy.hashing.noise_then_hash import HashOfNoise
from dprivacy.model import Answer, about
from dprivacy.spaces import Distance
from dprivacy.typing import NumberLike
from dprivacy.verify import rounded_up


@dataclass(frozen=True)
class PairPrivacy(Answer):
    """Every guarantee of a private hash for two inputs.

    Parameters
    ----------
    mechanism
        What was asked.
    metric
        The distance that the hash keeps.
    distance
        How far apart the two are.
    differing
        The chance that one hash bit tells them apart; None where it plays no part.
    guarantees
        All of them, from the narrowest to the widest view.

    Examples
    --------
    >>> from dprivacy.hashing import lshrr, minhash
    >>> found = pair_privacy(lshrr(minhash(bits=8, key="demo"), eps="ln 3"), {"tea"}, {"rum"})
    >>> found.metric, [one.name for one in found.guarantees][:2]
    ('jaccard', ['this hash', 'worst case'])
    """

    mechanism: str
    metric: str
    distance: Distance
    differing: Number | None
    guarantees: tuple[PairGuarantee, ...]

    def __getitem__(self, name: str) -> PairGuarantee:
        for found in self.guarantees:
            if found.name == name:
                return found
        raise UnknownName.among("a guarantee", name, [known.name for known in self.guarantees])

    def explain(self) -> str:
        """The guarantees in words."""
        chance = ""
        if self.differing is not None:
            chance = f"; a hash bit tells them apart with probability {about(self.differing)}"
        apart = f"{self.metric} distance {about(self.distance)}"
        lines = [f"{self.mechanism}, for two inputs at {apart}{chance}:"]
        lines += [f"- {p.name}: {p.words}." for p in self.guarantees]
        return "\n".join(lines)

    @property
    def exact(self) -> bool:
        """Whether every level is exact; floats are rounded up."""
        return not any(isinstance(found.level, float) for found in self.guarantees)


def pair_privacy(
    mechanism: HashResponse | HashOfNoise, x: Input, z: Input, *, delta: NumberLike = "0.01"
) -> PairPrivacy:
    """Every guarantee that a private hash gives for two inputs at hand.

    Parameters
    ----------
    mechanism
        What `lshrr` or `laplsh` made.
    x, z
        Two inputs of it.
    delta
        δ in (0, 1], for the guarantees that may fail with this probability (over the draw of the public
        hash and of the noise).

    Returns
    -------
    PairPrivacy
        For `lshrr`: "this hash", "worst case", "on average", "Hoeffding", "Chernoff" and "counted".
        For `laplsh`: "noise".

    Notes
    -----
    "this hash" looks at the hash that was drawn. The last four speak of the hash before it is drawn,
    and need the key to have been fixed without looking at x and z.

    Examples
    --------
    >>> from dprivacy.hashing import lshrr, minhash
    >>> m = lshrr(minhash(bits=20, key="demo"), eps="ln 3")
    >>> found = pair_privacy(m, {"tea", "milk"}, {"tea", "rum"})
    >>> print(found["worst case"].level)
    ln(3486784401)
    >>> print(found.distance, found.differing, float(found["counted"].level / m.eps))
    2/3 1/3 12.0
    """
    if isinstance(mechanism, HashResponse):
        function = mechanism.function
        chance, apart_here = function.differing(x, z), function.hamming(x, z)
        now = mechanism.eps * apart_here
        here = PairGuarantee(
            "this hash",
            now,
            Fraction(0),
            f"with the hash that was drawn, {apart_here} of {mechanism.bits} bits differ: no output "
            f"changes the odds between them by more than {odds_factor(now)}",
            "T Prop 10.2",
        )
        found = (here, *distance_guarantees(mechanism.eps, mechanism.bits, chance, delta=delta))
        return PairPrivacy(repr(mechanism), function.metric, function.distance(x, z), chance, found)
    if isinstance(mechanism, HashOfNoise):
        first, second = mechanism.function.pair(x, z)
        # The rounding of a sum of squares grows with the number of its terms.
        apart = float(np.linalg.norm(first - second)) * (1 + (len(first) + 16) * 2.0**-52)
        level = rounded_up(float(mechanism.eps) * apart)
        alone = PairGuarantee(
            "noise",
            level,
            Fraction(0),
            "whatever the hash, no output changes the odds between them by more than "
            f"{odds_factor(level)}, were the noise computed in exact real numbers",
            "T Prop 10.9",
        )
        return PairPrivacy(repr(mechanism), "euclidean", apart, None, (alone,))
    raise WrongKind(
        "mechanism should be what lshrr(…) or laplsh(…) made, not a value of type "
        f"{type(mechanism).__name__}"
    )
