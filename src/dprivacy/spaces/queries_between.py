"""Queries between spaces: how much a function stretches distances, and the metric it induces."""

import math
from collections.abc import Callable, Hashable
from contextlib import suppress
from fractions import Fraction

from dprivacy.errors import Uncertified, WrongKind
from dprivacy.numbers import as_level, quotient_up
from dprivacy.sources import result
from dprivacy.spaces.distance_matrix import Distance, Distances
from dprivacy.spaces.finite_space import FiniteSpace, require_space
from dprivacy.spaces.shortest_paths import shortest_paths
from dprivacy.typing import Label

_BITS = 4096  # of both, for a quotient beyond the doubles
Query = Callable[[Label], Label]


@result("T", "Def 3.3.2")
def sensitivity(f: Query, X: FiniteSpace, Y: FiniteSpace) -> Distance:
    """The sensitivity of a query: the smallest Δ with d_Y(f(x), f(z)) ≤ Δ·d_X(x, z).

    Parameters
    ----------
    f
        A function from labels of X to labels of Y.
    X, Y
        The two spaces.

    Returns
    -------
    Fraction, Level or float
        Exact when both spaces are exact and the quotient has an exact form, else a double rounded up
        (a whole number where it is beyond the doubles), so that noise for it is never too little;
        ``inf`` when two secrets at distance 0 have answers that are apart.

    Examples
    --------
    >>> from dprivacy.spaces import hamming_cube, line
    >>> sensitivity(sum, hamming_cube(3), line(4))
    Fraction(1, 1)
    """
    require_space(X, "X")
    require_space(Y, "Y")
    images = [Y.position(f(x)) for x in X.labels]
    # It is enough to look at pairs that imply the others, since d_Y obeys the triangle inequality.
    worst: Distance = Fraction(0)
    seen: dict[tuple[Distance, Distance], None] = {}
    for i, j in X.implying_pairs:
        seen.setdefault((Y.distances[images[i], images[j]], X.distances[i, j]))
    for stretched, original in seen:
        worst = max(worst, _quotient(stretched, original))
    return worst


def _quotient(top: Distance, bottom: Distance) -> Distance:
    """How far a pair is stretched: exactly, or rounded up."""
    if top == 0:
        return Fraction(0)
    if bottom == 0:
        return math.inf
    if not (isinstance(top, float) or isinstance(bottom, float)):
        with suppress(Uncertified):
            return (as_level(top) / as_level(bottom)).simplified
    found = quotient_up(top, bottom)
    if found < math.inf or math.inf in (top, bottom):
        return found
    # Beyond the doubles, where the next whole number is as good as the next double was.
    return Fraction(math.ceil(as_level(top).bounds(_BITS)[1] / as_level(bottom).bounds(_BITS)[0]))


@result("T", "Def 3.3.3")
def induced_space(f: Query, X: FiniteSpace) -> FiniteSpace:
    """The metric that a query induces on its answers, by shortest paths through its graph.

    Every pair x, z draws an edge of length d_X(x, z) between f(x) and f(z); the distance between
    two answers is the shortest path. Noise that is private for it makes the whole query private
    for d_X, and only such noise does.

    Examples
    --------
    >>> from dprivacy.spaces import hamming_cube
    >>> induced_space(sum, hamming_cube(3)).pairs()
    [(0, 1), (1, 2), (2, 3)]
    """
    answers = [f(x) for x in require_space(X, "X").labels]
    for x, answer in zip(X.labels, answers, strict=True):
        if not isinstance(answer, Hashable):
            raise WrongKind(
                f"the answer for {x!r} should be a label, not a value of type {type(answer).__name__}"
            )
    labels = list(dict.fromkeys(answers))
    at = {label: k for k, label in enumerate(labels)}
    table: list[list[Distance]] = [[math.inf] * len(labels) for _ in labels]
    for k in range(len(labels)):
        table[k][k] = Fraction(0)
    for i, j in X.implying_pairs:
        a, b = at[answers[i]], at[answers[j]]
        if a != b:
            table[a][b] = table[b][a] = min(table[a][b], X.distances[i, j])
    return FiniteSpace(labels, shortest_paths(Distances.of(table)))
