"""Columns that will be crossed: drawn together, under `[joint.NAME]` in a plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from dprivacy.release import MEMBER_KEYS

CROSSED = "*"  # stands for a table that was ticked; a plan calls it by its columns


def tables_in(raw: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The tables that a plan draws at once, by name; one that is called by its columns as `CROSSED`.

    Examples
    --------
    >>> tables_in({"joint": {"tea and cake": {"columns": ["tea", "cake"], "epsilon": "ln 9"}}})
    {'*': {'columns': ['tea', 'cake'], 'epsilon': 'ln 9'}}
    """
    return {
        CROSSED if name == _named(spec["columns"]) else name: spec
        for name, spec in dict(raw.get("joint", {})).items()
    }


def with_crossed(
    plan: Mapping[str, Any],
    crossed: Mapping[str, str],
    written: Mapping[str, Any],
    level: str,
) -> dict[str, Any]:
    """A plan whose crossed columns are drawn together; a single one is as if it were not crossed.

    Parameters
    ----------
    plan
        The plan, every column with the settings that it would have alone.
    crossed
        The columns that will be crossed, each with the table that it is in.
    written
        What a plan file says of its tables, as `tables_in` has it.
    level
        The level of a table that has none of its own; a row that is shared gives it one.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> both = {"tea": CROSSED, "cake": CROSSED}
    >>> plan = with_crossed({"columns": {"tea": tea, "cake": tea}}, both, {}, "ln 3")
    >>> plan["joint"]
    {'tea and cake': {'columns': ['tea', 'cake'], 'epsilon': 'ln 3'}}
    >>> plan["columns"]["tea"]
    {'type': 'categories', 'values': ['yes', 'no']}
    """
    columns = dict(plan["columns"])
    joints = {}
    for table in dict.fromkeys(crossed.values()):
        members = [name for name in columns if crossed.get(name) == table]
        if len(members) < 2:
            continue
        told = dict(written.get(table, {}))
        before = [name for name in told.get("columns", ()) if name in members]
        members = before + [name for name in members if name not in before]
        if "row" in plan:
            weights = [columns[name].get("importance") for name in members]
            weights = [weight for weight in weights if weight is not None]
            told = {key: told[key] for key in ("wanted", "note") if key in told}
            told |= {"importance": max(weights, key=_weight)} if weights else {}
        else:
            told = {"epsilon": level} | {k: told[k] for k in ("epsilon", "note") if k in told}
        joints[_named(members) if table == CROSSED else table] = {"columns": members, **told}
        for name in members:
            columns[name] = _member(columns[name])
    return {**plan, "columns": columns} | ({"joint": joints} if joints else {})


def crossed_words(plan: Mapping[str, Any], crossed: Sequence[str]) -> str:
    """What is drawn together, in words; and what is missing, where a column is crossed with none.

    Examples
    --------
    >>> print(crossed_words({"columns": {}}, ["tea"]))
    tea will be crossed with another column: open that, and tick it as well.
    """
    joints = dict(plan.get("joint", {}))
    drawn = {name for spec in joints.values() for name in spec["columns"]}
    lines = [
        f"Drawn together, for the table of {_named(spec['columns'])}: the table errs less, and whoever "
        "knows the other answers can learn as much of each single one as of all of them together."
        for spec in joints.values()
    ]
    lines += [
        f"{name} will be crossed with another column: open that, and tick it as well."
        for name in crossed
        if name not in drawn
    ]
    return "\n".join(lines)


def _named(columns: Sequence[str]) -> str:
    return " and ".join(columns)


def _member(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A column as one of several that are drawn together, to which codes are values like others."""
    found = {key: value for key, value in settings.items() if key in MEMBER_KEYS}
    codes = settings.get("codes", [])
    return {**found, "values": [str(v) for v in (*found["values"], *codes)]} if codes else found


def importance_in(words: str) -> float | str:
    """An importance as a plan file would have it; what is none is refused where the plan is read.

    Examples
    --------
    >>> importance_in("4"), importance_in("2.5"), importance_in("much")
    (4, 2.5, 'much')
    """
    try:
        value = float(words)
    except ValueError:
        return words
    return int(value) if value.is_integer() else value


def _weight(given: Any) -> float:
    """How much an importance counts; one that is not a number is refused where the plan is read."""
    return given if isinstance(given, int | float) else float("inf")
