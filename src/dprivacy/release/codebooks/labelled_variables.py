"""What files of SPSS and Stata say of their variables: labels, measure, and codes for no answer."""

from pathlib import Path
from typing import Any

from dprivacy.release.codebooks.codebook_model import (
    Measure,
    Value,
    Variable,
    decimal_of,
    whole_of,
    words_of,
)
from dprivacy.release.intake.labelled_files import labels_in

_MEASURES: dict[str, Measure] = {"nominal": "nominal", "ordinal": "ordinal", "scale": "scale"}
_MOST_MISSING = 30  # codes in a range of missing ones


def labelled_variables(path: Path) -> list[Variable]:
    """The variables of a file; its records are not read."""
    return [variable_of(about) for about in labels_in(path)]


def variable_of(about: dict[str, Any]) -> Variable:
    """A variable from what the reading process says of it.

    Examples
    --------
    >>> told = {"name": "age", "values": [["99", "not stated"]], "missing": [["98", "99"]]}
    >>> [(value.code, value.missing) for value in variable_of(told).values]
    [('99', True), ('98', True)]
    """
    gone = [(str(low), str(high)) for low, high in about["missing"]]
    values = [
        Value(words_of(code), words_of(label), any(_within(str(code), part) for part in gone))
        for code, label in about["values"]
    ]
    listed = {value.code for value in values}
    values += [
        Value(code, missing=True) for part in gone for code in _codes(part) if code not in listed
    ]
    return Variable(
        words_of(about["name"]),
        words_of(about.get("label", "")),
        tuple(values),
        measure=_MEASURES.get(about.get("measure", ""), ""),
    )


def _within(code: str, part: tuple[str, str]) -> bool:
    number, low, high = (decimal_of(text) for text in (code, *part))
    if number is None or low is None or high is None:
        return code == part[0]
    return low <= number <= high


def _codes(part: tuple[str, str]) -> list[str]:
    """The codes of a range, where they are few."""
    low, high = map(whole_of, part)
    if low is None or high is None:
        return [part[0]] if part[0] == part[1] and decimal_of(part[0]) is None else []
    return [str(code) for code in range(low, high + 1)] if high - low < _MOST_MISSING else []
