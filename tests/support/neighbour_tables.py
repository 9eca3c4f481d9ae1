"""Neighbouring tables: two that one plan protects and that differ in what must not show."""

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from dprivacy.release import Plan

WORDS = ["a", "bb", "an answer that is much longer than the others"]
PEOPLE = "who"
_LEVEL = {"epsilon": "ln 2"}
_TREE = {"Europe": ["FR", "DE"], "Asia": ["JP"]}
_HALVES = st.integers(-4, 24).map(lambda k: k / 2)  # off the grid, and beyond both ends of it
_REPORTS = {
    "point": {"mechanism": "projective_response"},
    "hash": {"mechanism": "hashed_response", "q": 2},
    "set": {"mechanism": "subset_response", "size": 2},
    "letters": {"mechanism": "unary_response", "kind": "symmetric"},
}
# A column's part of the plan, what its cells are drawn from, and what a missing one may be replaced by.
KINDS: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "word": ({"type": "categories", "values": WORDS, **_LEVEL}, st.sampled_from(WORDS), "bb"),
    "code": (
        {"type": "categories", "values": [1, 2, 300], **_LEVEL},
        st.sampled_from([1, 2, 300]),
        300,
    ),
    **{
        name: (
            {"type": "categories", "values": WORDS, **_LEVEL, **sets},
            st.sampled_from(WORDS),
            "bb",
        )
        for name, sets in _REPORTS.items()
    },
    "rank": (
        {"type": "ordered", "values": ["low", "middle", "high"], **_LEVEL},
        st.sampled_from(["low", "middle", "high"]),
        "low",
    ),
    "land": ({"type": "tree", "tree": _TREE, **_LEVEL}, st.sampled_from(["FR", "DE", "JP"]), "DE"),
    "age": (
        {"type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1"},
        st.one_of(st.integers(-2, 12), _HALVES),
        5,
    ),
    "share": (
        {"type": "numbers", "low": 0, "high": 1, "grid": "1/8", "epsilon": "1"},
        st.integers(0, 64).map(lambda k: k / 64),
        0,
    ),
    "income": (
        {"type": "numbers", "low": 0, "high": 10**6, "grid": 1, "epsilon": "1/100"},
        st.integers(0, 10**6),
        0,
    ),
    "wage": (
        {"type": "numbers", "low": 0, "high": 10, "grid": 1, "codes": ["N", "99"], "epsilon": "1"},
        st.sampled_from(["N", "99", "99.0", "3", "4.5", "-1", "1e3"]),
        "N",
    ),
    "hours": (
        {"type": "numbers", "low": 0, "high": 40, "grid": 5, "codes": [99], "epsilon": "1/9"},
        st.sampled_from([0, 7, 40, 99, 100, 10_000]),
        99,
    ),
    "visit": (
        {
            "type": "dates",
            "low": "2020-01-01",
            "high": "2020-01-29",
            "grid": "7 days",
            "codes": ["?"],
            "epsilon": "1/9",
        },
        st.sampled_from(["?", "2020-01-01", "2020-01-05", "1999-12-31", "2030-01-01"]),
        "2020-01-08",
    ),
    "flags": (
        {"type": "bits", "bits": 4, **_LEVEL},
        st.integers(0, 15).map("{:04b}".format),
        "0000",
    ),
}
_JOINABLE = ("word", "code", "rank")  # columns that can be drawn together with others
PLACE = {"type": "place", "columns": ["x", "y"], "epsilon": "1", "grid": "0.5"}


@dataclass(frozen=True)
class Survey:
    """A table as lists of Python values by column, and the plan for it."""

    columns: dict[str, list[Any]]
    told: dict[str, Any] = field(repr=False)

    @property
    def plan(self) -> Plan:
        return _read(json.dumps(self.told))

    @property
    def protected(self) -> list[str]:
        return [name for name in self.columns if name in self.plan.protected]

    @property
    def rows(self) -> int:
        return len(self.columns[PEOPLE])


@lru_cache(maxsize=512)
def _read(text: str) -> Plan:
    return Plan.read(json.loads(text))


def _cell(kind: str, plan: dict[str, Any]) -> Any:
    """Any cell of a column, a missing one where the plan has room for it."""
    if kind in ("x", "y"):
        return _HALVES
    cells = KINDS[kind][1]
    return st.one_of(cells, st.none()) if "nulls" in plan["columns"][kind] else cells


@st.composite
def _columns(draw: Any, kind: str, plan: dict[str, Any], rows: int) -> list[Any]:
    """A column: everybody answered in whole numbers or words, nobody did, or anything goes."""
    any_cell = _cell(kind, plan)
    chosen = draw(st.sampled_from(["plain", "one", "mixed"]))
    if chosen == "one":
        return [draw(any_cell)] * rows
    if chosen == "plain":
        any_cell = any_cell.filter(lambda v: v is not None and not (isinstance(v, float) and v % 1))
    return draw(st.lists(any_cell, min_size=rows, max_size=rows))


@st.composite
def _plans(draw: Any) -> dict[str, Any]:
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4, unique=True))
    if draw(st.integers(0, 3)) == 0:  # two that can be drawn together, which chance rarely brings
        kinds = list(dict.fromkeys([*draw(st.permutations(_JOINABLE))[:2], *kinds[:2]]))
    columns = {}
    for kind in kinds:
        spec, _, instead = KINDS[kind]
        policies = ["refuse", {"replace": instead}]
        if spec["type"] == "categories":
            policies.append("category")
        policy = draw(st.sampled_from(policies))
        columns[kind] = spec if policy == "refuse" else {**spec, "nulls": policy}
    if draw(st.booleans()):
        columns["home"] = PLACE
    return {
        **_drawn_together(draw, columns),
        "drop": ["name", "note"],
        "pass_through": ["town", PEOPLE],
        "unit": PEOPLE,
    }


def _drawn_together(draw: Any, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of a plan; where two or more of them can be, perhaps drawn together."""
    members = [name for name in columns if name in _JOINABLE]
    if len(members) < 2 or not draw(st.booleans()):
        return {"columns": columns}
    bare = {name: {k: v for k, v in columns[name].items() if k != "epsilon"} for name in members}
    return {"columns": {**columns, **bare}, "joint": {"together": {"columns": members, **_LEVEL}}}


@st.composite
def neighbours(draw: Any) -> tuple[Survey, Survey]:
    """Two surveys: one person answers otherwise, and the columns that are dropped are other ones.

    An answer may be longer, or missing in one of the two. What is passed through is the same.
    """
    plan = draw(_plans())
    rows = draw(st.integers(1, 40))
    names = [*(name for name in plan["columns"] if name != "home")]
    names += ["x", "y"] if "home" in plan["columns"] else []
    town = st.one_of(st.sampled_from(["Ulm", "Rome", "Llanfairpwllgwyngyll", "x,\"y'"]), st.none())

    def column(cells: Any) -> list[Any]:
        return draw(st.lists(cells, min_size=rows, max_size=rows))

    true = {name: draw(_columns(name, plan, rows)) for name in names}
    shared = {"town": column(town), PEOPLE: list(range(rows))}
    other, at = (
        {name: list(values) for name, values in true.items()},
        draw(st.integers(0, rows - 1)),
    )
    for name in names:
        true[name][at], other[name][at] = draw(_cell(name, plan)), draw(_cell(name, plan))
    order = draw(st.permutations([*names, *shared, "name", "note"]))
    surveys = []
    for protected in (true, other):
        length = draw(st.sampled_from([0, 3, 60]))
        dropped = {
            "name": [f"{k}" * length for k in range(rows)],
            "note": column(st.integers(0, 9)),
        }
        cells = {**protected, **shared, **dropped}
        surveys.append(Survey({name: cells[name] for name in order}, plan))
    return surveys[0], surveys[1]
