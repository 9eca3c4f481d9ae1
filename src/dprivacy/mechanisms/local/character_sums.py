"""Sums of counters over hyperplanes, for all of them at once: one transform, in whole numbers.

A counter sits at every vector of GF(q)^t. For a function f on these vectors,
f̂(z) = Σ_y f(y)·χ(⟨y, z⟩), with χ the character of the field through its trace; ⟨y, z⟩ = 0 is then
counted by the average of χ(c·⟨y, z⟩) over all c of the field.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge
from dprivacy.mechanisms.local.finite_field import Elements, FiniteField

Counters = NDArray[np.int64]
MOST_DECODED = 1 << 27  # of a transform: 1 GiB of counters
_LARGEST_PART = 1 << 40  # N·M of one transform in doubles, see `hyperplane_sums`


def require_size(field: FiniteField, t: int) -> None:
    """TooLarge for more vectors than a transform takes."""
    if field.q**t > MOST_DECODED:
        raise TooLarge(
            f"decoding over {field.q}^{t} vectors would take more than 1 GiB; take a smaller field, or "
            "fewer labels"
        )


def weights_of(field: FiniteField, t: int) -> NDArray[np.int64]:
    """What a vector's coordinates are multiplied by to give its number: coordinate 0 counts most."""
    return np.asarray(field.q ** np.arange(t - 1, -1, -1, dtype=np.int64))


def hyperplane_sums(field: FiniteField, t: int, counters: Counters, at: Elements) -> Counters:
    """f̂ at the vectors `at`, for whole numbers f that are the same on all multiples of a vector.

    Notes
    -----
    1. Over a field of 2^e elements every character is ±1: the Walsh–Hadamard transform, in integers.
    2. Over others, the discrete Fourier transform in doubles, whose error for N numbers of at most M is
       below c·log₂N·N·M·2⁻⁵³ with a small c. Counters are taken in parts with N·M below 2⁴⁰, so that
       it stays below 2⁻⁴ for c up to 19, and rounding gives the whole number that there is.
    """
    require_size(field, t)
    where = field.dual_digits()[at] @ weights_of(field, t)
    if field.p == 2:
        return np.asarray(_walsh_hadamard(counters)[where])
    shape = (field.p,) * (field.e * t)
    largest = max(2, _LARGEST_PART // len(counters))
    total, scale, rest = np.zeros(len(where), dtype=np.int64), 1, counters
    while rest.any():
        rest, part = np.divmod(rest, largest)
        found = np.fft.fftn(part.reshape(shape).astype(np.float64)).real.ravel()[where]
        total += np.rint(found).astype(np.int64) * scale
        scale *= largest
    return total


def real_sums(field: FiniteField, t: int, values: NDArray[np.float64], at: Elements) -> Any:
    """f̂ as `hyperplane_sums` has it, for real f, in doubles."""
    require_size(field, t)
    where = field.dual_digits()[at] @ weights_of(field, t)
    if field.p == 2:
        return _walsh_hadamard(values)[where]
    return np.fft.fftn(values.reshape((field.p,) * (field.e * t))).real.ravel()[where]


def _walsh_hadamard(values: NDArray[Any]) -> NDArray[Any]:
    out, half = values.copy(), 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        out = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        half *= 2
    return out
