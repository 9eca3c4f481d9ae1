"""How many extreme points the local-privacy polytope has, without listing them."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np

from dprivacy.numbers import Factor, as_eps
from dprivacy.polytope.counted_parts import ExtremePointCount
from dprivacy.polytope.extreme_list import choices, collections, crossings, read_outputs
from dprivacy.polytope.slack.slack_points import point_classes
from dprivacy.polytope.slack.tight_pairs import read_slack
from dprivacy.polytope.supports.balanced_collections import (
    balanced_collections,
    balanced_supports,
    proper_subsets,
)
from dprivacy.polytope.supports.minimal_supports import Progress
from dprivacy.polytope.supports.space_symmetries import actions, representatives
from dprivacy.sources import result
from dprivacy.typing import LevelLike, NumberLike


@result("P", "§5")
def count_extreme_points(
    n: int,
    *,
    eps: LevelLike,
    delta: NumberLike = 0,
    outputs: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> ExtremePointCount:
    """How many extreme points the n×n local-privacy polytope has, by columns and by loose entries.

    At δ = 0: Σ_ℓ C(n, ℓ)·Σ_K q(K)^ℓ·n!/(n − k)! over the kernels K of the discrete metric on n − ℓ
    points, with k posteriors and q(K) fitting rows (`crossings`), and n for the points with one
    non-zero column. With m outputs, m!/(m − k)! and m take the places of n!/(n − k)! and n.

    Parameters
    ----------
    n, delta, outputs, progress
        As for `extreme_points`.
    eps
        The level. At δ = 0, or with two inputs or outputs, any ε > 0 gives the same counts, rational
        e^ε or not; otherwise e^ε must be rational. At ε = 0 and δ = 0 there are n.
    force
        Go on although the estimate is long.

    Returns
    -------
    ExtremePointCount
        The number, with `by_columns`, `by_loose`, `table` and `classes`. Points are not stored.

    Notes
    -----
    For δ > 0 the polytope is walked along its edges, up to permutations. With two inputs and
    a > 1 there are m + 3m(m−1) + 3m(m−1)(m−2) + m(m−1)(m−2)(m−3), with two outputs 2 + 3(2^n − 2), for
    every δ strictly between 0 and 1. At δ = 1 there are m^n.

    Examples
    --------
    >>> found = count_extreme_points(4, eps="ln 2")
    >>> found == 904, found.by_columns, found.by_loose
    (True, {1: 4, 2: 84, 3: 288, 4: 528}, {0: 904})
    >>> slack = count_extreme_points(3, eps="ln 2", delta="1/10")
    >>> slack == 393, slack.by_columns, sum(slack.classes.values())
    (True, {1: 3, 2: 54, 3: 336}, 18)
    """
    m = read_outputs(n, outputs)
    factor, slack = Factor(as_eps(eps, zero=True)), read_slack(delta)
    table, classes = {(1, 0): m}, {(1, 0): 1}
    if slack:
        table, classes = {}, {}
        for found in point_classes(n, m, factor, slack, force=force, told=progress):
            key = (found.columns, found.loose)
            table[key] = table.get(key, 0) + found.size
            classes[key] = classes.get(key, 0) + 1
        table, classes = dict(sorted(table.items())), dict(sorted(classes.items()))
    elif factor.level:
        _count(n, m, table, classes, force, progress)
    return ExtremePointCount(
        sum(table.values()),
        n=n,
        outputs=m,
        eps=factor.level,
        delta=slack,
        table=table,
        classes=classes,
    )


def _count(
    n: int,
    m: int,
    table: dict[tuple[int, int], int],
    classes: dict[tuple[int, int], int],
    force: bool,
    progress: Progress | None,
) -> None:
    """Add the extreme points with two or more non-zero columns to both tables."""
    if n < 2:
        return
    moves = actions(proper_subsets(n), list(permutations(range(n)))) if n <= 8 else None
    sizes, kinds = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    for block in balanced_supports(n, force=force, progress=progress):
        of_size = block.sum(axis=1)
        sizes += np.bincount(of_size, minlength=n + 1)
        if moves is not None:
            kinds += np.bincount(of_size[representatives(block, moves)], minlength=n + 1)
    for k in range(2, min(n, m) + 1):
        table[k, 0] = int(sizes[k]) * math.perm(m, k)
        classes[k, 0] = int(kinds[k])
    for loose in range(1, n - 1):
        for collection, weights, cover in balanced_collections(n - loose):
            k = len(collection)
            ways = len(crossings(weights, cover)) ** loose
            if ways and k <= m:
                key = (k, loose)
                table[key] = table.get(key, 0) + math.comb(n, loose) * ways * math.perm(m, k)
                classes.setdefault(key, 0)
    wanted = {loose for _, loose in table if loose}
    for loose in sorted(wanted):
        for collection, weights, cover in collections(n - loose, True, False, force, None):
            heights = [tuple(map(Fraction, row)) for row in zip(*collection, strict=True)]
            fitting = crossings(weights, cover)
            if fitting and len(collection) <= m:
                classes[len(collection), loose] += sum(
                    1 for _ in choices(heights, fitting, loose, True)
                )
