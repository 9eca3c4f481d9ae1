"""Word embeddings: words, their vectors, and the distance between words."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprivacy.errors import BadNumber, TooLarge, UnknownCategory, WrongKind, WrongShape
from dprivacy.numbers import float_up, root_above
from dprivacy.sources import result
from dprivacy.spaces import Distances, FiniteSpace, read_labels
from dprivacy.text.embeddings.nearest_vectors import nearest_rows

Floats = NDArray[np.floating[Any]]
_MOST_IN_TABLE = 4000  # words of a table of distances
_LOOKED_AT = 1000  # words among which typical distances are measured
_MOST_COMPARED = 20_000  # words whose distances are all looked at for the diameter
_BLOCK = 1000
_UPWARDS = 1 + 2.0**-20  # far above what doubles lose in a sum of squares


@result("T", "Def 9.2.2", "Lem 9.1")
@dataclass(frozen=True, eq=False)
class Embedding:
    """Words and their vectors: d(w, v) = ‖Vec(w) − Vec(v)‖, the Euclidean distance.

    Every text is given a vector, so that the distance is a pseudo-metric on *all* words: a word that
    the vocabulary lacks is looked for in lower case, with a capital and without a final 's, and
    otherwise stands at the centre of the vocabulary, at distance 0 from every other unknown word.

    Parameters
    ----------
    words
        Distinct words.
    vectors
        One row a word; finite numbers.
    name
        What it is called in reports.
    sha256
        The hash of the file it was read from.
    middle
        Where unknown words stand, if not at the mean of all vectors.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> tiny.distance("tea", "Coffee")
    5.0
    >>> tiny.dimension, tiny.position("moon"), tiny.position("sun"), tiny.nearest([[3, 3]])
    (2, 2, None, ['coffee'])
    >>> tiny.vectors_of(["moon", "sun"]).round(2).tolist(), tiny.centre.round(2).tolist()
    ([[0.0, 12.0], [1.0, 5.33]], [1.0, 5.33])
    >>> float(tiny.diameter) >= 12, [round(d, 2) for d in tiny.typical], tiny.squares.tolist()
    (True, [5.0, 8.54], [0.0, 25.0, 144.0])
    >>> sorted(tiny.to_dict())
    ['dimension', 'name', 'sha256', 'words']
    >>> tiny.restrict(["tea", "moon"]).space().distance("tea", "moon")
    12.0
    """

    words: tuple[str, ...]
    vectors: Floats
    name: str = "an embedding"
    sha256: str = ""
    middle: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        words = read_labels(self.words, "words of the embedding")
        strange = next((k for k, word in enumerate(words) if not isinstance(word, str)), None)
        if strange is not None:
            raise WrongKind(
                f"entry {strange} of the vocabulary should be text, not {words[strange]!r}"
            )
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "vectors", _read_vectors(self.vectors, words))

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.position(word) is not None

    def to_dict(self) -> dict[str, Any]:
        """What it is, as plain data; not the vectors."""
        return {
            "name": self.name,
            "words": len(self),
            "dimension": self.dimension,
            "sha256": self.sha256,
        }

    def __repr__(self) -> str:
        return f"Embedding({self.name}: {len(self):,} words, {self.dimension} dimensions)"

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: k for k, word in enumerate(self.words)}

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        """Where unknown words stand: the mean of all vectors, unless another point was given."""
        if self.middle is not None:
            return self.middle
        return np.asarray(self.vectors.mean(axis=0, dtype=np.float64))

    @cached_property
    def diameter(self) -> Fraction:
        """At least the largest distance between two words, unknown ones among them.

        All distances are looked at up to 20,000 words; beyond, it is twice the largest from the centre.
        """
        rows = np.vstack([self.vectors - self.centre, np.zeros(self.dimension)])
        squares = np.einsum("ij,ij->i", rows, rows)
        if len(rows) > _MOST_COMPARED:
            return Fraction(2 * math.sqrt(squares.max()) * _UPWARDS)
        largest = max(
            float((squares[low : low + _BLOCK, None] + squares - 2 * part @ rows.T).max())
            for low in range(0, len(rows), _BLOCK)
            for part in (rows[low : low + _BLOCK],)
        )
        return Fraction(math.sqrt(max(largest, 0.0)) * _UPWARDS)

    def position(self, word: str) -> int | None:
        """The row of a word, None for an unknown one."""
        for form in (word, word.lower(), word.capitalize()):
            found = self._index.get(form)
            if found is not None:
                return found
        stem, apostrophe, tail = word.replace("’", "'").rpartition("'")
        return self.position(stem) if apostrophe and tail.lower() == "s" and stem else None

    def vectors_of(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The vector of every word, the centre for unknown ones."""
        places = [self.position(word) for word in words]
        found = np.empty((len(words), self.dimension))
        known = np.array([place is not None for place in places], dtype=bool)
        found[known] = self.vectors[[place for place in places if place is not None]]
        found[~known] = self.centre
        return found

    def distance(self, x: str, z: str) -> float:
        """The distance between two words, known or not; rounded up."""
        here, there = (map(Fraction, vector.tolist()) for vector in self.vectors_of([x, z]))
        gaps = (a - b for a, b in zip(here, there, strict=True))
        return float_up(root_above(sum((gap * gap for gap in gaps), Fraction(0))))

    def nearest(self, vectors: ArrayLike) -> list[str]:
        """The nearest word to each vector: the true one, found by looking at all."""
        return [self.words[k] for k in nearest_rows(vectors, self.vectors, self.squares)]

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """The squared length of each vector, in doubles."""
        rows = self.vectors.astype(np.float64, copy=False)
        return np.asarray(np.einsum("ij,ij->i", rows, rows))

    def restrict(self, words: Iterable[str]) -> "Embedding":
        """The embedding of some of its words, in the given order.

        Raises
        ------
        UnknownCategory
            For a word that is not in the vocabulary as it is written.
        """
        listed = [words] if isinstance(words, str) else list(words)
        missing = [word for word in listed if word not in self._index]
        if missing:
            raise UnknownCategory(
                f"{len(missing)} of the {len(listed)} words are not in {self.name}, the first of them "
                f"{missing[0]!r}; leave them out"
            )
        rows = [self._index[word] for word in listed]
        return Embedding(tuple(listed), self.vectors[rows], f"part of {self.name}")

    def space(self, words: Iterable[str] | None = None) -> FiniteSpace:
        """Its words (or some of them) as a finite space: the table of Euclidean distances.

        Raises
        ------
        TooLarge
            For more than 4,000 words.
        """
        part = self if words is None else self.restrict(words)
        if len(part) > _MOST_IN_TABLE:
            raise TooLarge(
                f"a table of distances between {len(part):,} words is too large; name at most "
                f"{_MOST_IN_TABLE:,} of them"
            )
        rows = part.vectors.astype(np.float64)
        table = np.array([np.linalg.norm(rows - row, axis=1) for row in rows])
        return FiniteSpace(part.words, Distances(table))

    @cached_property
    def typical(self) -> tuple[float, float]:
        """Typical distances, to judge ε by: of a word to its nearest other one, and of any two.

        Medians over the first 1,000 words.
        """
        rows = self.vectors[:_LOOKED_AT].astype(np.float64)
        if len(rows) < 2:
            return 0.0, 0.0
        squares = self.squares[: len(rows)]
        table = np.sqrt(np.maximum(squares[:, None] + squares - 2 * rows @ rows.T, 0))
        np.fill_diagonal(table, math.inf)
        any_two = table[np.triu_indices(len(rows), 1)]
        return float(np.median(table.min(axis=1))), float(np.median(any_two))


def require_embedding(embedding: Any) -> None:
    """Refuse anything but an `Embedding`."""
    if not isinstance(embedding, Embedding):
        raise WrongKind(
            f"embedding should be an Embedding, not a value of type {type(embedding).__name__}; "
            "read_embedding(path) reads one from a file"
        )


def _read_vectors(vectors: Any, words: Sequence[Any]) -> Floats:
    """Finite rows of one length, one for each word, that nobody can change."""
    try:
        given = np.asarray(vectors)
        kept = given.dtype if given.dtype in (np.float32, np.float64) else np.float64
        rows: Floats = np.array(given, dtype=kept)
    except (TypeError, ValueError):
        raise WrongShape("vectors should be rows of numbers, all of one dimension") from None
    if rows.ndim != 2 or len(rows) != len(words) or not rows.shape[1]:
        raise WrongShape(
            f"{len(words)} words need as many rows of vectors, not an array of shape {rows.shape}"
        )
    broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(broken):
        raise BadNumber(
            f"the vector of {words[int(broken[0])]!r} is not finite; leave the word out"
        )
    rows.flags.writeable = False
    return rows
