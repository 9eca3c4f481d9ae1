"""Words or a topic: how often the topic of a text is told from either, at a level of the whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dprivacy.errors import WrongShape
from dprivacy.model import Answer
from dprivacy.numbers import as_eps
from dprivacy.text.documents.text_pieces import require_labels
from dprivacy.text.documents.texts_in_cells import text_cells
from dprivacy.text.documents.topic_labels import seed_topics, topic_mechanism
from dprivacy.text.documents.word_noise import read_words
from dprivacy.text.embeddings.padded_texts import times
from dprivacy.text.embeddings.word_vectors import Embedding
from dprivacy.typing import LevelLike


@dataclass(frozen=True)
class FormRow:
    """One form at one level: what is kept, ε, the level of a whole text, and topics told right.

    Examples
    --------
    >>> FormRow("topic", 3.0, 3.0, 0.49).right
    0.49
    """

    keep: str
    eps: float
    level: float
    right: float


@dataclass(frozen=True)
class FormTable(Answer):
    """What is left of topics in each form, at levels of the whole text.

    Examples
    --------
    >>> rows = (FormRow("topic", 3.0, 3.0, 0.5), FormRow("words", 0.003, 3.0, 0.2))
    >>> print(FormTable(rows, 100, 7, 0.63).explain())
    100 texts with 7 topics; without noise 63 % of the topics are told right.
    topic, ε = 3: any two texts × 20.1; topic told right 50 %
    words, ε = 0.003: any two texts × 20.1; topic told right 20 %
    """

    rows: tuple[FormRow, ...]
    texts: int
    topics: int
    plain: float
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The table, a line for each form and level."""
        head = (
            f"{self.texts:,} texts with {self.topics} topics; without noise {100 * self.plain:.0f} % "
            "of the topics are told right."
        )
        lines = [
            f"{row.keep}, ε = {row.eps:.3g}: any two texts {times(as_eps(row.level))}; topic told "
            f"right {100 * row.right:.0f} %"
            for row in self.rows
        ]
        return "\n".join([head, *lines])


def compare_forms(
    texts: Sequence[str],
    labels: Sequence[str],
    topics: Mapping[str, Sequence[str]],
    embedding: Embedding,
    *,
    length: int,
    levels: Sequence[LevelLike],
    eps: Sequence[LevelLike] = (),
) -> FormTable:
    """Release texts as noisy topics and as noisy words, and tell their topics from either.

    A bag and a text have the same noisy words, and the reader of topics does not look at their order:
    both are in the rows of "words".

    Parameters
    ----------
    texts, labels
        Texts, and their true topics.
    topics
        A few public words for each topic (see `seed_topics`).
    embedding, length
        The vocabulary, and the public number of words of a text.
    levels
        Levels of whole texts, at which both forms are compared.
    eps
        More levels per word and unit of distance, for words.

    Examples
    --------
    >>> from dprivacy.text import small_embedding
    >>> topics = {"water": ["river", "lake"], "law": ["judge", "court"]}
    >>> texts, labels = ["the old river", "the jury"], ["water", "law"]
    >>> found = compare_forms(texts, labels, topics, small_embedding(), length=3, levels=[50])
    >>> [row.keep for row in found.rows], found.plain
    (['topic', 'words'], 1.0)
    """
    given = read_words(texts)
    require_labels(given, labels)
    reader = seed_topics(topics, embedding)
    if not set(labels) <= set(reader.labels):
        raise WrongShape(f"labels should be among the {len(reader.labels)} topics; some are not")

    def right(told: Sequence[str]) -> float:
        return sum(a == b for a, b in zip(told, labels, strict=True)) / len(given)

    rows = []
    for level in map(as_eps, levels):
        noisy = topic_mechanism(reader, eps=level).randomise(given)
        rows.append(FormRow("topic", float(level), float(level), right(noisy)))
    asked = [{"level": level} for level in levels] + [{"eps": level} for level in eps]
    for one in asked:
        cells = text_cells(embedding, length=length, **one)  # type: ignore[arg-type]  # one of two
        told, space = reader.read(cells.randomise(given)), cells.guarantee.space
        whole = space.level(cells.guarantee.eps)  # type: ignore[attr-defined]  # of padded texts
        rows.append(FormRow("words", float(cells.guarantee.eps), float(whole), right(told)))
    return FormTable(tuple(rows), len(given), len(reader.labels), right(reader.read(given)))
