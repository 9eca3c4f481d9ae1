"""The compiled search for minimal supports: no lists in between, for what is too long otherwise."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Whole
from dprivacy.polytope.supports.modular_ranks import Flags, bits_of_minors

_MOST_SECONDS = 300.0
_MOST_BYTES = 1 << 29
_HIGHEST_RANK = 10
_SETS_A_SECOND = 4e6
_BLOCK = 100_000


@dataclass(frozen=True)
class Search:
    """A search through the sets of vectors whose positive circuits are the minimal supports.

    `vectors` are the differences of neighbouring entries of each column: the columns balance to a
    constant exactly when these balance to 0.

    Notes
    -----
    All numbers of the search are minors of `vectors`, by expansion along their last vector: sums of
    products, without division. Hadamard's bound is the product of the lengths of the vectors.

    1. Where it is below 2^63, nothing overflows 64 bits: every minor is exact.
    2. Elsewhere the minors are known modulo 2^64 and as doubles. In a minor of order k each of the k!
       products goes through at most 1 + 2 + … + k roundings, so that the double is wrong by less than
       `slack` = r(r + 1)·2^(−53) times the product of the sums |v_1| + … + |v_r| of r vectors (half of
       that, but for terms of second order). With slack < 2^62 no sign is in doubt: a double beyond the
       slack has the right one, and else the minor is below 2^63 and its remainder is the minor itself.
    3. Where the slack would be larger, `of` gives None.

    Each vector is divided by the greatest common divisor of its entries first, which no sign sees.

    The search visits the sets of at most n − 1 vectors that are independent, with one table of signs
    for each first vector. It goes back to Python after each first pair.
    """

    vectors: Whole
    slack: float

    @classmethod
    def of(cls, columns: Sequence[Sequence[int]]) -> "Search | None":
        """The search among integer columns; None where it does not apply.

        It needs four rows or more (and not very many, for minors are numerous), numbers that are not
        too long, and room for its table.
        """
        apart = [_primitive([b - a for a, b in pairwise(column)]) for column in columns]
        count, rank = len(apart), len(apart[0])
        if not 3 <= rank <= _HIGHEST_RANK:
            return None
        slack = 0.0
        if bits_of_minors([list(row) for row in zip(*apart, strict=True)]) > 63:
            if max(abs(value) for vector in apart for value in vector) > 1 << 53:
                return None
            longest = sorted((max(1, sum(map(abs, v))) for v in apart), reverse=True)[:rank]
            wrong = (rank * (rank + 1) * math.prod(longest) >> 53) + 1
            if wrong >= 1 << 62:
                return None
            slack = math.nextafter(float(wrong), math.inf)
        found = cls(np.array(apart, dtype=np.int64), slack)
        return found if 16 * math.comb(count - 1, rank - 2) * found.words <= _MOST_BYTES else None

    @property
    def words(self) -> int:
        """How many words hold a bit for each vector."""
        return -(-len(self.vectors) // 64)

    @property
    def sets(self) -> int:
        """How many sets there are to look at."""
        count, rank = self.vectors.shape
        return math.comb(count, rank)

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return self.sets / _SETS_A_SECOND

    @property
    def short(self) -> bool:
        """Whether that is a matter of minutes."""
        return self.seconds <= _MOST_SECONDS

    @staticmethod
    def installed() -> bool:
        """Whether the compiler is there; it comes with the extra `fast`."""
        return find_spec("numba") is not None

    def supports(self, progress: Callable[[int, int], None] | None = None) -> Iterator[Flags]:
        """The minimal supports as rows of flags, in blocks, in lexicographic order."""
        waiting: list[Flags] = []
        for part in self._parts(progress):
            waiting.append(part)
            if sum(map(len, waiting)) >= _BLOCK:
                yield np.concatenate(waiting)
                waiting = []
        if waiting:
            yield np.concatenate(waiting)

    def _parts(self, progress: Callable[[int, int], None] | None) -> Iterator[Flags]:
        from dprivacy.polytope.supports.positive_circuits import fill, search

        count, rank = self.vectors.shape
        choose = np.array(
            [[math.comb(a, k) for k in range(rank + 1)] for a in range(max(count, rank + 1))],
            dtype=np.int64,
        )
        masks = np.zeros((rank + 1, int(choose[rank].max())), dtype=np.int64)
        for k in range(rank + 1):
            of_size = [mask for mask in range(1 << rank) if mask.bit_count() == k]
            masks[k, : len(of_size)] = of_size
        places = np.zeros((1024, rank + 1), dtype=np.int32)
        sizes = np.zeros(1024, dtype=np.int32)
        done = 0
        for first in range(count):
            if not self.vectors[first].any():
                yield np.eye(1, count, first, dtype=bool)
                continue
            rows = math.comb(count - 1 - first, rank - 2)
            table = np.zeros((rows, 2, self.words), dtype=np.int64)
            fill(first, self.vectors, self.slack, masks, choose, table)
            for second in range(first + 1, count):
                given = (first, second, self.vectors, self.slack, masks, choose, table)
                while (found := search(*given, places, sizes)) > len(places):
                    places = np.zeros((2 * found, rank + 1), dtype=np.int32)
                    sizes = np.zeros(2 * found, dtype=np.int32)
                if found:
                    yield _flags(places[:found], sizes[:found], count)
                done += math.comb(count - 1 - second, rank - 2)
                if progress is not None:
                    progress(done, self.sets)


def _primitive(vector: Sequence[int]) -> list[int]:
    common = math.gcd(*vector) or 1
    return [value // common for value in vector]


def _flags(places: NDArray[np.int32], sizes: NDArray[np.int32], count: int) -> Flags:
    flags: Flags = np.zeros((len(places), count), dtype=bool)
    kept = np.arange(places.shape[1]) < sizes[:, None]
    flags[np.repeat(np.arange(len(places)), sizes), places[kept]] = True
    return flags
