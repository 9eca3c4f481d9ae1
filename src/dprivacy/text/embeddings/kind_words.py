"""Words for what was found in a text, [name], [email] and so on, as words of the vocabulary."""

import math
from collections.abc import Sequence

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.text.embeddings.word_vectors import Embedding, require_embedding
from dprivacy.text.finding.word_lists import NameLists, name_lists

_SAMPLE = 1000  # words among which the median distance is taken


def kind_word(kind: str) -> str:
    """How a kind of personal data is written."""
    return f"[{kind}]"


def with_kind_words(
    embedding: Embedding, kinds: Sequence[str], lists: NameLists | None = None
) -> Embedding:
    """A vocabulary with a word for each kind, and without the words that are names and nothing else.

    Parameters
    ----------
    embedding
        The vocabulary.
    kinds
        Kinds of personal data; a word for each is appended.
    lists
        Names; their words leave the vocabulary, so that none of them ever comes out. None keeps them.

    Notes
    -----
    Each kind has a dimension of its own: it stands at c + h·e, where c is the centre of the vocabulary
    and h the median distance of two words. So two kinds are h·√2 apart, and a kind is √(h² + ‖w − c‖²)
    from the word w: about as far as words are from each other.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> with_kind_words(tiny, ["name", "email"]).words
    ('tea', 'coffee', 'moon', '[name]', '[email]')
    """
    require_embedding(embedding)
    kept = [
        k for k, word in enumerate(embedding.words) if lists is None or not lists.names_only(word)
    ]
    if len(kept) < 2:
        raise NotApplicable(
            f"a vocabulary should have at least two words that are not names, not {len(kept)}"
        )
    vectors = embedding.vectors[kept].astype(np.float64)
    words = [embedding.words[k] for k in kept]
    lean = Embedding(tuple(words), vectors, embedding.name, embedding.sha256)
    size, dimension = vectors.shape
    rows = np.zeros((size + len(kinds), dimension + len(kinds)))
    rows[:size, :dimension] = vectors
    rows[size:, :dimension] = lean.centre
    rows[size:, dimension:] = median_distance(lean) * np.eye(len(kinds))
    middle = np.concatenate([lean.centre, np.zeros(len(kinds))])
    named = (*words, *map(kind_word, kinds))
    return Embedding(named, rows, embedding.name, embedding.sha256, middle)


def without_names(embedding: Embedding | None) -> Embedding | None:
    """A vocabulary without the words that are names and nothing else; the small one has none."""
    return None if embedding is None else with_kind_words(embedding, (), name_lists())


def median_distance(embedding: Embedding) -> float:
    """The median distance of two words, among words taken at even steps from the whole vocabulary."""
    step = math.ceil(len(embedding) / _SAMPLE)
    rows = embedding.vectors[::step].astype(np.float64)
    squares = np.einsum("ij,ij->i", rows, rows)
    table = np.sqrt(np.maximum(squares[:, None] + squares - 2 * rows @ rows.T, 0))
    return float(np.median(table[np.triu_indices(len(rows), 1)]))
