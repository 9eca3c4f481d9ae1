"""`[joint.NAME]` in a plan: columns that are drawn together, as one column of combinations."""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from dprivacy.errors import BadPlan
from dprivacy.model import Channel

MOST_COMBINATIONS = 1024
JOINT_KEYS = {"columns", "epsilon", "importance", "wanted", "note"}
MEMBER_KEYS = {"type", "values", "columns", "nulls", "source", "note"}
MEMBER_TYPES = ("categories", "ordered")


def with_joints(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A plan whose joint columns stand among the others, their members inside them.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"]}
    >>> joint = {"both": {"columns": ["tea", "cake"], "epsilon": "ln 9"}}
    >>> plan = with_joints({"columns": {"tea": tea, "cake": tea}, "joint": joint}, "the plan")
    >>> list(plan["columns"]), list(plan["columns"]["both"]["members"])
    (['both'], ['tea', 'cake'])
    """
    if "joint" not in data:
        return data
    joints = data["joint"]
    if not isinstance(joints, Mapping) or not joints:
        raise BadPlan(f'{name}: joint needs [joint.NAME] with columns = ["a", "b"]')
    owner: dict[str, str] = {}
    for key, spec in joints.items():
        for member in _members(key, spec, data["columns"], f"{name}, joint {key!r}"):
            if member in owner:
                raise BadPlan(f"{name}: {member} is in two joints, {owner[member]} and {key}")
            owner[member] = key
    columns: dict[str, Any] = {}
    for key, spec in data["columns"].items():
        joint = owner.get(key)
        if joint is None:
            columns[key] = spec
        elif joint not in columns:
            told = {k: v for k, v in joints[joint].items() if k != "columns"}
            inside = {member: data["columns"][member] for member in joints[joint]["columns"]}
            columns[joint] = {"type": "joint", **told, "members": inside}
    return {**{k: v for k, v in data.items() if k != "joint"}, "columns": columns}


def _members(key: str, spec: Any, columns: Mapping[str, Any], where: str) -> list[str]:
    names = spec.get("columns") if isinstance(spec, Mapping) else None
    if not isinstance(names, list) or len(names) < 2 or len(set(map(str, names))) < len(names):
        raise BadPlan(f'{where}: needs columns = ["a", "b"], two different columns or more')
    strange = sorted(set(spec) - JOINT_KEYS)
    if strange:
        raise BadPlan(
            f"{where}: unknown settings {', '.join(strange)}; it may have epsilon and note"
        )
    if key in columns:
        raise BadPlan(f"{where}: has the name of a column; choose another one")
    for name in names:
        if name not in columns:
            raise BadPlan(f"{where}: {str(name)[:60]} is not among [columns.NAME] of the plan")
    return names


def require_member(spec: Any, where: str) -> None:
    """Refuse a column that cannot be drawn together with others."""
    if not isinstance(spec, Mapping) or spec.get("type") not in MEMBER_TYPES:
        raise BadPlan(f"{where}: columns that are drawn together are categories or ordered")
    useless = sorted(set(spec) - MEMBER_KEYS)
    if useless:
        raise BadPlan(
            f"{where}: {', '.join(useless)} does not apply to a column that is drawn together with "
            "others: the level is that of the joint, and all combinations are alike"
        )


def joint_size(spec: Mapping[str, Any]) -> int:
    """How many combinations a joint column has at most, seen before it is built."""
    members = spec.get("members")
    if not isinstance(members, Mapping):
        return 0
    sizes = []
    for member in members.values():
        values = member.get("values") if isinstance(member, Mapping) else None
        sizes.append(len(values) + 1 if isinstance(values, list) else 1)
    return math.prod(sizes)


def combinations(values: list[tuple[Any, ...]], where: str) -> list[tuple[Any, ...]]:
    """All combinations of the members' values; refused where they are too many."""
    number = math.prod(map(len, values))
    if number > MOST_COMBINATIONS:
        raise BadPlan(
            f"{where}: {number:,} combinations are more than the {MOST_COMBINATIONS:,} that may be "
            "drawn together; name fewer columns"
        )
    return list(product(*values))


def margin(channel: Channel, places: tuple[int, ...]) -> Channel:
    """What a response on combinations does to some of their parts, whatever the others are.

    Labels are single values where one part is meant, and tuples otherwise.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.spaces import discrete
    >>> both = randomised_response(discrete([(x, y) for x in "ab" for y in "cd"]), eps="ln 9")
    >>> print(margin(both.channel, (0,))["a", "a"])
    5/6
    """

    def part(label: tuple[Any, ...]) -> Any:
        return label[places[0]] if len(places) == 1 else tuple(label[place] for place in places)

    rows: dict[Any, dict[Any, Any]] = {}
    for label in channel.rows:
        if part(label) in rows:
            continue
        told: dict[Any, Any] = {}
        for out, chance in channel.row(label).items():
            told[part(out)] = told.get(part(out), 0) + chance
        rows[part(label)] = told
    labels = list(rows)
    return Channel(labels, labels, [[rows[x].get(y, 0) for y in labels] for x in labels])
