"""What is it about? A linear model on words."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, NotApplicable
from dprivacy.mechanisms import whole
from dprivacy.numbers import Sealed
from dprivacy.text.documents.text_pieces import require_labels, words_of
from dprivacy.typing import Label


@dataclass(frozen=True, eq=False)
class TopicModel(Sealed):
    """A linear model that tells topics apart by their words.

    Examples
    --------
    >>> model = train_topics(["moon star", "law court"], ["space", "law"])
    >>> model.topics, model.predict(["star light"])
    (('space', 'law'), ['space'])
    """

    topics: tuple[Label, ...]
    weights: NDArray[np.float64]
    rarity: Mapping[str, tuple[int, float]] = field(repr=False)

    def predict(self, texts: Iterable[str]) -> list[Label]:
        """The topic of each text."""
        scores = _features(texts, self.rarity) @ self.weights[:-1] + self.weights[-1]
        return [self.topics[k] for k in np.asarray(scores).argmax(axis=1)]


def train_topics(
    texts: Sequence[str],
    topics: Sequence[Label],
    *,
    smoothing: float = 1.0,
    most_words: int = 20_000,
) -> TopicModel:
    """A ridge regression from words to topics.

    Parameters
    ----------
    texts, topics
        Texts whose topics are known.
    smoothing
        How strongly large weights are avoided.
    most_words
        The commonest words that are used.

    Notes
    -----
    1. A text is a vector of (1 + ln count)·ln((1 + texts)/(1 + texts with the word)) over its words, of
       length 1.
    2. For each topic the weights minimise Σ(x·w + b − ±1)² + smoothing·‖w‖², with b the mean goal;
       they are found from the table of products between texts, of which there are fewer than words.

    Examples
    --------
    >>> model = train_topics(["moon and star", "law and court", "star sky"], ["space", "law", "space"])
    >>> model.predict(["a court"])
    ['law']
    """
    require_labels(texts, topics)
    if not 0 < smoothing < math.inf:
        raise BadNumber(f"smoothing should be a positive number, not {smoothing}")
    names = tuple(dict.fromkeys(topics))
    if len(names) < 2:
        raise NotApplicable(
            f"a topic model needs texts of at least two topics, not only of {names[0]!r}"
        )
    found: Counter[str] = Counter()
    for text in texts:
        found.update(set(words_of(text, numbers=False)))
    kept = found.most_common(whole(most_words, "most_words"))
    n = len(texts)
    rarity = {word: (k, math.log((1 + n) / (1 + seen))) for k, (word, seen) in enumerate(kept)}
    rows = _features(texts, rarity)
    goals = np.array([[1.0 if topic == name else -1.0 for name in names] for topic in topics])
    offset = goals.mean(axis=0)
    products = (rows @ rows.T).toarray() + smoothing * np.eye(n)
    weights = rows.T @ np.linalg.solve(products, goals - offset)
    return TopicModel(names, np.vstack([weights, offset]), rarity)


def _features(texts: Iterable[str], rarity: Mapping[str, tuple[int, float]]) -> Any:
    """Texts as rows of a sparse table of weighted words."""
    from scipy.sparse import csr_array

    places, values, ends = [], [], [0]
    for text in texts:
        counts = Counter(word for word in words_of(text, numbers=False) if word in rarity)
        row = [(1 + math.log(times)) * rarity[word][1] for word, times in counts.items()]
        length = math.sqrt(math.fsum(value * value for value in row)) or 1.0
        places += [rarity[word][0] for word in counts]
        values += [value / length for value in row]
        ends.append(len(places))
    return csr_array((values, places, ends), shape=(len(ends) - 1, len(rarity)), dtype=np.float64)
