"""Bitwise randomised response: every bit of a string flipped with the same chance."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import Malformed, TooLarge, UnknownCategory
from dprivacy.mechanisms.families.response import randomised_response
from dprivacy.mechanisms.groundwork.label_codes import refuse_masked, whole
from dprivacy.model import Channel, Guarantee, Pictured, about
from dprivacy.numbers import as_eps
from dprivacy.sampling import CategoricalSampler, Source, choose_source
from dprivacy.sources import result
from dprivacy.spaces import BitStrings, hamming_cube

_MOST_LISTED_BITS = 10


@dataclass(frozen=True)
class BitwiseMechanism(Pictured):
    """Randomised response on each bit, independently."""

    bits: int
    flip: Channel
    guarantee: Guarantee
    source: Source | None = None
    family: str = "bitwise_response"

    @property
    def secure(self) -> bool:
        """Whether its noise comes from a source that nobody can guess."""
        return self.source is None or self.source.secure

    def using(self, source: Source) -> "BitwiseMechanism":
        """The same mechanism drawing from a given random source."""
        return replace(self, source=source)

    @cached_property
    def channel(self) -> Channel:
        """The channel on all bit strings, as tuples (for at most ten bits)."""
        if self.bits > _MOST_LISTED_BITS:
            raise TooLarge(f"a channel on {self.bits} bits has 2^{2 * self.bits} entries")
        return self.flip.over_rows(self.bits)

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
        source = self.source if insecure_seed is None else None
        drawn = self._sampler.draw(array.ravel(), source or choose_source(insecure_seed))
        noisy = np.asarray(drawn).reshape(array.shape)
        if isinstance(values, np.ndarray):
            return noisy.astype(values.dtype)
        return [tuple(row) for row in noisy.tolist()]

    def _read(self, values: Any) -> NDArray[np.int64]:
        refuse_masked(values)
        needed = f"bit strings are rows of {self.bits} zeros and ones"
        try:
            rows = values if isinstance(values, np.ndarray) else [tuple(row) for row in values]
            array = np.asarray(rows) if len(rows) else np.empty((0, self.bits), dtype=np.int64)
        except (ValueError, TypeError):
            raise Malformed(needed) from None
        if array.shape[1:] != (self.bits,) or array.dtype.kind not in "biufO":
            raise Malformed(needed)
        strange = np.flatnonzero(((array != 0) & (array != 1)).any(axis=1))
        if len(strange):
            raise UnknownCategory(f"row {int(strange[0])} holds something else than zeros and ones")
        return array.astype(np.int64)

    def __repr__(self) -> str:
        return f"bitwise_response({self.bits} bits, ε = {about(self.guarantee.eps)} a bit)"


@result("T", "Def 10.3.7")
def bitwise_response(bits: int, *, eps: Any) -> BitwiseMechanism:
    """Bitwise randomised response: each bit kept with chance e^ε/(e^ε + 1).

    Parameters
    ----------
    bits
        The length of the strings.
    eps
        The level of privacy for each bit that differs.

    Returns
    -------
    BitwiseMechanism
        ε·d-private for the Hamming distance d; tight.
    """
    bits, level = whole(bits, "bits"), as_eps(eps)
    flip = randomised_response([0, 1], eps=level).channel
    space = hamming_cube(bits) if bits <= _MOST_LISTED_BITS else BitStrings(bits)
    return BitwiseMechanism(bits, flip, Guarantee(level, space, because="T Def 10.3.7"))
