"""Spaces and channels at the edges: distance 0 and ∞, one point, equal rows, ties in the 80th digit.

Everything is drawn from a `random.Random`, so that a seed repeats a case; `st.randoms()` lets
hypothesis draw, and shrink, the same.
"""

import math
from dataclasses import dataclass
from fractions import Fraction as Q

from dprivacy.model import Channel
from dprivacy.spaces import FiniteSpace, from_table
from support.exact_reals import Size

TIE = Q(1, 10**80)
LN_2 = "0.69314718055994530941723212145817656807550013436025525412068000949339362196969471"


@dataclass(frozen=True)
class Drawn:
    """A space as the library has it, and its distances as the definitions want them."""

    space: FiniteSpace
    distances: list[list[Size | float]]

    @property
    def n(self):
        return len(self.distances)

    def pairs(self):
        """Ordered pairs of positions, with their distances."""
        n = range(self.n)
        return [(i, j, self.distances[i][j]) for i in n for j in n if i != j]


def _space(classes, apart, infinite=(), unit=None):
    """Points by class: distance 0 inside a class, `apart` units between, ∞ across `infinite`."""
    unit = unit or Size(Q(1))

    def between(a, b):
        if (a in infinite) != (b in infinite):
            return math.inf
        return Size(unit.r * apart(a, b), unit.kind, unit.q) if a != b else Size(Q(0))

    table = [[between(a, b) for b in classes] for a in classes]
    texts = [["inf" if d == math.inf else str(d) for d in row] for row in table]
    return Drawn(from_table(range(len(classes)), texts, pseudo=True, extended=True), table)


UNITS = {
    "1": Size(Q(1)),
    "1/3": Size(Q(1, 3)),
    "ln 2": Size(Q(1), "ln", Q(2)),
    "ln(4/3)": Size(Q(1), "ln", Q(4, 3)),
    "sqrt 2": Size(Q(1), "sqrt", Q(2)),
    "tiny": Size(Q(1, 10**30)),
}


def spaces(rng, *, most=4, units=tuple(UNITS), infinite=True, zero=True, whole=False):
    """A pseudo-metric of a few points: on a line, discrete, or between; whole multiples of a unit."""
    n = rng.randint(1, most)
    classes = [rng.randint(0, max(0, n - 1)) for _ in range(n)] if zero else list(range(n))
    unit = UNITS[rng.choice(list(units))]
    cut = {k for k in range(n) if rng.random() < 0.4} if infinite and rng.random() < 0.4 else set()
    shape = rng.choice(["line", "discrete", "between"])
    if shape == "line":
        return _space(classes, lambda a, b: abs(a - b), cut, unit)
    if shape == "discrete":
        return _space(classes, lambda a, b: 1, cut, unit)
    halves = (2, 4) if whole else (2, 3, 4)
    steps = {(a, b): Q(rng.choice(halves), 2) for a in range(n) for b in range(a)}
    return _space(classes, lambda a, b: steps[max(a, b), min(a, b)], cut, unit)


def weights(rng, m, *, zeros=True):
    """A distribution on m outcomes: ordinary, a point, or with a tie in the 80th digit."""
    kind = rng.random()
    if zeros and kind < 0.15:
        at = rng.randrange(m)
        return [Q(int(k == at)) for k in range(m)]
    draw = [rng.randint(0 if zeros and rng.random() < 0.3 else 1, 6) for _ in range(m)]
    draw = draw if any(draw) else [1] * m
    row = [Q(w, sum(draw)) for w in draw]
    used = [k for k in range(m) if row[k] > 0]
    if kind > 0.85 and len(used) > 1:
        row[used[0]] += TIE
        row[used[1]] -= TIE
    return row


def rows(rng, n, *, most=4, zeros=True, drawn=None):
    """n rows: some equal, some nearly; sometimes a column of zeros, sometimes one output alone.

    With a drawn space, points at distance 0 mostly get equal rows.
    """
    m = rng.randint(1, most)
    table = [weights(rng, m, zeros=zeros) for _ in range(n)]
    for i in range(1, n):
        if rng.random() < 0.2:
            table[i] = list(table[rng.randrange(i)])
        elif rng.random() < 0.15:
            table[i] = nearly(rng, table[rng.randrange(i)])
    if drawn is not None and rng.random() < 0.8:
        for i, j, d in drawn.pairs():
            if j < i and d != math.inf and not d.r:
                table[i] = list(table[j])
    if rng.random() < 0.15:
        at = rng.randint(0, m)
        table = [[*row[:at], Q(0), *row[at:]] for row in table]
    return table


def nearly(rng, row):
    """The same row but for a late digit."""
    used = [k for k, p in enumerate(row) if p > Q(1, 100)]
    if len(used) < 2:
        return list(row)
    a, b = rng.sample(used, 2)
    tie = rng.choice([TIE, Q(1, 10**17), Q(1, 10**120)])
    return [p + tie if k == a else p - tie if k == b else p for k, p in enumerate(row)]


def private_rows(rng, drawn, factor, *, most=4):
    """Rows that keep e^(ε·d) = factor^d, on a space of whole distances; most constraints are tight."""
    n, m = drawn.n, rng.randint(1, most)
    columns = [[Q(1)] * n]
    for _ in range(m):
        at, once = rng.randrange(n), rng.random() < 0.7
        reach = [drawn.distances[at][x] for x in range(n)]
        powers = [None if d == math.inf else int(d.r) if once else min(int(d.r), 1) for d in reach]
        columns.append([Q(0) if k is None else factor**-k for k in powers])
    # What a row lacks to 1 must keep the bound as well: it lies between 1/factor and 1.
    largest = max(sum(column[x] for column in columns) for x in range(n))
    scale = (1 - 1 / factor) / largest
    columns = [[v * scale for v in column] for column in columns]
    return [[1 - sum(c[x] for c in columns), *(c[x] for c in columns)] for x in range(n)]


def channel(table):
    """The library's channel of a table."""
    return Channel(range(len(table)), [f"y{k}" for k in range(len(table[0]))], table)


def eps(rng, *, rational=False):
    """A level: tiny, ordinary, huge; ln of a rational, a rational, ln 2 to 80 digits."""
    logs = [Size(Q(1), "ln", Q(rng.randint(2, 6))), Size(Q(1), "ln", Q(5, 4))]
    if rational:
        return rng.choice([*logs, Size(Q(rng.choice([2, 12, 40])), "ln", Q(2))])
    return rng.choice(
        [
            *logs,
            Size(Q(rng.randint(1, 9), rng.randint(1, 5)), "ln", Q(rng.randint(2, 6))),
            Size(Q(rng.randint(1, 20), 7)),
            Size(Q(LN_2)),
            Size(Q(1, 10**40)),
            Size(Q(5000)),
        ]
    )


def named():
    """One space of each kind, by name, for tests that walk over functions."""
    far = Size(Q(1))
    return {
        "one point": _space([0], lambda a, b: 1),
        "two points at distance 0": _space([0, 0], lambda a, b: 1),
        "two points at distance ∞": _space([0, 1], lambda a, b: 1, {1}),
        "a twin": _space([0, 0, 1], lambda a, b: abs(a - b)),
        "a twin and a stranger": _space([0, 0, 1, 2], lambda a, b: abs(a - b), {2}),
        "two islands": _space([0, 1, 2, 3], lambda a, b: abs(a - b), {2, 3}),
        "tiny distances": _space([0, 1, 2], lambda a, b: Q(abs(a - b), 10**350), (), far),
        "huge distances": _space([0, 1, 2], lambda a, b: abs(a - b) * 10**300, (), far),
        "a tie in the 80th digit": _space([0, 1, 2], lambda a, b: 1 if a + b == 1 else 1 + TIE),
        "roots": _space([0, 1, 2], lambda a, b: 1, (), UNITS["sqrt 2"]),
        "logarithms": _space([0, 1, 2], lambda a, b: abs(a - b), (), UNITS["ln(4/3)"]),
    }
