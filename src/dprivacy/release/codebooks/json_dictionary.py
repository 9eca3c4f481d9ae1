"""Dictionaries in JSON: of the NIST excerpts, lists of variables, and Table Schema."""

from collections.abc import Iterable, Mapping
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.model import parsed_json, text_of
from dprivacy.release.codebooks.codebook_model import (
    Measure,
    Value,
    Variable,
    end_of,
    words_of,
)

_LISTS = ("variables", "fields", "columns")
_NAMES = ("name", "variable", "id")
_LABELS = ("label", "description", "title", "question")
_CODES = ("code", "value", "name", "id", "const")
_LOWS, _HIGHS = ("min", "minimum", "low"), ("max", "maximum", "high")
_MEASURES: dict[str, Measure] = {"nominal": "nominal", "ordinal": "ordinal", "scale": "scale"}


def json_variables(data: bytes, name: str) -> list[Variable]:
    """The variables of a dictionary: an object by names, or a list of objects with a name.

    ``{"AGEP": {"description": "Age", "values": {"min": 0, "max": 99, "N": "not applicable"}}}`` is how
    NIST writes it. A list may stand under variables, fields or columns.
    """
    found = parsed_json(
        text_of(data, name), name, object_pairs_hook=lambda pairs: _once(pairs, name)
    )
    for key in _LISTS:
        if isinstance(found, Mapping) and isinstance(found.get(key), list | Mapping):
            found = found[key]
    if isinstance(found, Mapping):
        told = [(words_of(key), about) for key, about in found.items()]
    elif isinstance(found, list):
        told = [(_first(about, _NAMES), about) for about in found]
    else:
        told = []
    return [
        _variable(key, about, f"{name}: variable {at}") for at, (key, about) in enumerate(told, 1)
    ]


def _once(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadFile(f"{name}: an object of it has a key twice")
    return found


def _first(about: Any, keys: Iterable[str]) -> str:
    """What is said under the first of some keys, as text."""
    if isinstance(about, Mapping):
        for key in keys:
            if isinstance(about.get(key), str | int | float) and not isinstance(about[key], bool):
                return words_of(about[key])
    return ""


def _variable(name: str, about: Any, where: str) -> Variable:
    if not isinstance(about, Mapping):
        raise BadFile(f"{where}: should be an object with description and values")
    listed = next((about[k] for k in ("values", "categories", "codes") if about.get(k)), None)
    rules = about.get("constraints")
    rules = rules if isinstance(rules, Mapping) else {}
    listed = rules.get("enum") if listed is None else listed
    ends: list[Mapping[str, Any]] = [about, rules]
    if isinstance(listed, Mapping):
        ends.append(listed)
        listed = {k: v for k, v in listed.items() if k not in (*_LOWS, *_HIGHS)}
    low, high = (
        next((n for part in ends if (n := end_of(_first(part, keys))) is not None), None)
        for keys in (_LOWS, _HIGHS)
    )
    measure = _first(about, ("measure", "scale", "level")).lower()
    return Variable(
        name,
        _first(about, _LABELS),
        tuple(_values(listed, about, where)),
        low=low,
        high=high,
        unit=_first(about, ("unit", "units")),
        measure="ordinal" if about.get("categoriesOrdered") is True else _MEASURES.get(measure, ""),
        role=_first(about, ("role",)).lower(),
    )


def _values(listed: Any, about: Mapping[str, Any], where: str) -> Iterable[Value]:
    """The codes: an object of labels by codes, or a list of codes or of objects."""
    gone = about.get("missingValues") or about.get("missing") or []
    gone = {words_of(code) for code in gone if code != ""} if isinstance(gone, list) else set()
    if isinstance(listed, Mapping):
        given = [(words_of(code), label, False, "") for code, label in listed.items()]
    elif isinstance(listed, list):
        given = [
            (
                _first(item, _CODES) if isinstance(item, Mapping) else words_of(item),
                _first(item, _LABELS),
                isinstance(item, Mapping) and item.get("missing") is True,
                _first(item, ("parent",)),
            )
            for item in listed
        ]
    elif listed is None:
        given = []
    else:
        raise BadFile(f"{where}: its values should be an object or a list")
    known = {code for code, *_ in given}
    for code, label, missing, parent in given:
        words = words_of(label) if isinstance(label, str | int | float) else ""
        yield Value(code, words, missing or code in gone, parent)
    yield from (Value(code, missing=True) for code in sorted(gone - known))
