"""Protect, then attack: is the author hidden while the topic stays?"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dprivacy.errors import NotApplicable, WrongShape
from dprivacy.mechanisms import whole
from dprivacy.numbers import Level, as_eps
from dprivacy.sampling import Source, SystemSource
from dprivacy.sources import result
from dprivacy.text.attacks.author_attack import author_profiles
from dprivacy.text.attacks.author_topic_table import AuthorTopicTable, Row
from dprivacy.text.attacks.nearest_texts import neighbours_of
from dprivacy.text.attacks.topic_model import train_topics
from dprivacy.text.documents.document_mechanism import TextMechanism, text_mechanism
from dprivacy.text.documents.text_pieces import words_of
from dprivacy.text.documents.word_noise import Noise
from dprivacy.text.embeddings.made_embeddings import small_embedding
from dprivacy.text.embeddings.word_vectors import Embedding
from dprivacy.typing import Label, LevelLike


class Document(NamedTuple):
    """A text, who wrote it and what it is about (None where that is not known).

    Examples
    --------
    >>> Document("ann", "law", "the court rose").topic
    'law'
    """

    author: Label
    topic: Label
    text: str


@result("T", "Table 9.1")
def author_topic_experiment(
    documents: Iterable[tuple[Label, Label, str]],
    *,
    eps: Sequence[LevelLike],
    embedding: Embedding | None = None,
    noise: Noise = "exponential",
    authors_per_topic: int | None = None,
    repetitions: int = 5,
    longest: int = 300,
    adaptive: bool = False,
    rounds: int = 100,
    source: Source | None = None,
    progress: Callable[[str], None] | None = None,
) -> AuthorTopicTable:
    """Attack authors and topics of protected texts, level by level, as the thesis' Table 9.1 does.

    Parameters
    ----------
    documents
        Triples (author, topic, text); topic None throughout where topics are not known. Authors with
        a single text, and texts without a word, are left out.
    eps
        Levels per word.
    embedding
        The vocabulary; the package's small one by default.
    noise
        As for `text_mechanism`.
    authors_per_topic
        How many authors of each topic to use: those with most texts. All by default.
    repetitions
        In repetition r, each author's r-th text (counted around) is the unknown one.
    longest
        The unknown text is cut after this many words.
    adaptive
        Whether the attacker passes the known texts through the same mechanism first, so as to compare
        like with like. That is the stronger attacker, and costs as much more time as there are texts.
    rounds
        Of the attack on n-grams.
    source
        The random source of the noise; the system's by default.
    progress
        Called with a line of text before each step.

    Returns
    -------
    AuthorTopicTable
        Four attacks: authors by character n-grams (`author_profiles`) and in the embedding
        (`neighbours_of`), topics by a linear model (`train_topics`) and in the embedding.

    Notes
    -----
    1. For each author the unknown text is protected as a bag of words; the other texts are what
       the attacker has.
    2. Topics are learned from all other texts, never from an unknown one.

    Examples
    --------
    >>> said = {"ann": ("law", "court judge jury"), "bob": ("sea", "ship sail wave")}
    >>> corpus = [(who, topic, text) for who, (topic, text) in said.items() for _ in range(3)]
    >>> found = author_topic_experiment(corpus, eps=[20], repetitions=1)
    >>> found.rows[0].mean("author, n-grams"), found.chance("author, n-grams")
    (1.0, 0.5)
    """
    corpus = _candidates(_read(documents), authors_per_topic)
    levels: list[Level | None] = [None, *(as_eps(value) for value in eps)]
    chosen = small_embedding() if embedding is None else embedding
    source = source or SystemSource()
    whole(longest, "longest")
    topics = Counter(texts[0].topic for texts in corpus.values())
    found: dict[Level | None, list[dict[str, float]]] = {level: [] for level in levels}
    for repetition in range(whole(repetitions, "repetitions")):
        case = _Case(corpus, repetition, longest, chosen)
        for level in levels:
            if progress is not None:
                at = "unmodified" if level is None else f"ε = {level}"
                progress(f"repetition {repetition + 1} of {repetitions}, {at}")
            noisy = None
            if level is not None:
                noisy = text_mechanism(chosen, eps=level, noise=noise).using(source)
            found[level].append(case.attacked(noisy, adaptive, rounds))
    rows = []
    for level, runs in found.items():
        right = {attack: tuple(run[attack] for run in runs) for attack in runs[0]}
        rows.append(Row(level, float(np.mean(right.pop("kept"))), right))
    return AuthorTopicTable(
        tuple(rows),
        len(corpus),
        len(topics),
        max(topics.values()) / len(corpus),
        repetitions,
        noise,
        chosen.name,
        adaptive,
    )


class _Attacker:
    """What the known texts of a repetition have taught."""

    def __init__(self, known: list[Document], embedding: Embedding) -> None:
        written: dict[Any, list[str]] = {}
        for document in known:
            written.setdefault(document.author, []).append(document.text)
        by_author = {author: " ".join(texts) for author, texts in written.items()}
        self.profiles = author_profiles(by_author)
        self.authors = neighbours_of(list(by_author.values()), list(by_author), embedding)
        texts, topics = [one.text for one in known], [one.topic for one in known]
        self.model = train_topics(texts, topics) if len(set(topics)) > 1 else None
        self.topics = neighbours_of(texts, topics, embedding)

    def guesses(self, snippets: list[str], rounds: int) -> dict[str, list[Any]]:
        """What each attack says of each text."""
        named = self.profiles.attribute(snippets, rounds=rounds)
        found = {
            "author, n-grams": [one.author for one in named],
            "author, embedding": self.authors.vote(snippets),
        }
        if self.model is not None:
            found["topic, linear"] = self.model.predict(snippets)
            found["topic, embedding"] = self.topics.vote(snippets, 5)
        return found


class _Case:
    """One repetition: a text by each author is unknown, the others are known."""

    def __init__(
        self,
        corpus: Mapping[Any, list[Document]],
        repetition: int,
        longest: int,
        embedding: Embedding,
    ) -> None:
        self.unknown: list[Document] = []
        self.known: list[Document] = []
        for texts in corpus.values():
            held = repetition % len(texts)
            self.unknown.append(texts[held])
            self.known += texts[:held] + texts[held + 1 :]
        self.snippets = [" ".join(words_of(one.text)[:longest]) for one in self.unknown]
        self.embedding = embedding
        self.attacker = _Attacker(self.known, embedding)

    def attacked(
        self, mechanism: TextMechanism | None, adaptive: bool, rounds: int
    ) -> dict[str, float]:
        """The share of right guesses of each attack, and of words that came out as they went in."""
        snippets, attacker, kept = self.snippets, self.attacker, 1.0
        if mechanism is not None:
            noisy = [mechanism.protect(text) for text in snippets]
            snippets = [one.text for one in noisy]
            kept = sum(one.unchanged for one in noisy) / sum(len(one.words) for one in noisy)
            if adaptive:
                attacker = _Attacker(
                    [one._replace(text=mechanism.protect(one.text).text) for one in self.known],
                    self.embedding,
                )
        right: dict[str, float] = {"kept": kept}
        for attack, guessed in attacker.guesses(snippets, rounds).items():
            truth = [one.author if "author" in attack else one.topic for one in self.unknown]
            right[attack] = float(np.mean([a == b for a, b in zip(guessed, truth, strict=True)]))
        return right


def _read(documents: Iterable[tuple[Label, Label, str]]) -> list[Document]:
    """Triples as documents; texts without a word are left out."""
    try:
        listed = [Document(*document) for document in documents]
    except TypeError:
        raise WrongShape("documents should be triples (author, topic, text)") from None
    return [document for document in listed if words_of(document.text)]


def _candidates(documents: list[Document], per_topic: int | None) -> dict[Any, list[Document]]:
    """Authors with at least two texts on one topic; of each topic those with most texts."""
    written: dict[Any, dict[Any, list[Document]]] = {}
    for document in documents:
        written.setdefault(document.author, {}).setdefault(document.topic, []).append(document)
    main = {author: max(texts.values(), key=len) for author, texts in written.items()}
    chosen: dict[Any, list[Document]] = {}
    for topic in dict.fromkeys(document.topic for document in documents):
        here = [
            (a, texts) for a, texts in main.items() if texts[0].topic == topic and len(texts) > 1
        ]
        here.sort(key=lambda pair: -len(pair[1]))
        if per_topic is not None and len(here) < whole(per_topic, "authors_per_topic"):
            raise NotApplicable(
                f"each topic should have {per_topic} authors with two texts or more, but {topic!r} has "
                f"{len(here)}"
            )
        chosen.update(here[:per_topic])
    if len(chosen) < 2:
        raise NotApplicable(
            f"an attack needs at least two authors with two texts or more each, not {len(chosen)}"
        )
    return chosen
