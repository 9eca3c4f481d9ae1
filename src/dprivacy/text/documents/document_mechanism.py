"""Protected documents: every protected word is replaced by a noisy one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dprivacy.model import Guarantee, Promised
from dprivacy.sampling import Source, choose_source
from dprivacy.sources import result
from dprivacy.text.documents.piece_policy import Layout, Policy, Reading, StopWords, Unknown
from dprivacy.text.documents.released_text import ProtectedText
from dprivacy.text.documents.word_noise import Noise, WordMechanism, read_words, word_mechanism
from dprivacy.text.embeddings.made_embeddings import small_embedding
from dprivacy.text.embeddings.word_distances import WordBags, WordSequences, WordSpace
from dprivacy.text.embeddings.word_vectors import Embedding
from dprivacy.typing import LevelLike


@dataclass(frozen=True)
class TextMechanism(Promised):
    """A mechanism on documents: a mechanism on words, applied to each protected word by itself.

    Examples
    --------
    >>> mechanism = text_mechanism(eps=8)
    >>> noisy = mechanism.protect("the king drank tea")
    >>> len(noisy.words), noisy.spoken
    (4, 4)
    """

    words: WordMechanism
    policy: Policy
    family: str = "text"
    channel: ClassVar[None] = None

    @property
    def guarantee(self) -> Guarantee:
        """ε per unit of N·E_d on bags of words, or of the sum of distances on texts."""
        alone = self.words.guarantee
        ground = alone.space
        assert isinstance(ground, WordSpace)
        if self.policy.layout == "bag":
            return Guarantee(alone.eps, WordBags(ground), because=f"T Thm 9.10 and {alone.because}")
        return Guarantee(alone.eps, WordSequences(ground), because=f"T Eq 9.6 and {alone.because}")

    @property
    def secure(self) -> bool:
        """Whether its noise comes from a source that nobody can guess."""
        return self.words.secure

    def using(self, source: Source) -> "TextMechanism":
        """The same mechanism drawing from a given random source."""
        return replace(self, words=self.words.using(source))

    def randomise(self, values: Sequence[str], *, insecure_seed: int | None = None) -> list[str]:
        """A noisy text for each of several texts."""
        if insecure_seed is not None:
            return self.using(choose_source(insecure_seed)).randomise(values)
        return [self.protect(text).text for text in read_words(values)]

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data."""
        return {
            "family": self.family,
            "guarantee": self.guarantee.to_dict(),
            "secure": self.secure,
            "words": self.words.to_dict(),
            "policy": self.policy.to_dict(),
        }

    def protect(self, text: str, *, insecure_seed: int | None = None) -> ProtectedText:
        """A noisy document for a true one, with its guarantee and counts for its owner.

        Parameters
        ----------
        text
            The document.
        insecure_seed
            For tests only; it warns.
        """
        embedding = self.words.embedding
        read = self.policy.read(text, embedding)
        true = read.words
        noisy = self.words.randomise(true, insecure_seed=insecure_seed)
        same = sum(
            place is not None and embedding.words[place] == word
            for place, word in zip(map(embedding.position, true), noisy, strict=True)
        )
        if self.policy.layout == "bag":
            noisy = sorted(noisy)
            written = " ".join(noisy)
        else:
            written = _written(read, noisy, self.policy)
        return ProtectedText(
            written,
            tuple(noisy),
            self.guarantee,
            self.policy,
            embedding,
            self.words.family,
            self.words.numerics,
            self.secure and insecure_seed is None,
            read.spoken,
            read.unknown,
            read.dropped,
            same,
        )

    def __repr__(self) -> str:
        return f"TextMechanism({self.words!r}, {self.policy.layout})"


def _written(read: Reading, noisy: list[str], policy: Policy) -> str:
    """The noisy words in the places of the true ones."""
    out = [piece.text for piece in read.pieces]
    for k, word in zip(read.protected, noisy, strict=True):
        capital = "capitals" in policy.unprotected and out[k][:1].isupper()
        out[k] = word[:1].upper() + word[1:] if capital else word
    return ("" if "punctuation" in policy.unprotected else " ").join(out)


@result("T", "Thm 9.10", "Alg 2")
def text_mechanism(
    embedding: Embedding | None = None,
    *,
    eps: LevelLike,
    noise: Noise = "exponential",
    layout: Layout = "bag",
    unknown: Unknown = "replace",
    stop_words: StopWords = "protect",
    length: int | None = None,
    unprotected: Iterable[str] = (),
) -> TextMechanism:
    """A mechanism that replaces words one by one, private for ε·N·(Earth Mover's distance).

    Parameters
    ----------
    embedding
        The vocabulary; the small one that comes with the package by default.
    eps
        The level of privacy per word and unit of distance between vectors.
    noise
        "exponential" (exact), or "laplace" (the source's Algorithm 2, idealised numerics).
    layout, unknown, stop_words, length, unprotected
        How a document is read; see `Policy`.

    Notes
    -----
    1. Bags b and b' of N words each: the chances of any output differ by at most a factor of
       e^(ε·N·E_d(b, b')), where N·E_d is the smallest sum of distances of a matching. Documents with
       different numbers of words are not protected from each other: every word becomes exactly one
       word, so that the number shows. A declared `length` fills them up to one number.
    2. With the order kept, it is e^(ε·Σ d(w_i, w'_i)), place by place. That is a weaker guarantee: the
       same words in another order are then not at distance 0.
    3. Whatever passes unprotected must be the same in both documents.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> mechanism = text_mechanism(tiny, eps="ln 2")
    >>> print(mechanism.guarantee.odds_factor(["tea", "moon"], ["moon", "coffee"]))
    32
    """
    chosen = small_embedding() if embedding is None else embedding
    policy = Policy(layout, unknown, stop_words, length, unprotected)
    return TextMechanism(word_mechanism(chosen, eps=eps, noise=noise), policy)
