"""Bitwise randomised response: every bit of a string flipped with the same chance."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import UnknownCategory, WrongShape
from dprivacy.mechanisms.containers.python_values import refuse_masked
from dprivacy.mechanisms.families.response import randomised_response
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.model import Channel, Guarantee, Pictured, Sourced, about
from dprivacy.numbers import as_eps
from dprivacy.sampling import CategoricalSampler, Source
from dprivacy.sources import result
from dprivacy.spaces import BitStrings, hamming_cube
from dprivacy.typing import LevelLike

_MOST_LISTED_BITS = 10


@dataclass(frozen=True)
class BitwiseMechanism(Sourced, Pictured):
    """Randomised response on each bit, independently.

    Examples
    --------
    >>> flip = bitwise_response(64, eps=1)
    >>> flip.channel is None, flip.guarantee.space.distance([0] * 64, [1] * 64)
    (True, Fraction(64, 1))
    """

    bits: int
    flip: Channel
    guarantee: Guarantee
    source: Source | None = None
    family: str = "bitwise_response"

    @cached_property
    def channel(self) -> Channel | None:
        """The channel on all bit strings, as tuples; None for more than ten bits."""
        return self.flip.over_rows(self.bits) if self.bits <= _MOST_LISTED_BITS else None

    @cached_property
    def _sampler(self) -> CategoricalSampler:
        return CategoricalSampler(self.flip.matrix.entries.tolist())

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:
        """Noisy bit strings for true ones.

        Parameters
        ----------
        values
            An array with one bit string a row (0 and 1), or a sequence of tuples.
        insecure_seed
            For tests only; it warns.
        """
        array = self._read(values)
        drawn = self._sampler.draw(array.ravel(), self._source(insecure_seed))
        noisy = np.asarray(drawn).reshape(array.shape)
        if isinstance(values, np.ndarray):
            return noisy.astype(values.dtype)
        return [tuple(row) for row in noisy.tolist()]

    def _read(self, values: Any) -> NDArray[np.int64]:
        refuse_masked(values)
        refusal = WrongShape(
            f"bit strings should be rows of {self.bits} zeros and ones, an array or a list of tuples"
        )
        try:
            rows = values if isinstance(values, np.ndarray) else [tuple(row) for row in values]
            array = np.asarray(rows) if len(rows) else np.empty((0, self.bits), dtype=np.int64)
        except (ValueError, TypeError):
            raise refusal from None
        if array.shape[1:] != (self.bits,) or array.dtype.kind not in "biufO":
            raise refusal
        strange = np.flatnonzero(((array != 0) & (array != 1)).any(axis=1))
        if len(strange):
            raise UnknownCategory(
                f"row {int(strange[0])} holds something other than zeros and ones "
                f"({len(strange)} of {len(array)} rows do)"
            )
        return array.astype(np.int64)

    def __repr__(self) -> str:
        return f"bitwise_response({self.bits} bits, ε = {about(self.guarantee.eps)} a bit)"


@result("T", "Def 10.3.7")
def bitwise_response(bits: int, *, eps: LevelLike) -> BitwiseMechanism:
    """Bitwise randomised response: each bit kept with probability e^ε/(e^ε + 1).

    Parameters
    ----------
    bits, eps
        The length of the strings, and the level of privacy for each bit that differs.

    Returns
    -------
    BitwiseMechanism
        ε·d-private for the Hamming distance d; tight.

    Examples
    --------
    >>> flip = bitwise_response(2, eps="ln 3")
    >>> print(flip.channel[(0, 0), (1, 1)])
    1/16
    >>> flip.randomise([(0, 1)])[0] in {(0, 0), (0, 1), (1, 0), (1, 1)}
    True
    """
    bits, level = whole(bits, "bits"), as_eps(eps)
    flip = randomised_response([0, 1], eps=level).channel
    space = hamming_cube(bits) if bits <= _MOST_LISTED_BITS else BitStrings(bits)
    return BitwiseMechanism(bits, flip, Guarantee(level, space, because="T Def 10.3.7"))


FAMILY = Family(
    "bitwise_response",
    bitwise_response,
    because="T Def 10.3.7",
    cases=({"bits": 2}, {"bits": 64}),
    fits=("bits",),
    usual_for=("bits",),
    needs=("bits",),
)
