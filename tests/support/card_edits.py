"""Cards of every type of column, and single fields of them changed, with the hash made right again."""

import copy
import json
import random
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd

from dprivacy.model import digest
from dprivacy.release import Plan, sanitise

ABC = ["a", "b", "c"]
TREE = {"E": ["F", "D"], "A": ["J"]}
COLUMNS: dict[str, dict[str, Any]] = {
    "plain": {"type": "categories", "values": ABC, "epsilon": "ln 3"},
    "missing": {"type": "categories", "values": ABC, "epsilon": "ln 3", "nulls": "category"},
    "blocks": {"type": "categories", "values": ABC, "epsilon": "ln 3", "blocks": [["a", "b"], ["c"]]},
    "slack": {"type": "categories", "values": ABC, "epsilon": "ln 3", "delta": "1/100"},
    "ordered": {"type": "ordered", "values": [1, 2, 3], "epsilon": 0.5},
    "loud": {"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 2", "mechanism": "exponential"},
    "tree": {"type": "tree", "tree": TREE, "epsilon": "ln 2"},
    "metric": {"type": "tree", "tree": TREE, "epsilon": "ln 2", "mechanism": "any_metric"},
    "table": {
        "type": "distances", "values": ABC, "epsilon": "1/2 ln 2",
        "distances": [[0, 1, 2], [1, 0, "3/2"], [2, "3/2", 0]],
    },
    "graph": {"type": "graph", "edges": [["a", "b"], ["b", "c", "2"]], "epsilon": "1/2"},
    "age": {"type": "numbers", "low": 0, "high": 20, "grid": 5, "epsilon": "1/10"},
    "income": {"type": "numbers", "low": 0, "high": 20000, "grid": 5, "epsilon": "4e-4"},
    "bits": {"type": "bits", "bits": 8, "epsilon": "ln 2"},
}  # fmt: skip


def released(names: list[str], **top: Any) -> Any:
    """A released table with these columns of `COLUMNS`, and two rows of every value."""
    columns = {name: COLUMNS[name] for name in names}
    plan = Plan.read({"title": "a survey", "columns": columns, **top})
    values = {}
    for column in plan.columns:
        listed = column.space.labels if column.space is not None else [0, 5, 10]
        listed = ["01010101"] if column.kind == "bits" else listed
        values[column.name] = pd.Series([listed[k % len(listed)] for k in range(6)], dtype=object)
    extra = {name: range(6) for name in (*plan.pass_through, *plan.drop)}
    with warnings.catch_warnings(action="ignore"):  # of blocks, and of what all columns add up to
        return sanitise(pd.DataFrame({**values, **extra}), plan)


def edited(document: dict[str, Any], chance: random.Random) -> tuple[str, str]:
    """The field that was changed, and the text of the document with its hash made right."""
    paths = list(_paths(document["body"]))
    weights = [path for path in paths if "weights" in path]
    others = [path for path in paths if "weights" not in path]
    while True:
        path = chance.choice(others if not weights or chance.random() < 0.85 else weights)
        new = copy.deepcopy(document)
        holder = new["body"]
        for key in path[:-1]:
            holder = holder[key]
        before = holder[path[-1]]
        holder[path[-1]] = _changed(before, chance)
        if repr(holder[path[-1]]) != repr(before):
            break
    new["sha256"] = digest({key: new[key] for key in ("format", "version", "body")})
    return ".".join(map(str, path)), json.dumps(new, ensure_ascii=False)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _paths(value[key], (*at, key))


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice([value + 1, value - 1, 0, value * 2, -value])
    if value is None:
        return chance.choice(["", 0, "x"])
    if isinstance(value, str):
        k = chance.randrange(len(value) + 1)
        digit = chance.choice("0123456789abcf(/)")
        return chance.choice([value[:k] + digit + value[k:], value[:k] + value[k + 1 :], ""])
    if isinstance(value, list):
        k = chance.randrange(len(value) + 1)
        return chance.choice([value[:k] + value[k + 1 :], value[:k] + value[k - 1 : k] + value[k:]])
    gone = chance.choice([*value, ""])
    return {key: item for key, item in value.items() if key != gone} | ({} if gone else {"x": 1})
