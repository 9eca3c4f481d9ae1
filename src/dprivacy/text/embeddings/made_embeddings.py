"""Embeddings made out of lists of words that belong together, and the small one of the package."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongShape
from dprivacy.mechanisms import whole
from dprivacy.sampling import KeyedSource
from dprivacy.text.embeddings.word_vectors import Embedding

_KEY = b"dprivacy embedding from groups 1"
_NEIGHBOURS = (6, 3, 1)  # how much a list shares with itself, the next one, and the one after
_OWN = 2.5  # how much is a word's own


def embedding_from_groups(
    groups: Iterable[Sequence[str]],
    *,
    dimension: int = 32,
    name: str = "an embedding from lists",
    sha256: str = "",
) -> Embedding:
    """An embedding from lists of words: words of one list are near, of neighbouring lists less so.

    Parameters
    ----------
    groups
        Lists of words that belong together, related lists one after the other. A word may stand in
        several and is then between them. The lists must be **public**: distances tell about them.
    dimension
        Of the vectors; more of it makes unrelated words more equally far apart.
    name, sha256
        As for `Embedding`.

    Returns
    -------
    Embedding
        Two unrelated words are about 1.7 apart, two words of one list about 0.6.

    Notes
    -----
    1. Every list gets a direction of signs ±1, from a fixed public stream; so does every word.
    2. A list shares its direction with its neighbours: weights 6 for itself, 3 and 1 for the next two
       on either side.
    3. A word's vector is the mean of its lists', plus a little of its own: no two words coincide.

    The sums are small whole numbers, so that every machine makes the same vectors.

    Examples
    --------
    >>> made = embedding_from_groups([["tea", "coffee"], ["cup", "glass"], ["moon", "star"], ["law"]])
    >>> made.distance("tea", "coffee") < made.distance("tea", "law")
    True
    """
    listed = [list(group) for group in groups]
    words = list(dict.fromkeys(word for group in listed for word in group))
    if not words:
        raise WrongShape(f"the {len(listed)} lists should contain at least one word, but have none")
    size = whole(dimension, "dimension")
    plain = _signs(len(listed), size, 0)
    lists = _NEIGHBOURS[0] * plain
    for away, weight in enumerate(_NEIGHBOURS[1:], 1):
        lists[away:] += weight * plain[:-away]
        lists[:-away] += weight * plain[away:]
    index = {word: k for k, word in enumerate(words)}
    sums = np.zeros((len(words), size))
    counts = np.zeros(len(words))
    for vector, group in zip(lists, listed, strict=True):
        for word in set(group):
            sums[index[word]] += vector
            counts[index[word]] += 1
    vectors = sums / counts[:, None] + _OWN * _signs(len(words), size, 1)
    unit = 7 * np.sqrt(size)  # brings unrelated words to about 1.7
    return Embedding(tuple(words), (vectors / unit).astype(np.float32), name, sha256)


@cache
def small_embedding() -> Embedding:
    """About 2,000 common English words in 32 dimensions, made by this package from its own lists.

    It is meant for trying things out. Words of one list (months, tools, feelings …) are near each
    other, and that is all it knows: use GloVe, word2vec or fastText vectors (`read_embedding`) for
    real texts.

    Examples
    --------
    >>> words = small_embedding()
    >>> words.distance("river", "lake") < words.distance("river", "lawyer")
    True
    """
    raw = files("dprivacy.text").joinpath("data/words.txt").read_bytes()
    lines = raw.decode("utf-8").splitlines()
    groups = [line.split() for line in lines if line and not line.startswith("#")]
    name = "the small embedding of dprivacy"
    return embedding_from_groups(groups, name=name, sha256=hashlib.sha256(raw).hexdigest())


def _signs(rows: int, columns: int, stream: int) -> NDArray[np.float64]:
    """Directions of ±1 from a fixed stream: public, and the same everywhere."""
    bits = KeyedSource(_KEY, stream).words(rows * columns) >> np.uint64(63)
    return np.where(bits.reshape(rows, columns), 1.0, -1.0)
