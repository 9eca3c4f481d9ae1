"""All vertices of the polytope of (ε, δ)-private channels, by walking along its edges.

Vertices and edges of a polytope form a connected graph, and permutations of rows and of columns act on
it. So it is enough to look at one vertex of each class, follow its edges to their ends, and go on with
classes that are new. The *lifted* polytope has δ as one more coordinate, between 0 and 1.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

from dprivacy.numbers import solutions
from dprivacy.polytope.slack.ordered_rings import OrderedRing

_MOST_RAYS = 1_000_000  # of the cone at one vertex

Told = Callable[[int, int], None] | None
Point = tuple[Any, ...]  # entries row by row, then δ, all over the last number, which is positive


@dataclass(frozen=True, eq=False)
class VertexClass:
    """A vertex, how many vertices permutations make of it, and the ends of its edges.

    `key` names the class; `ends` counts the edges by the key of the class that they lead to.
    """

    key: Any
    point: Point
    size: int
    ends: Counter[Any]


@dataclass(frozen=True, eq=False)
class Walk:
    """The walk on n×m channels, over a ring in which a = e^ε lies.

    `delta` is (numerator, denominator), or None for the lifted polytope.
    """

    n: int
    m: int
    ring: OrderedRing
    delta: tuple[Any, Any] | None = None

    def found(self, told: Told = None) -> Iterator[VertexClass]:
        """One vertex of each class, as the walk comes to it; `told` gets (done, known so far)."""
        top, over = (1, 1) if self.delta is None else self.delta
        constant = [over if y == 0 else 0 for _ in range(self.n) for y in range(self.m)]
        key, start = self._named((*constant, top, over))
        waiting, met = {key: start}, {key}
        while waiting:
            key, point = waiting.popitem()
            ends: Counter[Any] = Counter()
            for end in self.neighbours(point):
                name, other = self._named(end)
                ends[name] += 1
                if name not in met:
                    met.add(name)
                    waiting[name] = other
            if told is not None:
                told(len(met) - len(waiting), len(met))
            yield VertexClass(key, point, self._class_size(point), ends)

    def neighbours(self, point: Point) -> Iterator[Point]:
        """The vertices that edges join to a vertex."""
        dimension = self.n * (self.m - 1) + (self.delta is None)
        cone = solutions(self._tight(point), dimension, self.ring, _MOST_RAYS)
        assert not cone.lines, "not a vertex"
        for ray in cone.rays:
            yield self._end(point, self._direction(ray))

    # ---------------------------------------------------------------------------- directions and ends

    def _excess(self, grid: Sequence[Any], x: int, z: int) -> list[Any]:
        """(C[x, y] − a·C[z, y]) times the denominator of a, for every y."""
        high, low = self.ring.factor
        n_x, n_z = x * self.m, z * self.m
        return [low * grid[n_x + y] - high * grid[n_z + y] for y in range(self.m)]

    def _tight(self, point: Point) -> list[list[Any]]:
        """What a direction must meet: at entries that are 0, at pairs that leak all of δ."""
        sign, (high, low) = self.ring.sign, self.ring.factor
        n, m, delta = self.n, self.m, point[-2]
        rows = [self._form({at: 1}) for at in range(n * m) if not sign(point[at])]
        if self.delta is None:
            rows += [self._form({}, 1)] if not sign(delta) else []
            rows += [self._form({}, -1)] if not sign(point[-1] - delta) else []
        for x, z in permutations(range(n), 2):
            excess = self._excess(point, x, z)
            sides = [sign(value) for value in excess]
            leak = sum((v for v, s in zip(excess, sides, strict=True) if s > 0), 0)
            if sign(leak - low * delta):
                continue
            over = [y for y in range(m) if sides[y] > 0]
            ties = [y for y in range(m) if sides[y] == 0]
            for size in range(len(ties) + 1):
                for some in combinations(ties, size):
                    cells: dict[int, Any] = {}
                    for y in (*over, *some):
                        cells[x * m + y], cells[z * m + y] = -low, high
                    rows.append(self._form(cells, low))
        return rows

    def _form(self, cells: dict[int, Any], slack: Any = 0) -> list[Any]:
        """A linear form of a direction; the last column is minus the sum of the others."""
        wide = self.m - 1
        row: list[Any] = [0] * (self.n * wide)
        for at, value in cells.items():
            x, y = divmod(at, self.m)
            if y < wide:
                row[x * wide + y] += value
            else:
                for k in range(x * wide, (x + 1) * wide):
                    row[k] -= value
        return row if self.delta is not None else [*row, slack]

    def _direction(self, ray: Sequence[Any]) -> Point:
        """All entries of a direction, and that of δ."""
        wide, full = self.m - 1, []
        for x in range(self.n):
            part = ray[x * wide : (x + 1) * wide]
            full += [*part, -sum(part, 0)]
        return (*full, ray[-1] if self.delta is None else 0)

    def _end(self, point: Point, move: Point) -> Point:
        """Where the edge in a direction ends: the longest step that keeps every constraint."""
        step = self.longest(point, move)
        assert step is not None, "the polytope is bounded"
        p, r = step
        q = point[-1]
        # C/q + (p/r)·D over the denominator q·r
        moved = [r * c + p * q * d for c, d in zip(point, move, strict=False)]
        return self.ring.reduced((*moved, q * r))

    def longest(self, point: Point, move: Point) -> tuple[Any, Any] | None:
        """The longest step in a direction, as a ratio; None where nothing stops it."""
        ring, (_, low) = self.ring, self.ring.factor
        q, delta, slack = point[-1], point[-2], move[-1]
        steps = [
            (c, -q * d) for c, d in zip(point[:-2], move[:-1], strict=True) if ring.sign(d) < 0
        ]
        if self.delta is None and ring.sign(slack):
            steps.append((q - delta, q * slack) if ring.sign(slack) > 0 else (delta, -q * slack))
        best: tuple[Any, Any] | None = None
        for step in steps:
            if best is None or ring.sign(step[0] * best[1] - best[0] * step[1]) < 0:
                best = ring.reduced(step)
        for x, z in permutations(range(self.n), 2):
            if best is None:
                break
            excess = self._excess(point, x, z)
            rates = [q * d for d in self._excess(move, x, z)]
            while True:  # Newton's method, from above: convex, and linear piece by piece
                p, r = best
                values = [r * u + p * s for u, s in zip(excess, rates, strict=True)]
                over = [y for y in range(self.m) if ring.sign(values[y]) > 0]
                height = sum((values[y] for y in over), 0) - low * (r * delta + p * q * slack)
                if ring.sign(height) <= 0:
                    break
                room = low * delta - sum((excess[y] for y in over), 0)
                rate = sum((rates[y] for y in over), 0) - low * q * slack
                best = ring.reduced((room, rate))
        return best

    # -------------------------------------------------------------------------------------- symmetry

    def _named(self, point: Point) -> tuple[Any, Point]:
        """The key of a vertex's class, and the vertex of the class that it stands for."""
        n, m, point = self.n, self.m, self.ring.reduced(point)
        keys = self.ring.names(point)
        best: tuple[Any, list[int]] | None = None
        rows_first = n <= m
        for order in permutations(range(n if rows_first else m)):
            if rows_first:
                lines = [[x * m + y for x in order] for y in range(m)]
            else:
                lines = [[x * m + y for y in order] for x in range(n)]
            lines.sort(key=lambda line: [keys[at] for at in line])
            name = [keys[at] for line in lines for at in line]
            if best is None or name < best[0]:
                best = (name, [at for line in lines for at in line])
        assert best is not None
        name, places = best
        if rows_first:
            places = [places[y * n + x] for x in range(n) for y in range(m)]
        chosen = tuple(point[at] for at in places)
        return (tuple(name), keys[-2], keys[-1]), (*chosen, point[-2], point[-1])

    def _class_size(self, point: Point) -> int:
        """n!·m! over the number of pairs of permutations that change nothing."""
        n, m = self.n, self.m
        keys = self.ring.names(point)
        lines = [tuple(keys[x * m + y] for x in range(n)) for y in range(m)]
        if n > m:
            lines = [tuple(keys[x * m + y] for y in range(m)) for x in range(n)]
        home = sorted(lines)
        same = sum(
            sorted(tuple(line[i] for i in order) for line in lines) == home
            for order in permutations(range(len(lines[0])))
        )
        repeats = math.prod(math.factorial(k) for k in Counter(lines).values())
        return math.factorial(n) * math.factorial(m) // (same * repeats)
