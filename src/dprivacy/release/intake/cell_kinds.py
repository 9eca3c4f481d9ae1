"""What a cell looks like: a number, a date, something missing, or text; and the shape of a text."""

import re
from typing import Literal

Kind = Literal["number", "date", "missing", "text"]

_GROUPED = r"\d{1,3}(?:[., '\u00a0\u202f]\d{3})+(?:[.,]\d+)?"
_NUMBER = re.compile(rf"[-+]?(?:\d+(?:[.,]\d*)?|{_GROUPED}|[.,]\d+)(?:[eE][-+]?\d+)?\s?%?")
_DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ].{0,40})?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?: .{0,20})?"
    r"|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?"
)
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", ".", "?", "-"})
_LONGEST = 60  # characters of a number or a date
_SHAPES = ((re.compile(r"[^\W\d_]+"), "a"), (re.compile(r"\d+"), "9"), (re.compile(r"\s+"), " "))


def kind_of(cell: str) -> Kind:
    """The kind of a cell.

    Examples
    --------
    >>> [kind_of(cell) for cell in ("1.234,5", "31.12.1999", "NA", "Ann")]
    ['number', 'date', 'missing', 'text']
    """
    text = cell.strip()
    if text.lower() in _MISSING:
        return "missing"
    if len(text) > _LONGEST:
        return "text"
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.fullmatch(text) else "text"


def shape_of(cell: str) -> str:
    """A text without its letters and digits: a run of letters is A or a by its first, of digits 9.

    Examples
    --------
    >>> shape_of("Baker Street 221b"), shape_of("address")
    ('A A 9a', 'a')
    """
    text = cell.strip()[:200]
    text = _SHAPES[0][0].sub(lambda run: "A" if run[0][0].isupper() else "a", text)
    for pattern, mark in _SHAPES[1:]:
        text = pattern.sub(mark, text)
    return text
