"""The post-processing of A nearest to B, entry by entry: a linear program that ends in a corner."""

from dataclasses import dataclass

import numpy as np

from dprivacy.numbers import Floats, Sparse, solve_in_floats

_MOST_CELLS = 3_000_000


@dataclass(frozen=True)
class Corner:
    """R with ‖A·R − B‖₁ = `distance` least, and the prices (secrets × outputs of B) that prove it."""

    distance: float
    r: Floats
    prices: Floats


def nearest_corner(a: Floats, b: Floats) -> Corner | None:
    """min ‖A·R − B‖₁ over stochastic R, in floats by HiGHS; None when it finds no optimum.

    Notes
    -----
    1. Columns: R[k, j] wherever B's zeros allow it, and two that make up for each entry of A·R − B.
    2. Rows: A·R_j + P_j − N_j = B_j for every output j, then Σ_j R[k, j] = 1.
    3. The dual prices of the first rows lie in [−1, 1], and V_g(B) − V_g(A) = distance/n for that gain.
    """
    from scipy.sparse import block_diag, csc_matrix, hstack, identity, vstack

    n, m = a.shape
    k = b.shape[1]
    if n * m * k > _MOST_CELLS:
        return None
    free = (a.T @ (b == 0) == 0).T.ravel()  # output by output
    equations = block_diag([csc_matrix(a)] * k, format="csc")[:, free]
    sums = hstack([identity(m, format="csc")] * k, format="csc")[:, free]
    eye = identity(n * k, format="csc")
    zero = csc_matrix((m, n * k))
    table = vstack([hstack([equations, eye, -eye]), hstack([sums, zero, zero])], format="csc")
    cost = np.concatenate([np.zeros(int(free.sum())), np.ones(2 * n * k)])
    bounds = np.concatenate([b.T.ravel(), np.ones(m)])
    sparse = Sparse(table.indptr, table.indices, table.data, by_row=False)
    found = solve_in_floats(cost, sparse, bounds, bounds, tolerance=1e-10)
    if found is None:
        return None
    r = np.zeros(m * k)
    r[free] = found.x[: int(free.sum())]
    prices = found.prices[: n * k].reshape(k, n).T
    return Corner(found.value, r.reshape(k, m).T.copy(), prices)
