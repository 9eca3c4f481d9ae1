"""A query with its names resolved and its sub-queries put in: one SELECT over data and exact tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dprivacy.release.queries.reading.name_scope import Relation, Scope, folded, joined
from dprivacy.release.queries.reading.query_refusals import refused
from dprivacy.release.queries.reading.query_tree import (
    Aggregate,
    Column,
    Constant,
    Derived,
    Expression,
    Item,
    Join,
    Name,
    Order,
    Select,
    Source,
    Star,
    Table,
    aggregates_in,
    all_of,
    changed,
    conjuncts,
    nodes,
)
from dprivacy.release.queries.reading.select_reader import read_select

DATA = "data"

# Makes a table of a sub-query over exact tables: its name and columns; None if it speaks of data.
Stored = Callable[[Derived], tuple[str, Sequence[str]] | None]


@dataclass(frozen=True)
class Exact:
    """An exact table in a join: under which name it is stored, and its name in the query."""

    stored: str
    name: str


@dataclass(frozen=True)
class Linked:
    """A join of the released table (None) with exact ones."""

    kind: str
    left: "Tables"
    right: "Tables"
    on: Expression | None


Tables = Exact | Linked | None


@dataclass(frozen=True)
class Question:
    """What a query asks, every column known by its table.

    Parameters
    ----------
    items
        What is selected.
    keys
        By what is grouped.
    where
        Which rows count.
    having, orders, limit, offset
        What is done with the answers.
    tables
        What data is joined with; None for data alone.
    """

    items: tuple[Expression, ...]
    keys: tuple[Expression, ...]
    where: Expression | None
    having: Expression | None
    orders: tuple[Order, ...]
    limit: int | None
    offset: int
    tables: Tables


class _Reading:
    """The tables that a query may speak of, while it is read."""

    def __init__(
        self, columns: Sequence[str], exact: dict[str, Sequence[str]], store: Stored
    ) -> None:
        self.columns, self.exact, self.store = columns, exact, store
        self.named: dict[str, Derived] = {}
        self.count = 0

    def source(self, given: Source) -> tuple[tuple[Relation, ...], Tables, list[Expression], bool]:
        """Tables in reach, how they are joined, conditions from within, and whether data is there."""
        if isinstance(given, Join):
            return self._join(given)
        if isinstance(given, Table) and folded(given.name) in self.named:
            inner = self.named[folded(given.name)]
            given = Derived(inner.node, given.alias or inner.alias, inner.columns)
        if isinstance(given, Derived):
            return self._derived(given)
        alias = given.alias or given.name
        if folded(given.name) == DATA:
            columns = [(name, Column(DATA, name)) for name in self.columns]
            return (Relation.of(alias, columns),), None, [], True
        stored = {folded(name): name for name in self.exact}.get(folded(given.name))
        if stored is None:
            raise refused(
                f"the table {given.name} does not exist", "the released table is called data"
            )
        return self._exact(stored, alias, self.exact[stored])

    def _exact(
        self, stored: str, alias: str, columns: Sequence[str]
    ) -> tuple[tuple[Relation, ...], Tables, list[Expression], bool]:
        self.count += 1
        name = f"exact {self.count}"
        listed = [(column, Column(name, column)) for column in columns]
        return (Relation.of(alias, listed),), Exact(stored, name), [], False

    def _derived(
        self, given: Derived
    ) -> tuple[tuple[Relation, ...], Tables, list[Expression], bool]:
        stored = self.store(given)
        if stored is not None:
            name, columns = stored
            return self._exact(name, given.alias, columns)
        inner = read_select(given.node)
        _require_plain(inner)
        assert inner.source is not None
        relations, tables, conditions, has_data = self.source(inner.source)
        scope = Scope(relations)
        listed: list[tuple[str, Expression]] = []
        for item in inner.items:
            listed += _projected(item, scope)
        if inner.where is not None:
            conditions = [*conditions, *conjuncts(scope.resolved(inner.where))]
        names = [*given.columns, *(name for name, _ in listed[len(given.columns) :])]
        if len(set(map(folded, names))) < len(names):
            raise refused("a sub-query gives two columns the same name", "rename one with AS")
        renamed = [(name, part) for name, (_, part) in zip(names, listed, strict=True)]
        return (Relation.of(given.alias, renamed),), tables, conditions, has_data

    def _join(self, given: Join) -> tuple[tuple[Relation, ...], Tables, list[Expression], bool]:
        left, left_tables, first, data_left = self.source(given.left)
        right, right_tables, second, data_right = self.source(given.right)
        if data_left and data_right:
            raise refused(
                "data is joined with itself, which pairs two noisy rows", "name data only once"
            )
        if given.kind == "LEFT" and not data_left:
            raise refused(
                "LEFT JOIN keeps rows that are not people's", "put data on the left of it"
            )
        found = joined(left, right, given)
        linked = Linked(given.kind, left_tables, right_tables, found.on)
        return found.relations, linked, [*first, *second], data_left or data_right


def _require_plain(inner: Select) -> None:
    grouped = inner.groups != () or any(
        not isinstance(item.part, Star) and aggregates_in(item.part) for item in inner.items
    )
    if grouped or inner.having or inner.orders or inner.sorted_by_all or inner.limit is not None:
        raise refused(
            "a sub-query over data does more than choose columns and rows",
            "let the outer query count, group and sort",
        )
    if inner.offset or inner.named or inner.source is None:
        raise refused("a sub-query over data has parts of its own", "use one level of sub-queries")


def _projected(item: Item, scope: Scope) -> list[tuple[str, Expression]]:
    """The names and meanings of what a sub-query selects."""
    if isinstance(item.part, Star):
        return scope.expanded(item.part)
    if item.alias:
        return [(item.alias, scope.resolved(item.part))]
    if isinstance(item.part, Name):
        return [(item.part.parts[-1], scope.resolved(item.part))]
    raise refused("a column of a sub-query has no name", "give it one with AS")


def read_question(
    node: Any, columns: Sequence[str], exact: dict[str, Sequence[str]], store: Stored
) -> Question:
    """A query, resolved; refused where it cannot be corrected.

    Parameters
    ----------
    node
        The query as DuckDB's json_serialize_sql writes it.
    columns
        Those of data.
    exact
        The exact tables, with their columns.
    store
        Makes a table of a sub-query that speaks of exact tables only.
    """
    select = read_select(node)
    reading = _Reading(columns, exact, store)
    for one in select.named:
        if folded(one.alias) in (DATA, *map(folded, reading.exact), *reading.named):
            raise refused(f"WITH gives the name {one.alias} twice", "choose another name")
        stored = store(one)
        if stored is None:
            reading.named[folded(one.alias)] = one
        else:
            reading.exact = {**reading.exact, stored[0]: stored[1]}
    if select.source is None:
        raise refused("it speaks of no table", "ask FROM data")
    relations, tables, conditions, has_data = reading.source(select.source)
    if not has_data:
        raise refused("it does not speak of data", "ask FROM data")
    scope = Scope(relations)
    items: list[Expression] = []
    for item in select.items:
        if isinstance(item.part, Star):
            raise refused(
                "* lists single noisy rows", "name the columns to count, add up or average by"
            )
        items.append(scope.resolved(item.part))
        name = item.alias or (item.part.parts[-1] if isinstance(item.part, Name) else "")
        if name:
            scope.give(name, items[-1])
    if select.where is not None:
        conditions = [*conditions, *conjuncts(scope.resolved(select.where))]
    keys = _keys(select, items, scope)
    _require_sums(items, conditions, keys)
    return Question(
        tuple(items),
        keys,
        all_of(conditions),
        None if select.having is None else scope.chosen(select.having),
        _orders(select, items, scope),
        select.limit,
        select.offset,
        tables,
    )


def _keys(select: Select, items: list[Expression], scope: Scope) -> tuple[Expression, ...]:
    if select.groups is None:
        found = [item for item in items if not aggregates_in(item)]
    else:
        found = [_key(part, items, scope) for part in select.groups]
    return tuple(dict.fromkeys(found))


def _key(part: Expression, items: list[Expression], scope: Scope) -> Expression:
    at = _position(part, items)
    return scope.resolved(part) if at is None else at


def _position(part: Expression, items: list[Expression]) -> Expression | None:
    """What GROUP BY 2 and ORDER BY 2 mean."""
    if isinstance(part, Constant) and part.kind == "number" and part.text.isdecimal():
        if not 1 <= int(part.text) <= len(items):
            raise refused(f"a column {part.text} does not exist", "name it")
        return items[int(part.text) - 1]
    return None


def _orders(select: Select, items: list[Expression], scope: Scope) -> tuple[Order, ...]:
    if select.sorted_by_all is not None:
        way = select.sorted_by_all
        return tuple(Order(item, way.descending, way.nulls) for item in items)
    found = []
    for order in select.orders:
        part = _position(order.part, items)
        if part is None and isinstance(order.part, Name) and len(order.part.parts) == 1:
            part = scope.alias(order.part.parts[0])
        found.append(Order(part or scope.chosen(order.part), order.descending, order.nulls))
    return tuple(found)


def _require_sums(
    items: list[Expression], conditions: list[Expression], keys: tuple[Expression, ...]
) -> None:
    for part in (*conditions, *keys):
        if aggregates_in(part):
            raise refused("WHERE and GROUP BY cannot hold aggregates", "use HAVING")
    found = aggregates_in(*items)
    if not found:
        raise refused(
            "it lists noisy values, one by one or as they occur",
            "ask for counts, sums or means: SELECT column, count(*) FROM data GROUP BY column",
        )
    for one in found:
        inside = (*one.parts, *([one.where] if one.where is not None else []))
        if any(isinstance(node, Aggregate) for part in inside for node in nodes(part)):
            raise refused("an aggregate of aggregates", "ask for one of them")


def after_grouping(
    of: Expression, keys: tuple[Expression, ...], change: Callable[[Aggregate], Expression]
) -> Expression:
    """An expression over answers: keys are columns k0, k1, …, aggregates what `change` gives."""

    def lifted(part: Expression) -> Expression | None:
        if part in keys:
            return Column("", f"k{keys.index(part)}")
        if isinstance(part, Aggregate):
            return change(part)
        if isinstance(part, Column):
            raise refused(f"{part.name} is neither grouped by nor added up", "add it to GROUP BY")
        return None

    return changed(of, lifted)


def conditions_in(tables: Tables) -> list[Expression]:
    """The conditions of all joins."""
    if not isinstance(tables, Linked):
        return []
    own = [] if tables.on is None else [tables.on]
    return [*conditions_in(tables.left), *own, *conditions_in(tables.right)]


def with_conditions(tables: Tables, change: Callable[[Expression], Expression]) -> Tables:
    """The joins with every condition changed."""
    if not isinstance(tables, Linked):
        return tables
    on = None if tables.on is None else change(tables.on)
    left, right = with_conditions(tables.left, change), with_conditions(tables.right, change)
    return Linked(tables.kind, left, right, on)
