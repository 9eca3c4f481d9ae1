"""Who wrote it? Koppel's attack: character n-grams, compared in many random subspaces."""

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
from dprivacy.sampling import KeyedSource
from dprivacy.text.documents.text_pieces import words_of
from dprivacy.typing import Label

_KEY = b"dprivacy random subspaces 1"


@dataclass(frozen=True)
class Attribution:
    """Whom an attack takes for the author, and how surely: the share of the rounds that it won.

    Examples
    --------
    >>> Attribution("ann", 0.9).to_dict()
    {'author': 'ann', 'score': 0.9}
    """

    author: Label
    score: float

    def to_dict(self) -> dict[str, Any]:
        """The attribution as plain data."""
        return {"author": str(self.author), "score": self.score}


def ngrams(text: str, n: int = 4) -> Counter[str]:
    """How often each stretch of n characters comes within a word; shorter words count as they are.

    Examples
    --------
    >>> sorted(ngrams("colour", 3))
    ['col', 'lou', 'olo', 'our']
    """
    counts: Counter[str] = Counter()
    for word, times in Counter(words_of(text)).items():
        for low in range(max(1, len(word) - n + 1)):
            counts[word[low : low + n]] += times
    return counts


@dataclass(frozen=True, eq=False)
class AuthorProfiles(Sealed):
    """The n-grams of candidates: what Koppel's attack compares texts with.

    Examples
    --------
    >>> found = author_profiles({"ann": "plain rain in spain", "bob": "bright knights fight"})
    >>> [one.author for one in found.attribute(["a knight at night"])]
    ['bob']
    """

    names: tuple[Label, ...]
    n: int
    rarity: Mapping[str, tuple[int, float]] = field(repr=False)
    vectors: NDArray[np.float32] = field(repr=False)

    def attribute(
        self, texts: Iterable[str], *, rounds: int = 100, share: float = 0.5, key: int = 0
    ) -> list[Attribution]:
        """The author of each text, by character n-grams and repeated random subspaces.

        Parameters
        ----------
        texts
            The texts to be attributed.
        rounds
            How often a random part of the n-grams is drawn.
        share
            How large a part.
        key
            Which random parts: the same key, the same attack.

        Returns
        -------
        list of Attribution
            The candidate who won most rounds, and the share that they won.

        Notes
        -----
        1. A text is a vector over the commonest n-grams.
        2. In each round a random half of the coordinates is kept, and the candidate whose vector has
           the largest cosine with the text's wins.
        3. A candidate who wins in many different subspaces is like the text in many ways, not in one.
        """
        if not 0 < share <= 1:
            raise BadNumber(f"share should be above 0 and at most 1, not {share}")
        asked = _table([ngrams(text, self.n) for text in texts], self.rarity)
        wins = np.zeros((len(asked), len(self.names)), dtype=np.int64)
        source = KeyedSource(_KEY, whole(key, "key", 0))
        most = np.uint64(min(int(share * 2**64), 2**64 - 1))
        for _ in range(whole(rounds, "rounds")):
            kept = np.flatnonzero(source.words(len(self.rarity)) <= most)
            cosines = _unit(asked[:, kept]) @ _unit(self.vectors[:, kept]).T
            wins[np.arange(len(asked)), cosines.argmax(axis=1)] += 1
        return [
            Attribution(self.names[k], float(row[k]) / rounds)
            for k, row in zip(wins.argmax(axis=1), wins, strict=True)
        ]


def author_profiles(
    known: Mapping[Label, str], *, n: int = 4, features: int = 20_000
) -> AuthorProfiles:
    """Profiles of candidates from a text by each.

    Parameters
    ----------
    known
        A text by each candidate.
    n
        Characters of an n-gram.
    features
        How many of the commonest n-grams of the known texts are used.

    Notes
    -----
    A text is a vector of ln(1 + count)·ln(1 + candidates/candidates who use it) over the n-grams: rare
    ones tell more.

    Examples
    --------
    >>> found = author_profiles({"ann": "plain rain", "bob": "bright knights"}, n=3)
    >>> found.names, found.vectors.shape == (2, len(found.rarity))
    (('ann', 'bob'), True)
    """
    if len(known) < 2:
        raise NotApplicable(
            f"an attack needs known texts of at least two candidates, by name, not of {len(known)}"
        )
    names, size = tuple(known), whole(n, "n")
    counted = [ngrams(known[name], size) for name in names]
    total: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for counts in counted:
        total.update(counts)
        used.update(counts.keys())
    commonest = total.most_common(whole(features, "features"))
    if not commonest:
        raise NotApplicable(f"the known texts of {len(names)} candidates have no words")
    rarity = {
        gram: (k, math.log1p(len(names) / used[gram])) for k, (gram, _) in enumerate(commonest)
    }
    return AuthorProfiles(names, size, rarity, _table(counted, rarity))


def _table(
    counted: Sequence[Counter[str]], rarity: Mapping[str, tuple[int, float]]
) -> NDArray[np.float32]:
    table = np.zeros((len(counted), len(rarity)), dtype=np.float32)
    for row, counts in zip(table, counted, strict=True):
        for gram, times in counts.items():
            if gram in rarity:
                place, weight = rarity[gram]
                row[place] = math.log1p(times) * weight
    return table


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))
