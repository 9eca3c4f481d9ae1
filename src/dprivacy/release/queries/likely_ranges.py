"""One count or share of a range: maximum likelihood where the unbiased score is too noisy.

A step in a function of a noisy number costs the score spikes of 1/ε², so that a range of ages may be
± everything. Where a query asks for one count or share of those who meet a condition on protected
columns, by public groups, the estimator that is forecast to err less is taken, and named.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dprivacy.estimation import (
    LIKELY,
    Axes,
    ColumnScores,
    Likelihood,
    Method,
    chosen_share,
    reach,
    spread_of,
    table_scores,
)
from dprivacy.extras import arrow
from dprivacy.numbers import Floats
from dprivacy.release.queries.aggregate_totals import ONE, ZERO, Total
from dprivacy.release.queries.contained_engine import Engine
from dprivacy.release.queries.query_answer import Spread
from dprivacy.release.queries.reading.asked_question import DATA, Question
from dprivacy.release.queries.reading.query_printer import printed, quoted
from dprivacy.release.queries.reading.query_tree import (
    TRUE,
    Call,
    Column,
    Constant,
    Expression,
    Form,
    all_of,
    changed,
    columns_in,
    conjuncts,
)
from dprivacy.release.queries.released_cells import Cells, label_text, public_in
from dprivacy.release.queries.total_derivatives import bare, quotient, totals_in
from dprivacy.release.receiving.label_positions import positions_of

Lines = tuple[tuple[Any, ...], ...]
Spreads = tuple[tuple[Spread | None, ...], ...]
_MOST_GROUPS = 100  # a tenth of a second each
_MOST_CELLS = 10_000


@dataclass(frozen=True)
class Range:
    """A query that asks for one count or share of those who meet a condition on protected columns.

    Parameters
    ----------
    at
        Which of the items it is.
    total
        The number of the total that is counted.
    factor
        By what a share of the public group is multiplied, such as 100; None for a count.
    order
        Where each key of the groups stands among the items.
    condition
        1 for the true values that are counted and 0 for others, over candidates.
    public
        The public factor that is summed: 1, or a weight.
    """

    at: int
    total: int
    factor: float | None
    order: tuple[int, ...]
    condition: Expression
    public: Expression

    def positive(self, engine: Engine) -> bool:
        """Whether the public factor could be a weight: nowhere below 0."""
        if self.public == ONE:
            return True
        bare_names = changed(
            self.public, lambda part: Column("", part.name) if isinstance(part, Column) else None
        )
        ((least,),) = engine.rows(f"SELECT min({printed(bare_names)}) FROM data")
        return least is not None and least >= 0


def range_in(
    question: Question, items: Sequence[Expression], totals: Sequence[Total], cells: Cells
) -> Range | None:
    """The one count or share that a query asks for; None where it asks for something else."""
    is_public = public_in(cells.scores)
    estimated = [k for k, item in enumerate(items) if totals_in(item)]
    size = math.prod(len(scores.inputs) for scores in cells.scores.values())
    if len(estimated) != 1 or question.tables is not None or not 0 < size <= _MOST_CELLS:
        return None
    if any(columns_in(key) and not is_public(key) for key in question.keys):
        return None
    names = [Column("", f"k{k}") for k in range(len(question.keys))]
    if not set(names) <= set(items) or set(items) - set(names) != {items[estimated[0]]}:
        return None
    late = [part for part in conjuncts(question.where) if not is_public(part)]
    item = bare(items[estimated[0]])
    parts = (item, None) if isinstance(item, Column) else quotient(item)
    if parts is None:
        return None
    counted, factor = _scaled(parts[0])
    if counted is None or not _is_condition(totals[counted].of):
        return None
    if parts[1] is not None:
        if not isinstance(parts[1], Column) or late:
            return None
        if totals[int(parts[1].name[1:])] != Total(totals[counted].public, ONE):
            return None
    lowered = [cells.lowered(part) for part in late]
    condition = cells.lowered(totals[counted].of)
    if lowered:
        condition = Form("CASE", (all_of(lowered) or TRUE, condition, ZERO))
    if any(not column.name.startswith("x") for column in columns_in(condition)):
        return None
    order = tuple(list(items).index(name) for name in names)
    scale = None if parts[1] is None else factor
    return Range(estimated[0], counted, scale, order, condition, totals[counted].public)


def _scaled(of: Expression) -> tuple[int | None, float]:
    """Which total it is, and by what it is multiplied."""
    if isinstance(of, Call) and of.name == "*" and len(of.parts) == 2:
        number, rest = of.parts if isinstance(of.parts[0], Constant) else of.parts[::-1]
        if isinstance(number, Constant) and number.kind == "number" and isinstance(rest, Column):
            return int(rest.name[1:]), float(number.text.replace("_", ""))
    return (int(of.name[1:]), 1.0) if isinstance(of, Column) else (None, 1.0)


def _is_condition(of: Expression) -> bool:
    """Whether a summand is 1 or 0."""
    return of == ONE or (isinstance(of, Form) and of.kind == "CASE" and of.parts[1:] == (ONE, ZERO))


def likely_spreads(
    engine: Engine,
    question: Question,
    found: Range,
    cells: Cells,
    rows: Lines,
    spreads: Spreads,
    *,
    method: Method,
    confidence: float,
    of: str,
    clustered: bool,
) -> tuple[Lines, Spreads, list[str]]:
    """The rows with the better estimate in each group, and what is to be said of it."""
    if len(rows) > _MOST_GROUPS or not found.positive(engine):
        return rows, spreads, []
    f = _values(engine, found.condition, cells.scores)
    columns = list(cells.scores.values())
    scores = table_scores(columns, f).ravel()
    operator = (
        columns[0].known.operator
        if len(columns) == 1
        else Axes([c.known.operator for c in columns])
    )
    groups = _tally(engine, question, found, cells)
    made: list[tuple[Any, ...]] = []
    said: list[tuple[Spread | None, ...]] = []
    notes: dict[str, None] = {}
    ((people,),) = engine.rows("SELECT count(*) FROM data")
    for row, line in zip(rows, spreads, strict=True):
        spread = line[found.at]
        group = groups.get(tuple(_plain(row[k]) for k in found.order))
        value = row[found.at]
        if group is None or spread is None or spread.error is None or value is None:
            made.append(row)
            said.append(line)
            continue
        weight, square, frequencies = group
        unit = weight if found.factor is None else found.factor
        size, v = weight**2 / square, spread_of(scores, frequencies)
        error = spread.error / unit
        if clustered and v > 0:
            size /= max(error**2 * size / v, 1.0)  # by the design effect of the clusters
        better = chosen_share(
            operator,
            f.ravel(),
            size,
            score=(value / unit, error, v),
            likelihood=partial(Likelihood, operator, frequencies, size),
            method=method,
            confidence=confidence,
            whole=of == "table",
        )
        if better.method != LIKELY:
            made.append(row)
            said.append(line)
            continue
        ends = (unit * better.low, unit * better.high, unit * better.standard_error)
        if of == "population" and found.factor is None:
            relative = max(square / weight**2 - 1 / people, 0.0)
            ends = _with_size(unit * better.value, ends, relative, confidence)
        new = Spread(ends[2], ends[0], ends[1], better.method)
        made.append(
            tuple(unit * better.value if k == found.at else row[k] for k in range(len(row)))
        )
        said.append(tuple(new if k == found.at else line[k] for k in range(len(row))))
        notes[
            f"the unbiased score would have a standard error of {unit * error:.3g}, against "
            f"{ends[2]:.3g}"
        ] = None
    told = [*list(notes)[:1], *(["and likewise in other groups"] if len(notes) > 1 else [])]
    return tuple(made), tuple(said), ["; ".join(told)] if told else []


def _with_size(
    value: float, ends: tuple[float, float, float], relative: float, confidence: float
) -> tuple[float, float, float]:
    """What drawing the group's size errs by, squared and relative to it, added to a count's error."""
    more = value * math.sqrt(relative)
    far = reach(confidence) * more
    low = max(value - math.hypot(value - ends[0], far), 0.0)
    high = value + math.hypot(ends[1] - value, far)
    return low, high, math.hypot(ends[2], more)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, float) and math.isnan(value) else value


def _values(engine: Engine, condition: Expression, scores: Mapping[str, ColumnScores]) -> Floats:
    """The condition at every combination of true values, decided by DuckDB."""
    pa = arrow()
    for j, (name, column) in enumerate(scores.items()):
        texts = [label_text(label) for label in column.inputs]
        given = pa.table({"i": list(range(len(texts))), "x": pa.array(texts, pa.string())})
        engine.connection.register("given", given)
        kind = engine.true_kinds[name]
        engine.execute(
            f"CREATE TEMP TABLE truth{j} AS SELECT i AS i{j}, CAST(x AS {kind}) AS x{j} FROM given"
        )
        engine.connection.unregister("given")
    every = " CROSS JOIN ".join(f"truth{j}" for j in range(len(scores)))
    order = ", ".join(f"i{j}" for j in range(len(scores)))
    found = engine.rows(
        f"SELECT CAST({printed(condition)} AS DOUBLE) FROM (SELECT * FROM {every}) AS {quoted(DATA)} "
        f"ORDER BY {order}"
    )
    flat = np.array([row[0] for row in found], dtype=np.float64)
    return flat.reshape([len(column.inputs) for column in scores.values()])


def _tally(
    engine: Engine, question: Question, found: Range, cells: Cells
) -> dict[tuple[Any, ...], tuple[float, float, Floats]]:
    """By public group: the sums of weights and of their squares, and the released frequencies."""
    keys = [f"k{i}" for i in range(len(question.keys))]
    picked = [
        f"{printed(cells.lowered(key))} AS {name}"
        for key, name in zip(question.keys, keys, strict=True)
    ]
    names = [f"y{j}" for j in range(len(cells.scores))]
    a = found.total
    inner = (
        f"SELECT {', '.join([*picked, *names, f'u{a}', f'u{a}_{a}'])} FROM cells AS {quoted(DATA)}"
    )
    by = ", ".join([*keys, *names])
    rows = engine.rows(f"SELECT {by}, sum(u{a}), sum(u{a}_{a}) FROM ({inner}) GROUP BY {by}")
    sides = [scores.outputs for scores in cells.scores.values()]
    places = positions_of([row[len(keys) : len(keys) + len(names)] for row in rows], sides)
    tables: dict[tuple[Any, ...], tuple[float, float, Floats]] = {}
    for row, place in zip(rows, places, strict=True):
        key = tuple(map(_plain, row[: len(keys)]))
        old = tables.get(key, (0.0, 0.0, np.zeros([len(side) for side in sides])))
        old[2][tuple(place)] += row[-2]
        tables[key] = (old[0] + row[-2], old[1] + row[-1], old[2])
    return {
        key: (weight, square, (table / weight).ravel())
        for key, (weight, square, table) in tables.items()
        if weight > 0
    }
