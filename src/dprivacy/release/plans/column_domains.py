"""What a plan says of one column's values, and the space and mechanism that follow from it."""

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.errors import Malformed, TooLarge
from dprivacy.mechanisms import (
    ChannelMechanism,
    any_metric,
    bitwise_response,
    exponential,
    geometric,
    laplace,
    planar_laplace,
    randomised_response,
)
from dprivacy.numbers import Level, as_eps, as_level
from dprivacy.release.plans.stored_columns import stored_mechanism
from dprivacy.spaces import FiniteSpace, from_table, graph, named_space

_LARGEST_TABLE = 1 << 30  # bytes
LISTED = ("categories", "ordered", "tree", "graph", "distances", "stored")
TYPES = (*LISTED, "numbers", "place", "bits")
_USUAL = {
    "categories": "randomised_response",
    "ordered": "geometric",
    "tree": "exponential",
    "graph": "exponential",
    "distances": "exponential",
    "stored": "stored",
    "numbers": "laplace",
    "place": "planar_laplace",
    "bits": "bitwise_response",
}
_ANY = {"type", "mechanism", "epsilon", "delta", "columns", "nulls", "source", "note"}
SETTINGS = {
    "categories": _ANY | {"values", "blocks"},
    "ordered": _ANY | {"values", "blocks"},
    "tree": _ANY | {"tree", "blocks"},
    "graph": _ANY | {"edges", "values", "blocks"},
    "distances": _ANY | {"values", "distances", "blocks"},
    "stored": (_ANY - {"mechanism", "delta"}) | {"file", "stored"},
    "numbers": _ANY | {"low", "high", "grid"},
    "place": _ANY | {"grid"},
    "bits": _ANY | {"bits"},
}
_FITTING = {
    "categories": ("randomised_response", "exponential"),
    "ordered": ("geometric", "randomised_response", "exponential"),
    "tree": ("exponential", "randomised_response", "any_metric"),
    "graph": ("exponential", "randomised_response", "any_metric"),
    "distances": ("exponential", "randomised_response", "any_metric"),
    "stored": ("stored",),
    "numbers": ("laplace",),
    "place": ("planar_laplace",),
    "bits": ("bitwise_response",),
}


def usual_mechanism(kind: str) -> str:
    """The mechanism that a type of column gets when the plan names none."""
    return _USUAL[kind]


def space_of(kind: str, spec: Mapping[str, Any], where: str) -> FiniteSpace:
    """The space of a column whose values are listed."""
    values = spec.get("values")
    if kind == "stored":
        space = stored_mechanism(spec, where).space
        _one_kind(space.labels, where)
        return space
    if kind in ("categories", "ordered"):
        return named_space("discrete" if kind == "categories" else "order", _list(values, where))
    if kind == "graph":
        edges = spec.get("edges")
        if not isinstance(edges, list):
            raise Malformed(f'{where}: a graph needs edges = [["a", "b"], ["b", "c", "2"]]')
        space = graph(_exact_numbers(edges), nodes=values or ())
        _one_kind(space.labels, where)
        return space
    if kind == "distances":
        table = spec.get("distances")
        if not isinstance(table, list):
            raise Malformed(f"{where}: distances = [[0, 1], [1, 0]] is needed beside values")
        return from_table(_list(values, where), _exact_numbers(table))
    space = _tree_space(spec.get("tree"), where)
    _one_kind(space.labels, where)
    return space


def _list(values: Any, where: str) -> list[Any]:
    if not isinstance(values, list) or len(values) < 2:
        raise Malformed(f'{where}: values = ["…", "…"] with at least two values is needed')
    _one_kind(values, where)
    return values


def _one_kind(values: Sequence[Any], where: str) -> None:
    kinds = {type(value) for value in values}
    if not kinds <= {str} and not kinds <= {int}:
        raise Malformed(f"{where}: values must be all texts or all whole numbers")


def _exact_numbers(table: list[Any]) -> list[Any]:
    """Rows whose decimals are what they say."""
    return [
        [str(v) if isinstance(v, float) else v for v in row] if isinstance(row, list) else row
        for row in table
    ]


def _tree_space(tree: Any, where: str) -> FiniteSpace:
    """The leaves of a tree; the distance is half the path between them (siblings are at 1)."""
    edges: list[tuple[Any, Any]] = []
    leaves: list[Any] = []
    inner = itertools.count()
    shape = f'{where}: a tree needs tree = {{ Europe = ["FR", "DE"], Asia = ["JP"] }}'

    def walk(node: Any, parent: Any) -> None:
        if not isinstance(node, Mapping | list) or not node:
            raise Malformed(shape)
        children = node.items() if isinstance(node, Mapping) else ((leaf, None) for leaf in node)
        for name, below in children:
            if isinstance(name, list | Mapping):
                raise Malformed(shape)
            if below is None:
                leaves.append(name)
                edges.append((parent, name))
            else:
                branch = ("branch", next(inner))
                edges.append((parent, branch))
                walk(below, branch)

    walk(tree, ("branch", -1))
    whole = graph([(a, b, Fraction(1, 2)) for a, b in edges])
    return whole.restrict(leaves)


def mechanism_of(
    kind: str, name: str, spec: Mapping[str, Any], space: FiniteSpace | None, where: str
) -> Any:
    """The mechanism of a column; Malformed when it does not fit the type."""
    if name not in _FITTING[kind]:
        raise Malformed(
            f"{where}: {name} does not fit a column of type {kind}; choose {', '.join(_FITTING[kind])}"
        )
    if kind == "stored":
        return stored_mechanism(spec, where)
    eps, delta = _exact(spec["epsilon"]), _exact(spec.get("delta", 0))
    if delta and name not in ("randomised_response", "laplace"):
        raise Malformed(f"{where}: delta is for randomised_response and laplace")
    if kind == "numbers":
        for key in ("low", "high", "grid"):
            if key not in spec:
                raise Malformed(
                    f"{where}: numbers need low, high and grid (the step of the public grid)"
                )
        return laplace(
            _exact(spec["low"]),
            _exact(spec["high"]),
            eps=eps,
            grid=_exact(spec["grid"]),
            delta=delta,
        )
    if kind == "place":
        return planar_laplace(eps=eps, grid=_exact(spec.get("grid", 1)))
    if kind == "bits":
        if type(spec.get("bits")) is not int:
            raise Malformed(f"{where}: bits = 8 (the length of the strings) is needed")
        return bitwise_response(spec["bits"], eps=eps)
    assert space is not None
    _require_fits(space, eps, name, where)
    if name == "randomised_response":
        return randomised_response(space, eps=eps, delta=delta)
    if name == "geometric":
        return geometric(space, eps=eps)
    if name == "any_metric":
        return any_metric(space, eps=eps)
    return _loudest_exponential(space, as_eps(eps))


def _require_fits(space: FiniteSpace, eps: Any, name: str, where: str) -> None:
    """TooLarge when the exact table of a column would take more than a gigabyte, and minutes."""
    spread = 0.0
    if name != "randomised_response" and math.isfinite(space.diameter):
        try:
            spread = float(as_eps(eps)) * float(space.diameter)
        except OverflowError:
            spread = math.inf
    size = len(space) ** 2 * (88 + spread / (8 * math.log(2)))
    if size > _LARGEST_TABLE:
        raise TooLarge(
            f"{where}: an exact table for {len(space):,} values at this epsilon would take about "
            f"{size / 2**30:.1f} GiB; use fewer or coarser values, or the type numbers"
        )


def _loudest_exponential(space: FiniteSpace, eps: Level) -> ChannelMechanism:
    """The exponential mechanism with the largest nominal level that still guarantees ε.

    Its own ε lies between half its nominal level and all of it, depending on the space; sixteenths
    are tried from the top.
    """
    for step in range(32, 16, -1):
        mechanism = exponential(space, eps=eps * Fraction(step, 16))
        if mechanism.guarantee.eps <= eps:
            return mechanism
    return exponential(space, eps=eps)


def _exact(value: Any) -> Any:
    """A number of a plan: a decimal is what it says, not the double nearest to it."""
    return as_level(str(value) if isinstance(value, float) else value)


def blocks_of(blocks: Any, values: Sequence[Any], where: str) -> list[list[Any]]:
    """Structural zeros: groups of values that never change into each other; they cover the values."""
    if not isinstance(blocks, list) or not all(
        isinstance(block, list) and block for block in blocks
    ):
        raise Malformed(
            f'{where}: blocks = [["child"], ["single", "married"]] lists groups of values'
        )
    listed = [value for block in blocks for value in block]
    if sorted(map(repr, listed)) != sorted(map(repr, values)):
        raise Malformed(f"{where}: blocks must list every value once")
    if all(len(block) == 1 for block in blocks):
        raise Malformed(
            f"{where}: every value is a block of its own, so that nothing would be protected"
        )
    return [list(block) for block in blocks]
