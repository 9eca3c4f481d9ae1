"""The column generation's master program on an NVIDIA card, through CuPy.

It is that of `master_program`, on arrays that CuPy keeps on the card. Importing this module needs
nothing; using it needs the extra ``gpu`` and a card. What comes out is checked and proved on the
processor, as always.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from dprivacy.design.master.master_program import Mixture, balanced, mixture
from dprivacy.design.master.normal_equations import Walled, well_conditioned, without_walls
from dprivacy.errors import MissingExtra
from dprivacy.numbers import Floats

OnCard = Any  # an array of CuPy's


def require_card() -> None:
    """Raise MissingExtra where CuPy or a card is missing."""
    if find_spec("cupy") is None:
        raise MissingExtra(
            "device='gpu' needs CuPy; install it with pip install 'dprivacy[gpu]', or leave the "
            "device out"
        )
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount():
            return
        why = "there is none"
    except (ImportError, RuntimeError) as error:  # CUDA's errors are RuntimeErrors
        why = str(error).partition("\n")[0]
    raise MissingExtra(f"device='gpu' needs an NVIDIA card that CUDA can use: {why}")


class Card:
    """The master program's arithmetic on one NVIDIA card."""

    def __init__(self) -> None:
        require_card()

    def mixture(
        self, A: Floats, q: Floats, gap: float, weights: Floats, multipliers: Floats
    ) -> Mixture:
        """Mix the columns: see `master_program.mixture`."""
        import cupy

        there = cupy.asarray
        found = mixture(there(A), there(q), gap, there(weights), there(multipliers), solver=_solver)
        here = cupy.asnumpy
        return Mixture(here(found.weights), here(found.multipliers), found.sound)

    def balanced(self, A: Floats, x: Floats) -> Floats:
        """Bring the rows to sums of 1: see `master_program.balanced`."""
        import cupy

        return np.asarray(cupy.asnumpy(balanced(cupy.asarray(A), cupy.asarray(x), solver=_solver)))


def _solver(A: OnCard, weights: OnCard) -> Callable[[OnCard], OnCard]:
    """`normal_equations.normal_equations` on the card."""
    import cupy
    from cupyx.scipy.linalg import solve_triangular

    inner, own, walls = without_walls(A, weights)
    B = inner * cupy.sqrt(own)
    S = B @ B.T
    at = cupy.arange(len(S))
    S[at, at] += walls
    plain = S.diagonal().copy()
    L = cupy.linalg.cholesky(S)  # not finite where it fails
    if not well_conditioned(L.diagonal(), plain):
        if not bool(cupy.isfinite(plain).all()):
            raise np.linalg.LinAlgError
        B = (A.whole() if isinstance(A, Walled) else A) * cupy.sqrt(weights)
        rows = B.T[cupy.argsort(-weights)]  # large rows first: each keeps its own digits
        L = cupy.linalg.qr(rows, mode="r")[: len(A)].T
        if not bool((cupy.abs(L.diagonal()) > 1e-300).all()):
            raise np.linalg.LinAlgError

    def solve(h: OnCard) -> OnCard:
        half = solve_triangular(L, h, lower=True)
        return solve_triangular(L, half, lower=True, trans="T")

    return solve
