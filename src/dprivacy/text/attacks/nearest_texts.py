"""Nearest texts in the embedding: whoever wrote them, whatever they are about."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongShape
from dprivacy.mechanisms import whole
from dprivacy.text.documents.text_pieces import words_of
from dprivacy.text.embeddings.word_vectors import Embedding, require_embedding
from dprivacy.typing import Label


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Texts with labels, by their mean vectors: what unknown texts are compared with."""

    labels: tuple[Label, ...]
    vectors: NDArray[np.float64] = field(repr=False)
    embedding: Embedding

    def vote(self, texts: Iterable[str], neighbours: int = 1) -> list[Label]:
        """The commonest label among the nearest; of equally common ones the nearest text's."""
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
    """Known texts and their labels, ready to be compared with."""
    require_embedding(embedding)
    if len(texts) != len(labels) or not len(texts):
        raise WrongShape(
            f"there should be one label for each text, but there are {len(texts)} texts and "
            f"{len(labels)} labels"
        )
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


def nearest_authors(
    known: Mapping[Label, str], unknown: Iterable[str], embedding: Embedding
) -> list[Label]:
    """The author of each text: whose known text has the nearest mean vector.

    Parameters
    ----------
    known, unknown
        As for `identify_authors`.
    embedding
        Where words live.

    Examples
    --------
    >>> from dprivacy.text import small_embedding
    >>> known = {"ann": "rain river lake", "bob": "court judge law"}
    >>> nearest_authors(known, ["a lawyer at the court"], small_embedding())
    ['bob']
    """
    return neighbours_of(list(known.values()), list(known), embedding).vote(unknown)


def nearest_topics(
    texts: Sequence[str],
    topics: Sequence[Label],
    unknown: Iterable[str],
    embedding: Embedding,
    *,
    neighbours: int = 5,
) -> list[Label]:
    """The commonest topic among the nearest texts in the embedding, by mean vectors.

    Parameters
    ----------
    texts, topics
        Texts whose topics are known.
    unknown
        The texts to be told.
    embedding
        Where words live.
    neighbours
        How many texts have a say.

    Examples
    --------
    >>> from dprivacy.text import small_embedding
    >>> texts, topics = ["rain river", "court judge", "law jury"], ["water", "law", "law"]
    >>> nearest_topics(texts, topics, ["the lake"], small_embedding(), neighbours=1)
    ['water']
    """
    return neighbours_of(texts, topics, embedding).vote(unknown, neighbours)
