"""How far apart words, texts and bags of words are."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, TooLarge, WrongKind
from dprivacy.estimation import kantorovich
from dprivacy.numbers import float_up
from dprivacy.sources import result
from dprivacy.spaces import Distances, FiniteSpace
from dprivacy.text.embeddings.word_vectors import Embedding, require_embedding

_MOST_MATCHED = 5000  # words of a document whose best matching is still looked for


@dataclass(frozen=True)
class WordSpace:
    """Words at the distance of their vectors; words with different vectors at least `floor` apart.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> WordSpace(tiny, floor=6.0).distance("tea", "coffee")
    6.0
    """

    embedding: Embedding
    floor: float = 0.0

    def distance(self, x: str, z: str) -> float:
        """The distance between two words."""
        apart = self.embedding.distance(x, z)
        return max(apart, self.floor) if apart else 0.0


@dataclass(frozen=True)
class WordSequences:
    """Texts, word by word in order: the sum of the distances at each place, inf for other lengths.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> WordSequences(WordSpace(tiny)).distance(["tea", "moon"], ["moon", "tea"])
    24.0
    """

    ground: WordSpace

    def distance(self, x: Sequence[str], z: Sequence[str]) -> float:
        """Σ d(x_i, z_i)."""
        if len(x) != len(z):
            return math.inf
        return _total(self.ground.distance(a, b) for a, b in zip(x, z, strict=True))


@result("T", "Def 9.3.1")
@dataclass(frozen=True)
class WordBags:
    """Bags of words: N times the Earth Mover's distance for bags of one size N, inf for others.

    For bags of one size the cheapest move is a matching of words with words, so this is the smallest
    sum of distances over all orders of the words.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> WordBags(WordSpace(tiny)).distance(["tea", "moon"], ["moon", "tea"])
    0.0
    """

    ground: WordSpace

    def distance(self, x: Sequence[str], z: Sequence[str]) -> float:
        """N·E_d(x, z)."""
        if len(x) != len(z):
            return math.inf
        if not x:
            return 0.0
        pairs = zip(*_matching(distance_table(x, z, self.ground)), strict=True)
        return _total(self.ground.distance(x[i], z[j]) for i, j in pairs)


def _total(distances: Iterable[float]) -> float:
    """The sum, rounded up: what is promised for a distance must hold for the true one."""
    return float_up(sum(map(Fraction, distances), Fraction(0)))


def _matching(table: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the cheapest matching."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table)
    return rows, columns


def distance_table(x: Sequence[str], z: Sequence[str], ground: WordSpace) -> NDArray[np.float64]:
    """The distance of each word of x to each word of z."""
    if max(len(x), len(z)) > _MOST_MATCHED:
        raise TooLarge(
            f"documents of {len(x):,} and {len(z):,} words are too long to be matched; "
            f"compare parts of at most {_MOST_MATCHED:,} words"
        )
    embedding = ground.embedding
    left, right = embedding.vectors_of(x), embedding.vectors_of(z)
    # By differences, one row at a time: the expanded square would be rounded near 0.
    table = np.array([np.linalg.norm(right - row, axis=1) for row in left])
    table[table > 0] = np.maximum(table[table > 0], ground.floor)
    return table


@result("T", "Def 9.2.3")
def word_movers_distance(x: Sequence[str], z: Sequence[str], embedding: Embedding) -> float:
    """The Earth Mover's distance between two documents, also known as Word Mover's distance.

    E(x, z) = min Σ d(x_i, z_j)·F_ij, where F carries the words of x, each weighing 1/|x|, to those of
    z. It is the mean distance that a word travels.

    Parameters
    ----------
    x, z
        The words of two documents, of any two lengths.
    embedding
        Where words live; unknown ones stand at its centre.

    Notes
    -----
    1. Documents of one length: the cheapest matching, by the Hungarian method.
    2. Others: the transport program of `kantorovich`, on the words that occur (POT if it is installed).

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> word_movers_distance(["tea", "moon"], ["moon", "coffee"], tiny)
    2.5
    >>> word_movers_distance(["tea"], ["coffee", "moon"], tiny)
    8.5
    """
    require_embedding(embedding)
    if isinstance(x, str) or isinstance(z, str):
        raise WrongKind(
            "documents should be lists of words, not single texts; `words_of` makes them"
        )
    if not x or not z:
        raise NotApplicable(
            f"documents should have at least one word each, not {len(x)} and {len(z)}"
        )
    if len(x) == len(z):
        square = distance_table(x, z, WordSpace(embedding))
        return float(square[_matching(square)].sum()) / len(x)
    # Words at one vector (all unknown ones) are one point of the space.
    places = {word: embedding.position(word) for word in dict.fromkeys([*x, *z])}
    named = {place: word for word, place in places.items()}
    union = list(named.values())
    table = distance_table(union, union, WordSpace(embedding))
    space = FiniteSpace(union, Distances(table))
    shares = []
    for words in (x, z):
        counts = Counter(places[word] for word in words)
        shares.append([counts[place] / len(words) for place in named])
    return float(kantorovich(shares[0], shares[1], space))
