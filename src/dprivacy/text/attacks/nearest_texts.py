"""Nearest texts in the embedding: whoever wrote them, whatever they are about."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms import whole
from dprivacy.text.documents.text_pieces import require_labels, words_of
from dprivacy.text.embeddings.word_vectors import Embedding, require_embedding
from dprivacy.typing import Label


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Texts with labels, by their mean vectors: what unknown texts are compared with.

    Examples
    --------
    >>> from dprivacy.text import small_embedding
    >>> known = neighbours_of(["rain river", "court judge"], ["water", "law"], small_embedding())
    >>> isinstance(known, Neighbours), known.labels
    (True, ('water', 'law'))
    >>> known.vote(["a lawyer in court"])
    ['law']
    """

    labels: tuple[Label, ...]
    vectors: NDArray[np.float64] = field(repr=False)
    embedding: Embedding

    def vote(self, texts: Iterable[str], neighbours: int = 1) -> list[Label]:
        """The commonest label among the nearest; of equally common ones the nearest text's.

        Parameters
        ----------
        texts
            The texts to be told.
        neighbours
            How many known texts have a say.
        """
        count = min(whole(neighbours, "neighbours"), len(self.labels))
        told = []
        for vector in mean_vectors(texts, self.embedding):
            apart = np.linalg.norm(self.vectors - vector, axis=1)
            near = np.argsort(apart, kind="stable")[:count]
            told.append(Counter(self.labels[k] for k in near).most_common(1)[0][0])
        return told


def neighbours_of(
    texts: Sequence[str], labels: Sequence[Label], embedding: Embedding
) -> Neighbours:
    """Known texts and their labels, ready to be compared with.

    Parameters
    ----------
    texts, labels
        Texts whose authors, or topics, are known; one text by each author.
    embedding
        Where words live.

    Examples
    --------
    >>> from dprivacy.text import small_embedding
    >>> texts, topics = ["rain river", "court judge", "law jury"], ["water", "law", "law"]
    >>> neighbours_of(texts, topics, small_embedding()).vote(["the lake"])
    ['water']
    """
    require_embedding(embedding)
    require_labels(texts, labels)
    return Neighbours(tuple(labels), mean_vectors(texts, embedding), embedding)


def mean_vectors(texts: Iterable[str], embedding: Embedding) -> NDArray[np.float64]:
    """The mean vector of the known words of each text; the centre for a text without any."""
    rows = []
    for text in texts:
        places = [embedding.position(word) for word in words_of(text)]
        found = [place for place in places if place is not None]
        rows.append(
            embedding.vectors[found].mean(axis=0, dtype=np.float64) if found else embedding.centre
        )
    return np.array(rows).reshape(-1, embedding.dimension)
