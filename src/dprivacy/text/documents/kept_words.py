"""How many words can be read as they were: predicted from the mechanism alone, and put in words."""

from functools import lru_cache

import numpy as np

from dprivacy.sampling import KeyedSource
from dprivacy.text.documents.word_noise import TOTAL_BITS, ExponentialWords

HARDLY, SOME, MOST = 0.02, 0.10, 0.50  # shares of words, where what is said changes
_WORDS = 1000
_KEY = b"dprivacy words by Zipf's law 1"
_SHIFT = 2.7  # of Zipf's law for English
_STEP = 250


@lru_cache(maxsize=64)
def kept_share(words: ExponentialWords) -> float:
    """The share of words that come out as they went in, for words as common as their rank says.

    The mean of K(x, x) over 1,000 words drawn by Zipf's law, 1/(rank + 2.7), from a fixed public
    stream: no text is looked at. Vocabularies are commonly sorted by frequency; the small one of the
    package is not, and its figure is rough.

    Examples
    --------
    >>> from dprivacy.text import small_embedding, word_mechanism
    >>> kept_share(word_mechanism(small_embedding(), eps=100)) > 0.99
    True
    """
    size = len(words.embedding)
    law = np.cumsum(1 / (np.arange(size) + _SHIFT))
    uniform = KeyedSource(_KEY, 0).words(_WORDS) / 2.0**64
    drawn = np.minimum(np.searchsorted(law, uniform * law[-1], side="right"), size - 1)
    asked, times = np.unique(drawn, return_counts=True)
    kept = 0.0
    for low in range(0, len(asked), _STEP):
        part = asked[low : low + _STEP]
        own = words.rows(part)[np.arange(len(part)), part]
        kept += float(times[low : low + _STEP] @ (own / 2**TOTAL_BITS))
    return kept / _WORDS


def unknown_words(share: float) -> str:
    """What it means that a vocabulary lacks a share of the words; empty where that is at most half.

    Examples
    --------
    >>> unknown_words(0.8)
    '80 % of the words are not in the vocabulary and leave no trace; take one of their language'
    """
    if share <= MOST:
        return ""
    return (
        f"{100 * share:.0f} % of the words are not in the vocabulary and leave no trace; take one of "
        "their language"
    )


def readable_words(share: float) -> str:
    """What a share of kept words means; empty where there is nothing to say.

    Examples
    --------
    >>> readable_words(0.24)
    'about 24 % of the words can be read as they were; reconstruction by language models adds to this'
    """
    if share > MOST:
        return f"most words stay as they are (about {100 * share:.0f} %): this hides no content"
    if share >= SOME:
        return (
            f"about {100 * share:.0f} % of the words can be read as they were; reconstruction by "
            "language models adds to this"
        )
    return "hardly a word, and hardly a topic, is left" if share < HARDLY else ""
