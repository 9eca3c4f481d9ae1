"""Exact linear algebra over the rationals (python-flint), and its float counterpart."""

from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import NotInvertible
from dprivacy.numbers.matrices import Mat


def to_flint(matrix: Mat) -> Any:
    """An exact Mat as flint's fmpq_mat."""
    from flint import fmpq, fmpq_mat, fmpz_mat

    return fmpq_mat(fmpz_mat(matrix.entries.tolist())) * fmpq(1, matrix.den)


def from_flint(matrix: Any) -> Mat:
    """flint's fmpq_mat as a Mat."""
    numerators, den = matrix.numer_denom()
    return Mat.over(int(den), numerators.tolist())


def fraction_of(value: Any) -> Fraction:
    """flint's fmpq, which is in lowest terms, as a Fraction; no time is spent on finding them again."""
    made = object.__new__(Fraction)
    made._numerator, made._denominator = int(value.p), int(value.q)  # type: ignore[attr-defined]
    return made


def rank(matrix: Mat) -> int:
    """The rank: exact for exact entries, numpy's numerical rank for floats."""
    if matrix.exact:
        return int(to_flint(matrix).rank())
    return int(np.linalg.matrix_rank(matrix.entries))


def inverse(matrix: Mat) -> Mat:
    """The inverse of a square matrix; NotInvertible when there is none."""
    n, m = matrix.shape
    if n != m:
        raise NotInvertible(f"a {n}×{m} matrix is not square, so it has no inverse")
    if rank(matrix) < n:
        raise NotInvertible(f"the matrix has rank {rank(matrix)}, less than its size {n}")
    if not matrix.exact:
        return Mat(np.linalg.inv(matrix.entries))
    return from_flint(to_flint(matrix).inv())


def solve(matrix: Mat, right: Mat) -> Mat:
    """X with matrix·X = right, for an invertible square matrix."""
    matrix._require_same(right)
    if not matrix.exact:
        try:
            return Mat(np.linalg.solve(matrix.entries, right.entries))
        except np.linalg.LinAlgError:
            raise NotInvertible(f"the matrix of the system, {matrix}, is singular") from None
    try:
        return from_flint(to_flint(matrix).solve(to_flint(right)))
    except ZeroDivisionError:
        raise NotInvertible(f"the matrix of the system, {matrix}, is singular") from None


def null_space(matrix: Mat) -> Mat:
    """A basis of {v : matrix·v = 0}, one vector a row (no rows when only 0 solves it)."""
    if not matrix.exact:
        _, sizes, directions = np.linalg.svd(matrix.entries)
        threshold = (sizes.max() if sizes.size else 0.0) * max(matrix.shape) * np.finfo(float).eps
        return Mat(directions[int((sizes > threshold).sum()) :])
    reduced, found = to_flint(matrix).rref()
    table = reduced.tolist()
    columns = matrix.shape[1]
    pivots = [next(j for j in range(columns) if table[i][j] != 0) for i in range(int(found))]
    basis = []
    for free in (j for j in range(columns) if j not in set(pivots)):
        vector = [Fraction(0)] * columns
        vector[free] = Fraction(1)
        for i, pivot in enumerate(pivots):
            entry = table[i][free]
            vector[pivot] = -fraction_of(entry)
        basis.append(vector)
    return Mat.of(basis) if basis else Mat(np.empty((0, columns), dtype=object))
