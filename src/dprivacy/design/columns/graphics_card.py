"""The column generation's heavy arithmetic on an NVIDIA card, through CuPy.

Walks and flows are CUDA programs (`walks.cu`), compiled once on the first use; the master program is
that of `master_program`, on arrays that CuPy keeps on the card. Importing this module needs
nothing; using it needs the extra ``gpu`` and a card. What comes out is checked and proved on the
processor, as always.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np

from dprivacy.design.columns.master_program import Mixture, balanced, mixture, well_conditioned
from dprivacy.design.columns.spanning_trees import Prices, Trees
from dprivacy.errors import MissingExtra, TooLarge
from dprivacy.numbers import Floats, Whole

_THREADS = 512  # for a walk
# Bytes of fast memory for a point and for a thread of a walk, as `walks.cu` lays them out.
_POINT, _THREAD = 4 * 8 + 2 * 2 + 2, 16
_TABLES = 2  # of distances that stay on the card

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


@cache
def _program(name: str) -> Any:
    import cupy

    text = files("dprivacy.design").joinpath("walks.cu").read_text(encoding="utf-8")
    return cupy.RawModule(code=text, options=("-std=c++17",)).get_function(name)


class Card:
    """One NVIDIA card; distances stay on it between the rounds."""

    def __init__(self) -> None:
        require_card()
        self._tables: list[tuple[Floats, OnCard]] = []

    def _kept(self, table: Floats) -> OnCard:
        """A table that does not change, copied to the card at its first use."""
        import cupy

        for known, there in self._tables:
            if known is table:
                return there
        self._tables = [*self._tables[1 - _TABLES :], (table, cupy.asarray(table))]
        return self._tables[-1][1]

    def price(
        self,
        lengths: Floats,
        reduced: Floats,
        trees: Trees,
        *,
        pivots: int,
        until: float = np.inf,  # not used: all walks begin at once, and end within seconds
    ) -> Prices:
        """Walk every tree, one block of threads for each: see `spanning_trees.price`."""
        import cupy

        m, n = reduced.shape
        memory = _POINT * n + _THREAD * _THREADS
        most = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
        if memory > most:
            raise TooLarge(
                f"a walk on {n:,} points needs {memory // 1024} KiB of the card's fast memory, and it "
                f"has {most // 1024} KiB: at most {(most - _THREAD * _THREADS) // _POINT:,} points"
            )
        walk = _program("walk")
        walk.max_dynamic_shared_size_bytes = memory
        there = [cupy.asarray(a) for a in (trees.parents, trees.signs, trees.potentials)]
        ratios, taken = cupy.empty(m), cupy.empty(m, dtype=np.int64)
        walk(
            (m,),
            (_THREADS,),
            (
                self._kept(lengths),
                cupy.ascontiguousarray(cupy.asarray(reduced)),
                *there,
                ratios,
                taken,
                np.int32(n),
                np.int64(pivots),
                np.float64(1e-13),
            ),
            shared_mem=memory,
        )
        for here, walked in zip((trees.parents, trees.signs, trees.potentials), there, strict=True):
            here[:] = walked.get()
        return Prices(ratios.get(), taken.get())

    def lifted(
        self, scaled: Floats, costs: Floats, multipliers: Floats, parents: Whole, signs: Whole
    ) -> tuple[Floats, Floats]:
        """Feasible multipliers and their flows, one thread for each output: see `tree_flows.lifted`."""
        import cupy

        m, n = costs.shape
        left = cupy.asarray(costs - multipliers)
        flows = cupy.empty((m, n))
        scratch = [cupy.empty((m, n)), *(cupy.empty((m, n), dtype=np.int32) for _ in range(3))]
        _program("flow")(
            (-(-m // 32),),
            (32,),
            (
                self._kept(scaled),
                left,
                cupy.asarray(parents),
                cupy.asarray(signs),
                flows,
                *scratch,
                np.int32(n),
                np.int32(m),
            ),
        )
        return multipliers + left.min(axis=0).get(), flows.get()

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
    """`master_program.normal_equations` on the card."""
    import cupy
    from cupyx.scipy.linalg import solve_triangular

    B = A * cupy.sqrt(weights)
    S = B @ B.T
    plain = S.diagonal().copy()
    L = cupy.linalg.cholesky(S)  # not finite where it fails
    if not well_conditioned(L.diagonal(), plain):
        if not bool(cupy.isfinite(plain).all()):
            raise np.linalg.LinAlgError
        rows = B.T[cupy.argsort(-weights)]  # large rows first: each keeps its own digits
        L = cupy.linalg.qr(rows, mode="r")[: len(A)].T
        if not bool((cupy.abs(L.diagonal()) > 1e-300).all()):
            raise np.linalg.LinAlgError

    def solve(h: OnCard) -> OnCard:
        half = solve_triangular(L, h, lower=True)
        return solve_triangular(L, half, lower=True, trans="T")

    return solve
