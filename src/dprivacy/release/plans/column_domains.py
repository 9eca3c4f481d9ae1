"""What a plan says of one column's values, and the space and mechanism that follow from it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dprivacy.errors import BadPlan, TooLarge
from dprivacy.mechanisms import FAMILIES, Family
from dprivacy.numbers import as_eps, as_level
from dprivacy.release.domains.hierarchy_files import (
    SHAPE,
    hierarchy_space,
    leaves_in,
    tree_space,
)
from dprivacy.release.plans.stored_columns import stored_mechanism
from dprivacy.release.texts.text_columns import TEXT_SETTINGS
from dprivacy.spaces import FiniteSpace, from_table, graph, space_from_text

_LARGEST_TABLE = 1 << 30  # bytes
_CELL = 88  # bytes of a cell, at the least
LISTED = ("categories", "ordered", "tree", "graph", "distances", "stored")
TYPES = (*LISTED, "numbers", "dates", "place", "bits", "text", "joint")
_TOGETHER = {"type", "epsilon", "members", "note"}
_ANY = {"type", "epsilon", "columns", "nulls", "source", "note"}
_SHARES = {"importance", "wanted"}  # of a budget for the row
_ALONE = ("stored", "place", "bits", "text")
_DOMAIN = {
    "categories": {"values", "blocks"},
    "ordered": {"values", "blocks", "codes"},
    "tree": {"tree", "hierarchy", "blocks"},
    "graph": {"edges", "values", "blocks"},
    "distances": {"values", "distances", "blocks"},
    "stored": {"file", "stored"},
    "numbers": {"blocks"},
    "dates": {"blocks", "format"},
    "text": TEXT_SETTINGS,
}


def families_for(kind: str) -> list[Family]:
    """The families that fit a type of column, the usual one first; none for a stored mechanism."""
    fitting = [family for family in FAMILIES if kind in family.fits]
    return sorted(fitting, key=lambda family: kind not in family.usual_for)


def settings_of(kind: str) -> set[str]:
    """What a plan may say of a column of a type."""
    own = {key for family in families_for(kind) for key in (*family.needs, *family.options)}
    shares = set() if kind in _ALONE else _SHARES
    if kind == "joint":
        return _TOGETHER | shares
    return _ANY | shares | _DOMAIN.get(kind, set()) | own | ({"mechanism"} if own else set())


SETTINGS = {kind: settings_of(kind) for kind in TYPES}


def space_of(kind: str, spec: Mapping[str, Any], where: str) -> FiniteSpace:
    """The space of a column whose values are listed."""
    values = spec.get("values")
    if kind == "stored":
        space = stored_mechanism(spec, where).space
        one_kind(space.labels, where)
        return space
    if kind in ("categories", "ordered"):
        text = "discrete" if kind == "categories" else "order"
        return space_from_text(text, labels=_list(values, where))
    if kind == "graph":
        edges = spec.get("edges")
        if not isinstance(edges, list):
            raise BadPlan(f'{where}: a graph needs edges = [["a", "b"], ["b", "c", "2"]]')
        ends = {repr(end) for edge in edges if isinstance(edge, list) for end in edge[:2]}
        _require_small(len(ends) + (len(values) if isinstance(values, list) else 0), _CELL, where)
        space = graph(_exact_numbers(edges), nodes=values or ())
        one_kind(space.labels, where)
        return space
    if kind == "distances":
        table = spec.get("distances")
        if not isinstance(table, list):
            raise BadPlan(f"{where}: distances = [[0, 1], [1, 0]] is needed beside values")
        return from_table(_list(values, where), _exact_numbers(table))
    if ("tree" in spec) == ("hierarchy" in spec):
        shape = 'tree = { Europe = ["FR", "DE"], Asia = ["JP"] }'
        raise BadPlan(f"{where}: a tree needs {shape}, or {SHAPE}")
    given = spec.get("tree", spec.get("hierarchy"))
    _require_small(leaves_in(given), _CELL, where)
    space = tree_space(given, where) if "tree" in spec else hierarchy_space(given, where)
    one_kind(space.labels, where)
    return space


def _list(values: Any, where: str) -> list[Any]:
    if not isinstance(values, list) or len(values) < 2:
        raise BadPlan(
            f'{where}: values = ["…", "…"] with at least two values is needed, not {str(values)[:60]}'
        )
    _require_small(len(values), _CELL, where)
    one_kind(values, where)
    return values


def one_kind(values: Sequence[Any], where: str) -> None:
    """Refuse a list that is neither of texts nor of whole numbers."""
    kinds = {type(value) for value in values}
    if not kinds <= {str} and not kinds <= {int}:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise BadPlan(f"{where}: values must be all texts or all whole numbers, not {names}")


def _exact_numbers(table: list[Any]) -> list[Any]:
    """Rows whose decimals are what they say."""
    return [
        [str(v) if isinstance(v, float) else v for v in row] if isinstance(row, list) else row
        for row in table
    ]


def family_of(kind: str, spec: Mapping[str, Any], where: str) -> Family:
    """The family that a plan names for a column, or the usual one; BadPlan when it does not fit."""
    fitting = families_for(kind)
    # Codes beside numbers have a family of their own, the one that needs them.
    usual = max(fitting, key=lambda family: len(family.needs) * (set(family.needs) <= set(spec)))
    name = spec.get("mechanism", usual.name)
    for family in fitting:
        if family.name == name:
            break
    else:
        raise BadPlan(
            f"{where}: {name} does not fit a column of type {kind}; choose "
            f"{', '.join(family.name for family in fitting)}"
        )
    missing = [key for key in family.needs if key not in spec]
    if missing:
        raise BadPlan(
            f"{where}: {name} needs {', '.join(family.needs)}; {', '.join(missing)} is missing"
        )
    others = {key for other in fitting for key in (*other.needs, *other.options)}
    strange = sorted((others - {*family.needs, *family.options}) & set(spec))
    if strange:
        takers = [f.name for f in FAMILIES if strange[0] in (*f.needs, *f.options)]
        raise BadPlan(f"{where}: {strange[0]} is for {' and '.join(takers)}, not for {name}")
    return family


def mechanism_of(
    family: Family | None, spec: Mapping[str, Any], space: FiniteSpace | None, where: str
) -> Any:  # a mechanism, on listed values if there is a space
    """The mechanism of a column; without a family the stored one."""
    if family is None:
        return stored_mechanism(spec, where)
    eps = exact_number(spec["epsilon"])
    given = {
        key: exact_number(spec[key]) for key in (*family.needs, *family.options) if key in spec
    }
    if space is None:
        return family.build(eps=eps, **given)
    _require_fits(space, eps, family.name, where)
    return family.build(space=space, eps=eps, **given)


def _require_fits(space: FiniteSpace, eps: Any, name: str, where: str) -> None:
    """TooLarge when the exact table of a column does not fit, at its level."""
    apart = 0.0
    if name != "randomised_response" and math.isfinite(space.diameter):
        try:
            apart = float(space.diameter)
        except OverflowError:
            apart = math.inf
    require_table(len(space), eps, apart, where)


def require_table(values: int, eps: Any, farthest: float, where: str) -> None:
    """TooLarge when an exact table does not fit, at a level and with distances up to the farthest."""
    try:
        spread = float(as_eps(eps)) * farthest if farthest else 0.0
    except OverflowError:
        spread = math.inf
    _require_small(values, _CELL + spread / (8 * math.log(2)), where)


def _require_small(values: int, cell: float, where: str) -> None:
    """TooLarge when the exact table of a column would take more than a gigabyte, and minutes."""
    size = values**2 * cell
    if size > _LARGEST_TABLE:
        raise TooLarge(
            f"{where}: an exact table for {values:,} values at this epsilon would take about "
            f"{size / 2**30:.1f} GiB; use fewer or coarser values, or the type numbers"
        )


def exact_number(value: Any) -> Any:
    """A number of a plan: a decimal is what it says, not the double nearest to it."""
    if isinstance(value, int):
        return value
    return as_level(str(value) if isinstance(value, float) else value)


def blocks_of(blocks: Any, values: Sequence[Any], where: str) -> list[list[Any]]:
    """Structural zeros: groups of values that never change into each other; they cover the values."""
    if not isinstance(blocks, list) or not all(
        isinstance(block, list) and block for block in blocks
    ):
        raise BadPlan(
            f'{where}: blocks = [["child"], ["single", "married"]] lists groups of values, unlike '
            f"{str(blocks)[:60]}"
        )
    listed = [value for block in blocks for value in block]
    if sorted(map(repr, listed)) != sorted(map(repr, values)):
        raise BadPlan(f"{where}: blocks must list every value once, unlike {str(blocks)[:60]}")
    if all(len(block) == 1 for block in blocks):
        raise BadPlan(
            f"{where}: every value is a block of its own, so that nothing would be protected"
        )
    return [list(block) for block in blocks]


def may_replace(
    kind: str, value: Any, values: Sequence[Any] | None, spec: Mapping[str, Any]
) -> bool:
    """Whether a value may stand for a missing one."""
    if values is not None:
        return value in values and type(value) is type(values[0])
    if kind == "bits":
        return (
            isinstance(value, str) and len(value) == spec.get("bits") and set(value) <= {"0", "1"}
        )
    return type(value) in (int, float) and math.isfinite(value)


def null_policy(value: Any, where: str) -> tuple[str, Any]:
    """What happens to missing values: the name of the rule, and what they are replaced by."""
    if value in ("refuse", "category", "empty"):
        return value, None
    if isinstance(value, Mapping) and set(value) == {"replace"}:
        return "replace", value["replace"]
    raise BadPlan(
        f'{where}: nulls must be "refuse", "category" or {{ replace = … }}, not {str(value)[:40]!r}; a '
        "missing value is never kept as it is, and rows are never dropped, for the number of rows "
        "would tell of them"
    )
