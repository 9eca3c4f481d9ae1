"""Whether a name stood in a text: guessed from its noisy words by a likelihood ratio."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable
from dprivacy.model import Answer
from dprivacy.sampling import choose_source
from dprivacy.text.attacks.word_model import WordModel
from dprivacy.text.documents.texts_in_cells import LONGEST, TextCells
from dprivacy.text.documents.word_noise import TOTAL_BITS, read_words

_MOST = 1000  # texts of each kind
_ROWS = 400  # of the channel at a time


@dataclass(frozen=True)
class NameMembership(Answer):
    """How often it is told right whether a name stood in a text; half of the texts have it.

    Attributes
    ----------
    texts
        How many texts with the name, and as many without.
    right
        The share that is told right, at the threshold that suits these texts best.
    plain
        The same without noise: not 1 where other texts look alike, since all names become [name].

    Examples
    --------
    >>> print(NameMembership(40, 0.55, 0.9))
    Whether the name stood in a text is told right in 55 % of 40 texts with it and 40 without
    (90 % without noise; 50 % by guessing, and up to 64 % by the choice of the threshold).
    >>> round(NameMembership(40, 0.55, 0.9).luck, 2)
    0.64
    """

    texts: int
    right: float
    plain: float
    exact: bool = field(default=False, init=False)

    @property
    def luck(self) -> float:
        """What the best threshold gets in 19 of 20 cases, if the noisy texts say nothing at all."""
        # The largest distance of two empirical distributions of n values: 1.22·√(2/n), and half of it.
        return min(1.0, 0.5 + 0.61 * (2 / self.texts) ** 0.5) if self.texts else 1.0

    def explain(self) -> str:
        """The shares in words."""
        return (
            f"Whether the name stood in a text is told right in {100 * self.right:.0f} % of "
            f"{self.texts} texts with it and {self.texts} without\n"
            f"({100 * self.plain:.0f} % without noise; 50 % by guessing, and up to "
            f"{100 * self.luck:.0f} % by the choice of the threshold)."
        )

    def __str__(self) -> str:
        return self.explain()


def name_membership(
    texts: Sequence[str],
    name: str,
    mechanism: TextCells,
    *,
    insecure_seed: int | None = None,
) -> NameMembership:
    """Attack texts of one's own: was this name in the text that a noisy one was made from?

    Parameters
    ----------
    texts
        The texts; the result is about them, and so for their owner alone. Some have the name and some
        have not; as many of either are attacked, at most 1,000.
    name
        A name, or any other words, as the texts write it.
    mechanism
        What they would be released through.
    insecure_seed
        For tests only.

    Notes
    -----
    The attacker knows the channel K exactly, how common words are in these very texts, q, and what the
    name is read as. Of a noisy text y the ratio p(y | with)/p(y | without) is then the mean over its
    places of K(name, y)/Σ q(x)·K(x, y); the threshold is the best one for these texts.

    Examples
    --------
    >>> from dprivacy.text import text_cells
    >>> notes = ["I met Maria Oliveira today", "I met the king today"] * 20
    >>> name_membership(notes, "Maria Oliveira", text_cells(eps=60, length=6)).right
    1.0
    """
    given = read_words(texts)
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    held: tuple[list[str], list[str]] = ([], [])
    for text in given:
        held[pattern.search(text) is None].append(text)
    size = min(*map(len, held), _MOST)
    if not name.strip() or not size:
        raise NotApplicable(
            f"{len(held[0])} of the texts have the name and {len(held[1])} have not; both are needed"
        )
    called = _places_of(name, mechanism)
    true = [mechanism.places(_even(side, size)) for side in held]
    every = [row.tolist() for side in true for row in side]
    common = WordModel(every, len(mechanism.words.embedding))
    noisy = mechanism.draw(np.vstack(true), choose_source(insecure_seed))
    ratios = _ratios(mechanism, called, common.single, noisy)
    told = np.isin(np.vstack(true), called).any(axis=1).astype(float)
    return NameMembership(size, _best(ratios, size), _best(told, size))


def _even(texts: Sequence[str], size: int) -> list[str]:
    """So many of the texts, at even places."""
    return [texts[k * len(texts) // size] for k in range(size)]


def _places_of(name: str, mechanism: TextCells) -> NDArray[np.intp]:
    """What a name is read as in the middle of a sentence."""
    wide = replace(mechanism, length=LONGEST, long="cut")
    found = Counter(wide.read(f"we met {name} today")) - Counter(wide.read("we met today"))
    if not found:
        raise NotApplicable("the name leaves no word in a text that is read for this mechanism")
    return np.array(sorted(found), dtype=np.intp)


def _ratios(
    mechanism: TextCells,
    called: NDArray[np.intp],
    single: NDArray[np.float64],
    noisy: NDArray[np.int32],
) -> NDArray[np.float64]:
    """The likelihood ratio of each noisy text."""
    seen, where = np.unique(noisy, return_inverse=True)
    anyone = np.zeros(len(seen))
    for low in range(0, len(single), _ROWS):
        block = np.arange(low, min(low + _ROWS, len(single)))
        anyone += single[block] @ (mechanism.words.rows(block)[:, seen] / 2.0**TOTAL_BITS)
    theirs = (mechanism.words.rows(called)[:, seen] / 2.0**TOTAL_BITS).mean(axis=0)
    return np.asarray((theirs / anyone)[where.reshape(noisy.shape)].mean(axis=1))


def _best(scores: NDArray[np.float64], size: int) -> float:
    """The share told right by the best threshold; the first half of the scores have the name."""
    cuts = np.unique(scores)
    there, gone = np.sort(scores[:size]), np.sort(scores[size:])
    above = size - np.searchsorted(there, cuts, side="left")
    below = np.searchsorted(gone, cuts, side="left")
    return float((above + below).max(initial=size) / (2 * size))
