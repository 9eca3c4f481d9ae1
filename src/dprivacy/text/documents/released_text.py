"""A noisy document, and what it guarantees in words."""

import math
from dataclasses import dataclass, field
from typing import Any

from dprivacy.model import Answer, Guarantee, about, counted, factor_in_words
from dprivacy.numbers import as_level
from dprivacy.text.documents.piece_policy import Policy
from dprivacy.text.embeddings.padded_texts import PaddedTexts, times
from dprivacy.text.embeddings.word_vectors import Embedding

_HARDLY = 7  # a factor beyond e^7, about 1,000, between close words is hardly a protection
_SHOWN = ("NOT hidden; declare a length to hide it", "public by declaration")
_WHOLE = {
    "bag": (
        "bag of {n} words",
        "over the best matching of one's words with the other's: ε·N·(Earth Mover's distance)",
    ),
    "text": (
        "text of {n} protected words",
        "place by place, since the order is kept: ε·(sum of the distances)",
    ),
}


@dataclass(frozen=True)
class ProtectedText(Answer):
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
        true document, for its owner alone: nothing prints or stores them.

    Examples
    --------
    >>> from dprivacy.text import text_mechanism
    >>> noisy = text_mechanism(eps=8).protect("the king drank tea")
    >>> noisy.spoken, "unchanged" in noisy.explain()
    (4, False)
    >>> print(noisy.sentence().splitlines()[0])
    Any two texts of 4 words: × 10^34.
    """

    text: str
    words: tuple[str, ...]
    guarantee: Guarantee
    policy: Policy
    embedding: Embedding
    noise: str
    numerics: str
    secure: bool
    spoken: int = field(repr=False)
    unknown: int = field(repr=False)
    dropped: int = field(repr=False)
    unchanged: int = field(repr=False)

    @property
    def exact(self) -> bool:
        """Whether the noise has exactly the stated law."""
        return self.numerics == "exact"

    def sentence(self) -> str:
        """The guarantee in plain words, for one word and for the whole document."""
        eps, n = self.guarantee.eps, len(self.words)
        near, far = self.embedding.typical
        against, how = _WHOLE[self.policy.layout]
        lines = [
            self._whole(n),
            f"ε = {about(eps)} per word and unit of distance in {self.embedding.name} "
            f"({len(self.embedding):,} words).",
            "One word: the output multiplies anyone's odds between two words at distance 1 by at most "
            f"{factor_in_words(eps)}. A word and its nearest other are typically {near:.3g} apart "
            f"(factor {_factor(eps, near)}), any two words {far:.3g} (factor {_factor(eps, far)}).",
            f"The whole document: against any other {against.format(n=f'{n:,}')} the exponents add up "
            f"{how}.",
            f"The number of words, {n:,}, is {_SHOWN[self.policy.length is not None]}.",
        ]
        if float(eps) * near > _HARDLY:
            lines.append(
                "So large a factor between close words is hardly a protection by itself; lower ε."
            )
        if not self.exact:
            lines.append(
                "The noise on vectors was computed in doubles (idealised numerics); only words leave."
            )
        return "\n".join([*lines, self.policy.explain()])

    def _whole(self, n: int) -> str:
        """What holds for a whole document, as a number."""
        eps, wide = self.guarantee.eps, self.embedding.diameter
        texts = PaddedTexts(self.policy.layout, n, wide, "", 0.0)
        level = texts.level(eps) if self.exact else eps * wide * n
        up_to = "" if self.policy.length is None else "up to "
        return f"Any two texts of {up_to}{counted(n, 'word')}: {times(level)}."

    def explain(self) -> str:
        """The guarantee in words."""
        if self.secure:
            return self.sentence()
        return f"NO GUARANTEE: the noise came from a seed and can be guessed.\n{self.sentence()}"

    def to_dict(self) -> dict[str, Any]:
        """What may be published, as plain data."""
        return {
            "text": self.text,
            "words": len(self.words),
            "guarantee": self.guarantee.to_dict() | {"sentence": self.sentence()},
            **self._told("policy", "embedding", "noise", "numerics", "secure"),
        }

    def __str__(self) -> str:
        return self.text


def _factor(eps: Any, distance: float) -> str:
    return factor_in_words(eps * as_level(distance)) if math.isfinite(distance) else "any"
