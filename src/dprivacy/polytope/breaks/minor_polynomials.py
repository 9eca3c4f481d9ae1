"""All minors of a configuration of vectors with polynomial entries, exactly, and which are the same.

The vectors are differences of the vertices b^g as polynomials in b. A polynomial of degree below T
whose coefficients are smaller than p/2 in size is known from its values at T points modulo the prime p.
So the minors are computed as T small numbers each, by one expansion for all of them, and are the same
exactly when those numbers are.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Coefficients, Whole

Levels = tuple[int, ...]
Values = NDArray[Any]

_STEP = 16_000  # minors at a time, so that their values stay in the processor's cache
_BLOCK = 400_000


@dataclass(frozen=True)
class Configuration:
    """Vectors with polynomial entries: the differences of b^g along the edges of a tree.

    `entries[j][i]` has the coefficients, the constant first, of entry i of vector j, divided by b − 1
    and by the largest power of b that divides the whole vector.
    """

    entries: tuple[tuple[Coefficients, ...], ...]

    @classmethod
    def of(cls, levels: Sequence[Levels], tree: Sequence[tuple[int, int]]) -> "Configuration":
        """The differences of b^g along the edges of a tree, for functions g."""
        vectors = []
        for g in levels:
            steps = [(min(g[x], g[y]), g[y] - g[x]) for x, y in tree]
            least = min(low for low, rise in steps if rise)
            vectors.append(
                tuple(
                    (0,) * (low - least) + (1 if rise > 0 else -1,) * abs(rise) if rise else ()
                    for low, rise in steps
                )
            )
        return cls(tuple(vectors))

    @property
    def count(self) -> int:
        """How many vectors there are."""
        return len(self.entries)

    @property
    def rank(self) -> int:
        """How many entries a vector has."""
        return len(self.entries[0])

    @property
    def minors(self) -> int:
        """How many minors of full rank there are."""
        return math.comb(self.count, self.rank)

    @cached_property
    def points(self) -> int:
        """T: one more than the degree that no minor exceeds."""
        degrees = sorted((max(map(len, vector)) - 1 for vector in self.entries), reverse=True)
        return sum(degrees[: self.rank]) + 1

    @cached_property
    def prime(self) -> int:
        """p: more than twice the largest coefficient that a minor can have, and more than T."""
        terms = [max(len(v[i]) - v[i].count(0) for v in self.entries) for i in range(self.rank)]
        candidate = 2 * math.factorial(self.rank) * math.prod(max(t, 1) for t in terms) + 1
        candidate = max(candidate, self.points + 1, 3)
        while any(candidate % q == 0 for q in range(2, math.isqrt(candidate) + 1)):
            candidate += 1
        return candidate

    @cached_property
    def _small(self) -> tuple[Any, Any]:
        """The types that hold residues and sums of products of them."""
        short = self.prime < 1 << 15 and self.rank * self.prime**2 < 1 << 31
        return (np.int16, np.int32) if short else (np.int64, np.int64)

    def blocks(self) -> Iterator[Values]:
        """The values of all minors, in blocks; sets of vectors are in colexicographic order."""
        waiting: list[Values] = []
        for part in self._parts():
            waiting.append(part)
            if sum(map(len, waiting)) >= _BLOCK:
                yield np.concatenate(waiting)
                waiting = []
        if waiting:
            yield np.concatenate(waiting)

    def _parts(self) -> Iterator[Values]:
        kept, wide = self._small
        p, at = self.prime, range(1, self.points + 1)
        value = [
            [[sum(c * x**k for k, c in enumerate(e)) % p for x in at] for e in v]
            for v in self.entries
        ]
        table = np.array(value, dtype=wide)
        before = table[:, 0].astype(kept)
        if self.rank == 1:
            yield before
            return
        for k in range(2, self.rank + 1):
            level = self._expanded(table[:, k - 1], before, k)
            if k == self.rank:
                yield from level
            else:
                before = np.concatenate(list(level))

    def _expanded(self, row: Values, before: Values, k: int) -> Iterator[Values]:
        """Minors of order k along their last row, from those of order k − 1."""
        kept, _ = self._small
        choose = chosen_table(self.count, k)
        smaller = subsets(self.count - 1, k - 1)
        for last in range(k - 1, self.count):
            for start in range(0, math.comb(last, k - 1), _STEP):
                sets = smaller[start : min(start + _STEP, math.comb(last, k - 1))]
                total = row[last] * before[start : start + len(sets)]
                for i in range(k - 1):
                    without = np.full(len(sets), choose[last, k - 1])
                    for j in range(k - 1):
                        if j != i:
                            without += choose[sets[:, j], j + 1 if j < i else j]
                    part = row[sets[:, i]]
                    part *= before[without]
                    if (k - 1 - i) % 2:
                        total -= part
                    else:
                        total += part
                yield (total % self.prime).astype(kept)

    def polynomials(self, values: Values) -> list[tuple[Coefficients, int]]:
        """The polynomials that have these values, as far as signs for b > 1 go.

        Each is divided by its power of b and by ±1, so that constant and leading coefficient are not 0
        and the latter is positive; with that sign. The polynomial 0 has no coefficients and the sign 0.
        """
        p, T = self.prime, self.points
        wide = object if T * p * p >= 1 << 63 else np.int64
        found = values.astype(wide) @ _inverse_of_powers(T, p).astype(wide) % p
        return [_normal(row) for row in np.where(found > p // 2, found - p, found).tolist()]


def _normal(row: list[int]) -> tuple[Coefficients, int]:
    used = [k for k, c in enumerate(row) if c]
    if not used:
        return (), 0
    sign = 1 if row[used[-1]] > 0 else -1
    return tuple(sign * c for c in row[used[0] : used[-1] + 1]), sign


def _inverse_of_powers(T: int, p: int) -> NDArray[Any]:
    """The matrix that makes coefficients of values at 1, …, T, modulo p."""
    from flint import nmod_mat

    powers = nmod_mat(T, T, [pow(x, k, p) for k in range(T) for x in range(1, T + 1)], p)
    inverse = powers.inv()
    return np.array([[int(inverse[i, j]) for j in range(T)] for i in range(T)], dtype=np.int64)


@dataclass(frozen=True)
class Distinct:
    """Rows that are pairwise different up to sign; `of[m]` and `sign[m]` say which one row m was."""

    rows: Values
    of: Whole
    sign: NDArray[np.int8]


def distinct(values: Values, p: int) -> Distinct:
    """The rows of residues that are different, where a row and its negative are the same.

    Notes
    -----
    Rows are sorted by a 64-bit number made of them, and each is then compared with the one that it
    is taken to be. Should two different rows ever have the same number, another one is tried.
    """
    first = values[np.arange(len(values)), (values != 0).argmax(axis=1)]
    turned = first > p // 2
    values = np.where(turned[:, None], (p - values) % p, values).astype(values.dtype)
    multiplier = 0x9E3779B97F4A7C15
    while True:
        weights = [pow(multiplier, k + 1, 1 << 64) for k in range(values.shape[1])]
        marks = values.astype(np.int64).view(np.uint64) @ np.array(weights, dtype=np.uint64)
        _, index, inverse = np.unique(marks, return_index=True, return_inverse=True)
        rows = values[index]
        if np.array_equal(rows[inverse], values):
            sign = np.where(turned, -1, 1).astype(np.int8)
            return Distinct(rows, inverse.astype(np.int64), sign)
        multiplier += 2


def subsets(count: int, k: int) -> NDArray[np.int64]:
    """All sets of k numbers below `count`, rising, one a row, in colexicographic order."""
    found = np.zeros((1, 0), dtype=np.int64)
    for size in range(1, k + 1):
        parts = []
        for last in range(size - 1, count - (k - size)):
            head = found[: math.comb(last, size - 1)]
            parts.append(np.hstack([head, np.full((len(head), 1), last, dtype=np.int64)]))
        found = np.concatenate(parts)
    return found


def chosen_table(count: int, k: int) -> Whole:
    """Binomial coefficients: entry (a, j) is a over j."""
    return np.array(
        [[math.comb(a, j) for j in range(k + 2)] for a in range(count + 1)], dtype=np.int64
    )
