"""Distances between distributions: Kantorovich's, by the ground distance, and total variation."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.estimation.transport.transport_plan import transport
from dprivacy.estimation.transport.two_distributions import DistLike, Weight, weights_on
from dprivacy.model import as_space
from dprivacy.numbers import Level
from dprivacy.sources import result
from dprivacy.spaces import Distances, FiniteSpace, GridLine, read_labels
from dprivacy.typing import Label, SpaceLike


@result("T", "Def 8.3.2")
def kantorovich(p: DistLike, q: DistLike, space: SpaceLike | GridLine) -> Fraction | float:
    """The cost of moving the mass of p to q, by the distances of a space.

    K(p, q) = max |Σ g(x)·p(x) − Σ g(x)·q(x)| over 1-Lipschitz g, also known as Wasserstein-1 or the
    earth mover's distance.

    Parameters
    ----------
    p, q
        Distributions on the space's labels: a Dist, a mapping, an Estimate, or numbers in the order of
        the labels. Negative weights (of an inverted estimate) are allowed.
    space
        The ground distance; a GridLine for numbers on a line too long for a table of distances.

    Returns
    -------
    Fraction or float
        Exact when both distributions and the distances are rational (and, away from lines and
        unordered categories, the problem is small); a float otherwise; ``inf`` where mass would have to
        travel an infinite distance.

    Notes
    -----
    1. Only p − q matters.
    2. On a line, in whatever order the labels come, sum |cumulative difference|·gap: O(n log n).
    3. If all distances are equal, that distance times the total variation.
    4. Otherwise a transport program: over ℚ with a certificate when small and exact, by POT (extra
       `ot`) if it is installed, by HiGHS if not; along the space's edges, where it knows them.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(kantorovich(["1/2", 0, "1/2"], [0, 1, 0], line(3)))
    1
    """
    if isinstance(space, GridLine):
        labels = _labels_of(p, q)
        change = difference(p, q, labels)
        return _along_line([Fraction(label) for label in labels], change)
    space = as_space(space)
    change = difference(p, q, space.labels)
    along = line_coordinates(space)
    if along is not None:
        return _along_line(along, change)
    alike = space.uniform_distance
    if alike is not None and not isinstance(alike, Level):
        half = _half_sum(change)
        return half * alike if half else half
    if alike is not None:
        return float(_half_sum(change)) * float(alike)
    return transport(change, space)


def total_variation(
    p: DistLike, q: DistLike, labels: Iterable[Label] | None = None
) -> Fraction | float:
    """½·Σ|p(x) − q(x)|: the largest difference of the probabilities of one event.

    Parameters
    ----------
    p, q
        Distributions, as for `kantorovich`.
    labels
        The labels, where neither p nor q has any.

    Examples
    --------
    >>> print(total_variation({"a": "1/2", "b": "1/2"}, {"a": "3/4", "b": "1/4"}))
    1/4
    """
    return _half_sum(difference(p, q, _labels_of(p, q) if labels is None else read_labels(labels)))


def difference(p: DistLike, q: DistLike, labels: Sequence[Label]) -> list[Weight]:
    """p − q on some labels: Fractions when both are exact, floats otherwise."""
    first = weights_on(p, labels, "the first distribution")
    second = weights_on(q, labels, "the second distribution")
    return [a - b for a, b in zip(first, second, strict=True)]


def _labels_of(p: Any, q: Any) -> tuple[Any, ...]:
    """All labels of both; positions where neither has labels."""
    found: dict[Any, None] = {}
    sizes = []
    for side in (getattr(p, "distribution", p), getattr(q, "distribution", q)):
        if hasattr(side, "items"):
            found.update((label, None) for label, _ in side.items())
        elif hasattr(side, "__len__"):
            sizes.append(len(side))
    if found and sizes:
        raise NotApplicable(
            f"one distribution has labels and the other is a list of {sizes[0]} weights; give labels=…"
        )
    return read_labels(found or range(max(sizes, default=0)))


def _half_sum(change: list[Weight]) -> Fraction | float:
    total: Any = sum(abs(value) for value in change)
    return total / 2  # type: ignore[no-any-return]


def _along_line(along: list[Any], change: list[Weight]) -> Fraction | float:
    """Σ |cumulative difference|·gap in the order of the line."""
    if isinstance(change[0], float) or isinstance(along[0], float):
        places = np.array([float(place) for place in along])
        order = np.argsort(places, kind="stable")
        reached = np.cumsum(np.array([float(value) for value in change])[order])[:-1]
        return float(np.abs(reached) @ np.diff(places[order]))
    order_ = sorted(range(len(along)), key=along.__getitem__)
    total, carried = Fraction(0), Fraction(0)
    for here, there in pairwise(order_):
        carried += Fraction(change[here])
        total += abs(carried) * (along[there] - along[here])
    return total


_ALIKE = 1e-9  # the share of a distance by which the difference of two places may miss it

# A table of distances never changes, and finding out takes O(n²): each one is asked once.
_LINES: WeakKeyDictionary[Distances, list[Any] | None] = WeakKeyDictionary()


def line_coordinates(space: FiniteSpace) -> list[Any] | None:
    """Places on a line that give the space's distances, or None where there are none.

    Notes
    -----
    1. The point farthest from any point is an end; a place is the distance from that end.
    2. Every distance is compared with the difference of its places: exactly for rational distances,
       otherwise up to a share of itself, so that points close together stay apart.
    """
    if space.distances not in _LINES:
        _LINES[space.distances] = _places(space.distances)
    return _LINES[space.distances]


def _places(distances: Distances) -> list[Any] | None:
    table: Any
    whole = distances.integers
    if whole is not None:
        table, den = whole
        along = table[int(table[0].argmax())]
        if _differs(table, along):
            return None
        return [Fraction(int(place), den) for place in along]
    table = distances.floats
    if not np.isfinite(table).all():
        return None
    along = table[int(table[0].argmax())]
    return None if _differs(table, along, _ALIKE) else [float(place) for place in along]


def _differs(table: Any, along: Any, share: float = 0) -> bool:
    """Whether some distance is not the difference of the places; row blocks keep memory small."""
    for low in range(0, len(along), 512):
        block, distances = np.abs(along[low : low + 512, None] - along), table[low : low + 512]
        off = np.abs(block - distances)
        if (off > share * distances if share else off > 0).any():
            return True
    return False
