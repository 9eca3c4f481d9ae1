"""Linear programs by trying every basis in Fractions: slow, and nothing to get wrong."""

from fractions import Fraction as Q
from itertools import combinations

from flint import fmpq, fmpq_mat


def _reduced(columns, right):
    """The solution of Σ x_j·column_j = right for independent columns, or None."""
    n, k = len(right), len(columns)
    flat = [
        fmpq(*Q(v).as_integer_ratio())
        for i in range(n)
        for v in (*(c[i] for c in columns), right[i])
    ]
    reduced, rank = fmpq_mat(n, k + 1, flat).rref()
    if rank != k or any(reduced[i, i] != 1 for i in range(k)):
        return None
    return [Q(int(v.p), int(v.q)) for v in (reduced[i, k] for i in range(k))]


def rank(columns):
    """The rank of a list of vectors."""
    if not columns or not columns[0]:
        return 0
    flat = [fmpq(*Q(v).as_integer_ratio()) for column in columns for v in column]
    return fmpq_mat(len(columns), len(columns[0]), flat).rank()


def basic_solutions(columns, right):
    """Every x ≥ 0 with Σ x_j·column_j = right whose used columns are independent, as {j: x_j}."""
    if not any(right):
        yield {}
    size = rank(columns)
    for count in range(1, size + 1):
        for chosen in combinations(range(len(columns)), count):
            x = _reduced([columns[j] for j in chosen], right)
            if x is not None and min(x) > 0:
                yield dict(zip(chosen, x, strict=True))


def least(cost, columns, right):
    """The smallest Σ cost_j·x_j over the basic solutions, where an optimum lies; None if infeasible."""
    values = (
        sum((cost[j] * v for j, v in x.items()), Q(0)) for x in basic_solutions(columns, right)
    )
    return min(values, default=None)


def feasible(columns, right) -> bool:
    """Whether `right` is a sum of the columns with weights ≥ 0."""
    return any(True for _ in basic_solutions(columns, right))
