"""What happens to each kind of piece of a text: protected, dropped, or passed as it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dprivacy.errors import NotApplicable, UnknownCategory, UnknownName
from dprivacy.mechanisms import whole
from dprivacy.model import Explained, counted
from dprivacy.text.documents.text_pieces import Piece, pieces_of
from dprivacy.text.embeddings.word_vectors import Embedding

Layout = Literal["bag", "text"]
Unknown = Literal["replace", "drop", "refuse"]
StopWords = Literal["protect", "drop"]
PASSABLE = ("stop words", "numbers", "punctuation", "capitals")
EMPTY = ""  # padding: no word of any vocabulary, so that it stands at the centre


@dataclass(frozen=True)
class Policy(Explained):
    """How a text is read.

    Parameters
    ----------
    layout
        "bag": words come out sorted, their order is forgotten. "text": in their order.
    unknown
        What becomes of words that the vocabulary lacks. "replace": they are read as one point, the
        centre of the vocabulary, and get a noisy word like any other. "drop": they are left out.
        "refuse": there may be none.
    stop_words
        "protect": they are words like any other. "drop": they are left out.
    length
        A public number of words: shorter documents are filled up with empty words, longer ones refused.
    unprotected
        What passes as it is, outside of the guarantee: any of "stop words", "numbers",
        "punctuation" (with the white space) and "capitals". Only in the layout "text".

    Examples
    --------
    >>> print(Policy("text", unprotected=["numbers"]).explain())
    Words that the vocabulary lacks are all read as one point, its centre.
    NOT PROTECTED, published as they are: numbers. Writers can be recognised by such things.
    >>> from dprivacy.text import small_embedding
    >>> policy = Policy("text")
    >>> policy.published, sorted(policy.to_dict())
    (('the number of words',), ['layout', 'length', 'stop_words', 'unknown', 'unprotected'])
    >>> policy.read("A rose, a rose.", small_embedding()).words
    ['A', 'rose', 'a', 'rose']
    """

    layout: Layout = "bag"
    unknown: Unknown = "replace"
    stop_words: StopWords = "protect"
    length: int | None = None
    unprotected: Iterable[str] = ()  # kept as a tuple, in one order

    def __post_init__(self) -> None:
        UnknownName.require("layout", self.layout, get_args(Layout))
        UnknownName.require("unknown", self.unknown, get_args(Unknown))
        UnknownName.require("stop_words", self.stop_words, get_args(StopWords))
        passing = _read_passing(self.unprotected)
        object.__setattr__(self, "unprotected", passing)
        if passing and self.layout == "bag":
            raise NotApplicable(
                f"{passing[0]!r} cannot pass in a bag of words, which has no places for them; "
                "choose layout='text'"
            )
        if "stop words" in passing and self.stop_words == "drop":
            raise NotApplicable("stop words are both dropped and passed as they are; choose one")
        if self.length is not None and whole(self.length, "length") and "punctuation" in passing:
            raise NotApplicable(
                "a text that keeps its punctuation cannot be filled up to a length of "
                f"{self.length}; leave one of the two out"
            )

    @property
    def published(self) -> tuple[str, ...]:
        """What a protected document shows as it is."""
        shown = () if self.length is not None else ("the number of words",)
        return (*self.unprotected, *shown)

    def read(self, text: str, embedding: Embedding) -> "Reading":
        """The pieces of a text, and which of them are protected words."""
        pieces: list[Piece] = []
        protected: list[int] = []
        dropped = 0
        unknown: list[int] = []
        spoken = 0
        for piece in pieces_of(text):
            if piece.kind in ("mark", "space"):
                if "punctuation" in self.unprotected:
                    pieces.append(piece)
                continue
            spoken += 1
            if self._passes(piece):
                pieces.append(piece)
                continue
            if self.stop_words == "drop" and piece.stops:
                dropped += 1
                continue
            if embedding.position(piece.text) is None:
                unknown.append(spoken)
                if self.unknown == "drop":
                    continue
            protected.append(len(pieces))
            pieces.append(piece)
        self._require_known(unknown, embedding)
        if not protected:
            raise NotApplicable(
                f"the document has no words to protect (it has {counted(spoken, 'word')} in all)"
            )
        read = Reading(tuple(pieces), tuple(protected), spoken, len(unknown), dropped)
        return read if self.length is None else read.filled(self.length)

    def _passes(self, piece: Piece) -> bool:
        if piece.kind == "number":
            return "numbers" in self.unprotected
        return "stop words" in self.unprotected and piece.stops

    def _require_known(self, unknown: list[int], embedding: Embedding) -> None:
        if self.unknown == "refuse" and unknown:
            raise UnknownCategory(
                f"word number {unknown[0]} is not in {embedding.name}; choose unknown='replace' (such "
                "words are then protected like all others) or 'drop'"
            )

    def explain(self) -> str:
        """The policy in words."""
        lines = []
        if self.layout == "bag":
            lines.append("The order of the words, punctuation and capitals are left out.")
        if self.unknown == "drop":
            lines.append("Words that the vocabulary lacks are left out; how many remain is public.")
        else:
            lines.append("Words that the vocabulary lacks are all read as one point, its centre.")
        if self.stop_words == "drop":
            lines.append("Stop words are left out.")
        if self.unprotected:
            lines.append(
                f"NOT PROTECTED, published as they are: {', '.join(self.unprotected)}. Writers can be "
                "recognised by such things."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The policy as plain data."""
        return {**vars(self), "unprotected": list(self.unprotected)}


@dataclass(frozen=True)
class Reading:
    """A text as read: its pieces, the places of the protected words, and counts for its owner."""

    pieces: tuple[Piece, ...]
    protected: tuple[int, ...]
    spoken: int
    unknown: int
    dropped: int

    @property
    def words(self) -> list[str]:
        """The protected words."""
        return [self.pieces[k].text for k in self.protected]

    def filled(self, length: int) -> "Reading":
        """With empty words at its end, up to a public number of protected words."""
        missing = length - len(self.protected)
        if missing < 0:
            raise NotApplicable(
                f"the document has more than the declared {counted(length, 'word')}; declare more, or "
                "cut it"
            )
        ends = range(len(self.pieces), len(self.pieces) + missing)
        pieces = (*self.pieces, *(Piece("word", EMPTY) for _ in ends))
        return Reading(pieces, (*self.protected, *ends), self.spoken, self.unknown, self.dropped)


def _read_passing(given: Iterable[str]) -> tuple[str, ...]:
    asked = [given] if isinstance(given, str) else list(given)
    named = [str(word).replace("-", " ").replace("_", " ") for word in asked]
    for word in named:
        UnknownName.require("unprotected", word, PASSABLE)
    return tuple(word for word in PASSABLE if word in named)
