"""The equations of a step of the master program, and columns ±1 for every row that take no room."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.numbers import Floats

_DIGITS = 1e-11  # what elimination may leave of a diagonal entry
_BLOCK = 256  # rows of a block of products
_WORTH_THREADS = 500  # rows

Solve = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Walled:
    """A matrix with a column of 1 and one of −1 for each row beside it; any library's arrays.

    With those every row may miss its sum, at what the columns cost. In the normal equations they add to
    the diagonal alone.
    """

    inner: Any

    def __len__(self) -> int:
        return len(self.inner)

    def __matmul__(self, x: Any) -> Any:
        rows, columns = self.inner.shape
        return self.inner @ x[:columns] + x[columns : columns + rows] - x[columns + rows :]

    @property
    def T(self) -> "_Across":  # noqa: N802  # NumPy's name
        """What multiplies from the other side."""
        return _Across(self.inner)

    def whole(self) -> Any:
        """The matrix with all its columns."""
        one = np.zeros_like(self.inner, shape=2 * self.inner.shape[:1])  # CuPy has no `eye(like=)`
        np.fill_diagonal(one, 1.0)
        return np.hstack([self.inner, one, -one])


@dataclass(frozen=True, eq=False)
class _Across:
    inner: Any

    def __matmul__(self, v: Any) -> Any:
        return np.concatenate([self.inner.T @ v, v, -v])


def without_walls(A: Any, weights: Any) -> tuple[Any, Any, Any]:
    """The matrix inside, the weights of its columns, and what the others add to the diagonal."""
    if not isinstance(A, Walled):
        return A, weights, 0.0
    rows, columns = A.inner.shape
    walls = weights[columns:]
    return A.inner, weights[:columns], walls[:rows] + walls[rows:]


def normal_equations(A: Any, weights: Floats) -> Solve:
    """What solves (A·diag(weights)·Aᵀ)·v = h.

    By Cholesky's factorisation where that keeps enough digits, otherwise by an orthogonal one, which
    squares no condition number and costs four times as much. The mixture is short of digits when it
    uses fewer columns than there are rows, as at small ε.
    """
    from scipy.linalg import cho_factor, cho_solve, qr, solve_triangular

    inner, own, walls = without_walls(A, weights)
    S = _squares(inner * np.sqrt(own))
    at = np.arange(len(S))
    S[at, at] += walls
    plain = S.diagonal().copy()
    try:
        factor = cho_factor(S, lower=True, overwrite_a=True, check_finite=False)
        if well_conditioned(factor[0].diagonal(), plain):
            return lambda h: np.asarray(cho_solve(factor, h, check_finite=False))
    except np.linalg.LinAlgError:
        pass
    if not np.isfinite(plain).all():
        raise np.linalg.LinAlgError
    B = (A.whole() if isinstance(A, Walled) else A) * np.sqrt(weights)
    rows = B.T[np.argsort(-weights, kind="stable")]  # large rows first: each keeps its own digits
    R = qr(rows, mode="r", overwrite_a=True, check_finite=False)[0][: len(A)]
    if not (np.abs(R.diagonal()) > 1e-300).all():
        raise np.linalg.LinAlgError

    def solve(h: Floats) -> Floats:
        half = solve_triangular(R, h, trans="T", check_finite=False)
        return np.asarray(solve_triangular(R, half, check_finite=False))

    return solve


def _squares(B: Floats) -> Floats:
    """The lower half of B·Bᵀ.

    Blocks of it are shared out among threads of our own. Those of BLAS wait for each other by turning
    round, and on a machine with other work to do that costs more than the products.
    """
    from scipy.linalg.blas import dsyrk

    n = len(B)
    if n < _WORTH_THREADS:
        return np.asarray(dsyrk(1.0, B, lower=1))
    S = np.zeros((n, n), order="F")

    def block(first: int) -> None:
        rows = slice(first, first + _BLOCK)
        S[first:, rows] = B[first:] @ B[rows].T

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(block, range(0, n, _BLOCK)))
    return S


def well_conditioned(diagonal: Floats, plain: Floats) -> bool:
    """Whether a factor's diagonal shows that elimination left enough of the matrix's; not for NaN."""
    return bool((diagonal**2 > _DIGITS * plain).all())
