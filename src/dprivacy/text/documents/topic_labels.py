"""One label for a text: by public words of each topic, by weights of words, or by a given function."""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadFile, BadPlan, DPrivacyError
from dprivacy.mechanisms import ChannelMechanism, randomised_response
from dprivacy.model import Channel, Guarantee, Promised
from dprivacy.sources import result
from dprivacy.spaces import discrete
from dprivacy.text.documents.text_pieces import (
    require_text,
    seen_text,
    stop_words,
    word_pattern,
)
from dprivacy.text.documents.word_noise import read_words
from dprivacy.text.embeddings.word_vectors import Embedding
from dprivacy.typing import LevelLike

FEWEST, MOST_TOPICS = 2, 64
_MOST_READ = 2000  # words of a text that are looked at


@cache
def _word(*, plain: bool) -> re.Pattern[str]:
    return re.compile(word_pattern(plain=plain))


@dataclass(frozen=True)
class TopicReader:
    """Tells which of some public labels a text has, by any function of the text.

    Parameters
    ----------
    labels
        The labels, in their order.
    score
        Says how well each label fits some words in small letters; the first of the best is taken.

    Examples
    --------
    >>> from dprivacy.text import small_embedding
    >>> topics = {"garden": ["flower", "grass"], "law": ["judge", "court"]}
    >>> reader = seed_topics(topics, small_embedding())
    >>> reader.read(["The jury and a lawyer", ""])
    ['law', 'garden']
    >>> reader.codes(["The jury and a lawyer", ""]).tolist()
    [1, 0]
    """

    labels: tuple[str, ...]
    score: Callable[[Sequence[str]], NDArray[np.float64]]

    def codes(self, texts: Sequence[str], *, first: int = 0) -> NDArray[np.intp]:
        """The position of each text's label; a refusal counts rows from `first` on."""
        stops = stop_words()
        found = np.zeros(len(texts), dtype=np.intp)
        for row, text in enumerate(texts):
            try:
                require_text(text)
            except DPrivacyError as reason:
                raise type(reason)(f"row {first + row}: {reason}") from None
            plain = seen_text(text[: 40 * _MOST_READ]).lower().replace("’", "'")
            every = _word(plain=plain.isascii()).findall(plain)
            words = [word for word in every[:_MOST_READ] if word not in stops]
            found[row] = int(self.score(words).argmax())
        return found

    def read(self, texts: Sequence[str]) -> list[str]:
        """The label of each text, without noise: for the owner alone."""
        return [self.labels[code] for code in self.codes(read_words(texts))]


def seed_topics(topics: Mapping[str, Sequence[str]], embedding: Embedding) -> TopicReader:
    """The topic whose public words point most nearly where the words of a text do.

    It is the largest cosine between the mean vector of a topic's words and that of the text's known
    words, stop words apart, both from the centre of the vocabulary. Texts without such words get the
    first topic.

    Parameters
    ----------
    topics
        A few public words for each label; at least one of them must be in the vocabulary.
    embedding
        The vocabulary.

    Examples
    --------
    >>> from dprivacy.text import small_embedding
    >>> topics = {"money": ["bank", "pay"], "health": ["doctor", "ill"]}
    >>> seed_topics(topics, small_embedding()).read(["the doctor said that I am ill"])
    ['health']
    """
    read = read_topics(topics)
    around = _Directions(embedding)
    seeds = []
    for label, words in read.items():
        mean = around.mean(words)
        length = float(np.linalg.norm(mean))
        if not length:
            raise BadPlan(f"topic {label!r}: none of its words is in {embedding.name}")
        seeds.append(mean / length)
    table = np.array(seeds)
    return TopicReader(tuple(read), lambda words: table @ around.mean(words))


@dataclass(frozen=True)
class _Directions:
    embedding: Embedding

    @cached_property
    def _place(self) -> Any:
        return lru_cache(maxsize=1 << 16)(self.embedding.position)

    def mean(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The mean vector of the known words, from the centre; zeros without any."""
        places = [place for word in words if (place := self._place(word)) is not None]
        if not places:
            return np.zeros(self.embedding.dimension)
        mean = self.embedding.vectors[places].mean(axis=0, dtype=np.float64)
        return np.asarray(mean - self.embedding.centre)


def read_topics(topics: Any) -> dict[str, list[str]]:
    """Topics of a plan: from 2 to 64 labels, each with a list of words."""
    shape = 'topics = { refund = ["refund", "money"], delivery = ["parcel", "driver"] }'
    if not isinstance(topics, Mapping):
        raise BadPlan(f"{shape} is needed, not {str(topics)[:60]}")
    if not FEWEST <= len(topics) <= MOST_TOPICS:
        raise BadPlan(f"from {FEWEST} to {MOST_TOPICS} topics are possible, not {len(topics)}")
    for label, words in topics.items():
        if not isinstance(label, str) or not isinstance(words, list | tuple) or not words:
            raise BadPlan(f"topic {str(label)[:40]!r}: a list of words is needed, as in {shape}")
        if not all(isinstance(word, str) for word in words):
            raise BadPlan(f"topic {label!r}: its words should be texts")
    return {label: [word.lower() for word in words] for label, words in topics.items()}


def weighed_topics(table: str, *, name: str = "the classifier") -> TopicReader:
    r"""A linear classifier from a CSV text: a weight of every word for each label.

    Parameters
    ----------
    table
        A first line "word,LABEL,LABEL,…", then a line for each word with its weights; the line of an
        empty word holds what a label has before any word.
    name
        What it is called in a refusal.

    Examples
    --------
    >>> reader = weighed_topics("word,refund,delivery\nmoney,2.5,0\nparcel,-1,3\n")
    >>> reader.read(["the parcel, and my money", "money"])
    ['delivery', 'refund']
    """
    lines = list(csv.reader(io.StringIO(table)))
    head, labels = lines[0] if lines else [], tuple(lines[0][1:]) if lines else ()
    if (
        not head
        or head[0] != "word"
        or not FEWEST <= len(set(labels)) == len(labels) <= MOST_TOPICS
    ):
        raise BadFile(
            f"{name}: its first line should be word,LABEL,LABEL,… with {FEWEST} to {MOST_TOPICS} "
            "different labels"
        )
    weights: dict[str, NDArray[np.float64]] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            row = np.array([float(cell) for cell in line[1:]])
        except ValueError:
            raise BadFile(f"{name}: line {number} has a weight that is not a number") from None
        if len(row) != len(labels) or not all(map(math.isfinite, row)):
            raise BadFile(f"{name}: line {number} should have {len(labels)} finite weights")
        weights[line[0].lower()] = row
    start = weights.pop("", np.zeros(len(labels)))

    def score(words: Sequence[str]) -> NDArray[np.float64]:
        return np.asarray(sum((weights[w] for w in words if w in weights), start))

    return TopicReader(labels, score)


@dataclass(frozen=True)
class TopicMechanism(Promised):
    r"""A noisy label for a text: any two texts are alike but for a factor of e^ε.

    Examples
    --------
    >>> reader = weighed_topics("word,refund,delivery\nmoney,1,0\n")
    >>> topic_mechanism(reader, eps=50).randomise(["my money, please"])
    ['refund']
    """

    reader: TopicReader
    response: ChannelMechanism

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee between any two labels, and so between any two texts."""
        return self.response.guarantee

    @property
    def channel(self) -> Channel:
        """From true labels to released ones: counts are corrected by it."""
        return self.response.channel

    def randomise(self, values: Sequence[str], *, insecure_seed: int | None = None) -> list[str]:
        """A noisy label for each text."""
        labels = self.reader.read(values)
        return list(self.response.randomise(labels, insecure_seed=insecure_seed))


@result("T", "Def 3.4.3")
def topic_mechanism(reader: TopicReader, *, eps: LevelLike) -> TopicMechanism:
    r"""Randomised response on labels of texts: e^ε between any two texts, of whatever lengths.

    Parameters
    ----------
    reader
        How a text gets its label (`seed_topics`, `weighed_topics`, or a `TopicReader` of your own).
    eps
        The level between any two labels, hence between any two texts.

    Notes
    -----
    How a label is found does not matter for the promise: it is that of the response alone.

    Examples
    --------
    >>> reader = weighed_topics("word,refund,delivery\nmoney,1,0\n")
    >>> mechanism = topic_mechanism(reader, eps="ln 4")
    >>> print(mechanism.channel["refund", "refund"])
    4/5
    """
    return TopicMechanism(reader, randomised_response(discrete(reader.labels), eps=eps))
