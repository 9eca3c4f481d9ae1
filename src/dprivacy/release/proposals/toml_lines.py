"""Pieces of a plan file in TOML: keys, values, numbers that are read exactly, and comments."""

import json
from collections.abc import Sequence
from decimal import Decimal

from dprivacy.model import shown

_LONGEST = 240  # characters of somebody's words in a comment


def toml_text(value: str) -> str:
    """A text."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_list(values: Sequence[str | int]) -> str:
    """A list of texts, whole numbers or truth values."""
    return f"[{', '.join(map(toml_value, values))}]"


def toml_value(value: str | int) -> str:
    """A text, a whole number or a truth value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return toml_text(value) if isinstance(value, str) else str(value)


def toml_key(name: str) -> str:
    """The name of a column, in quotes where it needs them."""
    bare = name.replace("_", "").replace("-", "").isalnum() and name.isascii()
    return name if bare else toml_text(name)


def toml_number(value: Decimal) -> str:
    """A number: whole ones in digits, others as a text that is read exactly.

    Examples
    --------
    >>> toml_number(Decimal("1e3")), toml_number(Decimal("0.50"))
    ('1000', '"0.5"')
    """
    whole = value == value.to_integral_value() and abs(value) < 10**18
    return str(int(value)) if whole else f'"{value.normalize():f}"'


def comment(words: str) -> str:
    r"""Somebody's words as they may stand in a comment: on one line, not too long.

    Examples
    --------
    >>> comment("Age\nin years")
    'Age in years'
    """
    text = shown(" ".join(words.split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
