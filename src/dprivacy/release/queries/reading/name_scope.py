"""Which column a name means, by DuckDB's rules; a name that could mean two things is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dprivacy.release.queries.reading.query_refusals import refused
from dprivacy.release.queries.reading.query_tree import (
    Expression,
    Form,
    Join,
    Name,
    Star,
    changed,
)

_UPPER = {ord(c): ord(c) + 32 for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def folded(name: str) -> str:
    """A name without the difference between upper and lower case, which SQL does not make.

    Only for the letters A to Z, as DuckDB has it: two columns may differ in É and é.

    Examples
    --------
    >>> folded("Été")
    'Été'
    """
    return name.translate(_UPPER)


@dataclass(frozen=True)
class Relation:
    """A table of the query: the name that the query gives it, and what each of its columns is."""

    alias: str
    columns: Mapping[str, tuple[str, Expression]]  # by folded name: as written, and what it is
    merged: frozenset[str] = frozenset()  # columns of USING, which count as those of the left

    @classmethod
    def of(cls, alias: str, columns: Sequence[tuple[str, Expression]]) -> "Relation":
        """A table with these columns."""
        return cls(alias, {folded(name): (name, part) for name, part in columns})


@dataclass(frozen=True)
class Scope:
    """The tables that a SELECT reads, and the names it gives to what it selects."""

    relations: tuple[Relation, ...]
    aliases: dict[str, Expression] = field(default_factory=dict)
    doubled: set[str] = field(default_factory=set)  # names that AS gives to two things

    def alias(self, name: str) -> Expression | None:
        """What a name given by AS means; refused where two things have it."""
        if folded(name) in self.doubled:
            raise refused(f"two columns of the answer are called {name}", "rename one with AS")
        return self.aliases.get(folded(name))

    def give(self, name: str, part: Expression) -> None:
        """Note the name of a column of the answer."""
        if self.aliases.setdefault(folded(name), part) != part:
            self.doubled.add(folded(name))

    def column(self, parts: tuple[str, ...]) -> Expression | None:
        """What a name means as a column; None where no table has it."""
        *table, name = (folded(part) for part in parts)
        if len(table) > 1:
            raise refused(f"the name {'.'.join(parts)} has too many parts", "write table.column")
        found = [
            relation.columns[name][1]
            for relation in self.relations
            if name in relation.columns
            and (table == [folded(relation.alias)] or (not table and name not in relation.merged))
        ]
        if len(found) > 1:
            raise refused(
                f"{'.'.join(parts)} could be a column of two tables", "write table.column"
            )
        return found[0] if found else None

    def expanded(self, star: Star) -> list[tuple[str, Expression]]:
        """The columns that a star stands for."""
        chosen = [r for r in self.relations if star.table in ("", r.alias)]
        return [
            entry
            for relation in chosen
            for name, entry in relation.columns.items()
            if star.table or name not in relation.merged
        ]

    def resolved(self, of: Expression) -> Expression:
        """An expression with its names resolved: columns first, then names given by AS."""
        return changed(of, self._named)

    def _named(self, of: Expression) -> Expression | None:
        if not isinstance(of, Name):
            return None
        found = self.column(of.parts)
        if found is None and len(of.parts) == 1:
            found = self.alias(of.parts[0])
        if found is None:
            raise refused(f"{'.'.join(of.parts)} is not a column", "name a column of the table")
        return found

    def chosen(self, of: Expression) -> Expression:
        """As `resolved`, after grouping: there a name that is both a column and an AS is refused.

        Versions of DuckDB differ in which of the two they take.
        """

        def named(of: Expression) -> Expression | None:
            if isinstance(of, Name) and len(of.parts) == 1:
                alias = self.alias(of.parts[0])
                found = self.column(of.parts)
                if alias is not None and found is not None and alias != found:
                    raise refused(
                        f"{of.parts[0]} is both a column and a name given by AS",
                        "give it another name",
                    )
            return self._named(of)

        return changed(of, named)


def joined(left: Sequence[Relation], right: Sequence[Relation], join: Join) -> "Joined":
    """Two sides side by side: the tables in reach, and the condition that joins them."""
    both = Scope((*left, *right))
    if not join.using:
        on = None if join.on is None else both.resolved(join.on)
        return Joined((*left, *right), on)
    equal: list[Expression] = []
    names = frozenset(folded(name) for name in join.using)
    for name in join.using:
        pair = [Scope(tuple(side)).column((name,)) for side in (left, right)]
        if pair[0] is None or pair[1] is None:
            raise refused(f"USING ({name}) is not a column of both tables", "use ON")
        equal.append(Form("=", (pair[0], pair[1])))
    merged = [Relation(r.alias, r.columns, r.merged | (names & set(r.columns))) for r in right]
    return Joined((*left, *merged), equal[0] if len(equal) == 1 else Form("AND", tuple(equal)))


@dataclass(frozen=True)
class Joined:
    """What a join gives: tables and their condition."""

    relations: tuple[Relation, ...]
    on: Expression | None
