"""What a cell looks like: a number, a date, something missing, or text; and what a text is made of."""

import re
from typing import Literal

Kind = Literal["number", "date", "missing", "text"]

_GROUPED = r"\d{1,3}(?:[., '\u00a0\u202f]\d{3})+(?:[.,]\d+)?"
_NUMBER = re.compile(
    rf"[-+]?(?:\d+(?:[.,]\d*)?|{_GROUPED}|[.,]\d+)(?:[eE][-+]?\d+)?\s?%?"
    r"|[-+]?inf(?:inity)?",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ].{0,40})?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?: .{0,20})?"
    r"|\d{1,2}[-. ]{1,2}[^\W\d_]{3,9}[-. ]{1,2}\d{2,4}|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?"
)
_MISSING = frozenset({
    "", "na", "n/a", "#n/a", "nan", "null", "none", ".", "..", "?", "-", "--", "missing", "unknown",
    "unspecified", "not known", "not specified", "not stated", "not available", "not applicable",
    "not asked", "no answer", "no response", "refused", "refusal", "declined", "withheld",
    "don't know", "dont know", "does not know", "dk", "unbekannt", "keine angabe", "k.a.", "k. a.",
    "weiss nicht", "weiß nicht", "inconnu", "sans réponse", "nsp", "desconocido", "no sabe",
    "sin respuesta", "ns/nc", "sconosciuto", "onbekend", "okänd",
})  # fmt: skip
_LONGEST = 60  # characters of a number or a date
_LOOKED_AT = 200  # characters of a text


def kind_of(cell: str) -> Kind:
    """The kind of a cell.

    Examples
    --------
    >>> [kind_of(cell) for cell in ("1.234,5", "31.12.1999", "31-Dec-1999", "NA", "Ann")]
    ['number', 'date', 'date', 'missing', 'text']
    """
    text = cell.strip()
    if text.lower() in _MISSING:
        return "missing"
    if len(text) > _LONGEST:
        return "text"
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.fullmatch(text) else "text"


def marks_of(cell: str) -> frozenset[str]:
    """What kinds of letters a text has, and which other characters: A or a by its first letter, 9.

    Examples
    --------
    >>> sorted(marks_of("Baker Street 221b")), sorted(marks_of("q1"))
    ([' ', '9', 'A'], ['9', 'a'])
    """
    text = cell.strip()[:_LOOKED_AT]
    letters = next(("A" if c.isupper() else "a" for c in text if c.isalpha()), "")
    others = {"9" if c.isdecimal() else " " if c.isspace() else c for c in text if not c.isalpha()}
    return frozenset({*others, letters} - {""})
