"""Obfuscated documents: every protected word is replaced by a noisy one."""

import math
from dataclasses import dataclass, replace
from typing import Any

from dprivacy.model import Guarantee, about, factor_in_words
from dprivacy.numbers import as_level
from dprivacy.sampling import Source, choose_source
from dprivacy.sources import result
from dprivacy.text.documents.piece_policy import Layout, Policy, Reading, StopWords, Unknown
from dprivacy.text.documents.word_noise import Noise, WordMechanism, read_words, word_mechanism
from dprivacy.text.embeddings.made_embeddings import small_embedding
from dprivacy.text.embeddings.word_distances import WordBags, WordSequences, WordSpace
from dprivacy.text.embeddings.word_vectors import Embedding

_HARDLY = 7  # a factor beyond e^7, about 1,000, between close words is hardly a protection


@dataclass(frozen=True)
class Obfuscated:
    """A noisy document, what it guarantees, and counts that only its owner should see.

    Attributes
    ----------
    text
        The noisy document.
    words
        Its noisy words: sorted for a bag, in order otherwise.
    guarantee
        ε per unit of distance, on bags or on sequences of words.
    policy
        How the document was read.
    noise, numerics
        Which mechanism replaced the words, and whether its numbers are exact or idealised.
    secure
        Whether the noise came from a source that nobody can guess.
    spoken, unknown, dropped, unchanged
        How many words the true document had, how many of them the vocabulary lacked, how many stop
        words were left out, and how many words came out as they went in. These are facts about the
        true document: `to_dict` leaves them out.
    """

    text: str
    words: tuple[str, ...]
    guarantee: Guarantee
    policy: Policy
    embedding: Embedding
    noise: str
    numerics: str
    secure: bool
    spoken: int
    unknown: int
    dropped: int
    unchanged: int

    def promise(self) -> list[str]:
        """The guarantee in plain words, for one word and for the whole document."""
        eps, n = self.guarantee.eps, len(self.words)
        near, far = self.embedding.typical
        lines = [
            f"ε = {about(eps)} per word and unit of distance in {self.embedding.name} "
            f"({len(self.embedding):,} words). This rests on {self.guarantee.because}.",
            f"One word: the output multiplies anyone's odds between two words at distance 1 by at most "
            f"{factor_in_words(eps)}. A word and its nearest other are typically {near:.3g} apart "
            f"(factor {_factor(eps, near)}), any two words {far:.3g} (factor {_factor(eps, far)}).",
        ]
        if self.policy.layout == "bag":
            lines.append(
                f"The whole document: against any other bag of {n:,} words the exponents add up over "
                "the best matching of one's words with the other's: ε·N·(Earth Mover's distance)."
            )
        else:
            lines.append(
                f"The whole document: against any other text of {n:,} protected words the exponents "
                "add up place by place, since the order is kept: ε·(sum of the distances)."
            )
        lines.append(
            f"The number of words, {n:,}, is "
            + (
                "public by declaration."
                if self.policy.length
                else "NOT hidden; declare a length to."
            )
        )
        if float(eps) * near > _HARDLY:
            lines.append(
                "So large a factor between close words is hardly a protection by itself; lower ε."
            )
        if self.numerics == "idealised":
            lines.append(
                "The noise on vectors was computed in doubles (idealised numerics); only words leave."
            )
        if not self.secure:
            lines.append("NO GUARANTEE: the noise came from a seed, which can be guessed.")
        return [*lines, *self.policy.explain()]

    def explain(self) -> str:
        """The guarantee in words, and the counts for the owner of the document."""
        kept = f"{self.unchanged:,} of {len(self.words):,} words came out unchanged"
        own = [
            "For you alone, since it speaks of the true document: "
            f"{kept}; {self.unknown:,} of {self.spoken:,} words were not in the vocabulary"
            + (f"; {self.dropped:,} stop words were left out" if self.dropped else "")
            + "."
        ]
        return "\n".join([*self.promise(), *own])

    def to_dict(self) -> dict[str, Any]:
        """What may be published, as plain data."""
        return {
            "text": self.text,
            "words": len(self.words),
            "epsilon_per_word": str(self.guarantee.eps),
            "guarantee": self.promise(),
            "because": self.guarantee.because,
            "policy": self.policy.to_dict(),
            "embedding": {
                "name": self.embedding.name,
                "words": len(self.embedding),
                "dimension": self.embedding.dimension,
                "sha256": self.embedding.sha256,
            },
            "noise": self.noise,
            "numerics": self.numerics,
            "secure": self.secure,
        }

    def __str__(self) -> str:
        return self.text


def _factor(eps: Any, distance: float) -> str:
    return factor_in_words(eps * as_level(distance)) if math.isfinite(distance) else "any"


@dataclass(frozen=True)
class TextMechanism:
    """A mechanism on documents: a mechanism on words, applied to each protected word by itself."""

    words: WordMechanism
    policy: Policy

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

    def randomise(self, texts: Any, *, insecure_seed: int | None = None) -> list[str]:
        """A noisy text for each of several texts."""
        if insecure_seed is not None:
            return self.using(choose_source(insecure_seed)).randomise(texts)
        return [self.obfuscate(text).text for text in read_words(texts)]

    def obfuscate(self, text: str, *, insecure_seed: int | None = None) -> Obfuscated:
        """A noisy document for a true one, with its guarantee."""
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
        return Obfuscated(
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
    eps: Any,
    noise: Noise = "exponential",
    layout: Layout = "bag",
    unknown: Unknown = "replace",
    stop_words: StopWords = "protect",
    length: int | None = None,
    unprotected: Any = (),
) -> TextMechanism:
    """A mechanism that obfuscates documents word by word, private for ε·N·(Earth Mover's distance).

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
    2. With the order kept, it is e^(ε·Σ d(w_i, w'_i)), place by place. That is a weaker promise: the
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


def obfuscate(
    text: str,
    *,
    eps: Any,
    embedding: Embedding | None = None,
    insecure_seed: int | None = None,
    **options: Any,
) -> Obfuscated:
    """A noisy version of one document.

    Parameters
    ----------
    text
        The document.
    eps
        The level of privacy per word and unit of distance.
    embedding
        The vocabulary; the package's small one by default.
    insecure_seed
        For tests only: makes the noise repeatable, and so guessable. It warns.
    **options
        As for `text_mechanism`.

    Examples
    --------
    >>> noisy = obfuscate("we saw the river and the old bridge", eps=8)
    >>> len(noisy.words)
    8
    """
    return text_mechanism(embedding, eps=eps, **options).obfuscate(
        text, insecure_seed=insecure_seed
    )
