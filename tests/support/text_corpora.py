"""Tiny vocabularies, invented writers, and the real corpora where they are."""

import numpy as np
import pytest

from dprivacy.text import Embedding, read_embedding
from support.real_data import real

TINY = Embedding(("tea", "coffee", "moon"), np.array([[0, 0], [3, 4], [0, 12]]), "tiny")


def random_embedding(words: int, dimension: int, seed: int = 1, scale: float = 1.0) -> Embedding:
    rng = np.random.default_rng(seed)
    names = tuple(f"w{k}" for k in range(words))
    return Embedding(names, scale * rng.normal(size=(words, dimension)), "random")


def glove(size: str = "30k") -> Embedding:
    names = {"30k": "glove6b_100d_top30k.npz", "4k": "glove6b_100d_top4k_f16.npz"}
    return read_embedding(real("glove", names[size]))


def news(*topics: str) -> list[tuple[str, str, str]]:
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(real("text_20news", "news_authors_topics.parquet")).to_pylist()
    return [(row["author"], row["topic"], row["text"]) for row in table if row["topic"] in topics]


FAVOURITES = """
ann garden colour honour neighbour flower rose grass seed plant soil summer rain
ben garden tree branch root leaf forest wood autumn river valley hill stone
cat court judge lawyer trial jury court law rule justice evidence witness
dan court police thief prison crime murder arrest steal officer criminal guilty
"""
WRITERS = {
    author: (topic, words)
    for author, topic, *words in (line.split() for line in FAVOURITES.strip().splitlines())
}


def invented(texts: int = 4, length: int = 40) -> list[tuple[str, str, str]]:
    """Writers with favourite words, on two topics."""
    rng = np.random.default_rng(5)
    return [
        (author, topic, " ".join(rng.choice(words, length)))
        for author, (topic, words) in WRITERS.items()
        for _ in range(texts)
    ]
