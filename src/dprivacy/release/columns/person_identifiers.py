"""Whose a row is: the one rule by which two identifiers are those of the same person."""

import math
import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.spaces import python_value

RULE = (
    "texts in the Unicode form NFC without spaces around them, and numbers by their value, so that 7, "
    "7.0 and the text 7 are one person"
)
_WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]*))\.0+")
_MISSING = ("NAType", "NaTType", "MaskedConstant")  # those of pandas and NumPy
_LONGEST = 400  # digits of a number that are written out


def same_person(person: Any) -> str | None:
    """The text that identifiers of one person share; None where the person is missing.

    Notes
    -----
    1. A text is brought into Unicode's form NFC, and spaces around it are dropped.
    2. A number is written in digits: without an exponent, and without zeros after the last digit
       behind the point. So CSV and Parquet of one table agree, also where a table with gaps has made
       7 to 7.0: a text that is a whole number with zeros behind its point is that whole number.
    3. Texts with zeros in front (007) and 1.10 beside 1.1 stay apart: such identifiers are not numbers.

    Examples
    --------
    >>> [same_person(x) for x in (7, 7.0, "7", " 7.0 ", "007", "")]
    ['7', '7', '7', '7', '007', None]
    """
    if type(person).__name__ in _MISSING:
        return None
    person = python_value(person)
    if isinstance(person, bool):
        raise WrongKind(
            "people are identified by texts or numbers, not by yes or no; name the column that "
            "identifies them"
        )
    if isinstance(person, Iterable) and not isinstance(person, str):
        raise WrongKind(
            f"people are identified by texts or numbers, not by a {type(person).__name__}, which can "
            "be written in several ways; convert the column that identifies them to text"
        )
    if isinstance(person, float | Decimal):
        return _number(person)
    if person is None:
        return None
    text = unicodedata.normalize("NFC", str(person)).strip()
    whole = _WHOLE.fullmatch(text)
    return ("0" if text.startswith("-0") else whole[1]) if whole else text or None


def _number(number: float | Decimal) -> str | None:
    if math.isnan(number):
        return None
    if isinstance(number, float):
        if number.is_integer():
            return str(int(number))
        number = Decimal(repr(number))
    if not number.is_finite() or abs(number.adjusted()) > _LONGEST:
        return str(number)
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if not number else text


def person_name(person: Any, row: int) -> bytes:
    """The identifier of the person of a row as bytes, the same for all ways to write it."""
    text = same_person(person)
    if text is None:
        raise NotApplicable(f"row {row} belongs to nobody: its person is missing; leave it out")
    return text.encode("utf-8", "surrogatepass")
