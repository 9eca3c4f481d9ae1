"""Mechanisms on words: noise on vectors and the nearest word, or an exact draw from the vocabulary."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, UnknownName, WrongKind
from dprivacy.mechanisms import VectorMechanism, listed, vector_laplace
from dprivacy.model import Channel, Guarantee, Sourced, about
from dprivacy.numbers import Level, Mat, as_eps
from dprivacy.sampling import Source
from dprivacy.sources import result
from dprivacy.text.embeddings.word_distances import WordSpace
from dprivacy.text.embeddings.word_vectors import Embedding, require_embedding
from dprivacy.typing import LevelLike

Noise = Literal["exponential", "laplace"]
TOTAL_BITS = 62  # every row of the finite mechanism sums to 2^62
_LEAST_BITS = 22  # and no entry is below 2^22, so that rounding changes it by less than 2^-21
_ROUNDING = 2.0**-21
_SPARE = 2.0**-10  # the share of ε that pays for rounding
_BLOCK = 1 << 22
_MOST_IN_CHANNEL = 1000


@dataclass(frozen=True)
class LaplaceWords(Sourced):
    """Laplace noise on a word's vector, then the nearest word.

    The noise is computed in doubles, so that the guarantee is that of the ideal mechanism on real
    numbers. The doubles are never released: only the word that is nearest to them is.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> word_mechanism(tiny, eps=100, noise="laplace").randomise(["tea", "moon"])
    ['tea', 'moon']
    """

    embedding: Embedding
    vectors: VectorMechanism
    guarantee: Guarantee
    source: Source | None = None
    family: str = "laplace"
    numerics: str = "idealised"
    channel: ClassVar[None] = None

    def randomise(self, values: Sequence[str], *, insecure_seed: int | None = None) -> list[str]:
        """A noisy word for every true one; unknown words stand at the centre of the vocabulary."""
        asked = self.embedding.vectors_of(read_words(values))
        noisy = self.vectors.using(self._source(insecure_seed)).randomise(asked)
        return self.embedding.nearest(noisy)

    def __repr__(self) -> str:
        return f"laplace words({len(self.embedding):,}, ε = {about(self.guarantee.eps)}, idealised)"


@dataclass(frozen=True)
class ExponentialWords(Sourced):
    """A word y of the vocabulary with probability ∝ e^(−ε·d(x, y)/2), in integers over 2^62.

    Its embedding is snapped to a grid, so that distances are computed without rounding and the row of a
    word depends on that word alone. Rows are made when they are needed, and what is proved of their
    integers is what is drawn.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> mechanism = word_mechanism(tiny, eps="ln 2")
    >>> round(float(mechanism.channel["tea", "tea"]), 3)
    0.838
    >>> from dprivacy.sampling import SystemSource
    >>> rows = mechanism.weights(["tea"])
    >>> int(rows.sum()) == 2**62, bool((rows == mechanism.rows(np.array([0]))).all())
    (True, True)
    >>> mechanism.draw(np.array([0, 3]), SystemSource()).shape
    (2,)
    """

    embedding: Embedding
    step: float
    guarantee: Guarantee
    source: Source | None = None
    family: str = "exponential"
    numerics: str = "exact"

    def weights(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The integers of each word's row: probabilities times 2^62.

        Notes
        -----
        With ε' = ε·(1 − 2⁻¹⁰) and V words:

        1. Squared distances on the grid are whole numbers below 2^53: products of doubles give them
           exactly, in whatever order they are added up.
        2. t = min(d, m + γ), where m is how far x is from the nearest word, 0 but for unknown and empty
           words, and e^(−ε'·γ/2) = 2^−(40 − ⌈log₂(V + 1)⌉): far words are all equally unlikely. As
           functions of x, d(x, y) and m(x) + γ move by at most d(x, z), and so does the smaller one.
        3. p = e^(−ε'·t/2)/Σ e^(−ε'·t/2), in doubles; the integer is ⌊2^62·(1 − 2⁻⁴⁰)·p⌋ ≥ 2^22, and the
           largest one takes what is left of 2^62. Each is within a factor 1 ± 2⁻²¹ of 2^62·p.
        4. So the quotient of two rows in one column is at most e^(ε'·d + 2⁻¹⁹), the quotient of the
           sums included, and that is at most e^(ε·d) where d ≥ floor = 2⁻⁹/ε. At d = 0 rows are equal.
        """
        return self.rows(self._places(words))

    def _places(self, words: Sequence[str]) -> NDArray[np.intp]:
        """The row of each word; one past the last for unknown words."""
        found = (self.embedding.position(word) for word in words)
        size = len(self.embedding)
        return np.array([size if place is None else place for place in found], dtype=np.intp)

    @cached_property
    def _whole(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Vectors in whole steps from the centre, which is the last row, and their squared lengths."""
        around = (self.embedding.vectors - self.embedding.centre) / self.step
        rows = np.vstack([around, np.zeros(self.embedding.dimension)])
        return rows, np.asarray(np.einsum("ij,ij->i", rows, rows))

    def rows(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        """The integers of the rows at these places of the vocabulary; one past the last is unknown."""
        rows, squares = self._whole
        eps = float(self.guarantee.eps) * (1 - _SPARE)
        apart = squares[places, None] + squares[:-1] - 2 * (rows[places] @ rows[:-1].T)
        np.sqrt(apart, out=apart)
        apart *= -eps / 2 * self.step
        least = TOTAL_BITS - _LEAST_BITS - math.ceil(math.log2(len(rows)))
        apart -= apart.max(axis=1, keepdims=True)  # nothing for a word of the vocabulary
        np.maximum(apart, -least * math.log(2), out=apart)
        for row in apart:  # one by one: a sum must not depend on what stands beside it
            np.exp(row, out=row)
            row *= 2.0**TOTAL_BITS * (1 - 2.0**-40) / row.sum()
        weights = apart.astype(np.int64)
        left = (1 << TOTAL_BITS) - weights.sum(axis=1)
        weights[np.arange(len(places)), weights.argmax(axis=1)] += left
        return weights

    def randomise(self, values: Sequence[str], *, insecure_seed: int | None = None) -> list[str]:
        """A noisy word for every true one, drawn with exactly the probabilities of its row."""
        asked = read_words(values)
        chosen = self.draw(self._places(asked), self._source(insecure_seed))
        return [self.embedding.words[k] for k in chosen]

    def draw(self, places: NDArray[np.intp], source: Source) -> NDArray[np.intp]:
        """The place of a noisy word for the place of each true one; one past the last is unknown.

        The n-th word takes the n-th random number, in whatever blocks words come.
        """
        drawn = (source.words(len(places)) >> np.uint64(64 - TOTAL_BITS)).astype(np.int64)
        chosen = np.empty(len(places), dtype=np.intp)
        distinct, where = np.unique(places, return_inverse=True)
        order = np.argsort(where, kind="stable")
        ends = np.searchsorted(where[order], np.arange(len(distinct) + 1))
        step = max(1, _BLOCK // len(self.embedding))
        for low in range(0, len(distinct), step):
            upto = np.cumsum(self.rows(distinct[low : low + step]), axis=1)
            for k, row in enumerate(upto, low):
                mine = order[ends[k] : ends[k + 1]]
                chosen[mine] = np.searchsorted(row, drawn[mine], side="right")
        return chosen

    @property
    def channel(self) -> Channel | None:
        """The whole channel; None for vocabularies of more than 1,000 words.

        Its inputs are the words of the vocabulary; unknown words have a row of their own, which
        ``weights`` gives.
        """
        if len(self.embedding) > _MOST_IN_CHANNEL:
            return None
        words = self.embedding.words
        return Channel(words, words, Mat(self.weights(words).astype(object), 1 << TOTAL_BITS))

    def __repr__(self) -> str:
        return f"exponential words({len(self.embedding):,}, ε = {about(self.guarantee.eps)})"


WordMechanism = LaplaceWords | ExponentialWords


def grid_step(embedding: Embedding) -> float:
    """The step of the grid: a power of 2 so small that squared distances just stay below 2^53."""
    bits = (51 - math.ceil(math.log2(embedding.dimension))) // 2
    farthest = float(np.abs(embedding.vectors - embedding.centre).max())
    return 2.0 ** (math.frexp(farthest)[1] + 1 - bits) if farthest else 1.0


def word_floor(eps: Level) -> float:
    """How far apart two words count at the least, at a level: what rounding costs."""
    return 4 * _ROUNDING / (_SPARE * float(eps))


def snapped(embedding: Embedding, step: float) -> Embedding:
    """The embedding with every vector, and the centre, moved to the nearest point of a grid."""
    rows = np.rint(embedding.vectors.astype(np.float64) / step) * step
    middle = np.rint(embedding.centre / step) * step
    return Embedding(embedding.words, rows, embedding.name, embedding.sha256, middle)


@result("T", "Alg 2")
def word_mechanism(
    embedding: Embedding, *, eps: LevelLike, noise: Noise = "exponential"
) -> WordMechanism:
    """A mechanism on single words, ε-private per unit of distance between their vectors.

    Parameters
    ----------
    embedding
        The vocabulary: what may come in and out.
    eps
        The level of privacy per unit of distance.
    noise
        "exponential": a word y for x with probability ∝ e^(−ε·d(x, y)/2), exact. "laplace":
        n-dimensional Laplace noise and the nearest word, as in the source's Algorithm 2, in idealised
        numerics. At the same ε the first changes far fewer words.

    Returns
    -------
    ExponentialWords or LaplaceWords
        Both carry their guarantee, and read unknown words as the centre of the vocabulary.

    Notes
    -----
    "exponential" moves the vectors to a fine grid first (with 100 dimensions, by about a millionth of
    their size), and its guarantee speaks of distances there; words that are closer than a tiny floor
    count as that far apart (see `ExponentialWords.weights`), where ε times the floor is 1/512.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> mechanism = word_mechanism(tiny, eps="ln 2")
    >>> [round(w / 2**62, 3) for w in mechanism.weights(["tea"])[0].tolist()]
    [0.838, 0.148, 0.013]
    """
    require_embedding(embedding)
    level = as_eps(eps)
    if len(embedding) < 2:
        raise NotApplicable(
            f"a vocabulary should have at least two words to hide a word among, not {len(embedding)}"
        )
    if noise == "laplace":
        vectors = vector_laplace(embedding.dimension, eps=level, numerics="idealised")
        guarantee = Guarantee(level, WordSpace(embedding), because="T Thm 9.7")
        return LaplaceWords(embedding, vectors, guarantee)
    if noise != "exponential":
        raise UnknownName.among("noise", noise, ("exponential", "laplace"))
    step = grid_step(embedding)
    grid = snapped(embedding, step)
    space = WordSpace(grid, word_floor(level))
    guarantee = Guarantee(level, space, because="T Def 4.7.2, rounded as it was proved")
    return ExponentialWords(grid, step, guarantee)


def read_words(words: Any) -> list[str]:
    """A list of texts; a single text, or something else in the list, is refused by its place."""
    asked = listed(words)
    strange = next((k for k, word in enumerate(asked) if not isinstance(word, str)), None)
    if strange is not None:
        raise WrongKind(
            f"word {strange} should be text, not a value of type {type(asked[strange]).__name__}"
        )
    return asked
