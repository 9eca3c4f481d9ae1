"""A corrected query in DuckDB: released cells, their signed pseudo-rows, scores, and totals by group.

With row y of B the signed measure on true values whose expectation is the truth (C·B = I), a cell of
released rows becomes a few candidates x with weights s. Conditions, groups and summands are computed
on candidates as they are written; g = Σ s·f is then unbiased, and g·g' − h with h = Σ s·f·f' is so for
the covariance that the noise gives it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import TooLarge
from dprivacy.estimation import ColumnScores
from dprivacy.extras import arrow
from dprivacy.model import shown
from dprivacy.release.queries.aggregate_totals import ONE, Total
from dprivacy.release.queries.contained_engine import Engine
from dprivacy.release.queries.reading.asked_question import (
    DATA,
    Exact,
    Linked,
    Question,
    Tables,
    with_conditions,
)
from dprivacy.release.queries.reading.query_printer import printed, quoted
from dprivacy.release.queries.reading.query_tree import (
    Column,
    Expression,
    Form,
    all_of,
    changed,
    columns_in,
    conjuncts,
)
from dprivacy.release.receiving.label_positions import positions_of

MOST_PSEUDO_ROWS = 200_000_000
_CELLS, _CANDIDATES, _PSEUDO, _SCORED = "cells", "candidates", "pseudo", "scored"


def public_in(hidden: Mapping[str, Any]) -> Callable[[Expression], bool]:
    """Whether an expression names columns of data, and only public ones."""

    def is_public(of: Expression) -> bool:
        named = [column for column in columns_in(of) if column.table]
        return bool(named) and all(c.table == DATA and c.name not in hidden for c in named)

    return is_public


@dataclass
class Cells:
    """The steps from released rows to scores; every public part is computed once, on the rows.

    Parameters
    ----------
    engine
        Holds the tables.
    scores
        Those of the protected columns that the query names.
    kept
        Columns of data that stay apart in the cells (strata and clusters).
    """

    engine: Engine
    scores: Mapping[str, ColumnScores]
    kept: Mapping[str, str] = field(default_factory=dict)
    hoisted: list[Expression] = field(default_factory=list)

    def lowered(self, of: Expression) -> Expression:
        """An expression over candidates: public parts and true values as columns of the cells."""
        is_public, hidden = public_in(self.scores), list(self.scores)

        def columns(part: Expression) -> Expression | None:
            if isinstance(part, Column) and part.table == DATA:
                if part.name in self.scores:
                    return Column(DATA, f"x{hidden.index(part.name)}")
                return self._hoisted(part)
            return None

        def change(part: Expression) -> Expression | None:
            if is_public(part):
                return self._hoisted(part)
            # What stands in a branch is perhaps only to be computed where its condition holds.
            if isinstance(part, Form) and part.kind in ("CASE", "COALESCE"):
                return changed(part, columns)
            return columns(part)

        return changed(of, change)

    def _hoisted(self, part: Expression) -> Column:
        if part not in self.hoisted:
            self.hoisted.append(part)
        return Column(DATA, f"p{self.hoisted.index(part)}")

    def score(
        self, question: Question, totals: Sequence[Total], pairs: Sequence[tuple[int, int]]
    ) -> None:
        """Make the table of scores: of every cell and group, g of each total and h of each pair."""
        is_public = public_in(self.scores)
        where = conjuncts(question.where)
        early = all_of([part for part in where if is_public(part)])
        late = [self.lowered(part) for part in where if not is_public(part)]
        keys = [self.lowered(key) for key in question.keys]
        values = [self.lowered(total.of) for total in totals]
        tables = with_conditions(question.tables, self.lowered)
        self._make_cells(early, totals, pairs)
        self._make_candidates()
        names = [f"k{i}" for i in range(len(keys))]
        picked = [f"{printed(key)} AS {name}" for key, name in zip(keys, names, strict=True)]
        summed = [f"{printed(f)} AS f{a}" for a, f in enumerate(values)]
        own = [f"{quoted(DATA)}.{name}" for name in ["rid", "s", *self._candidate_names()]]
        condition = all_of(late)
        pseudo = f"SELECT {', '.join([*own, *picked, *summed])} FROM {_tables(tables)}"
        pseudo += "" if condition is None else f" WHERE {printed(condition)}"
        if tables is not None:  # f of one candidate is the sum over all that it is joined with
            added = ", ".join(f"sum(f{a}) AS f{a}" for a in range(len(values)))
            by = ", ".join(["rid", "s", *self._candidate_names(), *names])
            pseudo = f"SELECT {by}, {added} FROM ({pseudo}) GROUP BY {by}"
        of_pairs = [f"sum(s * f{a} * f{b}) AS h{a}_{b}" for a, b in pairs]
        of_one = [f"sum(s * f{a}) AS g{a}" for a in range(len(values))]
        by = ", ".join(["rid", *names])
        self.engine.execute(
            f"CREATE OR REPLACE TEMP TABLE {_SCORED} AS SELECT {by}, {', '.join([*of_one, *of_pairs])} "
            f"FROM ({pseudo}) GROUP BY {by}"
        )

    def _candidate_names(self) -> list[str]:
        return [f"x{j}" for j in range(len(self.scores))]

    def _make_cells(
        self, where: Expression | None, totals: Sequence[Total], pairs: Sequence[tuple[int, int]]
    ) -> None:
        """How often each combination of what is looked at occurs, and the sums of public factors."""
        looked = [
            *(f"{quoted(name)} AS y{j}" for j, name in enumerate(self.scores)),
            *(f"{printed(part)} AS p{i}" for i, part in enumerate(self.hoisted)),
            *(f"{quoted(column)} AS {name}" for name, column in self.kept.items()),
        ]
        factors = [total.public for total in totals]
        sums = [f"{_sum(f)} AS u{a}" for a, f in enumerate(factors)]
        squares = [f"{_sum(factors[a], factors[b])} AS u{a}_{b}" for a, b in pairs]
        condition = "" if where is None else f" WHERE {printed(where)}"
        counted = (
            f"SELECT {', '.join([*looked, *sums, *squares])} FROM data{condition} GROUP BY ALL "
            "HAVING count(*) > 0"
        )
        self.engine.execute(
            f"CREATE OR REPLACE TEMP TABLE {_CELLS} AS "
            f"SELECT row_number() OVER () AS rid, * FROM ({counted})"
        )

    def _make_candidates(self) -> None:
        """Every cell with its candidates: the true values x, and the product s of their weights."""
        most = [self._make_inverse(j, name) for j, name in enumerate(self.scores)]
        ((cells,),) = self.engine.rows(f"SELECT count(*) FROM {_CELLS}")
        if cells * math.prod(most) > MOST_PSEUDO_ROWS:
            heavy = max(zip(most, self.scores, strict=True))[1]
            raise TooLarge(
                f"the query needs {cells * math.prod(most):,} pseudo-rows, more than "
                f"{MOST_PSEUDO_ROWS:,}; leave out the column {heavy}, or ask of fewer groups"
            )
        weights = " * ".join(f"b{j}.b" for j in range(len(most))) or "1.0"
        names = [*(f"p{i}" for i in range(len(self.hoisted)))]
        columns = ["c.rid", f"{weights} AS s", *(f"c.{name}" for name in names)]
        columns += [f"b{j}.x AS x{j}" for j in range(len(most))]
        joins = [
            f"JOIN inverse{j} AS b{j} ON c.y{j} IS NOT DISTINCT FROM b{j}.y"
            for j in range(len(most))
        ]
        self.engine.execute(
            f"CREATE OR REPLACE TEMP VIEW {_CANDIDATES} AS "
            f"SELECT {', '.join(columns)} FROM {_CELLS} AS c "
            f"{' '.join(joins)}"
        )

    def _make_inverse(self, j: int, name: str) -> int:
        """The rows of B for the values that occur; how many entries the longest of them has."""
        kind = self.engine.true_kinds[name]
        self.engine.execute(
            f"CREATE OR REPLACE TEMP TABLE found{j} AS SELECT row_number() OVER () AS i, y FROM "
            f"(SELECT DISTINCT y{j} AS y FROM {_CELLS})"
        )
        found = self.engine.rows(f"SELECT i, y FROM found{j}")
        scores = self.scores[name]
        start, candidate, weight = scores.pseudo_rows()
        at = [k for (k,) in positions_of([(y,) for _, y in found], [scores.outputs])]
        longest = np.array([start[y + 1] - start[y] for y in at], dtype=np.int64)
        rows = np.concatenate([np.arange(start[y], start[y + 1]) for y in at] or [start[:0]])
        pa = arrow()
        texts = pa.array([label_text(label) for label in scores.inputs], pa.string())
        given = pa.table({
            "i": pa.array(np.repeat(np.array([i for i, _ in found], dtype=np.int64), longest)),
            "x": texts.take(pa.array(candidate[rows])),
            "b": pa.array(weight[rows]),
        })  # fmt: skip
        self.engine.connection.register("given", given)
        self.engine.execute(
            f"CREATE OR REPLACE TEMP TABLE inverse{j} AS "
            f"SELECT y, CAST(x AS {kind}) AS x, b FROM given "
            f"JOIN found{j} USING (i)"
        )
        self.engine.connection.unregister("given")
        return int(longest.max(initial=1))


def _sum(*factors: Expression) -> str:
    """The sum of a product over the rows of a cell, as a double."""
    kept = " * ".join(printed(factor) for factor in factors if factor != ONE)
    return f"CAST({f'sum({kept})' if kept else 'count(*)'} AS DOUBLE)"


def _tables(tables: Tables) -> str:
    """FROM: candidates in the place of data."""
    if tables is None:
        return f"{_CANDIDATES} AS {quoted(DATA)}"
    if isinstance(tables, Exact):
        return f"{quoted(tables.stored)} AS {quoted(tables.name)}"
    assert isinstance(tables, Linked)
    left, right = _tables(tables.left), _tables(tables.right)
    right = f"({right})" if isinstance(tables.right, Linked) else right
    if tables.on is None:
        return f"{left} CROSS JOIN {right}"
    return f"{left} {tables.kind} JOIN {right} ON {printed(tables.on)}"


def label_text(label: Any) -> str | None:
    """A true value as a text that DuckDB casts to the type of the column."""
    if label is None or isinstance(label, str):
        return label
    if isinstance(label, bool):
        return str(label).lower()
    if isinstance(label, Fraction):
        return str(label) if label.denominator == 1 else repr(float(label))
    return shown(label)
