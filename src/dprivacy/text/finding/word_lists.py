"""Lists of names, of ordinary words and of places: those of the package, and names from a file."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from dprivacy.errors import BadFile
from dprivacy.model import file_text
from dprivacy.typing import PathArg

_LONGEST = 100  # characters of a name
_WHOLE = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "ß": "ss", "æ": "ae"})


def plain_letters(word: str) -> str:
    """A word in small letters without accents, as the lists have them.

    Examples
    --------
    >>> plain_letters("Jos\u00e9"), plain_letters("Wałęsa")
    ('jose', 'walesa')
    """
    low = word.lower()
    if low.isascii():
        return low
    parts = unicodedata.normalize("NFD", low.translate(_WHOLE))
    return "".join(c for c in parts if unicodedata.category(c) != "Mn")


@dataclass(frozen=True)
class NameLists:
    """First names, surnames, ordinary words and places, all in small letters.

    Examples
    --------
    >>> lists = name_lists()
    >>> "maria" in lists.first, "garcia" in lists.last, "garden" in lists.ordinary
    (True, True, True)
    >>> "maria" in lists.either, lists.names_only("garcia"), lists.names_only("garden")
    (True, True, False)
    >>> "xylia" in lists.added(["Xylia"]).first
    True
    """

    first: frozenset[str]
    last: frozenset[str]
    ordinary: frozenset[str]
    places: frozenset[str]
    kept: frozenset[str]

    @cached_property
    def either(self) -> frozenset[str]:
        """First names and surnames."""
        return self.first | self.last

    def names_only(self, word: str) -> bool:
        """Whether a word is a listed name, or two, and nothing else: a vocabulary does without it."""
        low = plain_letters(word)
        parts = low.replace("_", "-").split("-")
        return all(part in self.either for part in parts) and any(
            part not in self.ordinary and part not in self.kept for part in parts
        )

    def added(self, names: Iterable[str]) -> "NameLists":
        """With more names, which count as first names and as surnames."""
        more = frozenset(map(plain_letters, names))
        return NameLists(
            self.first | more, self.last | more, self.ordinary, self.places, self.kept - more
        )


@cache
def name_lists() -> NameLists:
    """The lists of the package: names of the US Census of 1990, and words of English.

    Examples
    --------
    >>> "garcia" in name_lists().last
    True
    """
    first, last, ordinary, places, kept = (
        frozenset(_listed(f"{name}.txt"))
        for name in ("first_names", "surnames", "ordinary_words", "places", "word_surnames")
    )
    return NameLists(first, last, ordinary, places, kept)


def read_names(path: PathArg) -> list[str]:
    r"""Names from a file of them, in UTF-8, one a line or with spaces between.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "names.txt").write_text("Ngaio\nWanjiru Kamau\n")
    ...     read_names(f"{folder}/names.txt")
    ['Ngaio', 'Wanjiru', 'Kamau']
    """
    found = file_text(path).split()
    if not found or any(len(name) > _LONGEST for name in found):
        raise BadFile(
            f"{path}: should list names of at most {_LONGEST} characters, in UTF-8, one a line"
        )
    return found


def _listed(name: str) -> list[str]:
    text = files("dprivacy.text").joinpath(f"data/{name}").read_text(encoding="utf-8")
    return [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
