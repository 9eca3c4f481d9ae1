"""Texts as pieces: words, numbers, punctuation and white space."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from dprivacy.errors import BadFile, NotApplicable, TooLarge, UnknownName, WrongKind, WrongShape
from dprivacy.model import counted, open_regular
from dprivacy.typing import Label, PathArg

Kind = Literal["word", "number", "mark", "space"]
LONGEST_WORD = 200  # characters
LONGEST_TEXT = 20_000_000
# Marks of direction and of no width, and accents that stand on no letter: never read, never copied.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)


def seen_text(text: str) -> str:
    r"""A text in Unicode's composed form, without what nobody sees and what is struck over letters.

    Examples
    --------
    >>> seen_text("t\u200be\u0336a \u202eau cafe\u0301")
    'tea au café'
    """
    if text.isascii():
        return text
    return _ACCENTS.sub("", unicodedata.normalize("NFC", _UNSEEN.sub("", text)))


def word_pattern(*, plain: bool) -> str:
    """A regular expression for words; in texts beyond ASCII, vowels that are marks belong to them."""
    letters = r"[^\W\d_]+" if plain else rf"[^\W\d_](?:[^\W\d_]|[{_vowels()}])*"
    return rf"{letters}(?:['’\-]{letters})*(?!\w)"


@cache
def _vowels() -> str:
    """Marks that are written with letters, as vowels of Hindi and Hebrew are."""
    marks = ("Mn", "Mc")
    return "".join(c for c in map(chr, range(0x300, 0x1E950)) if unicodedata.category(c) in marks)


@cache
def _piece(*, plain: bool) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<word>{word_pattern(plain=plain)})"
        r"|(?P<number>\w+(?:[.,:/]\d+)*)"  # whatever has a digit or an underscore in it
        r"|(?P<space>\s+)"
        r"|(?P<mark>.)",
        re.DOTALL,
    )


@cache
def stop_words() -> frozenset[str]:
    """Words that carry grammar more than meaning.

    How people use them is a trait of style, so that dropping or keeping them is a choice to be made
    knowingly.

    Examples
    --------
    >>> "the" in stop_words(), "river" in stop_words()
    (True, False)
    """
    text = files("dprivacy.text").joinpath("data/stop_words.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split())


@dataclass(frozen=True)
class Piece:
    """A stretch of a text, and what kind it is."""

    kind: Kind
    text: str

    @property
    def stops(self) -> bool:
        """Whether it is a stop word."""
        return self.kind == "word" and _stops(self.text)


def pieces_of(text: str) -> list[Piece]:
    """A text cut into pieces that, put together again, are the text (in Unicode's composed form).

    Raises
    ------
    WrongKind
        For a value that is not text.
    NotApplicable
        For text with a NUL in it (a binary file), or with a word of more than 200 characters.
    TooLarge
        For more than 20 million characters.

    Examples
    --------
    >>> [(piece.kind, piece.text) for piece in pieces_of("Don't pay $5.")][2:]
    [('word', 'pay'), ('space', ' '), ('mark', '$'), ('number', '5'), ('mark', '.')]
    """
    require_text(text)
    found: list[Piece] = []
    for match in _piece(plain=text.isascii()).finditer(unicodedata.normalize("NFC", text)):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        spoken = kind in ("word", "number")
        piece = _short(match.group(), match.start()) if spoken else match.group()
        found.append(Piece(kind, piece))
    return found


def require_text(text: object) -> None:
    """Refuse what is not text, is too long, or looks like a binary file."""
    if not isinstance(text, str):
        raise WrongKind(f"a document should be text, not a value of type {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        raise TooLarge(
            f"a document of {len(text):,} characters is too long; cut it into parts of at most "
            f"{LONGEST_TEXT:,}"
        )
    if "\0" in text:
        raise NotApplicable(
            f"the document has a NUL character at position {text.index(chr(0)):,}: it looks like a "
            "binary file"
        )


def require_labels(texts: Sequence[str], labels: Sequence[Label]) -> None:
    """Refuse texts of which some have no author or topic, and no texts at all."""
    if len(texts) != len(labels) or not len(texts):
        raise WrongShape(
            f"there should be one label for each text, not {counted(len(labels), 'label')} for "
            f"{counted(len(texts), 'text')}"
        )


def _short(word: str, at: int) -> str:
    if len(word) > LONGEST_WORD:
        raise NotApplicable(
            f"a word at character {at:,} has {len(word):,} characters, more than {LONGEST_WORD}; "
            "is this a text?"
        )
    return word


def _stops(word: str) -> bool:
    return word.lower().replace("’", "'") in stop_words()


def words_of(text: str, *, numbers: bool = True, stops: bool = True) -> list[str]:
    """The words of a text in lower case, in order.

    Parameters
    ----------
    text
        A text.
    numbers, stops
        Whether to keep numbers and stop words.

    Examples
    --------
    >>> words_of("The President greets the press in Chicago.", stops=False)
    ['president', 'greets', 'press', 'chicago']
    """
    require_text(text)
    found = []
    for match in _piece(plain=text.isascii()).finditer(unicodedata.normalize("NFC", text)):
        kind = match.lastgroup
        if kind == "word" or (numbers and kind == "number"):
            word = match.group().lower()
            if stops or not _stops(word):
                found.append(_short(word, match.start()))
    return found


def read_document(path: PathArg, *, encoding: str | None = None) -> str:
    r"""A text file.

    Parameters
    ----------
    path
        The file.
    encoding
        As Python calls it; UTF-8 by default. It is never guessed.

    Raises
    ------
    BadFile
        For a file that cannot be read or is not text; the message never shows its content.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "note.txt").write_bytes(b"\xef\xbb\xbftea at five")
    ...     read_document(f"{folder}/note.txt")
    'tea at five'
    """
    place = Path(path)
    try:
        with open_regular(place) as file:
            raw = file.read(4 * LONGEST_TEXT + 1)
    except OSError as reason:
        raise BadFile(f"{place}: cannot be read ({reason.strerror})") from None
    return decode_document(raw, str(place), encoding=encoding)


def decode_document(raw: bytes, name: str, *, encoding: str | None = None) -> str:
    """Bytes as a text, in UTF-8 if nothing else is said (a byte-order mark is taken off).

    Parameters
    ----------
    raw
        The bytes.
    name
        Where they come from, for the message.
    encoding
        As Python calls it.

    Examples
    --------
    >>> decode_document("tea für zwei".encode("latin-1"), "a note", encoding="latin-1")
    'tea für zwei'
    """
    if len(raw) > 4 * LONGEST_TEXT:
        raise TooLarge(f"{name}: is longer than {4 * LONGEST_TEXT:,} bytes; cut it into parts")
    codec = "utf-8" if encoding is None else encoding
    try:
        text = raw.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as reason:
        line = 1 + raw[: reason.start].count(b"\n")
        raise BadFile(
            f"{name}: byte {reason.start:,}, in line {line:,}, is not {codec.upper()}; save the text "
            "in UTF-8, or pass its encoding as --encoding (encoding=)"
        ) from None
    except (LookupError, ValueError):
        raise UnknownName(f"the encoding {codec[:20]!r} is not known, or reads no text") from None
    if "\0" in text:
        raise BadFile(f"{name}: has NUL bytes in it: it looks like a binary file")
    return text
