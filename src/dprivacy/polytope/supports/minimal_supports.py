"""Minimal supports: the ways to balance integer columns with positive weights, none to spare.

Kernels are the vertices of {w ≥ 0 : V·w = 1}, where the columns of V are the vertices of the private
cone. Up to scale these are the extreme rays of {w ≥ 0 : D·w = 0}, where D holds the differences of the
rows of V: positive dependencies of which no part is one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge
from dprivacy.polytope.cones.private_cone import Column
from dprivacy.polytope.supports.compiled_search import Search
from dprivacy.polytope.supports.modular_ranks import Flags, FullRank

Progress = Callable[[int, int], None]
Index = NDArray[np.intp]

MOST_PAIRS = 1_000_000_000  # about ten seconds
MOST_VERTICES = 1000
_PAIRS_A_SECOND = 1e8
_BLOCK = 8_000_000


def minimal_supports(
    columns: Sequence[Sequence[int]],
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Iterator[Flags]:
    """The supports of the vertices of {w ≥ 0 : Σ_j w_j·v_j = 1}, in blocks of rows of flags.

    Parameters
    ----------
    columns
        Distinct integer vectors v_j ≥ 0, none of them zero.
    force
        Go on although the estimate is long.
    progress
        Called with (done, all) of the pairs of the last step, or of the sets of the search, from time
        to time.

    Notes
    -----
    1. Begin with the rays of the orthant {w ≥ 0}, one a column. A ray is its support and its values
       on the equations D_1·w = 0, …, D_(n−1)·w = 0 that are still to come.
    2. Take the equation with the fewest pairs of a positive and a negative ray. Rays of value 0 stay.
       An adjacent pair gives one new ray on the hyperplane; its support is the union.
    3. After k equations, adjacency means that the union has k + 1 columns or fewer and that they have
       but one dependency: rank (size − 1), exactly (`FullRank`).
    4. How much two supports share, for all pairs of a block, is one product of 0/1 matrices.
    5. The last equation's rays are handed out as they are found and not stored.

    Each support arises from exactly one pair, so that nothing is found twice. The cost is the product
    of positive and negative rays in the last step. Where that is too long, the compiled search takes
    over (`Search`), if the extra `fast` is installed: the same supports, in another order.
    """
    table = np.array([list(column) for column in columns], dtype=object).T
    differences = table[1:] - table[0]
    steps, count = differences.shape
    supports: Flags = np.eye(count, dtype=bool)
    values = _smallest_type(differences.T.copy())
    if steps == 0:
        yield supports
        return
    remaining = list(range(steps))
    taken: list[int] = []
    grew = 1.0
    while remaining:
        best = _fewest_pairs(values)
        taken.append(remaining.pop(best))
        here = values[:, best]
        values = np.delete(values, best, axis=1)
        last = not remaining
        positive, negative = np.flatnonzero(here > 0), np.flatnonzero(here < 0)
        if len(positive) * len(negative) > MOST_PAIRS:
            search = Search.of(columns)
            if search is not None and search.installed() and (force or search.short):
                yield from search.supports(progress)
                return
            if not force:
                pairs = len(positive) * len(negative)
                raise _refusal(supports, pairs, len(remaining), grew, search)
        zero = np.flatnonzero(here == 0)
        found: list[tuple[Flags, NDArray[Any]]] = [(supports[zero], values[zero])]
        if last:
            yield supports[zero]
        test = FullRank(differences[taken])
        tell = progress if last else None
        for i, j, union in _adjacent(supports, positive, negative, len(taken) + 1, test, tell):
            if last:
                yield union
            else:
                found.append((union, _combined(values, here, i, j)))
        if not last:
            before = len(supports)
            supports = np.concatenate([s for s, _ in found])
            values = _smallest_type(np.concatenate([v.astype(object) for _, v in found]))
            grew = max(1.0, len(supports) / before)


def balancing(columns: Sequence[Column]) -> tuple[Column, int]:
    """Whole weights w > 0 without a common factor, and t, with Σ_j w_j·v_j = t in every place.

    The columns must have exactly one such balance, as those of a minimal support do.
    """
    from flint import fmpz_mat

    if len(columns) == 1:
        return (1,), columns[0][0]
    rows = [[column[i] - column[0] for column in columns] for i in range(1, len(columns[0]))]
    basis, _ = fmpz_mat(rows).nullspace()
    vector = [int(basis[j, 0]) for j in range(len(columns))]
    common = math.gcd(*vector) * (-1 if vector[0] < 0 else 1)
    weights = tuple(value // common for value in vector)
    total = sum(w * column[0] for w, column in zip(weights, columns, strict=True))
    return weights, total


def _adjacent(
    supports: Flags,
    positive: Index,
    negative: Index,
    most: int,
    test: FullRank,
    progress: Progress | None,
) -> Iterator[tuple[Index, Index, Flags]]:
    """The adjacent pairs of a positive and a negative ray: (positive, negative, union of supports)."""
    sizes = supports.sum(axis=1)
    done, total = 0, len(positive) * len(negative)
    for a in np.unique(sizes[positive]):
        above = positive[sizes[positive] == a]
        for b in np.unique(sizes[negative]):
            below = negative[sizes[negative] == b]
            right = supports[below].T.astype(np.float32)
            for start in range(0, len(above), max(1, _BLOCK // len(below))):
                block = above[start : start + max(1, _BLOCK // len(below))]
                shared = supports[block].astype(np.float32) @ right
                i, j = np.divmod(np.flatnonzero(shared >= a + b - most), len(below))
                if i.size:
                    yield from _confirmed(supports, block[i], below[j], test)
                done += len(block) * len(below)
                if progress is not None:
                    progress(done, total)


def _confirmed(
    supports: Flags, i: Index, j: Index, test: FullRank
) -> Iterator[tuple[Index, Index, Flags]]:
    """Those pairs whose union has exactly one dependency."""
    for start in range(0, len(i), 200_000):
        first, second = i[start : start + 200_000], j[start : start + 200_000]
        union = supports[first] | supports[second]
        sizes = union.sum(axis=1)
        for size in np.unique(sizes):
            of_size = np.flatnonzero(sizes == size)
            columns = np.nonzero(union[of_size])[1].reshape(len(of_size), int(size))
            kept = of_size[test.reached(columns, int(size) - 1)]
            if kept.size:
                yield first[kept], second[kept], union[kept]


def _combined(values: NDArray[Any], here: NDArray[Any], i: Index, j: Index) -> NDArray[Any]:
    """The values of the rays where pairs cross the hyperplane, without common factors."""
    up, down = values[i], values[j]
    largest = int(abs(values).max()) * int(abs(here).max()) if values.size else 0
    plus, minus = here[i][:, None], -here[j][:, None]
    if largest >= 1 << 61:
        up, down, plus, minus = (part.astype(object) for part in (up, down, plus, minus))
    mixed: NDArray[Any] = up * minus + down * plus
    if not mixed.size:
        return mixed
    common = abs(np.gcd.reduce(mixed, axis=1))  # of one entry, the reduction keeps the sign
    common[common == 0] = 1
    return np.asarray(mixed // common[:, None])


def _smallest_type(values: NDArray[Any]) -> NDArray[Any]:
    """As int64 when they fit with room to spare, else Python integers."""
    largest = max((abs(v) for v in values.ravel().tolist()), default=0)
    return values.astype(np.int64) if largest < 1 << 62 else values


def _fewest_pairs(values: NDArray[Any]) -> int:
    return int(((values > 0).sum(axis=0) * (values < 0).sum(axis=0)).argmin())


def _refusal(
    supports: Flags, pairs: int, left: int, grew: float, search: Search | None
) -> TooLarge:
    expected = len(supports) * grew ** (left + 1)
    seconds = pairs / _PAIRS_A_SECOND * grew ** (2 * left)
    compiled = ""
    if search is not None and search.installed():
        seconds = search.seconds
    elif search is not None:
        compiled = (
            f" (compiled code needs about {_duration(search.seconds)}: "
            "pip install 'dprivacy[fast]')"
        )
    return TooLarge(
        f"there are {supports.shape[1]:,} vertices, and after all but {left + 1} of the equations "
        f"already {len(supports):,} minimal supports; at this rate about 10^{math.log10(expected):.0f} "
        f"would come out, after about {_duration(seconds)}{compiled}; pass force=True to go on "
        "nevertheless"
    )


def too_many_vertices(how_many: str) -> TooLarge:
    """The refusal of a space with very many vertices."""
    return TooLarge(
        f"{how_many}, too many to list all kernels; pass force=True to try nevertheless, or decompose "
        "the one channel you have"
    )


def _duration(seconds: float) -> str:
    for size, unit in ((86400 * 365, "years"), (86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} seconds"
