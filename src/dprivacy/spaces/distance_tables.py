"""A space from a table of distances, and the axioms that the table must keep."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadLevel, BadNumber, NotAMetric, WrongShape, counted
from dprivacy.numbers import Level, as_level, read_number, read_rows
from dprivacy.spaces.distance_matrix import Distance, Distances, plus
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import read_labels
from dprivacy.spaces.shortest_paths import shortest_paths
from dprivacy.typing import Label, LevelLike


def read_distance(value: LevelLike, where: str) -> Distance:
    """One distance: a number, a Level, or a text such as "3/2", "sqrt(2)", "ln 3" or "inf"."""
    if isinstance(value, Level):
        return value.simplified
    if isinstance(value, str):
        if value.strip().lower() in ("inf", "infinity", "∞"):
            return math.inf
        try:
            return as_level(value).simplified
        except BadLevel as error:
            raise BadNumber(f"{where}: {error}") from None
    return read_number(value, where)


def from_table(
    labels: Iterable[Label],
    distances: Sequence[Sequence[LevelLike]] | NDArray[Any],
    *,
    pseudo: bool = False,
    extended: bool = False,
    close: bool = False,
) -> FiniteSpace:
    """A space from labels and a square table of distances.

    Parameters
    ----------
    labels
        One a row of the table.
    distances
        Nested lists or an array; entries may be exact ("3/2", "sqrt(2)", "ln 3", Fractions, Levels)
        or floats, and "inf" where `extended` allows it.
    pseudo, extended
        Allow distance 0 between distinct points (secrets that nothing may tell apart: a private
        channel has equal rows for them), and infinite distances (pairs that are not protected from
        each other at all).
    close
        Repair a table that breaks the triangle inequality by shortest paths.

    Raises
    ------
    NotAMetric
        Naming the points that break an axiom.

    Examples
    --------
    >>> distances = [[0, 1, "3/2"], [1, 0, 2], ["3/2", 2, 0]]
    >>> from_table(["home", "work", "gym"], distances).distance("home", "gym")
    Fraction(3, 2)
    """
    known = read_labels(labels)
    rows: Sequence[Sequence[Any]] = read_rows(distances)
    if len(rows) != len(known):
        raise WrongShape(
            f"{counted(len(known), 'label')} should have a table of {len(known)}×{len(known)} "
            f"distances, not of {counted(len(rows), 'row')}"
        )
    for label, row in zip(known, rows, strict=True):
        if len(row) != len(known):
            have = counted(len(row), "distance")
            raise WrongShape(f"the row of {label!r} has {have}, not {len(known)}")
    table = Distances.of(
        [
            [read_distance(value, f"d({known[i]!r}, {known[j]!r})") for j, value in enumerate(row)]
            for i, row in enumerate(rows)
        ]
    )
    check_metric(known, table, pseudo=pseudo, extended=extended, triangle=not close)
    return FiniteSpace(known, shortest_paths(table) if close else table)


_ROUNDING = 8 * np.finfo(np.float64).eps  # what computing a distance in doubles may cost


def check_metric(
    labels: Sequence[Label],
    distances: Distances,
    *,
    pseudo: bool,
    extended: bool,
    triangle: bool = True,
) -> None:
    """Raise NotAMetric unless the table is a metric on the labels.

    Parameters
    ----------
    labels, distances
        The points and their table.
    pseudo
        Allow distance 0 between distinct points.
    extended
        Allow infinite distances.
    triangle
        Whether the triangle inequality is required.

    Notes
    -----
    Checked in order: zero diagonal, no negative entry, symmetry, finiteness, separation, triangle.
    Exact tables are checked exactly; for float tables the triangle inequality may fail by a few
    units in the last place, which is what computing the distances costs.
    """

    def shown(i: int, j: int) -> str:
        return f"d({labels[i]!r}, {labels[j]!r}) = {distances[i, j]}"

    table = distances.floats
    if np.isnan(table).any():
        i, j = np.argwhere(np.isnan(table))[0]
        raise NotAMetric(f"{shown(i, j)}: a distance must be a number")
    for i in range(len(labels)):
        if distances[i, i] != 0:
            raise NotAMetric(f"{shown(i, i)}: the distance from a point to itself must be 0")
    signs = distances.signs
    _refuse(signs < 0, lambda i, j: f"{shown(i, j)}: a distance cannot be negative")
    lopsided = distances.table != distances.table.T
    for i, j in np.argwhere(lopsided):
        if distances[i, j] != distances[j, i]:
            raise NotAMetric(f"not symmetric: {shown(i, j)} but {shown(j, i)}")
    if not extended:
        _refuse(
            np.isinf(table),
            lambda i, j: (
                f"{shown(i, j)}: allow infinite distances with extended=True if they are meant"
            ),
        )
    if not pseudo:
        _refuse(
            (signs == 0) & ~np.eye(len(labels), dtype=bool),
            lambda i, j: (
                f"{shown(i, j)} for distinct points: allow it with pseudo=True if it is meant"
            ),
        )
    if triangle:
        _check_triangle(labels, distances)


def _refuse(bad: NDArray[np.bool_], message: Callable[[int, int], str]) -> None:
    if bad.any():
        i, j = (int(at) for at in np.argwhere(bad)[0])
        raise NotAMetric(message(i, j))


def _check_triangle(labels: Sequence[Label], distances: Distances) -> None:
    whole = distances.integers
    table = whole[0] if whole is not None else distances.floats
    for k in range(len(labels)):
        around = table[:, k, None] + table[None, k, :]
        if whole is not None:
            broken = around < table
        elif distances.exact:
            # Candidates, settled exactly below: all that doubles cannot tell from broken.
            broken = (around < table * (1 + 1e-9)) | ((table < 1e-300) & ~distances.zeros)
        else:
            broken = around < table * (1 - _ROUNDING)
        for i, j in np.argwhere(broken):
            detour, direct = plus(distances[i, k], distances[k, j]), distances[i, j]
            if math.isinf(float(detour)) or (distances.exact and detour >= direct):
                continue
            raise NotAMetric(
                f"the triangle inequality fails: d({labels[i]!r}, {labels[j]!r}) = {direct} is more "
                f"than the way round by {labels[k]!r}, {distances[i, k]} + {distances[k, j]} = "
                f"{detour}. from_table(..., close=True) replaces distances by shortest paths"
            )
