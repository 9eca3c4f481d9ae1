"""Answers as plain data: "16/7" and "ln(16/7)" instead of objects, for JSON and for people."""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.numbers import Level

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # characters; but tabs and line breaks


def plain(value: Any) -> Any:
    """Fractions and Levels as text, infinities as "inf", everything else as JSON allows."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if type(value) is list and set(map(type, value)) == {
        str
    }:  # as the rows of a channel's body are
        return value.copy()
    if isinstance(value, Fraction | Level):
        return _written(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)


def shown(label: Any) -> str:
    """A label inside a sentence; what would steer a terminal is written as an escape."""
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(shown(item) for item in label)) + "}"
    if isinstance(label, tuple):
        return "(" + ", ".join(shown(item) for item in label) + ")"
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), str(label))


def about(value: Any) -> str:
    """A number inside a sentence: exact where short, with its size beside it."""
    if isinstance(value, Level):
        value = value.simplified
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        return f"{value:.6g}"
    text, size = _written(value), f"{_size(value):.4g}"
    if text.startswith("about") or text == size:
        return text
    if len(text) > 40:
        return _rough(value)
    if isinstance(value, Fraction) and value == Fraction(size):
        return text
    return f"{text} ≈ {size}"


def _written(value: Any) -> str:
    """A Fraction or Level as text; its size when it has more digits than Python will print."""
    try:
        return str(value)
    except ValueError:
        return _rough(value)


def _rough(value: Any) -> str:
    """The size of a number that is too long for a sentence."""
    size = _size(value)
    if isinstance(value, Fraction) and value and (math.isinf(size) or not size):
        bits = value.numerator.bit_length() - value.denominator.bit_length()
        return f"about 10^{round(bits * math.log10(2))}"
    return f"about {size:.4g}"


def _size(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
