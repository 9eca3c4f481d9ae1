"""Vertices on spaces with whole-number distances: integer Lipschitz functions that are tight enough.

A column c = b^g is private exactly when g is Lipschitz. It is a vertex exactly when the pairs on which
g rises as steeply as it may connect all points; then g takes whole values.
"""

from collections.abc import Iterator, Sequence

Levels = tuple[int, ...]


def tight_functions(n: int, edges: Sequence[tuple[int, int, int]]) -> Iterator[Levels]:
    """All g: {0 … n−1} → ℤ with |g_i − g_j| ≤ d_ij, smallest value 0, and connected tight pairs.

    Parameters
    ----------
    n
        The number of points.
    edges
        (i, j, d) with whole d > 0, connected; other distances are those of shortest paths.

    Notes
    -----
    1. Points are placed in an order in which each has an edge to an earlier one.
    2. The values that a point may take are an interval, given by the points placed before; every
       value in it can be extended to all points (McShane), so that no branch is dead for that reason.
    3. A branch is cut when points tied together by tight edges have no edge to a point still to be
       placed: nothing can tie them to the rest any more.

    The search holds one partial function at a time: the cost is time, never memory.
    """
    if n == 1:
        yield (0,)
        return
    order = _breadth_first(n, edges)
    place = {point: at for at, point in enumerate(order)}
    distance = _shortest(n, edges, place)
    near: list[list[tuple[int, int]]] = [[] for _ in range(n)]  # earlier neighbours with distances
    last = [0] * n  # the latest neighbour of each point, as a place
    for i, j, d in edges:
        a, b = sorted((place[i], place[j]))
        near[b].append((a, d))
        last[a] = max(last[a], b)
    branches = [_next([0], [0], distance, near, last)]
    while branches:  # depth first, without recursion: a line may have many points
        step = next(branches[-1], None)
        if step is None:
            branches.pop()
        elif len(step[0]) < n:
            branches.append(_next(*step, distance, near, last))
        else:
            low = min(step[0])
            yield tuple(step[0][place[point]] - low for point in range(n))


def _next(
    g: list[int],
    part: list[int],
    distance: list[list[int]],
    near: list[list[tuple[int, int]]],
    last: list[int],
) -> Iterator[tuple[list[int], list[int]]]:
    """The ways to place the next point; `part` names the tight component of each placed point."""
    at, n = len(g), len(last)
    row = distance[at]
    low = max(g[i] - row[i] for i in range(at))
    high = min(g[i] + row[i] for i in range(at))
    for value in range(low, high + 1):
        tied = {part[i] for i, d in near[at] if abs(value - g[i]) == d}
        parts = [*(at if p in tied else p for p in part), at]
        if at == n - 1:
            hopeful = len(set(parts)) == 1
        else:
            hopeful = {p for i, p in enumerate(parts) if last[i] > at}.issuperset(parts)
        if hopeful:
            yield [*g, value], parts


def _breadth_first(n: int, edges: Sequence[tuple[int, int, int]]) -> list[int]:
    """An order in which each point is joined to an earlier one, starting where there are few edges."""
    near: list[list[int]] = [[] for _ in range(n)]
    for i, j, _ in edges:
        near[i].append(j)
        near[j].append(i)
    order = [min(range(n), key=lambda i: (len(near[i]), i))]
    seen = set(order)
    for i in order:
        for j in sorted(near[i], key=lambda j: (len(near[j]), j)):
            if j not in seen:
                seen.add(j)
                order.append(j)
    return order


def _shortest(
    n: int, edges: Sequence[tuple[int, int, int]], place: dict[int, int]
) -> list[list[int]]:
    """Shortest paths between places."""
    far = sum(d for _, _, d in edges) + 1
    table = [[0 if i == j else far for j in range(n)] for i in range(n)]
    for i, j, d in edges:
        a, b = place[i], place[j]
        table[a][b] = table[b][a] = min(d, table[a][b])
    for k in range(n):
        through = table[k]
        for row in table:
            step = row[k]
            if step < far:
                for j in range(n):
                    row[j] = min(row[j], step + through[j])
    return table
