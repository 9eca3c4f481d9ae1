"""All extreme points of the local-privacy polytope, built from minimal balanced collections.

An extreme point with two or more non-zero columns is a kernel of the discrete metric on the rows that
have no loose entry, and the other rows fit its weights: high in some columns, loose in one, so that
the loose entry is what is left. Nothing of this depends on ε; only the entries do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np

from dprivacy.model import Channel
from dprivacy.numbers import Factor, Mat, as_eps, read_whole
from dprivacy.polytope.cones.private_cone import Column
from dprivacy.polytope.slack.slack_points import arrangements, point_classes, require_rational
from dprivacy.polytope.slack.tight_pairs import read_slack
from dprivacy.polytope.supports.balanced_collections import (
    Collection,
    balanced_collections,
    balanced_supports,
    proper_subsets,
)
from dprivacy.polytope.supports.minimal_supports import Progress, balancing
from dprivacy.polytope.supports.space_symmetries import actions, representatives
from dprivacy.sources import result
from dprivacy.typing import LevelLike, NumberLike

Row = tuple[Fraction, ...]  # of each column, how far between low (0) and high (1) its entry is


@dataclass(frozen=True)
class Shape:
    """An extreme point up to ε and the places of its columns: rows of positions, and weights β_j."""

    rows: tuple[Row, ...]
    weights: tuple[Fraction, ...]

    def matrix(self, a: Fraction, places: Sequence[int], outputs: int) -> Mat:
        """The matrix at a = e^ε, with its columns in the given places.

        Entries are m_j·(1 + (a − 1)·θ), with m_j = β_j/(Σβ + a − 1) so that rows sum to 1.
        """
        scale = sum(self.weights) + a - 1
        table = []
        for row in self.rows:
            entries = [Fraction(0)] * outputs
            for at, height, weight in zip(places, row, self.weights, strict=True):
                entries[at] = weight * (1 + (a - 1) * height) / scale
            table.append(entries)
        return Mat.of(table)


def crossings(weights: Sequence[int], cover: int) -> list[Row]:
    """The rows with one loose entry that fit a balanced collection.

    A set T of columns is high and one more, j, is loose: β(T) < 1 < β(T) + β_j, and the loose entry
    stands at θ = (1 − β(T))/β_j between low and high. With ε it has nothing to do.
    """
    k = len(weights)
    found = []
    for j in range(k):
        others = [i for i in range(k) if i != j]
        for bits in product((0, 1), repeat=k - 1):
            high = sum(weights[i] for i, bit in zip(others, bits, strict=True) if bit)
            if high < cover < high + weights[j]:
                row = [Fraction(0)] * k
                for i, bit in zip(others, bits, strict=True):
                    row[i] = Fraction(bit)
                row[j] = Fraction(cover - high, weights[j])
                found.append(tuple(row))
    return found


@result("P", "Thm 8", "Prop 1", "Cor 2")
def extreme_points(
    n: int,
    *,
    eps: LevelLike,
    delta: NumberLike = 0,
    outputs: int | None = None,
    up_to_permutation: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Iterator[Channel]:
    """The extreme points of the n×n local-privacy polytope, one by one, in a fixed order.

    Parameters
    ----------
    n
        The number of inputs.
    eps
        The level; e^ε must be rational. At ε = 0 and δ = 0 only the matrices that always give the same
        answer are extreme.
    delta
        The slack δ from 0 to 1, exact: the matrices that are (ε, δ)-private.
    outputs
        The number of outputs, when it is not n.
    up_to_permutation
        Only one of each class under permutations of rows and of columns.
    force
        Go on although the estimate is long.
    progress
        Called with (done, total) of the work of the last step, from time to time.

    Returns
    -------
    iterator of Channel
        Extreme points, with inputs 0 … n−1 and outputs 0 … n−1.

    Notes
    -----
    1. One non-zero column: the matrices that always give the same answer (P Thm 5).
    2. For every ℓ ≥ 0, every set of ℓ rows and every minimal balanced collection on the other rows:
       each of the ℓ rows has one loose entry, in one of the ways that fit the weights (`crossings`).
    3. The k columns are put in any k places.

    For δ > 0 the polytope is walked along its edges, up to permutations; two inputs, two outputs
    and δ = 1 have closed forms. Each extreme point comes out once.

    Examples
    --------
    >>> sum(1 for _ in extreme_points(3, eps="ln 2"))
    33
    >>> sum(1 for _ in extreme_points(3, eps="ln 2", delta="1/10"))
    393
    """
    m = read_outputs(n, outputs)
    factor, slack = Factor(as_eps(eps, zero=True)), read_slack(delta)
    a = require_rational(factor, "lists of extreme points")
    if slack:
        return _with_slack(n, m, factor, slack, up_to_permutation, force, progress)
    return _listed(n, m, a, up_to_permutation, force, progress)


def _with_slack(
    n: int,
    m: int,
    factor: Factor,
    delta: Fraction,
    classes: bool,
    force: bool,
    progress: Progress | None,
) -> Iterator[Channel]:
    found = point_classes(n, m, factor, delta, force=force, told=progress)
    return (
        _channel(Mat.of(rows))
        for kind in found
        for rows in ([kind.rows] if classes else arrangements(kind.rows))
    )


def _listed(
    n: int, m: int, a: Fraction, classes: bool, force: bool, progress: Progress | None
) -> Iterator[Channel]:
    constant = Shape((((Fraction(0)),),) * n, (Fraction(1),))
    for place in range(1 if classes else m):
        yield _channel(constant.matrix(Fraction(1), [place], m))
    if a == 1:
        return
    for _, shape in shapes(n, classes=classes, force=force, progress=progress):
        k = len(shape.weights)
        placed = [tuple(range(k))] if classes and k <= m else permutations(range(m), k)
        for places in placed:
            yield _channel(shape.matrix(a, places, m))


def shapes(
    n: int, *, classes: bool, force: bool, progress: Progress | None = None
) -> Iterator[tuple[int, Shape]]:
    """(number of loose entries, shape) of the extreme points with two or more non-zero columns."""
    for loose in range(n - 1):
        size = n - loose
        sets = [tuple(range(size, n))] if classes else list(combinations(range(n), loose))
        for collection, weights, cover in collections(size, classes, loose == 0, force, progress):
            heights = [tuple(map(Fraction, row)) for row in zip(*collection, strict=True)]
            shares = tuple(Fraction(w, cover) for w in weights)
            fitting = crossings(weights, cover) if loose else []
            for chosen in choices(heights, fitting, loose, classes):
                for rows in sets:
                    yield loose, Shape(_woven(heights, chosen, rows, n), shares)


def collections(
    n: int, classes: bool, stream: bool, force: bool, progress: Progress | None
) -> Iterator[tuple[Collection, Column, int]]:
    """Minimal balanced collections with weights: all, or one of each class under permutations."""
    if not stream and not classes:
        yield from balanced_collections(n)
        return
    subsets = proper_subsets(n)
    moves = actions(subsets, list(permutations(range(n)))) if classes else None
    for block in balanced_supports(n, force=force, progress=progress):
        for flags in block if moves is None else block[representatives(block, moves)]:
            chosen = tuple(subsets[j] for j in np.flatnonzero(flags))
            yield (chosen, *balancing(chosen))


def choices(
    heights: list[Row], fitting: list[Row], loose: int, classes: bool
) -> Iterator[tuple[Row, ...]]:
    """The ways to choose the loose rows: in order, or one of each class."""
    if not classes or not loose:
        yield from product(fitting, repeat=loose)
        return
    seen = set()
    k = len(heights[0])
    for chosen in combinations_with_replacement(fitting, loose):
        table = [*heights, *chosen]
        form = min(
            tuple(sorted(tuple(row[i] for i in order) for row in table))
            for order in permutations(range(k))
        )
        if form not in seen:
            seen.add(form)
            yield chosen


def _woven(
    heights: Sequence[Row], chosen: Sequence[Row], rows: Sequence[int], n: int
) -> tuple[Row, ...]:
    """The rows in order, the chosen ones at the given places."""
    plain_rows, loose_rows, at = iter(heights), iter(chosen), set(rows)
    return tuple(next(loose_rows) if i in at else next(plain_rows) for i in range(n))


def _channel(matrix: Mat) -> Channel:
    n, m = matrix.shape
    return Channel(range(n), range(m), matrix)


def read_outputs(n: int, outputs: int | None) -> int:
    """The number of outputs, n by default; both must be whole numbers of at least 1."""
    n = read_whole(n, "n")
    return n if outputs is None else read_whole(outputs, "outputs")
