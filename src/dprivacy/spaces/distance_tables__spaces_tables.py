"""A space from a table of distances."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from dprivacy.errors import BadLevel, Malformed
from dprivacy.numbers import Level, as_level, read_number, read_rows
from dprivacy.spaces.distance_matrix import Distance, Distances
from dprivacy.spaces.distance_tables__spaces_axioms import check_metric
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import Label, read_labels
from dprivacy.spaces.shortest_paths import shortest_paths


def read_distance(value: Any, where: str) -> Distance:
    """One distance: a number, a Level, or a text such as "3/2", "sqrt(2)", "ln 3" or "inf"."""
    if isinstance(value, Level):
        return value.simplified
    if isinstance(value, str):
        if value.strip().lower() in ("inf", "infinity", "∞"):
            return math.inf
        try:
            return as_level(value).simplified
        except BadLevel as error:
            raise Malformed(f"{where}: {error}") from None
    return read_number(value, where)


def from_table(
    labels: Iterable[Label],
    distances: Any,
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
    pseudo
        Allow distance 0 between distinct points (secrets that need no protection from each other).
    extended
        Allow infinite distances (pairs that are not protected at all).
    close
        Repair a table that breaks the triangle inequality by shortest paths.

    Raises
    ------
    NotAMetric
        Naming the points that break an axiom.
    """
    known = read_labels(labels)
    rows: Sequence[Sequence[Any]] = read_rows(distances)
    if len(rows) != len(known):
        raise Malformed(
            f"{len(known)} labels need a table of {len(known)}×{len(known)} distances, not of "
            f"{len(rows)} rows"
        )
    for label, row in zip(known, rows, strict=True):
        if len(row) != len(known):
            raise Malformed(f"the row of {label!r} has {len(row)} distances, not {len(known)}")
    table = Distances.of(
        [
            [read_distance(value, f"d({known[i]!r}, {known[j]!r})") for j, value in enumerate(row)]
            for i, row in enumerate(rows)
        ]
    )
    check_metric(known, table, pseudo=pseudo, extended=extended, triangle=not close)
    return FiniteSpace(known, shortest_paths(table) if close else table)
