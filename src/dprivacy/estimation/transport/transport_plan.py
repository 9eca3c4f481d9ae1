"""The cheapest way to carry a surplus to a deficit, by the distances of a finite space."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.estimation.transport.two_distributions import Weight
from dprivacy.numbers import Floats, Mat, Sparse, minimise, solve_in_floats
from dprivacy.spaces import Distance, FiniteSpace

_MOST_EXACT = 900  # variables up to which the program is solved in rationals
_BITS = 128  # of an irrational distance there
_ROUNDING = 2.0**-50  # of a weight, in floats


def transport(change: list[Weight], space: FiniteSpace) -> Fraction | float:
    """min Σ flow·distance such that every point with change > 0 sends it and every other receives.

    Parameters
    ----------
    change
        p − q on the space's labels; sums to 0.
    space
        The distances.

    Notes
    -----
    1. Points where p = q take no part, by the triangle inequality.
    2. Points at finite distances of each other keep to themselves: where such a group has more to send
       than it takes (and weights in floats that do not quite sum to 1 do not explain it), the answer
       is inf.
    3. Exact changes and distances, few enough: `minimise` for each group, whose answer has been
       checked against its dual in rationals. One of the balance equations follows from the others and
       is left out. Irrational distances are rationals there, right to 128 bits.
    4. Otherwise floats: POT's network simplex on the table of distances; without POT, HiGHS on that
       table, or on the space's known edges when those are fewer.
    """
    senders = [i for i, value in enumerate(change) if value > 0]
    takers = [i for i, value in enumerate(change) if value < 0]
    measured = isinstance(change[0], float)
    exact = space.exact and not measured
    rational = exact and all(d == math.inf or isinstance(d, Fraction) for d in _values(space))
    if not senders or not takers:
        return Fraction(0) if rational else 0.0
    groups = _within_reach(space)
    rounded = abs(math.fsum(change)) + _ROUNDING * len(change) if measured else 0.0
    left: list[Any] = [sum(change[i] for i in group) for group in groups]
    if any(abs(amount) > rounded for amount in left):
        return math.inf
    if exact and len(senders) * len(takers) <= _MOST_EXACT:
        found = sum((_settled(change, space, group) for group in groups), Fraction(0))
        return found if rational else float(found)
    supply = np.array([float(change[i]) for i in senders])
    demand = np.array([-float(change[j]) for j in takers])
    size = (supply.sum() + demand.sum()) / 2
    supply, demand = supply / supply.sum(), demand / demand.sum()
    table = space.distances.floats[np.ix_(senders, takers)]
    if np.isfinite(table).all():
        network = _network_simplex()
        if network is not None:
            return float(size * network(supply, demand, table))
    edges = space.known_edges
    if edges is not None and 2 * len(edges) < table.size:
        balance = np.zeros(len(space))
        balance[senders], balance[takers] = supply, -demand
        return float(size * _flow(balance, space, edges))
    return float(size * _table_program(supply, demand, table))


def _values(space: FiniteSpace) -> Sequence[Distance]:
    """The distances that occur, of an exact space."""
    assert space.distances.values is not None
    return space.distances.values


def _within_reach(space: FiniteSpace) -> list[list[int]]:
    """The points, grouped by what is at a finite distance of each other."""
    first = np.isfinite(space.distances.floats).argmax(axis=1)
    return [np.flatnonzero(first == k).tolist() for k in np.unique(first).tolist()]


def _settled(change: list[Weight], space: FiniteSpace, group: list[int]) -> Fraction:
    """The cost within one group, in rationals."""
    known = [d if isinstance(d, Fraction | float) else d.bounds(_BITS)[0] for d in _values(space)]
    senders, takers = ([i for i in group if sign * change[i] > 0] for sign in (1, -1))
    if not senders:
        return Fraction(0)
    costs = [[Fraction(known[int(space.distances.table[i, j])]) for j in takers] for i in senders]
    supply = [Fraction(change[i]) for i in senders]
    return _exactly(supply, [-Fraction(change[j]) for j in takers], costs)


def _exactly(
    supply: list[Fraction], demand: list[Fraction], costs: list[list[Fraction]]
) -> Fraction:
    rows, columns = len(supply), len(demand)
    program = np.zeros((rows + columns - 1, rows * columns), dtype=object)
    for i in range(rows):
        for j in range(columns):
            program[i, i * columns + j] = 1
            if j < columns - 1:
                program[rows + j, i * columns + j] = 1
    flat = [cost for row in costs for cost in row]
    return minimise(flat, Mat(program), [*supply, *demand[:-1]]).value


def _network_simplex() -> Any | None:
    """POT's solver, if it is installed."""
    try:
        from ot import emd2  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None

    def solve(supply: Floats, demand: Floats, table: Floats) -> float:
        return float(emd2(supply, demand, np.ascontiguousarray(table), numItermax=10_000_000))

    return solve


def _table_program(supply: Floats, demand: Floats, table: Floats) -> float:
    """Flows from every sender to every taker."""
    rows, columns = table.shape
    at = np.isfinite(table).ravel().nonzero()[0]
    senders, takers = np.divmod(at, columns)
    ends = np.stack([senders, rows + takers], axis=1)
    return _solved(table.ravel()[at], ends, np.concatenate([supply, demand]), np.ones(2))


def _flow(balance: Floats, space: FiniteSpace, edges: NDArray[np.intp]) -> float:
    """Flows along edges, both ways: what leaves a point, less what enters, is its balance."""
    both = np.concatenate([edges, edges[:, ::-1]])
    costs = space.distances.floats[both[:, 0], both[:, 1]]
    return _solved(costs, both, balance, np.array([1.0, -1.0]))


def _solved(costs: Floats, ends: NDArray[np.intp], right: Floats, signs: Floats) -> float:
    """min costs·f with f ≥ 0, where f_k enters rows ends[k] with the given signs; inf if impossible."""
    at = Sparse(
        np.arange(0, 2 * len(costs) + 1, 2), ends.ravel(), np.tile(signs, len(costs)), by_row=False
    )
    largest = float(costs.max(initial=0.0)) or 1.0
    found = solve_in_floats(costs / largest, at, right, right, tolerance=1e-10)
    return math.inf if found is None else found.value * largest
