"""Texts of one public length: how far apart they are, and how far any two of them can be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from dprivacy.errors import BadPlan, NotApplicable
from dprivacy.model import counted, factor_in_words
from dprivacy.numbers import Level, as_level
from dprivacy.text.embeddings.word_distances import WordBags, WordSequences, WordSpace

Keep = Literal["bag", "text"]
NOTHING = ""  # the empty word, which stands at the centre
CEILING_BITS = 40  # entries of a row of the exact mechanism lie between 2^22 and 2^62
MEANINGLESS = as_level("ln 1000")
_IN_DIGITS = as_level("ln 1000000")


@dataclass(frozen=True)
class PaddedTexts:
    """Texts cut to a public number of words, and filled up to it with the empty word.

    Parameters
    ----------
    keep
        "bag": the cheapest matching of one's words with the other's; "text": place by place.
    length
        The number of words L.
    diameter
        At least the largest distance between two words.
    vocabulary
        A hash of the words and their vectors, which says in what distances are measured.
    near
        How far a word is from the one most like it, typically.
    ground
        Words and their distances; None where only their figures are known, as on a card.

    Examples
    --------
    >>> from dprivacy.text import Embedding
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> texts = PaddedTexts("bag", 2, tiny.diameter, "", 5.0, WordSpace(tiny))
    >>> round(texts.distance(["tea"], ["moon", "tea"]), 6)
    6.741249
    >>> from dprivacy.numbers import ln
    >>> round(float(texts.level(ln(2))), 2), texts.require_level(ln(2), 2 * texts.level(ln(2)))
    (16.64, None)
    >>> print(texts.sentence(ln(2)).split(". ")[0])
    Any two texts of up to 2 words: × 10^8
    """

    keep: Keep
    length: int
    diameter: Fraction
    vocabulary: str
    near: float
    ground: WordSpace | None = None

    def distance(self, x: Sequence[str], z: Sequence[str]) -> float:
        """The distance of two texts, given as lists of words."""
        if self.ground is None:
            raise NotApplicable(
                "the distance of two texts needs their vocabulary, which is not at hand; read the plan "
                "where the file is"
            )
        texts = WordBags(self.ground) if self.keep == "bag" else WordSequences(self.ground)
        return texts.distance(self._filled(x), self._filled(z))

    def _filled(self, words: Sequence[str]) -> list[str]:
        kept = list(words[: self.length])
        return kept + [NOTHING] * (self.length - len(kept))

    def level(self, eps: Level) -> Level:
        """The level between any two texts: L·min(ε·D, 40·ln 2).

        No word's factor exceeds 2^40, whatever ε is, since the exact mechanism gives no word less than
        2^−40 of the largest weight.
        """
        return self._word_level(eps * self.diameter) * self.length

    def _word_level(self, level: Level) -> Level:
        return min(level, as_level("ln 2") * CEILING_BITS)

    def require_level(self, eps: Level, asked: Level) -> None:
        """Refuse a level of whole texts that is so small that rounding alone costs more."""
        if self.level(eps) > asked:
            words = counted(self.length, "word")
            raise BadPlan(
                f"level: a text of {words} needs at least {self.length}/512, since each word costs "
                "1/512 for rounding; ask for more, or for fewer words"
            )

    def sentence(self, eps: Level) -> str:
        """What holds for a whole text and for one word, and what it is worth."""
        whole = self.level(eps)
        words = counted(self.length, "word")
        told = (
            f"Any two texts of up to {words}: {times(whole)}. One word for the one most like it: "
            f"{times(self._word_level(eps * as_level(self.near)))}."
        )
        if whole <= MEANINGLESS:
            return told
        return (
            f"{told} As a protection of the whole text this number means nothing; what protects is "
            "measured (see the attacks)."
        )


def times(level: Level) -> str:
    """A factor as "× 3.9" or "× 10^127", never less than it is.

    Examples
    --------
    >>> times(as_level("ln 4")), times(as_level(292.81))
    ('× 4', '× 10^128')
    """
    if level <= _IN_DIGITS:
        return f"× {factor_in_words(level)}"
    return f"× 10^{math.ceil(float(level) / math.log(10) * (1 + 1e-12)):,}"
