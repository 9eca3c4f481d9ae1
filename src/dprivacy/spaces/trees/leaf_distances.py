"""The leaves of a hierarchy, such as occupations or regions: how many levels two have to climb."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from dprivacy.errors import NotApplicable, WrongKind, WrongShape
from dprivacy.spaces.distance_matrix import Distances, require_fits
from dprivacy.spaces.finite_space import FiniteSpace
from dprivacy.typing import Label


def hierarchy(parents: Mapping[Label, Label | None]) -> FiniteSpace:
    """The leaves of a hierarchy; their distance is the number of levels that two of them climb to meet.

    Parameters
    ----------
    parents
        The parent of every code, None for one at the top. Codes that are nobody's parent are the
        leaves, in this order; a parent that has no entry itself is at the top.

    Notes
    -----
    The distance is half the path between two leaves: siblings are at 1. Where one leaf lies deeper than
    the other it is the mean of what the two climb. Codes at the top meet one level above.

    Examples
    --------
    >>> jobs = {"2211": "221", "2212": "221", "2221": "222", "221": "22", "222": "22", "9111": "911"}
    >>> space = hierarchy(jobs)
    >>> space.labels
    ('2211', '2212', '2221', '9111')
    >>> space.distance("2211", "2212"), space.distance("2211", "2221"), space.distance("2211", "9111")
    (Fraction(1, 1), Fraction(2, 1), Fraction(5, 2))
    """
    if not isinstance(parents, Mapping):
        raise WrongKind(
            f"a hierarchy is the parent of every code, {{'FR': 'Europe'}}, not {parents!r:.40}"
        )
    inner = {parent for parent in parents.values() if parent is not None}
    leaves = [code for code in parents if code not in inner]
    if len(leaves) < 2:
        raise WrongShape(f"a hierarchy needs at least two leaves, and this one has {len(leaves)}")
    require_fits("the hierarchy", len(leaves))
    every = {code: _path(code, parents) for code in parents}  # circles without leaves show as well
    paths = [every[code] for code in leaves]
    numbers = {code: k for k, code in enumerate({code: None for path in paths for code in path})}
    deepest = max(map(len, paths))
    # Below its own end a path has numbers that no other has.
    padded = [
        [*(numbers[code] for code in path), *[-1 - k] * (deepest - len(path))]
        for k, path in enumerate(paths)
    ]
    at, depths = np.array(padded, dtype=np.int64), np.array([len(path) for path in paths])
    together = np.ones((len(leaves),) * 2, dtype=bool)
    shared = np.zeros((len(leaves),) * 2, dtype=np.int64)
    for level in range(deepest):
        together &= at[:, level][:, None] == at[:, level]
        shared += together
    climbed = depths[:, None] + depths - 2 * shared
    np.fill_diagonal(climbed, 0)
    pairs = np.stack(np.triu_indices(len(leaves), 1), axis=1)
    return FiniteSpace(
        leaves, Distances.coded(climbed, lambda steps: Fraction(steps, 2)), edges=pairs
    )


def _path(code: Label, parents: Mapping[Label, Label | None]) -> list[Label]:
    """A code and all that it lies in, the top first."""
    path, seen = [code], {code}
    above = parents[code]
    while above is not None:
        if above in seen:
            raise NotApplicable(f"the hierarchy goes in a circle: {above!r} lies in itself")
        seen.add(above)
        path.append(above)
        above = parents.get(above)
    return path[::-1]
