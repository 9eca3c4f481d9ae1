"""Geometric and discrete Laplace noise with exactly the stated law."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadLevel, BadNumber
from dprivacy.numbers import Frozen, Level, as_eps
from dprivacy.sampling.geometric_digits import BASE, GeometricDigit
from dprivacy.sampling.random_source import Source, read_count
from dprivacy.sources import result
from dprivacy.typing import LevelLike

_LARGEST = 1 << 12
_TAIL = 16  # a digit with a tail below e^−16 beyond 254 may be the last
_CHUNK = 1 << 15


@result("T", "Eq 7.4")
class DiscreteLaplace(Frozen):
    """Integer noise with P(z) = (1 − q)/(1 + q)·q^|z|, q = e^(−level), to the last digit.

    Added to an integer, it is private for level·|x − x'|: the geometric mechanism.

    Parameters
    ----------
    level
        Any exact level from 2^−40 to 2^12: 1/10, ln 2, (ln 2)/10, √2·ln 3, …
    bits
        Bits of a random word that are used for a digit, 9 to 64. Fewer give a twin with the same
        law that is small enough to be checked on every word.

    Raises
    ------
    BadLevel
        If the level is outside its range.

    Notes
    -----
    1. A geometric number G, P(g) = (1 − q)·q^g, has independent digits in any base b: as
       q^g = Π q^(b^i·d_i), digit i has P(d) in proportion to Q^d with Q = q^(b^i), d < b.
    2. In base 255 each digit is drawn from a table of 256 columns with one word; the first digit
       whose tail beyond 254 is below e^−16 is left unbounded, and is the last.
    3. The difference of two independent G is the discrete Laplace:
       (1 − q)²·Σ_g q^(2g + |z|) = (1 − q)/(1 + q)·q^|z|. Nothing is rejected.

    The law lives on all integers. A number that does not fit 64 bits raises OverflowError; its
    probability is at most e^(−2^23) at every allowed level.

    Examples
    --------
    >>> from dprivacy.numbers import ln
    >>> from dprivacy.sampling import DiscreteLaplace, SystemSource
    >>> noise = DiscreteLaplace(ln(2) / 10).draw(5, SystemSource())
    >>> noise.dtype, noise.shape
    (dtype('int64'), (5,))
    >>> bool((DiscreteLaplace(ln(2)).geometric(5, SystemSource()) >= 0).all())
    True
    """

    level: Level
    digits: tuple[GeometricDigit, ...]

    def __init__(self, level: LevelLike, *, bits: int = 64) -> None:
        rate = read_level(level, smallest=40)
        if not 8 < bits <= 64:
            raise BadNumber(f"digits need words of 9 to 64 bits, not {bits}")
        self._set(level=rate)
        digits: list[GeometricDigit] = []
        top = False
        while not top:
            top = rate * BASE > _TAIL
            digits.append(GeometricDigit(rate, top=top, bits=bits))
            rate = rate * BASE
        self._set(digits=tuple(digits))

    def geometric(self, n: int, source: Source) -> NDArray[np.int64]:
        """Draw n independent numbers with P(g) = (1 − q)·q^g, g ≥ 0."""
        total = np.zeros(read_count(n), dtype=np.int64)
        for start in range(0, n, _CHUNK):
            place = 1
            for digit in self.digits:
                digit.add_to(total[start : start + _CHUNK], place, source)
                place *= BASE
        return total

    def draw(self, n: int, source: Source) -> NDArray[np.int64]:
        """Draw n independent numbers with P(z) = (1 − q)/(1 + q)·q^|z|."""
        noise = np.empty(read_count(n), dtype=np.int64)
        for start in range(0, n, _CHUNK):
            here = noise[start : start + _CHUNK]
            np.subtract(
                self.geometric(here.size, source), self.geometric(here.size, source), out=here
            )
        return noise

    def __repr__(self) -> str:
        return f"DiscreteLaplace({self.level})"


def read_level(level: LevelLike, *, smallest: int) -> Level:
    """A level per step from 2^−smallest to 2^12, for noise whose integers fit 64 bits."""
    read = as_eps(level)
    if read < Fraction(1, 1 << smallest):
        raise BadLevel(
            f"a level of {float(read):.3g} a step is below 2^-{smallest}, where the noise may not fit "
            "64 bits; use a coarser grid: a step twice as wide doubles the level per step"
        )
    if read > _LARGEST:
        raise BadLevel(
            f"a level of {read} per step is above 2^12, where the noise is never seen; "
            "use a finer grid: half the step halves the level per step"
        )
    return read
