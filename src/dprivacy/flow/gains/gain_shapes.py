"""The tables behind gains and losses: identity, blocks, distances, balls, sets of guesses."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, DuplicateLabel, TooLarge, WrongShape
from dprivacy.numbers import Mat, as_level
from dprivacy.spaces import Distance, FiniteSpace, read_labels, require_list
from dprivacy.typing import Label, NumberLike

_MOST_CELLS = 5_000_000

Table = tuple[tuple[Any, ...], tuple[Any, ...], Mat]


def opposite(table: Mat) -> Mat:
    """1 − table."""
    return Mat(table.den - table.entries, table.den)


def block_table(blocks: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]]) -> Table:
    """Blocks by secrets: 1 where the secret lies in the block."""
    if isinstance(blocks, Mapping):
        names, given = list(blocks), list(blocks.values())
    else:
        names, given = [], list(require_list(blocks, "a partition", "blocks"))
    members = [list(require_list(block, "a block", "secrets")) for block in given]
    names = names or [frozenset(block) for block in members]
    if not members or not all(members):
        raise WrongShape(
            f"a partition should have at least one block, and a secret in every block, not {members!r}"
        )
    secrets = [x for block in members for x in block]
    twice = [x for k, x in enumerate(secrets) if x in secrets[:k]] if len(secrets) < 200 else []
    if twice or len(set(secrets)) < len(secrets):
        which = repr(twice[0]) if twice else f"one of the {len(secrets)} secrets"
        raise DuplicateLabel(f"{which} lies in two blocks; the blocks of a partition are disjoint")
    require_cells(len(members), len(secrets))
    entries = np.zeros((len(members), len(secrets)), dtype=object)
    at = 0
    for k, block in enumerate(members):
        entries[k, at : at + len(block)] = 1
        at += len(block)
    return tuple(names), tuple(secrets), Mat(entries)


def distance_table(
    space: FiniteSpace,
    actions: Sequence[Any] | None,
    secrets: Sequence[Any] | None,
    *,
    normalised: bool,
) -> Table:
    """Distances from actions to secrets, over the diameter if wanted; float when irrational."""
    rows, columns, at_row, at_column = _places(space, actions, secrets)
    longest = space.diameter if normalised else Fraction(1)
    at = np.ix_(at_row, at_column)
    floats = space.distances.floats[at]
    far = np.argwhere(np.isinf(floats))
    if len(far):
        raise BadNumber(
            f"the distance from {rows[far[0, 0]]!r} to {columns[far[0, 1]]!r} is infinite, and a gain "
            "or loss should be finite; restrict the space to one part"
        )
    unit = longest if longest else Fraction(1)
    distinct, codes = np.unique(space.distances.table[at], return_inverse=True)
    shares: list[Fraction] = []
    for d in distinct.tolist():
        share = _quotient(d if space.distances.values is None else space.distances.values[d], unit)
        if not isinstance(share, Fraction):  # one is enough
            return rows, columns, Mat(floats / float(unit))
        shares.append(share)
    common = math.lcm(*(share.denominator for share in shares))
    whole = np.array([int(share * common) for share in shares], dtype=object)
    return rows, columns, Mat(whole[codes.reshape(floats.shape)], common)


def _quotient(d: Distance, unit: Distance) -> Any:
    if isinstance(d, float) or isinstance(unit, float):
        return float(d) / float(unit)
    try:
        return (as_level(d) / as_level(unit)).simplified
    except ValueError:  # a quotient of logarithms without an exact form
        return float(d) / float(unit)


def _places(
    space: FiniteSpace, actions: Sequence[Any] | None, secrets: Sequence[Any] | None
) -> tuple[tuple[Any, ...], tuple[Any, ...], list[int], list[int]]:
    """Actions and secrets, all points by default, and where they stand in the space."""
    rows, columns = (
        space.labels if side is None else read_labels(side) for side in (actions, secrets)
    )
    return rows, columns, [space.position(w) for w in rows], [space.position(x) for x in columns]


def near_table(
    space: FiniteSpace,
    radius: NumberLike,
    actions: Sequence[Any] | None,
    secrets: Sequence[Any] | None,
) -> Table:
    """1 where d(w, x) ≤ r; decided exactly on an exact space."""
    reach = as_level(radius)
    rows, columns, at_row, at_column = _places(space, actions, secrets)
    distances = [[space.distances[i, j] for j in at_column] for i in at_row]
    near = {d: int(reach >= d) for d in set().union(*distances)}
    return rows, columns, Mat.over(1, [[near[d] for d in row] for row in distances])


def subset_table(secrets: tuple[Label, ...], k: object) -> Table:
    """Sets of k secrets by secrets: 1 where the set holds the secret."""
    n = len(secrets)
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= n:
        raise BadNumber(f"the number of tries should be a whole number from 1 to {n}, not {k!r}")
    count = math.comb(n, k)
    require_cells(count, n)
    entries = np.zeros((count, n), dtype=object)
    chosen = list(combinations(range(n), k))
    entries[np.repeat(np.arange(count), k), np.array(chosen).ravel()] = 1
    return tuple(frozenset(secrets[i] for i in c) for c in chosen), secrets, Mat(entries)


def function_table(
    actions: Iterable[Any], secrets: tuple[Any, ...], f: Callable[[Any, Any], Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...], list[list[Any]]]:
    """f(w, x) for every action and secret."""
    names = read_labels(actions, "actions")
    return names, secrets, [[f(w, x) for x in secrets] for w in names]


def require_cells(rows: int, columns: int) -> None:
    """Raise TooLarge for a table that would not fit."""
    if rows * columns > _MOST_CELLS:
        raise TooLarge(
            f"{rows:,} actions on {columns:,} secrets need a table of more than {_MOST_CELLS:,} entries"
        )
