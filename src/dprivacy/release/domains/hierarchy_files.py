"""Hierarchies of a plan: the parent of every code, from a file or written in the plan, and trees."""

import csv
import io
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, BadPlan, DPrivacyError, DuplicateLabel
from dprivacy.model import file_text
from dprivacy.spaces import FiniteSpace, hierarchy

_LARGEST = 1 << 24  # bytes of a file
_CODE = ("code", "id", "value", "child")
_PARENT = ("parent", "parent_code", "parent_id", "broader", "within")
SHAPE = 'hierarchy = "codes.csv" (columns code and parent) or { FR = "Europe", DE = "Europe" }'


def with_parents(name: str, spec: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The settings of a column with the hierarchy that it names read in, so that they stand alone."""
    given = spec.get("hierarchy")
    if not isinstance(given, str):
        return dict(spec)
    file = folder / given
    try:
        return {**spec, "hierarchy": read_parents(file_text(file, largest=_LARGEST))}
    except DPrivacyError as reason:
        raise type(reason)(f"column {name!r}: {file}: {reason}") from None


def read_parents(text: str) -> dict[str, str]:
    r"""The parent of every code in the text of a file, "" for a code at the top.

    Examples
    --------
    >>> read_parents("code;parent;label\n1;;Managers\n11;1;Chief executives\n")
    {'1': '', '11': '1'}
    """
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter, strict=True)
    try:
        head = [cell.strip().lower() for cell in next(rows, [])]
        code, parent = (_column(head, names) for names in (_CODE, _PARENT))
        found: dict[str, str] = {}
        for row in rows:
            if not row:
                continue
            if len(row) != len(head):
                raise BadFile(
                    f"line {rows.line_num} should have {len(head)} cells and has {len(row)}"
                )
            own, above = row[code].strip(), row[parent].strip()
            if not own or found.get(own, above) != above:
                fault = "has no code" if not own else "gives a code a second parent"
                raise BadFile(f"line {rows.line_num} {fault}")
            found[own] = above
    except csv.Error as reason:
        raise BadFile(f"line {rows.line_num} is not a line of a table ({reason})") from None
    return found


def _column(head: list[str], names: tuple[str, ...]) -> int:
    for name in names:
        if name in head:
            return head.index(name)
    raise BadFile(
        f"the first line should name a column {names[0]!r}; it may also be called "
        f"{', '.join(names[1:])}"
    )


def leaves_in(given: Any) -> int:
    """At most how many leaves a tree or a hierarchy of a plan has, seen before it is built."""
    if isinstance(given, Mapping) and all(isinstance(below, str) for below in given.values()):
        return len(given.keys() - set(given.values()))
    waiting, found = [given], 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping | list):
            waiting.extend(node.values() if isinstance(node, Mapping) else node)
        else:
            found += 1
    return found


def hierarchy_space(given: Any, where: str) -> FiniteSpace:
    """The leaves of a hierarchy that a plan holds."""
    if not isinstance(given, Mapping) or not all(
        isinstance(code, str) and isinstance(parent, str) and code for code, parent in given.items()
    ):
        raise BadPlan(f"{where}: a hierarchy is {SHAPE}")
    return hierarchy({code: parent or None for code, parent in given.items()})


def tree_space(tree: Any, where: str) -> FiniteSpace:
    """The leaves of a tree that is written out in a plan."""
    parents: dict[Any, Any] = {}
    inner = itertools.count()
    shape = f'{where}: a tree needs tree = {{ Europe = ["FR", "DE"], Asia = ["JP"] }}'

    def walk(node: Any, parent: Any) -> None:
        if not isinstance(node, Mapping | list) or not node:
            raise BadPlan(shape)
        children = node.items() if isinstance(node, Mapping) else ((leaf, None) for leaf in node)
        for name, below in children:
            if isinstance(name, list | Mapping):
                raise BadPlan(shape)
            own = name if below is None else ("branch", next(inner))
            if own in parents:
                raise DuplicateLabel(f"{where}: the tree holds {name!r} twice")
            parents[own] = parent
            if below is not None:
                walk(below, own)

    walk(tree, None)
    return hierarchy(parents)
