"""Cards of every type of column, and single fields of them changed, with the hash made right again."""

import copy
import json
import random
import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd

from dprivacy.mechanisms import exponential, geometric, mechanism_text
from dprivacy.model import digest
from dprivacy.release import Plan, sanitise
from dprivacy.release.plans.release_card import card_text
from dprivacy.release.plans.table_card import table_card

ABC = ["a", "b", "c"]
TREE = {"E": ["F", "D"], "A": ["J"]}
PAIRS = [["a", "b"], ["c"]]
COLUMNS: dict[str, dict[str, Any]] = {
    "plain": {"type": "categories", "values": ABC, "epsilon": "ln 3"},
    "missing": {"type": "categories", "values": ABC, "epsilon": "ln 3", "nulls": "category"},
    "blocks": {"type": "categories", "values": ABC, "epsilon": "ln 3", "blocks": PAIRS},
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
    "coded": {
        "type": "numbers", "low": 0, "high": 9, "grid": 3, "epsilon": "1/3", "codes": ["N", 99],
    },
    "school": {
        "type": "ordered", "values": ["1", "2", "3"], "codes": ["N", "6"], "epsilon": "1/2 ln 3",
    },
    "visit": {
        "type": "dates", "low": "2020-01-01", "high": "2020-01-22", "grid": "7 days", "epsilon": "1/7",
    },
    "jobs": {
        "type": "tree", "epsilon": "ln 2",
        "hierarchy": {"1": "", "2": "", "11": "1", "12": "1", "21": "2"},
    },
    "bits": {"type": "bits", "bits": 8, "epsilon": "ln 2"},
    "point": {
        "type": "categories", "values": ABC, "epsilon": "1", "mechanism": "projective_response",
    },
    "set": {
        "type": "categories", "values": ABC, "epsilon": "ln 3", "mechanism": "subset_response",
        "size": 2, "nulls": "category",
    },
}  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "stored": {"type": "stored", "stored": mechanism_text(geometric("line:3", eps="ln 2"))},
    "loud, stored": {"type": "stored", "stored": mechanism_text(exponential("line:3", eps="ln 2"))},
    "deep": {"type": "tree", "tree": {"E": {"x": ["F"], "y": ["G", "H"]}, "A": ["J"]}, "epsilon": 0.3},
    "blocks, tree": {"type": "tree", "tree": TREE, "epsilon": "ln 2", "blocks": [["F", "D"], ["J"]]},
    "blocks, line": {
        "type": "ordered", "values": [1, 2, 3, 4, 5], "epsilon": "ln 2", "blocks": [[1, 2, 3], [5, 4]],
        "mechanism": "exponential",
    },
    "logarithms": {
        "type": "graph", "epsilon": "1/2",
        "edges": [["a", "b", "ln 2"], ["b", "c", 0.5], ["c", "a", 1]],
    },
    "roots": {
        "type": "distances", "values": ABC, "epsilon": "ln 2", "mechanism": "any_metric",
        "distances": [[0, "sqrt(2)", 1], ["sqrt(2)", 0, 1], [1, 1, 0]],
    },
    "many": {"type": "ordered", "values": list(range(12)), "epsilon": 0.7, "mechanism": "exponential"},
    "decimal": {"type": "numbers", "low": -1.5, "high": 2, "grid": 0.5, "epsilon": "1/3"},
    "codes near": {
        "type": "numbers", "low": -1, "high": 1, "grid": 0.5, "epsilon": "ln 3", "codes": ["N"],
        "anchor": -0.5, "code_distance": "1/3", "nulls": "category",
    },
    "codes, blocks": {
        "type": "numbers", "low": 0, "high": 4, "grid": 1, "epsilon": "ln 3", "codes": ["N", "R"],
        "blocks": "codes",
    },
    "dates, codes": {
        "type": "dates", "low": "2019-12-30", "high": "2020-01-20", "grid": "1 week", "epsilon": 0.1,
        "codes": ["?"], "anchor": "2020-01-13", "code_distance": "10 days", "format": "%d.%m.%Y",
        "nulls": {"replace": "?"},
    },
    "slack, numbers": {
        "type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1/2", "delta": "1/50",
    },
    "place": {"type": "place", "columns": ["x", "y"], "grid": "1/10", "epsilon": "1/2"},
    "replaced": {
        "type": "categories", "values": ABC, "epsilon": "3/2 ln 2", "nulls": {"replace": "b"},
        "source": "data, acknowledged", "note": "as told", "columns": ["other"],
    },
    "hash": {
        "type": "categories", "values": list(range(30)), "epsilon": 0.3, "mechanism": "hashed_response",
        "q": 4,
    },
    "letters": {
        "type": "categories", "values": ABC, "epsilon": "1", "mechanism": "unary_response",
        "kind": "symmetric",
    },
    "many letters": {
        "type": "categories", "values": list(range(70)), "epsilon": "2", "mechanism": "unary_response",
    },
    "steep": {"type": "ordered", "values": ABC, "epsilon": "40"},
    "flat": {"type": "categories", "values": ['"é"', "ß\u00a0x", "a\\b"], "epsilon": "1e-12"},
}  # fmt: skip
TOPS: list[dict[str, Any]] = [
    {},
    {"unit": "who", "rows_per_person": 3, "title": "a survey", "table": {"delimiter": ";"}},
    {"unit": "who", "values_per_person": 4},
    {"pass_through": ["r"], "drop": ["d"], "unit": "r"},
]


def released(names: list[str], **top: Any) -> Any:
    """A released table with these columns of `COLUMNS`, and two rows of every value."""
    columns = {name: COLUMNS[name] for name in names}
    plan = Plan.read({"title": "a survey", "columns": columns, **top})
    values = {}
    for column in plan.columns:
        listed = list(column.values) or [0, 5, 10]
        listed = [str(value) for value in listed] if column.points else listed
        listed = ["01010101"] if column.kind == "bits" else listed
        values[column.name] = pd.Series([listed[k % len(listed)] for k in range(6)], dtype=object)
    extra = {name: range(6) for name in (*plan.pass_through, *plan.drop)}
    with warnings.catch_warnings(action="ignore"):  # of blocks, and of what all columns add up to
        return sanitise(pd.DataFrame({**values, **extra}), plan)


def documents() -> Iterator[dict[str, Any]]:
    """Cards of one column each, of every type and under several plans, with an output and a receipt."""
    receipt = {"ledger": "a" * 32, "sequence": 4, "head": "0" * 64, "nonce": "1b" * 16}
    for k, (name, spec) in enumerate({**COLUMNS, **MORE}.items()):
        for top in (TOPS[k % 4], TOPS[(k + 1) % 4]):
            plan = Plan.read({"columns": {name: spec}, **top})
            permanent, given = "values_per_person" in top, receipt if top else None
            card = table_card(plan, rows=5, secure=bool(top), permanent=permanent, receipt=given)
            card = card.saved_as("out.csv", "ab" * 32, source={"salt": "00", "mark": "11"})
            yield json.loads(card_text(card))


def edited(document: dict[str, Any], chance: random.Random) -> tuple[str, str]:
    """The field that was changed, and the text of the document with its hash made right."""
    paths = list(_paths(document["body"]))
    weights = [path for path in paths if "weights" in path]
    others = [path for path in paths if "weights" not in path]
    while True:
        path = chance.choice(others if not weights or chance.random() < 0.85 else weights)
        new = copy.deepcopy(document)
        if chance.random() < 0.02:
            path = ("version",)
            new["version"] = chance.choice([document["version"] + 1, 0, "3", True])
            break
        holder = new["body"]
        for key in path[:-1]:
            holder = holder[key]
        _change(holder, path[-1], chance, [_at(new["body"], other) for other in others])
        if json.dumps(new["body"], sort_keys=True) != json.dumps(document["body"], sort_keys=True):
            break
    return ".".join(map(str, path)), sealed(new)


def sealed(document: dict[str, Any]) -> str:
    """The text of a document, with its hash made right."""
    told = {key: document[key] for key in ("format", "version", "body")}
    return json.dumps({**told, "sha256": digest(told)}, ensure_ascii=False)


def _paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _paths(value[key], (*at, key))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _change(holder: Any, key: Any, chance: random.Random, others: list[Any]) -> None:
    """Change a field: a little, to something else, to what stands elsewhere, or in its order."""
    how, value = chance.random(), holder[key]
    if key == "double":  # of which the last digits say nothing that can be noticed
        holder[key] = (float.fromhex(value) * chance.choice([-1, 0, 1 + 1e-6, 2])).hex()
    elif how < 0.6:
        holder[key] = _changed(value, chance)
    elif how < 0.75:
        holder[key] = chance.choice(_STRANGE)
    elif how < 0.9:
        holder[key] = copy.deepcopy(chance.choice(others))
    elif isinstance(value, list) and value:
        holder[key] = chance.sample(value, len(value))
    elif isinstance(holder, dict):
        del holder[key]


_STRANGE = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    "",
    "0",
    "1",
    "x",
    [],
    {},
    ["x"],
    {"x": 1},
    "ln(3)",
    "1/2",
]


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
