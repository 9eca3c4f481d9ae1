"""Point clouds with a metric by name or by a function; sampled curves."""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, NotApplicable, UnknownName, WrongKind, WrongShape, counted
from dprivacy.numbers import Mat, as_eps, read_matrix, root
from dprivacy.sources import result
from dprivacy.spaces.distance_matrix import Distance, Distances
from dprivacy.spaces.distance_tables import check_metric, read_distance
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import read_labels, require_list
from dprivacy.typing import Label, LevelLike, NumberLike, TableLike

Metric = Callable[[Any, Any], LevelLike]  # points may be anything


def points(
    array: TableLike | Iterable[Any],  # any points, where the metric is a function
    *,
    metric: str | Metric = "euclidean",
    labels: Iterable[Label] | None = None,
    pseudo: bool = False,
) -> FiniteSpace:
    """A cloud of points with one of the named metrics, or with any function of two points.

    Parameters
    ----------
    array
        One point a row (numbers), or any sequence of points when `metric` is a function or "jaccard".
    metric
        "euclidean", "manhattan", "chebyshev" (exact for exact coordinates); "hamming" (coordinates
        that differ); "angular" (the angle over π, in [0, 1], of non-zero vectors); "jaccard" (sets
        or 0/1 rows, exact); or a function, whose axioms are checked.
    labels
        Names of the points; 0 … n−1 when omitted.
    pseudo
        Allow distance 0 between distinct points (the same place listed twice).

    Examples
    --------
    >>> points([[0, 0], [1, 1], [3, 4]], labels=["a", "b", "c"]).distance("a", "c")
    Fraction(5, 1)
    >>> points([{"tea", "jazz"}, {"tea"}], metric="jaccard").distance(0, 1)
    Fraction(1, 2)
    """
    rows = list(require_list(array, "points", "points"))
    known = read_labels(range(len(rows)) if labels is None else labels)
    if len(known) != len(rows):
        raise WrongShape(f"{counted(len(rows), 'point')} but {counted(len(known), 'label')}")
    if callable(metric):
        distances = _by_function(rows, known, metric)
        check_metric(known, distances, pseudo=pseudo, extended=False)
        return FiniteSpace(known, distances, numbered=labels is None)
    if metric == "jaccard":
        distances = _jaccard(rows, known)
    elif metric in _NAMED:
        matrix = read_matrix(
            array if isinstance(array, np.ndarray) else rows,
            lambda i, j: f"point {known[i]!r}, coordinate {j}",
        )
        if metric == "angular":
            for label, row in zip(known, matrix.entries, strict=True):
                if not row.any():
                    raise NotApplicable(
                        f"point {label!r} is the zero vector, which has no direction"
                    )
        distances = _NAMED[metric](matrix)
    else:
        raise UnknownName.among("metric (unless it is a function)", metric, [*_NAMED, "jaccard"])
    check_metric(known, distances, pseudo=pseudo, extended=False, triangle=False)
    return FiniteSpace(known, distances, numbered=labels is None)


@result("M", "Ex 2")
def curves(
    samples: TableLike,
    *,
    norm: Literal["l2", "sup"] = "l2",
    step: NumberLike = 1,
    labels: Iterable[Label] | None = None,
) -> FiniteSpace:
    """Curves sampled at the same times: L2 distance √(step·Σ(f−g)²), or the sup distance max|f−g|.

    Parameters
    ----------
    samples
        One curve a row.
    norm
        "l2" or "sup".
    step
        The time between samples (it weighs the squares of the L2 norm).
    labels
        Names of the curves; 0 … n−1 when omitted.

    Examples
    --------
    >>> curves([[0, 0, 0], [1, 2, 2]], labels=["flat", "up"], step="1/4").distance("flat", "up")
    Fraction(3, 2)
    """
    if norm not in ("l2", "sup"):
        raise UnknownName.among("norm", norm, ["l2", "sup"])
    space = points(samples, metric="euclidean" if norm == "l2" else "chebyshev", labels=labels)
    width = as_eps(step, name="the step")
    if norm == "sup" or width == 1:
        return space
    weight = width.simplified
    if not isinstance(weight, Fraction):
        raise BadNumber(f"step must be a rational number, not {step}")
    return space.scaled(root(weight))


def _set(row: Any, label: Label) -> frozenset[Any]:
    if isinstance(row, set | frozenset):
        return frozenset(row)
    bits = list(row)
    if any(isinstance(bit, str) or bit not in (0, 1) for bit in bits):
        raise WrongKind(f"point {label!r}: 'jaccard' needs a set or a row of 0 and 1, not {row!r}")
    return frozenset(i for i, bit in enumerate(bits) if bit)


def _by_function(rows: Sequence[Any], labels: Sequence[Label], metric: Metric) -> Distances:
    n = len(rows)
    table: list[list[Distance]] = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            table[i][j] = read_distance(
                metric(rows[i], rows[j]), f"d({labels[i]!r}, {labels[j]!r})"
            )
    return Distances.of(table)


def _differences(matrix: Mat) -> NDArray[Any]:
    entries = matrix.entries
    largest = max((abs(v) for v in entries.ravel().tolist()), default=0)
    if matrix.exact and 4 * largest**2 * matrix.shape[1] < 1 << 62:  # sums of squares fit int64
        entries = entries.astype(np.int64)
    return np.asarray(np.abs(entries[:, None, :] - entries[None, :, :]))


def _euclidean(matrix: Mat) -> Distances:
    squares = (_differences(matrix) ** 2).sum(axis=2)
    if not matrix.exact:
        return Distances(np.sqrt(squares))
    if matrix.den == 1:
        return Distances.roots(squares)
    return Distances.coded(squares, lambda s: root(Fraction(s, matrix.den**2)).simplified)


def _manhattan(matrix: Mat) -> Distances:
    return _over_den(_differences(matrix).sum(axis=2), matrix)


def _chebyshev(matrix: Mat) -> Distances:
    return _over_den(_differences(matrix).max(axis=2), matrix)


def _over_den(table: NDArray[Any], matrix: Mat) -> Distances:
    if not matrix.exact:
        return Distances(table)
    return Distances.coded(table, lambda s: Fraction(s, matrix.den))


def _hamming(matrix: Mat) -> Distances:
    apart = (matrix.entries[:, None, :] != matrix.entries[None, :, :]).sum(axis=2)
    return Distances.coded(apart.astype(np.int64), Fraction)


def _angular(matrix: Mat) -> Distances:
    vectors = matrix.floats
    lengths = np.linalg.norm(vectors, axis=1)
    units = vectors / lengths[:, None]
    # 2·atan2(|u−v|, |u+v|) keeps its accuracy for nearly parallel vectors, where arccos loses it.
    apart = np.linalg.norm(units[:, None, :] - units[None, :, :], axis=2)
    along = np.linalg.norm(units[:, None, :] + units[None, :, :], axis=2)
    angles = 2 * np.arctan2(apart, along) / math.pi
    np.fill_diagonal(angles, 0.0)
    return Distances(angles)


def _jaccard(rows: Sequence[Any], labels: Sequence[Label]) -> Distances:
    widths = {len(row) for row in rows if not isinstance(row, set | frozenset)}
    if len(widths) > 1:
        raise WrongShape(f"the 0/1 rows should all be of one length; some have {widths}")
    sets = [_set(row, label) for row, label in zip(rows, labels, strict=True)]

    def apart(a: frozenset[Any], b: frozenset[Any]) -> Fraction:
        return 1 - Fraction(len(a & b), len(a | b)) if a | b else Fraction(0)

    return Distances.of([[apart(a, b) for b in sets] for a in sets])


_NAMED: dict[str, Callable[[Mat], Distances]] = {
    "euclidean": _euclidean,
    "manhattan": _manhattan,
    "chebyshev": _chebyshev,
    "hamming": _hamming,
    "angular": _angular,
}
