"""The reference page of the plan file, from the same table as its reader and its schema."""

import json
from collections.abc import Mapping

from dprivacy.release.plan_keys.editor_schema import required_keys
from dprivacy.release.plan_keys.key_table import (
    COLUMN_KEYS,
    TABLE_KEYS,
    TOP_KEYS,
    TYPE_WORDS,
    Key,
)
from dprivacy.release.plans.column_domains import SETTINGS, families_for

_EVERYWHERE = ("type", "columns", "nulls", "source", "note")
_KINDS = {
    "string": "text", "number": "number", "integer": "whole number", "array": "list",
    "object": "table", "boolean": "true or false",
}  # fmt: skip


def plan_reference() -> str:
    """Every key of a plan file with its kind, default and meaning, in Markdown.

    Examples
    --------
    >>> print(plan_reference().splitlines()[0])
    ## At the top
    """
    lines = ["## At the top", "", *_table(TOP_KEYS), "", "## [table]", "", *_table(TABLE_KEYS)]
    lines += ["", "## [columns.NAME], every type", ""]
    lines += _table({name: COLUMN_KEYS[name] for name in _EVERYWHERE})
    for kind, settings in SETTINGS.items():
        own = {name: key for name, key in COLUMN_KEYS.items() if name in settings}
        own = {name: key for name, key in own.items() if name not in _EVERYWHERE}
        needed = required_keys(kind)
        lines += ["", f'## type = "{kind}"', "", TYPE_WORDS[kind]]
        if needed:
            lines[-1] += f" Needed: {', '.join(f'`{name}`' for name in needed)}."
        families = [f"`{family.name}`" for family in families_for(kind)]
        if "mechanism" in settings:
            others = f"; also {', '.join(families[1:])}" if len(families) > 1 else ""
            lines[-1] += f" Mechanism: {families[0]}{others}."
        lines += ["", *_table(own)]
    return "\n".join(lines)


def _table(keys: Mapping[str, Key]) -> list[str]:
    lines = ["| key | value | when omitted | meaning |", "|---|---|---|---|"]
    for name, key in keys.items():
        kind = " or ".join(_KINDS[each] for each in key.kinds)
        value = ", ".join(f"`{json.dumps(each)}`" for each in key.choices) or kind
        default = "" if key.default is None else f"`{json.dumps(key.default)}`"
        words = key.words.replace("|", "\\|")
        lines.append(f"| `{name}` | {value} | {default} | {words} |")
    return lines
