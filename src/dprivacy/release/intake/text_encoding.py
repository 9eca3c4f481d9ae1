"""The encoding of a text, from its bytes: by a mark, empty bytes, as UTF-8 or Windows-1252; or ask."""

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOKED_AT = 4096  # bytes, for empty ones
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
    if not _reads_as(sample, "cp1252"):
        return None, "it is neither UTF-8 nor Windows-1252"
    beyond = [c for c in sample.decode("cp1252", "ignore") if ord(c) > 127]
    letters = sum(c.isalpha() for c in beyond)
    odd = sum(not c.isalpha() and c not in _USUAL_SIGNS for c in beyond)
    if odd > letters or any(ord(c) < 32 and c not in "\t\r\n\f" for c in sample.decode("cp1252")):
        return None, "it is not UTF-8, and makes no sense as Windows-1252"
    return "cp1252", "it is not UTF-8, and its letters beyond a-z read as Western European"


def _with_empty_bytes(head: bytes) -> tuple[str | None, str]:
    even, odd = head[::2].count(0), head[1::2].count(0)
    for more, less, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if more > 10 * (less + 1) and _reads_as(head, name):
            return name, "every second byte is empty, as in UTF-16"
    return None, "it holds empty bytes, as text does not"


def _reads_as(sample: bytes, encoding: str) -> bool:
    """Whether bytes can be read; a letter may be cut off at their end."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    return True
