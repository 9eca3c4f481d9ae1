"""Texts as the cells of a table: read to one public number of words, and noised in large blocks."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadPlan, DPrivacyError, NotApplicable, UnknownName
from dprivacy.mechanisms import whole
from dprivacy.model import Guarantee, Sourced, about
from dprivacy.numbers import as_eps
from dprivacy.sampling import Source
from dprivacy.sources import result
from dprivacy.text.documents.text_pieces import (
    LONGEST_WORD,
    require_text,
    seen_text,
    stop_words,
    word_pattern,
)
from dprivacy.text.documents.word_noise import ExponentialWords, read_words, word_mechanism
from dprivacy.text.embeddings.kind_words import with_kind_words
from dprivacy.text.embeddings.padded_texts import Keep, PaddedTexts
from dprivacy.text.embeddings.word_distances import WordSpace
from dprivacy.text.embeddings.word_vectors import Embedding
from dprivacy.text.finding.personal_data import KINDS, find_personal, read_kinds
from dprivacy.text.finding.word_lists import NameLists, name_lists
from dprivacy.typing import LevelLike

Long = Literal["cut", "refuse"]
LONGEST = 2000  # words of a cell
_BLOCK = 2_000_000  # words that are drawn at a time
_REACH = 256  # characters that a rule may look ahead
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_MOST_CONTROLS = 0.1  # of the characters of a text


@cache
def _word(*, plain: bool) -> re.Pattern[str]:
    return re.compile(rf"{word_pattern(plain=plain)}|\w+(?:[.,:/]\d+)*")


@dataclass(frozen=True)
class TextCells(Sourced):
    """A mechanism on short texts: every word is replaced by a noisy one, and so is every empty place.

    Examples
    --------
    >>> cells = text_cells(eps=2, length=6)
    >>> noisy = cells.randomise(["Maria Oliveira wants her money back", ""])
    >>> [len(text.split()) for text in noisy]
    [6, 6]
    >>> from dprivacy.sampling import SystemSource
    >>> places = cells.places(["good morning"])
    >>> places.shape, len(cells.read("good morning")), cells.unknown_share(["good morning"])
    ((1, 6), 2, 0.0)
    >>> [len(text.split()) for text in cells.written(cells.draw(places, SystemSource()))]
    [6]
    """

    words: ExponentialWords
    keep: Keep
    length: int
    guarantee: Guarantee
    long: Long = "cut"
    unknown: Literal["replace", "drop"] = "replace"
    stops: bool = True
    kinds: tuple[str, ...] = KINDS
    lists: NameLists = field(default_factory=name_lists, repr=False)
    source: Source | None = None
    family: str = "words"
    channel: ClassVar[None] = None

    def randomise(self, values: Sequence[str], *, insecure_seed: int | None = None) -> list[str]:
        """A noisy text for each true one."""
        places = self.places(read_words(values))
        return self.written(self.draw(places, self._source(insecure_seed)))

    def places(self, texts: Sequence[str], *, first: int = 0) -> NDArray[np.int32]:
        """The words of each text as places in the vocabulary; unknown and empty ones are the last.

        Parameters
        ----------
        texts
            The texts.
        first
            The number of the first of them, for a refusal.
        """
        nothing = len(self.words.embedding)
        found = np.full((len(texts), self.length), nothing, dtype=np.int32)
        for row, text in enumerate(texts):
            try:
                read = self.read(text)
            except DPrivacyError as reason:
                raise type(reason)(f"row {first + row}: {reason}") from None
            found[row, : len(read)] = read
        return found

    def read(self, text: str) -> list[int]:
        """The places of a text's words, at most as many as the public number of them."""
        require_text(text)
        self._require_readable(text)
        size = 64 * self.length + 2 * _REACH
        while True:
            # A text may be far longer than what is kept: look only as far as the last word needs.
            part = seen_text(text[:size])
            places, end = self._first(part)
            if size >= len(text) or (len(places) > self.length and end < len(part) - _REACH):
                break
            size *= 8
        if len(places) > self.length and self.long == "refuse":
            raise NotApplicable(
                f"the text has more words than the declared length of {self.length}; declare more, or "
                'set long = "cut"'
            )
        return places[: self.length]

    def unknown_share(self, texts: Sequence[str]) -> float:
        """The share of the words of some texts that the vocabulary lacks; for their owner alone."""
        every = replace(self, unknown="replace", long="cut")
        read = np.concatenate([np.empty(0), *(every.read(text) for text in texts)])
        return float((read == len(self.words.embedding)).mean()) if len(read) else 0.0

    def _first(self, text: str) -> tuple[list[int], int]:
        """Places of the first words, one more than are kept, and where in the text they end."""
        places: list[int] = []
        end = 0
        nothing = len(self.words.embedding)
        for place, stop in self._words(text):
            end = stop
            if place != nothing or self.unknown == "replace":
                places.append(place)
            if len(places) > self.length:
                break
        return places, end

    def _words(self, text: str) -> Iterator[tuple[int, int]]:
        """The place of each word, one place for a stretch that was found, and where it ends."""
        at = 0
        for found in find_personal(text, kinds=self.kinds, lists=self.lists) if self.kinds else ():
            yield from self._plain(text, at, found.start)
            yield self._kinds[found.kind], found.end
            at = found.end
        yield from self._plain(text, at, len(text))

    def _plain(self, text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
        for match in _word(plain=text.isascii()).finditer(text, start, stop):
            word = match.group()
            if len(word) > LONGEST_WORD:
                raise NotApplicable(
                    f"the text has a word of more than {LONGEST_WORD} characters; is this a text?"
                )
            if self.stops or word.lower().replace("’", "'") not in stop_words():
                yield self._place(word), match.end()

    @cached_property
    def _place(self) -> Any:
        """The place of a word, the last one for what is unknown; the commonest are remembered."""
        embedding = self.words.embedding
        nothing = len(embedding)

        def place(word: str) -> int:
            found = embedding.position(word)
            return nothing if found is None else found

        return lru_cache(maxsize=1 << 16)(place)

    @cached_property
    def _kinds(self) -> dict[str, int]:
        size = len(self.words.embedding) - len(self.kinds)
        return {kind: size + k for k, kind in enumerate(self.kinds)}

    def _require_readable(self, text: str) -> None:
        controls = len(_CONTROL.findall(text))
        if controls > _MOST_CONTROLS * len(text):
            raise NotApplicable(
                "the text is full of control characters: it looks like a binary file"
            )

    def draw(self, places: NDArray[np.int32], source: Source) -> NDArray[np.int32]:
        """Noisy places for true ones, in blocks of up to two million words."""
        flat = places.reshape(-1)
        noisy = np.empty_like(flat)
        for low in range(0, len(flat), _BLOCK):
            block = flat[low : low + _BLOCK].astype(np.intp)
            noisy[low : low + _BLOCK] = self.words.draw(block, source)
        return noisy.reshape(places.shape)

    def written(self, places: NDArray[np.int32]) -> list[str]:
        """The noisy words as texts: sorted for a bag, otherwise in order."""
        words, ranks = self._sorted
        if self.keep == "bag":
            shown = words[np.sort(ranks[places], axis=1)]
        else:
            shown = words[ranks[places]]
        return [" ".join(row) for row in shown.tolist()]

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.object_], NDArray[np.int32]]:
        """The vocabulary in alphabetical order, and the rank of each place in it."""
        words = self.words.embedding.words
        order = sorted(range(len(words)), key=words.__getitem__)
        ranks = np.empty(len(words), dtype=np.int32)
        ranks[order] = np.arange(len(words), dtype=np.int32)
        return np.array([words[k] for k in order], dtype=object), ranks

    def __repr__(self) -> str:
        size, eps = len(self.words.embedding), about(self.guarantee.eps)
        return f"TextCells({self.keep}, {self.length} words of {size:,}, ε = {eps})"


@result("T", "Thm 9.10")
def text_cells(
    embedding: Embedding | None = None,
    *,
    length: int,
    eps: LevelLike | None = None,
    level: LevelLike | None = None,
    keep: Keep = "bag",
    long: Long = "cut",
    unknown: Literal["replace", "drop"] = "replace",
    stop_words: Literal["protect", "drop"] = "protect",
    find: Sequence[str] = KINDS,
    lists: NameLists | None = None,
) -> TextCells:
    """A mechanism on texts of a public number of words, whatever their own number is.

    Parameters
    ----------
    embedding
        The vocabulary; the small one of the package by default, which is for trying things out.
    length
        How many words a text has when it is released: longer ones are cut, shorter ones filled up.
    eps, level
        The level per word and unit of distance; or the one between any two texts, from which the
        other follows.
    keep
        "bag": the noisy words are sorted; "text": they keep their order.
    long
        "cut", or "refuse" texts of more words.
    unknown
        "replace": a word that the vocabulary lacks stands at its centre, as an empty place does;
        "drop": it is left out before the text is filled up.
    stop_words
        "drop" leaves them out before the text is cut.
    find
        Kinds of personal data to look for (see `find_personal`); a stretch that is found becomes one
        word such as [name], which is noised like any other.
    lists
        Names and ordinary words; names that are not ordinary words leave the vocabulary.

    Notes
    -----
    1. Two texts x and z, cut to L words and filled up with the empty word, which stands at the centre:
       the chances of an output differ by at most e^(ε·M), where M is the sum of distances over the
       cheapest matching of their words ("bag"), or place by place ("text"). One more word w costs
       ε·‖w − c‖.
    2. So any two texts have the level L·min(ε·D, 40·ln 2), D being the diameter of the vocabulary.
    3. What is found, rightly or wrongly, is a function of the text; the noise comes after it.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
    >>> cells = text_cells(tiny, eps="1/5", length=2, find=())
    >>> round(cells.guarantee.odds_factor(["tea"], ["tea", "moon"]), 4)
    3.8507
    """
    from dprivacy.text.embeddings.made_embeddings import small_embedding

    UnknownName.require("keep", keep, ("bag", "text"))
    UnknownName.require("long", long, ("cut", "refuse"))
    UnknownName.require("unknown", unknown, ("replace", "drop"))
    UnknownName.require("stop_words", stop_words, ("protect", "drop"))
    words = whole(length, "length")
    if words > LONGEST:
        raise BadPlan(f"length: at most {LONGEST:,} words, not {words:,}")
    if (eps is None) == (level is None):
        raise BadPlan("either eps (per word and unit of distance) or level (of a text) is needed")
    kinds = read_kinds(find)
    named = name_lists() if lists is None else lists
    plain = small_embedding() if embedding is None else embedding
    vocabulary = with_kind_words(plain, kinds, named if "name" in kinds else None)
    if eps is None:
        assert level is not None
        widest = _noise(vocabulary, 1)[0].embedding.diameter
        if not widest:
            raise NotApplicable("all words have one vector, and a level says nothing; give eps")
        eps = as_eps(level) / (widest * words)
    mechanism, diameter = _noise(vocabulary, eps)
    space = mechanism.guarantee.space
    assert isinstance(space, WordSpace)
    texts = PaddedTexts(
        keep, words, diameter, vocabulary_hash(mechanism.embedding), plain.typical[0], space
    )
    if level is not None:
        texts.require_level(mechanism.guarantee.eps, as_eps(level))
    rule = "T Thm 9.10" if keep == "bag" else "T Eq 9.6"
    guarantee = Guarantee(
        mechanism.guarantee.eps, texts, because=f"{rule} and {mechanism.guarantee.because}"
    )
    stops = stop_words == "protect"
    return TextCells(mechanism, keep, words, guarantee, long, unknown, stops, kinds, named)


def _noise(vocabulary: Embedding, eps: Any) -> tuple[ExponentialWords, Fraction]:
    """The mechanism on words, and how far apart two of them are at the most, on its grid."""
    mechanism = word_mechanism(vocabulary, eps=eps)
    assert isinstance(mechanism, ExponentialWords)
    space = mechanism.guarantee.space
    assert isinstance(space, WordSpace)
    return mechanism, max(mechanism.embedding.diameter, Fraction(space.floor))


def vocabulary_hash(embedding: Embedding) -> str:
    """A hash of the words and of where they stand: levels on one vocabulary add up.

    Examples
    --------
    >>> tiny = Embedding(["tea", "coffee"], [[0, 0], [3, 4]])
    >>> len(vocabulary_hash(tiny))
    24
    """
    mark = hashlib.sha256("\n".join(embedding.words).encode())
    mark.update(np.ascontiguousarray(embedding.vectors, dtype="<f8").tobytes())
    return mark.hexdigest()[:24]
