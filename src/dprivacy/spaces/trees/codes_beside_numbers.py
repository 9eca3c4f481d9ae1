"""Numbers and special codes in one space: a line, and codes that hang on one of its points."""

import itertools
import math
from collections.abc import Iterable

import numpy as np

from dprivacy.errors import BadNumber, DuplicateLabel
from dprivacy.numbers import as_rational
from dprivacy.spaces.distance_matrix import Distances, require_fits
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.spaces.labels import read_labels
from dprivacy.spaces.needed_pairs import Pairs
from dprivacy.typing import Label, NumberLike


def anchored(
    points: Iterable[NumberLike],
    codes: Iterable[Label],
    *,
    anchor: NumberLike,
    code_distance: NumberLike,
) -> FiniteSpace:
    """Points of a line, and codes such as "refused" that hang on one of them.

    Two numbers are |x − z| apart, a number and a code a + |x − m|, two codes a.

    Parameters
    ----------
    points
        Numbers, which are labels as well; exact ones, as for `line`.
    codes
        The labels beside them.
    anchor
        m, the point that the codes hang on; one of the points.
    code_distance
        a, how far a code is from the anchor and from any other code.

    Notes
    -----
    It is a tree, and so a metric for every a > 0: the codes are a/2 from a knot that is a/2 from m.
    Neighbours on the line, the anchor with every code, and every two codes imply all other pairs.

    Examples
    --------
    >>> space = anchored(range(11), ["N", "999"], anchor=5, code_distance=5)
    >>> space.distance(2, "N"), space.distance("N", "999"), space.diameter
    (Fraction(8, 1), Fraction(5, 1), Fraction(10, 1))
    """
    numbers, beside = read_labels(points, "points"), read_labels(codes, "codes")
    at = [as_rational(label, f"point {label!r}") for label in numbers]
    m, apart = as_rational(anchor, "anchor"), as_rational(code_distance, "code_distance")
    if len(set(at)) < len(at):
        raise DuplicateLabel("two points of the line are the same number")
    if m not in at:
        raise BadNumber(f"the anchor should be one of the points, and {m} is not")
    if apart <= 0:
        raise BadNumber(f"code_distance should be greater than 0, not {apart}")
    require_fits("the space", len(at) + len(beside))
    den = math.lcm(apart.denominator, *(value.denominator for value in at))
    along = [int(value * den) for value in at]
    reach = int(apart * den)
    small = max(*map(abs, along), reach) < 1 << 60
    line = np.array(along, dtype=np.int64 if small else object)
    table = np.full((len(at) + len(beside),) * 2, reach, dtype=line.dtype)
    table[: len(at), : len(at)] = np.abs(line[:, None] - line)
    to_code = np.abs(line - int(m * den)) + reach
    table[: len(at), len(at) :] = to_code[:, None]
    table[len(at) :, : len(at)] = to_code
    np.fill_diagonal(table, 0)
    return FiniteSpace(
        [*numbers, *beside],
        Distances.coded(table, lambda gap: as_rational(gap, "gap") / den),
        edges=_edges(along, at.index(m), len(beside)),
    )


def _edges(along: list[int], anchor: int, codes: int) -> Pairs:
    """Pairs of positions that imply all others, the lower position first."""
    order = sorted(range(len(along)), key=along.__getitem__)
    beside = range(len(along), len(along) + codes)
    pairs = [
        *(sorted(pair) for pair in itertools.pairwise(order)),
        *((anchor, code) for code in beside),
        *((one, other) for one in beside for other in beside if one < other),
    ]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)
