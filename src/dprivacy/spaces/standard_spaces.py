"""The spaces met first: categories, points on a line, reals on a grid, cells in the plane."""

import itertools
import math
import numbers
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from dprivacy.errors import BadNumber, UnknownName
from dprivacy.numbers import as_eps, as_rational, read_number, read_vector, read_whole, root
from dprivacy.spaces.distance_matrix import Distance, Distances, require_fits
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import read_labels
from dprivacy.typing import Label, LevelLike, NumberLike

Norm = Literal["euclidean", "manhattan", "chebyshev"]


def discrete(labels: Iterable[Label]) -> FiniteSpace:
    """Categories without order: any two distinct labels are at distance 1.

    Examples
    --------
    >>> discrete(["tea", "coffee", "water"]).distance("tea", "water")
    Fraction(1, 1)
    """
    known = read_labels(labels)
    require_fits("the space", len(known))
    apart = 1 - np.eye(len(known), dtype=np.int64)
    return FiniteSpace(known, Distances.coded(apart, Fraction))


def line(points: int | Iterable[NumberLike]) -> FiniteSpace:
    """Points on a line, at distance |x − z|.

    Parameters
    ----------
    points
        A number n, for the points 0 … n−1, or the values themselves, which are also the labels.
        Integers, Fractions, Decimals and strings ("0.1", "1/3") give exact distances; floats give
        float distances.

    Examples
    --------
    >>> line(["0.1", "0.3", "1"]).pairs()
    [('0.1', '0.3'), ('0.3', '1')]
    """
    if isinstance(points, numbers.Integral) and not isinstance(points, bool):
        n = read_whole(points, "points of a line")
        require_fits("the line", n)
        points = range(n)
    labels = read_labels(points)  # type: ignore[arg-type]
    require_fits("the line", len(labels))
    values = [read_number(label, f"point {label!r}") for label in labels]
    order = sorted(range(len(values)), key=lambda i: values[i])
    for i, j in itertools.pairwise(order):
        if values[i] == values[j]:
            raise BadNumber(f"{labels[i]!r} and {labels[j]!r} are the same point of the line")
    edges = np.sort(np.array(list(itertools.pairwise(order)), dtype=np.intp).reshape(-1, 2))
    if any(isinstance(value, float) for value in values):
        table = read_vector(values, lambda i: f"point {labels[i]!r}").floats[0]
        if not np.isfinite(table).all():
            at = int(np.flatnonzero(~np.isfinite(table))[0])
            raise BadNumber(f"the points of a line should be finite numbers, not {labels[at]!r}")
        return FiniteSpace(labels, Distances(np.abs(table[:, None] - table)), edges=edges)
    exact = [Fraction(value) for value in values]
    den = math.lcm(*(value.denominator for value in exact))
    whole = [value.numerator * (den // value.denominator) for value in exact]
    small = max(map(abs, whole)) < 1 << 61
    table = np.array(whole, dtype=np.int64 if small else object)
    gaps = np.abs(table[:, None] - table)
    return FiniteSpace(labels, Distances.coded(gaps, lambda gap: Fraction(gap, den)), edges=edges)


def quantised(low: NumberLike, high: NumberLike, step: NumberLike) -> FiniteSpace:
    """The reals from low to high on a declared grid: low, low + step, …, exactly.

    A number is protected on a public grid, never on the doubles it happens to be stored as. The
    labels are Fractions, which compare equal to the integers and floats they stand for.

    Examples
    --------
    >>> quantised(0, 1, "0.25").distance(0, Fraction(3, 4))
    Fraction(3, 4)
    """
    first, last = as_rational(low, "low"), as_rational(high, "high")
    width = as_rational(step, "step")
    if width <= 0:
        raise BadNumber(f"the step of a grid must be greater than 0, not {width}")
    if last < first or (last - first) % width:
        raise BadNumber(f"from {first} to {last} is not a whole number of steps of {width}")
    count = int((last - first) / width) + 1
    require_fits(f"the grid from {first} to {last}", count)
    return line([first + k * width for k in range(count)])


def grid(
    rows: int, columns: int, *, metric: Norm = "euclidean", step: LevelLike = 1
) -> FiniteSpace:
    """Cells (row, column) of a grid, `step` apart.

    Parameters
    ----------
    rows, columns
        How many.
    metric
        "euclidean" (√(a²+b²), kept exact), "manhattan" (a+b) or "chebyshev" (max(a, b)).
    step
        The side of a cell: a number, a Fraction or a string.

    Notes
    -----
    The pairs that matter are known without a search: neighbours for "manhattan" (4) and "chebyshev"
    (8), and for "euclidean" the offsets (a, b) without a common divisor, since otherwise another
    cell lies on the segment.

    Examples
    --------
    >>> grid(3, 4, step="1/2").distance((0, 0), (2, 2))
    Level('sqrt(2)')
    >>> grid(3, 4, metric="manhattan").distance((0, 0), (2, 2))
    Fraction(4, 1)
    """
    rows, columns = read_whole(rows, "rows of a grid"), read_whole(columns, "columns of a grid")
    require_fits(f"a grid of {rows}×{columns}", rows, columns)
    side = as_eps(step, name="the step of a grid")
    row, column = (axis.ravel() for axis in np.indices((rows, columns)))
    down, across = np.abs(row[:, None] - row), np.abs(column[:, None] - column)

    def length(number: int) -> Distance:
        return (side * number).simplified

    def euclidean(square: int) -> Distance:
        return (side * root(Fraction(square))).simplified

    if metric == "euclidean":
        distances = Distances.coded(down**2 + across**2, euclidean)
        needed = np.gcd(down, across) == 1
    elif metric == "manhattan":
        distances = Distances.coded(down + across, length)
        needed = down + across == 1
    elif metric == "chebyshev":
        distances = Distances.coded(np.maximum(down, across), length)
        needed = np.maximum(down, across) == 1
    else:
        raise UnknownName.among("metric", metric, get_args(Norm))
    edges = np.argwhere(np.triu(needed))
    labels = list(zip(row.tolist(), column.tolist(), strict=True))
    return FiniteSpace(labels, distances, edges=edges)
