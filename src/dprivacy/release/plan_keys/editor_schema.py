"""The schema of plan files, from the same table of settings that their reader uses."""

from typing import Any

from dprivacy.release.joints.joint_settings import JOINT_KEYS
from dprivacy.release.plan_keys.key_table import (
    COLUMN_KEYS,
    NEEDED,
    TABLE_KEYS,
    TOP_KEYS,
    TYPE_WORDS,
    Key,
)
from dprivacy.release.plans.column_domains import SETTINGS, families_for


def plan_schema() -> dict[str, Any]:
    """A JSON Schema (draft 7) of plan files in TOML, for editors.

    For each type there is an if/then, so that an editor names the key that is wrong.

    Examples
    --------
    >>> plan_schema()["properties"]["rows_per_person"]["default"]
    1
    """
    top = {name: _described(key) for name, key in TOP_KEYS.items()}
    for name in ("drop", "pass_through"):
        top[name]["items"] = {"type": "string"}
    for name in ("rows_per_person", "values_per_person", "rows"):
        top[name]["minimum"] = 1
    top["table"] |= {
        "properties": {name: _described(key) for name, key in TABLE_KEYS.items()},
        "additionalProperties": False,
    }
    together = {name: _described(COLUMN_KEYS[name]) for name in sorted(JOINT_KEYS)}
    together["columns"] = {
        "type": "array", "items": {"type": "string"}, "minItems": 2,
        "description": "The columns of the plan that are drawn together.",
    }  # fmt: skip
    top["joint"]["additionalProperties"] = {
        "type": "object",
        "properties": together,
        "required": ["columns"],
        "additionalProperties": False,
    }
    top["columns"] |= {"minProperties": 1, "additionalProperties": _column()}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A plan of dprivacy",
        "type": "object",
        "properties": top,
        "required": ["columns"],
        "additionalProperties": False,
    }


def _column() -> dict[str, Any]:
    properties = {name: _described(key) for name, key in COLUMN_KEYS.items()}
    properties["type"] |= {"enum": list(SETTINGS)}
    return {
        "type": "object",
        "required": ["type"],
        "properties": properties,
        "additionalProperties": False,
        "allOf": [_of_type(kind) for kind in SETTINGS],
    }


def _of_type(kind: str) -> dict[str, Any]:
    then: dict[str, Any] = {"propertyNames": {"enum": sorted(SETTINGS[kind])}}
    needed = required_keys(kind)
    if needed:
        then["required"] = needed
    families = [family.name for family in families_for(kind)]
    if "mechanism" in SETTINGS[kind]:
        then["properties"] = {"mechanism": {"enum": families, "default": families[0]}}
    return {
        "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
        "then": {"title": kind, "description": TYPE_WORDS[kind], **then},
    }


def required_keys(kind: str) -> list[str]:
    """What a column of a type cannot do without, beside its level.

    Examples
    --------
    >>> required_keys("numbers")
    ['low', 'high', 'grid']
    """
    families = families_for(kind)
    always = [
        key
        for key in (families[0].needs if families else ())
        if all(key in f.needs for f in families)
    ]
    return [*NEEDED.get(kind, ()), *always]


def _described(key: Key) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": key.kinds[0] if len(key.kinds) == 1 else list(key.kinds),
        "description": key.words,
    }
    if key.choices:
        found["enum"] = list(key.choices)
    if key.default is not None:
        found["default"] = key.default
    return found


def stored_plan_schema() -> dict[str, Any]:
    """The schema of a stored plan: the same entries in an envelope, with doubles written out."""
    body = {name: _described(key) for name, key in TOP_KEYS.items()}
    for name in ("drop", "pass_through"):
        body[name]["items"] = {"type": "string"}
    body["columns"] |= {"additionalProperties": {"type": "object"}}
    body["columns"]["description"] += ' 0.5 is {"double": "0x1.0000000000000p-1"}.'
    for name in ("rows_per_person", "values_per_person"):
        body[name]["minimum"] = 1
    for name in (
        "row",
        "rows",
        "split",
        "joint",
    ):  # a plan that was read has what follows from them
        del body[name]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "dprivacy plan, version 1",
        "type": "object",
        "properties": {
            "format": {"const": "dprivacy.plan"},
            "version": {"const": 1},
            "body": {
                "type": "object",
                "properties": body,
                "required": ["columns"],
                "additionalProperties": False,
            },
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        },
        "required": ["body", "format", "sha256", "version"],
        "additionalProperties": False,
    }
