"""Stable projection: into an even or an odd strip of a random ruler? Keeps L1 or L2 distances."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber
from dprivacy.hashing.hashes.linear_hash import LinearHash
from dprivacy.hashing.hashes.locality_hash import Bits, Input, Inputs, require_small
from dprivacy.hashing.hashes.public_randomness import item_words, normals, public_source, unit
from dprivacy.numbers import Floats
from dprivacy.typing import Label

_TERMS = 24  # of either series; the last is far below the last bit
_ROUNDING = 1e-14  # more than the series and their terms can be off by


@dataclass(frozen=True)
class StableProjection(LinearHash):
    """Bit j says whether the j-th projection falls into an even or an odd strip.

    The coordinates of the direction are p-stable (Cauchy for L1, normal for L2), so that the
    projections of x and z lie as far apart as ‖x − z‖ times one such variable. Strips have the given
    width and a random offset.

    Examples
    --------
    >>> H = StableProjection(16, "demo", 2, width=4.0, norm=1)
    >>> H.metric, round(H.distance([0, 0], [1, 2]), 9)
    ('manhattan', 3.0)
    """

    width: float = 1.0
    norm: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.norm, bool) or self.norm not in (1, 2):
            raise BadNumber(f"norm should be 1 or 2, not {self.norm}")
        object.__setattr__(self, "width", _read_width(self.width))

    @property
    def metric(self) -> str:
        """Manhattan or Euclidean distance."""
        return "manhattan" if self.norm == 1 else "euclidean"

    def directions(self, items: Sequence[Label]) -> Floats:
        """Independent standard Cauchy or normal variables."""
        words = item_words(self.key, f"stable projection {self.norm}", items, 2 * self.bits)
        if self.norm == 2:
            return normals(words)
        return np.asarray(np.tan(np.pi * (unit(words[:, : self.bits]) - 0.5)))

    def hash(self, values: Inputs) -> Bits:
        """The hash bits of every vector."""
        offsets = unit(public_source(self.key, "strips").words(self.bits)) * 2
        strips = np.floor(self.project(values) / self.width + offsets)
        return np.asarray(np.mod(strips, 2), dtype=np.uint8)

    def distance(self, x: Input, z: Input) -> float:
        """‖x − z‖, rounded up."""
        first, second = self.pair(x, z)
        apart = float(np.linalg.norm(first - second, ord=self.norm))
        return apart * (1 + (len(first) + 8) * 2.0**-52)

    def differing(self, x: Input, z: Input) -> float:
        """The chance of an even and an odd strip, at most 1/2; rounded up."""
        return parity_law(self.distance(x, z) / self.width, self.norm)

    def table(self, values: Inputs) -> Floats:
        """All distances."""
        from scipy.spatial.distance import cdist

        matrix, _ = self.read(values)
        require_small(matrix.shape[0])
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        kind = "cityblock" if self.norm == 1 else "euclidean"
        return np.asarray(cdist(dense, dense, kind), dtype=np.float64)


def _read_width(width: Any) -> float:
    number = isinstance(width, int | float | np.number) and not isinstance(width, bool)
    if not number or not 0 < float(width) < math.inf:
        raise BadNumber(f"width should be a number greater than 0, not {width}")
    return float(width)


def stable_projection(
    dimension: int | None = None, *, bits: int, key: str, width: float, norm: int = 2
) -> StableProjection:
    """κ stable-projection bits, which keep the Euclidean or the Manhattan distance.

    Parameters
    ----------
    dimension, bits, key
        As for `random_projection`.
    width
        The width of a strip: distances well below it are kept, much larger ones all look alike.
    norm
        2 or 1.

    Returns
    -------
    StableProjection
        A bit differs with a probability that grows with the distance, up to 1/2 (`parity_law`).

    Examples
    --------
    >>> H = stable_projection(3, bits=16, key="demo", width=4)
    >>> round(H.differing([0, 0, 0], [0, 3, 4]), 4)
    0.4998
    >>> round(H.differing([0, 0, 0], [0, 0, 1]), 4)
    0.1995
    """
    return StableProjection(bits, key, dimension, width, norm)


def parity_law(u: float, norm: int) -> float:
    """The chance that points u strips apart (times a stable variable S) fall into odd and even ones.

    With a random offset that chance is the triangle wave of u·|S|: u·|S| up to one strip, back to 0 at
    two. Its mean over S is given; never less than it is.

    Parameters
    ----------
    u
        The distance in widths, ≥ 0.
    norm
        2 for a normal S, 1 for a Cauchy one.

    Notes
    -----
    1. The wave is 1/2 − 4/π²·Σ cos(πmv)/m² over odd m, and the mean of cos(πmuS) is e^(−(πmu)²/2) for a
       normal and e^(−πmu) for a Cauchy variable: a sum that converges at once unless u is small.
    2. For a Cauchy variable the sum is Legendre's χ₂(e^(−πu)), known for every u.
    3. For a normal one and u < 1: the wave is |v| + 2·Σ_k (−1)^k·max(0, |v|−k), and the mean of
       max(0, |v|−k) is 2·(uφ(k/u) − kΦ(−k/u)).

    Examples
    --------
    >>> round(parity_law(0.01, 2) / 0.01, 4), round(math.sqrt(2 / math.pi), 4)
    (0.7979, 0.7979)
    """
    if u == 0:
        return 0.0
    if norm == 1:
        from scipy.special import spence

        z = math.exp(-math.pi * u)
        chi = (float(spence(1 - z)) - float(spence(1 + z))) / 2
        chance = 0.5 - 4 / math.pi**2 * chi
    elif u >= 1:
        odd = range(1, _TERMS, 2)
        chance = 0.5 - 4 / math.pi**2 * sum(
            math.exp(-((math.pi * m * u) ** 2) / 2) / m**2 for m in odd
        )
    else:
        chance = u * math.sqrt(2 / math.pi)
        for k in range(1, _TERMS):
            density = math.exp(-((k / u) ** 2) / 2) / math.sqrt(2 * math.pi)
            beyond = math.erfc(k / u / math.sqrt(2)) / 2
            chance += 4 * (-1) ** k * (u * density - k * beyond)
    return min(0.5, chance + _ROUNDING)
