"""The encoding of a text, from its bytes: by a mark, empty bytes, as UTF-8 or Windows-1252; or ask."""

import codecs
import re
from itertools import pairwise

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOKED_AT = 4096  # bytes, for empty ones
_WORD = re.compile(rb"(?<![A-Za-z])[\x80-\xff]{2,}(?![A-Za-z\x80-\xff])")
_LEAD = re.compile(rb"[\x80-\x9f]")  # signs in Windows-1252, and first bytes of two in Shift-JIS
_USUAL_SIGNS = frozenset("€£§°–—‘’“”„…«»·ºª¿¡\u00a0½¼¾×±²³´®©™†•")


def encoding_of(sample: bytes) -> tuple[str | None, str]:
    """The encoding of the beginning of a file, as Python calls it, and the reason; None for ask.

    Examples
    --------
    >>> encoding_of("Zürich".encode("utf-16"))[0], encoding_of("Genève".encode("latin-1"))[0]
    ('utf-16', 'cp1252')
    """
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name, "the file begins with the mark of its encoding"
    if b"\0" in sample:
        return _with_empty_bytes(sample[:_LOOKED_AT])
    if _reads_as(sample, "utf-8"):
        return "utf-8", "it reads as UTF-8"
    if any(
        not line.isascii() and _reads_as(line, "utf-8", end=True) for line in sample.splitlines()
    ):
        return None, "some of its lines read as UTF-8, and others do not"
    if not _reads_as(sample, "cp1252"):
        return None, "it is neither UTF-8 nor Windows-1252"
    beyond = [c for c in sample.decode("cp1252", "ignore") if ord(c) > 127]
    letters = sum(c.isalpha() for c in beyond)
    odd = sum(not c.isalpha() and c not in _USUAL_SIGNS for c in beyond)
    if odd > letters or any(ord(c) < 32 and c not in "\t\r\n\f" for c in sample.decode("cp1252")):
        return None, "it is not UTF-8, and makes no sense as Windows-1252"
    if _foreign(sample) > 0.5:
        return None, (
            "it is not UTF-8, and whole words of it are in letters beyond a-z, as in Japanese, "
            "Chinese, Korean, Russian or Greek"
        )
    return "cp1252", "it is not UTF-8, and its letters beyond a-z read as Western European"


def _foreign(sample: bytes) -> float:
    """The share of the bytes beyond ASCII that Western European would not have there.

    In Western words letters beyond a-z stand beside others. In other alphabets, and where a letter is
    two bytes, whole words are made of them; of the two bytes of Shift-JIS the second may be ASCII, so
    that the first ones, which Windows-1252 has signs for, come at every second place.
    """
    places = {at for word in _WORD.finditer(sample) for at in range(*word.span())}
    leads = (found.start() for found in _LEAD.finditer(sample))
    places.update(at for pair in pairwise(leads) if pair[1] - pair[0] <= 2 for at in pair)
    return len(places) / max(1, sum(byte > 127 for byte in sample))


def _with_empty_bytes(head: bytes) -> tuple[str | None, str]:
    even, odd = head[::2].count(0), head[1::2].count(0)
    for more, less, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if more > 10 * (less + 1) and _reads_as(head, name):
            return name, "every second byte is empty, as in UTF-16"
    return None, "it holds empty bytes, as text does not"


def _reads_as(sample: bytes, encoding: str, *, end: bool = False) -> bool:
    """Whether bytes can be read; a letter may be cut off where they do not end."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample, final=end)
    except UnicodeDecodeError:
        return False
    return True
