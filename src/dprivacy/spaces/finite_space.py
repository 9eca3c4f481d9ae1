"""A finite metric space: labelled points and the distances between them."""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from dprivacy.errors import SpaceMismatch, WrongKind, counted
from dprivacy.numbers import Frozen, as_eps
from dprivacy.sources import result
from dprivacy.spaces.distance_matrix import Distance, Distances, plus
from dprivacy.spaces.labels import locate, normal, positions, read_labels, require_same_labels
from dprivacy.spaces.needed_pairs import Pairs, irredundant_pairs
from dprivacy.typing import Label, LevelLike


class FiniteSpace(Frozen):
    """Labelled points and their distances, exact or float.

    Build one with `discrete`, `line`, `grid`, `hamming_cube`, `power_set`, `graph`, `points`,
    `from_table` or `product`; those check the axioms or hold them by construction.

    Parameters
    ----------
    labels
        One distinct, hashable label a point.
    distances
        The table of distances between them.
    edges
        Pairs of positions that imply all others, where the construction knows them.
    numbered
        Whether labels are numbers that only count the points, so that none is a coordinate.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> four = line(4)
    >>> four.distance(0, 3)
    Fraction(3, 1)
    >>> print(four.diameter, four.separation, four.uniform_distance, four.exact, four.position(3))
    3 1 None True 3
    >>> four.pairs(), [side.tolist() for side in four.edges]
    ([(0, 1), (1, 2), (2, 3)], [[0, 1], [1, 2], [2, 3]])
    >>> [side.tolist() for side in four.implying_pairs]
    [[0, 1], [1, 2], [2, 3]]
    >>> print(four.scaled("ln 2").distance(0, 3), four.restrict([0, 3]).labels)
    ln(8) (0, 3)
    >>> twice = four.scaled(2)
    >>> four.maximum(twice) == twice, four.minimum(twice) == four, four.closure() == four
    (True, True, True)
    """

    labels: tuple[Label, ...]
    distances: Distances
    known_edges: Pairs | None
    numbered: bool
    _index: dict[Label, int]

    def __init__(
        self,
        labels: Iterable[Label],
        distances: Distances,
        *,
        edges: Pairs | None = None,
        numbered: bool = False,
    ) -> None:
        known = read_labels(labels)
        if distances.n != len(known):
            raise SpaceMismatch(
                f"{counted(len(known), 'label')} but a table of {distances.n}×{distances.n} distances"
            )
        self._set(labels=known, distances=distances, numbered=numbered, _index=positions(known))
        self._set(known_edges=None if edges is None else _read_only(edges))

    def __len__(self) -> int:
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        try:
            return normal(label) in self._index
        except TypeError:  # not hashable
            return False

    @property
    def exact(self) -> bool:
        """Whether distances are exact."""
        return self.distances.exact

    def position(self, label: Label) -> int:
        """Where a label stands; UnknownCategory if it does not."""
        return locate(self._index, label, "the points of the space")

    def distance(self, x: Label, z: Label) -> Distance:
        """The distance between two labels: a Fraction, a Level (√2, ln 3), a float, or inf."""
        return self.distances[self.position(x), self.position(z)]

    @property
    def diameter(self) -> Distance:
        """The largest distance."""
        return self._extreme(largest=True)

    @property
    def separation(self) -> Distance:
        """κ, the smallest distance between distinct points (inf for a single point)."""
        return self._extreme(largest=False)

    def _extreme(self, *, largest: bool) -> Distance:
        if len(self) == 1:
            return self.distances[0, 0] if largest else math.inf
        above = np.triu_indices(len(self), 1)
        entries = np.unique(self.distances.table[above])
        values = (
            [float(v) for v in entries]
            if self.distances.values is None
            else [self.distances.values[code] for code in entries]
        )
        return max(values) if largest else min(values)

    @cached_property
    def uniform_distance(self) -> Distance | None:
        """The one distance between any two distinct points, if they are all equal."""
        n, table = len(self), self.distances.table
        if n < 2:
            return None
        # The diagonal alone may differ; the first row tells most tables apart at once.
        if (table[0, 1:] != table[0, 1]).any() or (table == table[0, 1]).sum() != n * (n - 1):
            return None
        return self.distances[0, 1]

    @cached_property
    def edges(self) -> Pairs:
        """Positions (i < j) of the pairs that no third point implies; see `pairs`."""
        return _read_only(irredundant_pairs(self.distances, self.known_edges))

    @property
    def implying_pairs(self) -> Pairs:
        """Positions of pairs that imply all others, found without a search: known edges, or all."""
        if self.known_edges is not None:
            return self.known_edges
        return np.stack(np.triu_indices(len(self), 1), axis=1)

    def pairs(self) -> list[tuple[Label, Label]]:
        """The pairs of labels that are not implied by others.

        A line of n points has n − 1 of them, an L1 grid its edges; privacy on these pairs is privacy
        on all. Pairs at infinite distance constrain nothing and are not listed.
        """
        return [(self.labels[i], self.labels[j]) for i, j in self.edges]

    def scaled(self, eps: LevelLike) -> "FiniteSpace":
        """The space with every distance multiplied by ε > 0."""
        return self._like(self.distances.scaled(as_eps(eps)), edges=self.known_edges)

    def restrict(self, labels: Sequence[Label]) -> "FiniteSpace":
        """The subspace of the given labels, in the given order."""
        chosen = [self.position(label) for label in read_labels(labels, "restrict")]
        kept = [self.labels[i] for i in chosen]
        return FiniteSpace(kept, self.distances.take(chosen), numbered=self.numbered)

    def _aligned(self, other: "FiniteSpace") -> Distances:
        order = require_same_labels(self.labels, require_space(other).labels, "two spaces")
        return other.distances.take(order)

    @result("T", "Lem 3.2")
    def __add__(self, other: "FiniteSpace") -> "FiniteSpace":
        """The sum of two metrics on the same labels: what observing two mechanisms protects."""
        return self._like(self.distances.joined(self._aligned(other), plus))

    def maximum(self, other: "FiniteSpace") -> "FiniteSpace":
        """The larger of two metrics on the same labels, pair by pair (again a metric)."""
        return self._like(self.distances.joined(self._aligned(other), max))

    def minimum(self, other: "FiniteSpace") -> "FiniteSpace":
        """The largest metric below both: shortest paths through the smaller distances."""
        smaller = self.distances.joined(self._aligned(other), min)
        return self._like(smaller).closure()

    def closure(self) -> "FiniteSpace":
        """The largest metric below the table: distances replaced by shortest paths.

        The same space when the triangle inequality holds already.
        """
        from dprivacy.spaces.shortest_paths import shortest_paths

        return self._like(shortest_paths(self.distances))

    def _like(self, distances: Distances, *, edges: Pairs | None = None) -> "FiniteSpace":
        """The same points at other distances."""
        return FiniteSpace(self.labels, distances, edges=edges, numbered=self.numbered)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FiniteSpace):
            return NotImplemented
        if set(self._index) != set(other._index):
            return False
        mine, theirs = self.distances, self._aligned(other)
        alike = mine.values is not None and mine.values == theirs.values
        if alike and (mine.table == theirs.table).all():
            return True
        n = range(len(self))
        return all(mine[i, j] == theirs[i, j] for i in n for j in n)

    def __hash__(self) -> int:
        return hash(frozenset(self._index))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float"
        return f"FiniteSpace({counted(len(self), 'point')}, diameter {self.diameter}, {kind})"


def require_space(given: object, what: str = "a space") -> FiniteSpace:
    """The space itself; WrongKind for anything else, such as a text that names one."""
    if not isinstance(given, FiniteSpace):
        raise WrongKind(
            f"{what} should be a FiniteSpace, not {type(given).__name__}; as_space reads texts such as "
            "'line:5', files and mechanisms"
        )
    return given


def _read_only(pairs: Pairs) -> Pairs:
    kept = pairs.view()
    kept.flags.writeable = False
    return kept
