"""The small embedding that comes with the package, so that a first run needs no download."""

import hashlib
from functools import cache
from importlib.resources import files

from dprivacy.text.embeddings.made_embeddings__text_making import embedding_from_groups
from dprivacy.text.embeddings.word_vectors import Embedding


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
