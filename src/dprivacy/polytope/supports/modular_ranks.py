"""Ranks of many small integer matrices at once, exactly, by elimination modulo primes.

The rank modulo a prime is never larger than the rank, and is smaller only if the prime divides every
largest non-zero minor. So a rank that is reached is proved; a rank that is not reached modulo primes
whose product exceeds Hadamard's bound on the minors is refuted.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Whole

Flags = NDArray[np.bool_]

_FIRST = 2_147_483_629  # below 2^31, so that products of residues fit in 63 bits


class FullRank:
    """Which sets of columns of one integer matrix have a wanted rank.

    Parameters
    ----------
    matrix
        Integers (int64 or Python integers), rows by columns.
    """

    def __init__(self, matrix: NDArray[Any]) -> None:
        rows = matrix.tolist()
        bits = bits_of_minors(rows)
        self.residues: list[tuple[int, Whole]] = []
        shape = (len(rows), matrix.shape[1])
        for prime in _primes():
            reduced = np.array([[v % prime for v in row] for row in rows], dtype=np.int64)
            self.residues.append((prime, reduced.reshape(shape)))
            bits -= prime.bit_length() - 1
            if bits <= 0:
                break

    def reached(self, columns: NDArray[np.intp], wanted: int) -> Flags:
        """For each row of `columns` (a set of columns), whether their rank is at least `wanted`."""
        reached = np.zeros(len(columns), dtype=bool)
        for prime, residues in self.residues:
            left = np.flatnonzero(~reached)
            if not left.size:
                break
            chosen = residues[:, columns[left]].transpose(1, 0, 2)
            reached[left] = _ranks(chosen, prime) >= wanted
        return reached


def _ranks(matrices: Whole, prime: int) -> Whole:
    """The rank of each matrix modulo a prime, by elimination without division."""
    count, rows, columns = matrices.shape
    matrices = matrices.copy()
    ranks = np.zeros(count, dtype=np.int64)
    free = np.ones((count, rows), dtype=bool)  # rows that are not pivots yet
    each = np.arange(count)
    for j in range(columns):
        column = matrices[:, :, j]
        usable = (column != 0) & free
        at = usable.argmax(axis=1)
        found = usable[each, at]
        ranks += found
        pivots = matrices[each, at]
        free[each[found], at[found]] = False
        if j + 1 == columns:
            break
        rest = matrices[:, :, j + 1 :]
        cleared = (
            rest * pivots[:, None, j, None] - pivots[:, None, j + 1 :] * column[:, :, None]
        ) % prime
        change = (found[:, None] & free)[:, :, None]
        matrices[:, :, j + 1 :] = np.where(change, cleared, rest)
    return ranks


def bits_of_minors(rows: list[list[int]]) -> int:
    """A bound on the bits of any minor: Hadamard's, on as many of the longest columns as rows."""
    columns = sorted(
        (sum(v * v for v in column) for column in zip(*rows, strict=True)), reverse=True
    )
    bound: int = math.prod(max(square, 1) for square in columns[: len(rows)])
    return bound.bit_length() // 2 + 1


def _primes() -> Iterator[int]:
    """Primes from 2^31 downwards, proved by trial division."""
    candidate = _FIRST
    while True:
        if all(candidate % q for q in range(3, math.isqrt(candidate) + 1, 2)):
            yield candidate
        candidate -= 2
