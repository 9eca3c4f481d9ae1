"""The extreme points of (ε, δ)-private channels for δ > 0, class by class under permutations.

Two inputs or two outputs have closed forms, for every e^ε; so have δ = 1 and a single output. All
else is found by a walk along edges, where e^ε must be rational.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dprivacy.errors import TooLarge, Uncertified
from dprivacy.numbers import Factor, ln
from dprivacy.polytope.slack.edge_walk import Told, VertexClass, Walk
from dprivacy.polytope.slack.ordered_rings import AtRational
from dprivacy.polytope.slack.tight_pairs import leaks, pieces

Rows = tuple[tuple[Fraction, ...], ...]
_LONGEST = 120.0  # seconds
_YEAR = 3e7
_SMALL = 2


@dataclass(frozen=True)
class PointClass:
    """An extreme point, and how many permutations of rows and of columns make of it.

    `columns` is its number of non-zero columns, `loose` that of its loose entries (0 for one column).
    """

    rows: Rows
    size: int
    columns: int
    loose: int


def point_classes(
    n: int, m: int, factor: Factor, delta: Fraction, *, force: bool, told: Told = None
) -> Iterator[PointClass]:
    """One extreme point of each class, for 0 < δ ≤ 1.

    With a closed form, and e^ε irrational, the entries are those at e^ε = 2; everything else is
    the same.
    """
    if closed(n, m, delta):
        a = factor.exact or Fraction(2)
        factor = Factor(ln(a))
        found = _closed_forms(n, m, a, delta)
    else:
        found = _walked(n, m, factor, delta, force, told)
    return (_described(rows, size, factor, delta) for rows, size in found)


def _described(rows: Rows, size: int, factor: Factor, delta: Fraction) -> PointClass:
    used = sum(any(column) for column in zip(*rows, strict=True))
    tied = pieces(rows, leaks(rows, factor, delta))
    loose = sum(len(part) == 1 for part in tied) if used > 1 else 0
    return PointClass(rows, size, used, loose)


def closed(n: int, m: int, delta: Fraction) -> bool:
    """Whether a closed form is known."""
    return delta == 1 or min(n, m) <= _SMALL


def require_rational(factor: Factor, what: str) -> Fraction:
    """e^ε, or a refusal with the way out."""
    if factor.exact is None:
        raise Uncertified(
            f"{what} need a rational e^ε, and e^({factor.level}) is irrational; take ε = ln(q) with a "
            f"rational q near {float(factor):.4g}"
        )
    return factor.exact


def require_size(n: int, m: int, seconds: float, *, force: bool) -> None:
    """Refuse what would take too long, unless forced."""
    if seconds > _LONGEST and not force:
        long = f"about {seconds:,.0f} s" if seconds < _YEAR else "years"
        raise TooLarge(
            f"the polytope of {n}×{m} matrices with δ > 0 would take {long} to walk; "
            "pass force=True to do it all the same, or take fewer inputs or outputs"
        )


def _walked(
    n: int, m: int, factor: Factor, delta: Fraction, force: bool, told: Told
) -> Iterator[tuple[Rows, int]]:
    a = require_rational(factor, f"extreme points of {n}×{m} matrices with 0 < δ < 1")
    require_size(n, m, walk_seconds(n, m), force=force)
    walk = Walk(n, m, AtRational(a), (delta.numerator, delta.denominator))
    return (_table(n, m, found) for found in walk.found(told))


def walk_seconds(n: int, m: int) -> float:
    """About how long a walk takes, from what was measured."""
    tall, wide = n - 3, m - 3
    return float(10 ** min(-1.7 + 0.58 * tall + 0.85 * wide + tall * wide, 300))


def _table(n: int, m: int, found: VertexClass) -> tuple[Rows, int]:
    *entries, _, den = found.point
    rows = tuple(tuple(Fraction(entries[x * m + y], den) for y in range(m)) for x in range(n))
    return rows, found.size


# --------------------------------------------------------------------------------------- closed forms


def _closed_forms(n: int, m: int, a: Fraction, delta: Fraction) -> Iterator[tuple[Rows, int]]:
    if delta == 1:
        yield from _deterministic(n, m)
    elif min(n, m) == 1:
        yield _constant(n, m), m
    elif n == _SMALL:
        yield from _two_rows(m, a, delta)
    else:
        yield from _two_columns(n, a, delta)


def _constant(n: int, m: int) -> Rows:
    return ((Fraction(1), *(Fraction(0),) * (m - 1)),) * n


def _deterministic(n: int, m: int) -> Iterator[tuple[Rows, int]]:
    """δ = 1: every matrix of 0 and 1, by how many inputs give each output."""
    for parts in _partitions(n, n, m):
        rows = tuple(
            tuple(Fraction(int(y == at)) for y in range(m))
            for at, size in enumerate(parts)
            for _ in range(size)
        )
        splits = math.factorial(n) // math.prod(map(math.factorial, parts))
        places = math.perm(m, len(parts))
        repeats = math.prod(math.factorial(parts.count(size)) for size in set(parts))
        yield rows, splits * places // repeats


def _partitions(n: int, largest: int, most: int) -> Iterator[tuple[int, ...]]:
    """The ways to write n as a sum of at most this many falling parts."""
    if n == 0:
        yield ()
    elif most:
        for part in range(min(n, largest), 0, -1):
            for rest in _partitions(n - part, part, most - 1):
                yield (part, *rest)


def _two_rows(m: int, a: Fraction, delta: Fraction) -> Iterator[tuple[Rows, int]]:
    """Two inputs: the columns δ(1, 0), c(a, 1), c(1, a), δ(0, 1), neighbours put together.

    At a = 1 the two in the middle are one column.
    """
    c, zero = (1 - delta) / (1 + a), Fraction(0)
    pure = [(delta, zero), (c * a, c), (c, c * a), (zero, delta)]
    if a == 1:
        pure[1:3] = [(1 - delta, 1 - delta)]
    for cuts in range(1 << (len(pure) - 1)):
        marks = [0, *(k + 1 for k in range(len(pure) - 1) if cuts >> k & 1), len(pure)]
        blocks = tuple(last - first for first, last in pairwise(marks))
        if len(blocks) > m or blocks > blocks[::-1]:
            continue
        columns = [
            tuple(sum((v[x] for v in pure[first:last]), zero) for x in range(2))
            for first, last in pairwise(marks)
        ]
        columns += [(zero, zero)] * (m - len(columns))
        size = math.perm(m, len(blocks)) * (1 if blocks == blocks[::-1] else 2)
        yield tuple(zip(*columns, strict=True)), size


def _two_columns(n: int, a: Fraction, delta: Fraction) -> Iterator[tuple[Rows, int]]:
    """Two outputs: the first column has two values, v and u, and three choices of them."""
    yield _constant(n, 2), 2
    one = Fraction(1)
    for high in range(1, n):
        yield _two_values(n, high, Fraction(0), delta), 2 * math.comb(n, high)
        if a > 1 and 2 * high <= n:
            u, v = (a + delta) / (1 + a), (one - delta) / (1 + a)
            size = math.comb(n, high) * (1 if 2 * high == n else 2)
            yield _two_values(n, high, v, u), size


def _two_values(n: int, high: int, v: Fraction, u: Fraction) -> Rows:
    return ((u, 1 - u),) * high + ((v, 1 - v),) * (n - high)


# --------------------------------------------------------------------------------------- a whole class


def arrangements(rows: Rows) -> Iterator[Rows]:
    """Every different matrix that permutations of rows and of columns make of one."""
    seen = set()
    for order in _orders(rows):
        columns = tuple(sorted(zip(*order, strict=True)))
        if columns not in seen:
            seen.add(columns)
            for placed in _orders(columns):
                yield tuple(zip(*placed, strict=True))


def _orders(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The different orders of items, some of which may be equal, from the least to the largest."""
    order = sorted(items)
    while True:
        yield tuple(order)
        fall = next((k for k in range(len(order) - 2, -1, -1) if order[k] < order[k + 1]), None)
        if fall is None:
            return
        swap = next(k for k in range(len(order) - 1, fall, -1) if order[k] > order[fall])
        order[fall], order[swap] = order[swap], order[fall]
        order[fall + 1 :] = reversed(order[fall + 1 :])
