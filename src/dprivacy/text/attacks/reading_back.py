"""Reading noisy words back: the exact channel times a model of the language, word by word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable
from dprivacy.model import Answer
from dprivacy.sampling import Source, choose_source
from dprivacy.text.attacks.word_model import WordModel
from dprivacy.text.documents.kept_words import kept_share, unknown_words
from dprivacy.text.documents.text_pieces import stop_words
from dprivacy.text.documents.texts_in_cells import TextCells
from dprivacy.text.documents.word_noise import read_words

_CANDIDATES = 60
_ROWS = 400  # of the channel at a time


@dataclass(frozen=True)
class Reconstruction(Answer):
    """How many words of some texts are guessed right from their noisy versions, as shares.

    Attributes
    ----------
    texts, words
        How many texts, and how many words that the vocabulary knows, were attacked.
    predicted
        The share of kept words that was predicted without looking at any text.
    read, unigram, bigram
        Right guesses by the noisy word itself, by how common words are, and by which words follow each
        other as well. Of sorted words nobody knows which follow, and `bigram` is the second once more.
    content
        The best of them on words other than stop words.
    unknown
        The share of the words of these texts that the vocabulary lacks; they are not guessed.

    Examples
    --------
    >>> found = Reconstruction(10, 200, 0.07, read=0.06, unigram=0.09, bigram=0.08, content=0.05)
    >>> print(found)
    Of 200 words in 10 texts, a reader who knows the mechanism and the language gets 9.0 % right
    (5.0 % without stop words); reading the noisy words as they are gets 6.0 %.
    A better model of the language gets more.
    >>> found.best
    0.09
    """

    texts: int
    words: int
    predicted: float
    read: float
    unigram: float
    bigram: float
    content: float
    unknown: float = 0.0
    exact: bool = field(default=False, init=False)

    @property
    def best(self) -> float:
        """The share of words that the best of the three guesses right."""
        return max(self.read, self.unigram, self.bigram)

    def explain(self) -> str:
        """The shares in words."""
        return (
            f"Of {self.words:,} words in {self.texts:,} texts, a reader who knows the mechanism and "
            f"the language gets {100 * self.best:.1f} % right\n"
            f"({100 * self.content:.1f} % without stop words); reading the noisy words as "
            f"they are gets {100 * self.read:.1f} %.\n"
            "A better model of the language gets more."
            + (f"\n{told[0].upper()}{told[1:]}." if (told := unknown_words(self.unknown)) else "")
        )

    def __str__(self) -> str:
        return self.explain()


def reconstruct(
    texts: Sequence[str],
    mechanism: TextCells,
    *,
    public: Sequence[str] | None = None,
    insecure_seed: int | None = None,
) -> Reconstruction:
    """Attack texts of one's own: noise is drawn and thrown away, and the true words are guessed.

    Parameters
    ----------
    texts
        The texts; the result is about them, and so for their owner alone.
    mechanism
        What they would be released through; words are attacked in their order, whatever it keeps.
    public
        Texts that the attacker has of the same kind of language. By default every second text is the
        attacker's, and the others are attacked.
    insecure_seed
        For tests only.

    Notes
    -----
    The attacker knows the channel exactly. A word's chances are p(x)·K(x, y) by how common it is; with
    its neighbours those of a hidden Markov chain over the 60 likeliest words, whose steps are
    p(w)·(p(w | before)/p(w))^0.6 with Witten–Bell counts. Language models do better: the shares are
    a floor of what can be read.

    Examples
    --------
    >>> from dprivacy.text import text_cells
    >>> notes = ["the king drank tea", "the queen drank tea", "the king spoke", "the river is old"]
    >>> reconstruct(notes, text_cells(eps=60, length=4)).read
    1.0
    """
    given = read_words(texts)
    hidden, known = (given[::2], given[1::2]) if public is None else (given, read_words(public))
    if not hidden or not known:
        raise NotApplicable(
            f"an attack needs texts to attack and texts to learn from, not {len(hidden)} and "
            f"{len(known)}"
        )
    source = choose_source(insecure_seed)
    size = len(mechanism.words.embedding)
    true = [np.array(mechanism.read(text), dtype=np.intp) for text in hidden]
    flat = np.concatenate([*true, np.empty(0, dtype=np.intp)])
    scored = flat != size
    if not scored.any():
        raise NotApplicable(f"the vocabulary knows none of the words of the {len(hidden)} texts")
    model = WordModel([mechanism.read(text) for text in known], size)
    noisy = _drawn(mechanism, flat, source)
    seen, where = np.unique(noisy, return_inverse=True)
    likely, chances = _posteriors(mechanism, seen, model.single)
    first = np.where(likely == size, -np.inf, chances + np.log(model.single[likely])).argmax(axis=1)
    guesses = {"read": noisy, "unigram": likely[np.arange(len(seen)), first][where]}
    guesses["bigram"] = guesses["unigram"]
    if mechanism.keep == "text":
        guesses["bigram"] = _chained(true, where, likely, np.exp(chances), model, size)
    stops = stop_words()
    words = np.array([w.lower() not in stops for w in mechanism.words.embedding.words] + [False])
    content = words[flat]
    right = {name: float((guess == flat)[scored].mean()) for name, guess in guesses.items()}
    best = max(guesses, key=lambda name: right[name])
    shown = float((guesses[best] == flat)[content].mean()) if content.any() else 0.0
    predicted = kept_share(mechanism.words)
    unknown = mechanism.unknown_share(hidden)
    return Reconstruction(
        len(hidden), int(scored.sum()), predicted, content=shown, unknown=unknown, **right
    )


def _drawn(mechanism: TextCells, flat: NDArray[np.intp], source: Source) -> NDArray[np.intp]:
    return mechanism.words.draw(flat, source)


def _posteriors(
    mechanism: TextCells, seen: NDArray[np.intp], single: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The likeliest true words for each noisy one, and the logarithms of their chances K(x, y)."""
    size = len(mechanism.words.embedding)
    keep = min(_CANDIDATES, size + 1)
    likely = np.zeros((len(seen), 0), dtype=np.intp)
    chances = np.zeros((len(seen), 0))
    for low in range(0, size + 1, _ROWS):
        block = np.arange(low, min(low + _ROWS, size + 1))
        logs = np.log(mechanism.words.rows(block)[:, seen]).T - 62 * math.log(2)
        likely = np.hstack([likely, np.broadcast_to(block, logs.shape)])
        chances = np.hstack([chances, logs])
        if chances.shape[1] > keep:
            scores = chances + np.log(single[likely])
            top = np.argpartition(-scores, keep - 1, axis=1)[:, :keep]
            likely = np.take_along_axis(likely, top, axis=1)
            chances = np.take_along_axis(chances, top, axis=1)
    return likely, chances - chances.max(axis=1, keepdims=True)


def _chained(
    true: Sequence[NDArray[np.intp]],
    where: NDArray[np.intp],
    likely: NDArray[np.intp],
    chances: NDArray[np.float64],
    model: WordModel,
    unknown: int,
) -> NDArray[np.intp]:
    """Guesses from the posterior of a hidden Markov chain, text by text."""
    out = np.empty(len(where), dtype=np.intp)
    at = 0
    for text in true:
        n = len(text)
        if not n:
            continue
        words, weights = likely[where[at : at + n]], chances[where[at : at + n]]
        steps = [model.following(words[k - 1], words[k]) for k in range(1, n)]
        ahead, back = np.empty_like(weights), np.ones_like(weights)
        ahead[0] = model.single[words[0]] * weights[0]
        ahead[0] /= ahead[0].sum()
        for k in range(1, n):
            ahead[k] = (ahead[k - 1] @ steps[k - 1]) * weights[k]
            ahead[k] /= ahead[k].sum()
        for k in range(n - 2, -1, -1):
            back[k] = steps[k] @ (weights[k + 1] * back[k + 1])
            back[k] /= back[k].sum()
        found = np.where(words == unknown, 0.0, ahead * back).argmax(axis=1)
        out[at : at + n] = words[np.arange(n), found]
        at += n
    return out
