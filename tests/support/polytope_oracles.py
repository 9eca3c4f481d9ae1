"""Slow ways to the same answers."""

from itertools import combinations

from flint import fmpq, fmpq_mat


def by_brute_force(columns):
    """Every subset of independent columns with positive weights that average to 1."""
    n, found = len(columns[0]), set()
    for k in range(1, n + 1):
        for chosen in combinations(range(len(columns)), k):
            entries = [columns[j][i] if j >= 0 else 1 for i in range(n) for j in (*chosen, -1)]
            reduced, rank = fmpq_mat(n, k + 1, [fmpq(v) for v in entries]).rref()
            if rank == k and all(reduced[i, i] == 1 and reduced[i, k] > 0 for i in range(k)):
                found.add(chosen)
    return found
