"""A query corrected for the noise: estimates by group, with their errors and intervals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.estimation import ColumnScores, Method, Survey, reach
from dprivacy.numbers import Floats
from dprivacy.release.queries.aggregate_totals import Totals
from dprivacy.release.queries.contained_engine import Engine
from dprivacy.release.queries.group_variances import ANSWERS, Of, make_answers
from dprivacy.release.queries.likely_ranges import Lines, Spreads, likely_spreads, range_in
from dprivacy.release.queries.query_answer import Spread
from dprivacy.release.queries.reading.asked_question import (
    DATA,
    Question,
    after_grouping,
    conditions_in,
)
from dprivacy.release.queries.reading.query_printer import printed
from dprivacy.release.queries.reading.query_refusals import refused
from dprivacy.release.queries.reading.query_tree import (
    Column,
    Expression,
    Order,
    changed,
    columns_in,
    number,
)
from dprivacy.release.queries.released_cells import Cells, public_in
from dprivacy.release.queries.total_derivatives import (
    guarded,
    quotient,
    slope,
    totals_in,
    unrounded,
)
from dprivacy.release.receiving.gathered_rows import protected_scores
from dprivacy.release.receiving.table_receiver import ReceivedTable

_SURE = 0.1  # coefficient of variation of a denominator up to which the delta method is used
_ROUNDING = 1e-12  # of a variance, relative to what it is the difference of


@dataclass(frozen=True)
class Estimates:
    """The rows of an answer, and for every estimated column and row its spread."""

    rows: Lines
    spreads: Spreads
    notes: tuple[str, ...]


def hidden_in(question: Question, release: ReceivedTable) -> dict[str, ColumnScores]:
    """The scores of the protected columns that a query names; refused where one has none."""
    parts = [*question.items, *question.keys, question.where, *conditions_in(question.tables)]
    parts += [question.having, *(order.part for order in question.orders)]
    named = [column.name for column in columns_in(*parts) if column.table == DATA]
    release.require_apart(named)
    found: dict[str, ColumnScores] = {}
    for name, entry in release.card.mechanisms.items():
        asked = [column for column in entry["columns"] if column in named]
        if not asked:
            continue
        try:
            found[asked[0]] = protected_scores(release, name)
        except NotApplicable as reason:
            raise refused(
                f"the column {asked[0]} is asked for ({reason})", "leave it out"
            ) from None
        if not found[asked[0]].full:
            raise refused(
                f"the released values of {asked[0]} do not determine the true ones",
                "leave it out, or ask `dprivacy estimate` for it",
            )
    return found


def estimated(
    engine: Engine,
    question: Question,
    hidden: Mapping[str, ColumnScores],
    survey: Survey,
    of: Of,
    method: Method,
    confidence: float,
) -> Estimates:
    """The answer to a query, corrected for the noise of its protected columns."""
    if of == "table":  # where rows are as they are, however they were drawn
        survey = Survey(weights=survey.weights)
    weight = Column(DATA, survey.weights) if survey.weights else None
    totals = Totals(public_in(hidden), weight)
    lifted = [after_grouping(item, question.keys, totals.meaning) for item in question.items]
    having = question.having
    chosen = None if having is None else after_grouping(having, question.keys, totals.meaning)
    orders = [
        Order(after_grouping(o.part, question.keys, totals.meaning), o.descending, o.nulls)
        for o in question.orders
    ]
    pairs = _pairs(lifted)
    kept = {"stratum": survey.strata, "cluster": survey.clusters}
    cells = Cells(engine, hidden, {place: name for place, name in kept.items() if name})
    near = _shifts(engine, totals)
    settled = [_settled(part, near) for part in lifted]
    sums = [type(t)(_settled(t.public, near), _settled(t.of, near)) for t in totals.listed]
    cells.score(question, sums, pairs)
    degrees = make_answers(engine, len(question.keys), len(sums), pairs, survey, of)
    asked = _Asked(settled, reach(confidence, degrees))
    tail = _tail(question, None if chosen is None else _settled(chosen, near), [
        Order(_settled(o.part, near), o.descending, o.nulls) for o in orders
    ])  # fmt: skip
    rows, spreads, empty = asked.answered(engine, tail)
    notes: list[str] = []
    by_estimate = any(totals_in(part) for part in (chosen, *(o.part for o in orders)) if part)
    ranged = None if by_estimate else range_in(question, settled, sums, cells)
    if method == "likelihood" and ranged is None:
        raise NotApplicable(
            "the likelihood is climbed for one count or share of a condition on protected columns, by "
            'public groups; take the method "score" (or "auto") for other queries'
        )
    if ranged is not None and method != "score":
        rows, spreads, notes = likely_spreads(
            engine,
            question,
            ranged,
            cells,
            rows,
            spreads,
            method=method,
            confidence=confidence,
            of=of,
            clustered=of == "population" and bool(survey.clusters),
        )
    if by_estimate:
        notes.append("chosen or sorted by estimates: the largest of them are over-stated")
    if hidden and any(map(_has_nothing, rows, spreads)):
        notes.append("0 ± 0: no released row is near what is asked for, so its error is not known")
    if empty:
        notes.append("where no interval is given, the group may be empty at this noise")
    return Estimates(rows, spreads, tuple(notes))


def _has_nothing(row: tuple[Any, ...], line: tuple[Spread | None, ...]) -> bool:
    pairs = zip(row, line, strict=True)
    return any(spread is not None and value == 0 == spread.error for value, spread in pairs)


def _pairs(items: Sequence[Expression]) -> list[tuple[int, int]]:
    """The pairs of totals whose covariance some answer needs."""
    found: dict[tuple[int, int], None] = {}
    for item in items:
        at = sorted(int(name[1:]) for name in totals_in(item))
        found |= {(a, b): None for a in at for b in at if a <= b}
    return list(found)


def _settled(of: Expression, near: dict[str, float]) -> Expression:
    """An expression with its shifts put in."""

    def put(part: Expression) -> Expression | None:
        known = isinstance(part, Column) and not part.table and part.name in near
        return number(near[part.name]) if known else None  # type: ignore[union-attr]

    return changed(of, put)


def _shifts(engine: Engine, totals: Totals) -> dict[str, float]:
    """A number near the values of each expression whose squares are summed, by the released rows."""
    near: dict[str, float] = {}
    for k, of in enumerate(totals.shifts):
        near[f"c{k}"] = 0.0
        plain = [c.table == DATA and c.name not in engine.reported for c in columns_in(of)]
        if all(plain):
            bare = changed(of, lambda c: Column("", c.name) if isinstance(c, Column) else None)
            sql = f"SELECT avg(CAST({printed(bare)} AS DOUBLE)) FROM data"
            value = engine.rows(sql)[0][0]
            if value is not None and math.isfinite(value) and value:
                digits = 2 - math.floor(math.log10(abs(value)))
                near[f"c{k}"] = float(round(value, digits))
    return near


def _tail(question: Question, having: Expression | None, orders: Sequence[Order]) -> str:
    """HAVING, ORDER BY, LIMIT and OFFSET, over answers."""
    text = "" if having is None else f" WHERE {printed(guarded(having))}"
    sorts = [
        f"{printed(guarded(o.part))} {'DESC' if o.descending else 'ASC'}"
        + (f" NULLS {o.nulls}" if o.nulls else "")
        for o in orders
    ]
    sorts = sorts or [f"k{i}" for i in range(len(question.keys))]  # SQL leaves it open
    text += f" ORDER BY {', '.join(sorts)}" if sorts else ""
    text += "" if question.limit is None else f" LIMIT {question.limit}"
    return text + (f" OFFSET {question.offset}" if question.offset else "")


@dataclass(frozen=True)
class _Asked:
    """Expressions over the table of answers, and what their errors need."""

    items: Sequence[Expression]
    z: float

    def answered(self, engine: Engine, tail: str) -> tuple[Lines, Spreads, bool]:
        """The rows, their spreads, and whether some group may be empty."""
        wanted = [_double(item) if totals_in(item) else printed(item) for item in self.items]
        plans = [_Plan.of(item) if totals_in(item) else None for item in self.items]
        numbers: dict[str, int] = {}
        for plan in plans:
            for text in plan.needed() if plan else []:
                numbers.setdefault(text, len(numbers))
        listed = ", ".join(f"{text} AS i{n}" for n, text in enumerate([*wanted, *numbers]))
        found = engine.rows(f"SELECT {listed} FROM {ANSWERS}{tail}")
        width = len(self.items)
        held = np.array([row[width:] for row in found], dtype=np.float64)
        held = held.reshape(len(found), len(numbers))
        columns: list[list[Spread | None]] = []
        empty = False
        values = [[_finite(row[j]) if plans[j] else row[j] for row in found] for j in range(width)]
        for j, plan in enumerate(plans):
            if plan is None:
                columns.append([None] * len(found))
                continue
            spreads, some = plan.spreads(values[j], held, numbers, self.z)
            columns.append(spreads)
            empty = empty or some
        rows = tuple(tuple(column[i] for column in values) for i in range(len(found)))
        return rows, tuple(tuple(c[i] for c in columns) for i in range(len(found))), empty


def _double(of: Expression) -> str:
    """An expression over answers as SQL that gives a double."""
    return f"CAST({printed(guarded(of))} AS DOUBLE)"


def _finite(value: Any) -> Any:
    return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True)
class _Plan:
    """What the error of one expression is made of, as SQL over the table of answers."""

    totals: tuple[int, ...]
    value: Expression
    parts: tuple[Expression, Expression] | None  # of a quotient

    @classmethod
    def of(cls, item: Expression) -> "_Plan":
        bare = unrounded(item)
        totals = tuple(sorted(int(name[1:]) for name in totals_in(bare)))
        return cls(totals, bare, quotient(bare))

    def _slope(self, of: Expression, a: int) -> str:
        found = slope(of, f"t{a}")
        return "CAST(0 AS DOUBLE)" if found is None else _double(found)

    def needed(self) -> list[str]:
        """Every number that `spreads` looks up."""
        own = [f"{letter}{a}_{b}" for a, b in self._own_pairs() for letter in "vr"]
        slopes = [
            self._slope(of, a) for of in (self.value, *(self.parts or ())) for a in self.totals
        ]
        ends = [_double(part) for part in (self.value, *(self.parts or ()))]
        return [*own, *slopes, *ends]

    def _own_pairs(self) -> list[tuple[int, int]]:
        return [(a, b) for a in self.totals for b in self.totals if a <= b]

    def spreads(
        self, values: Sequence[Any], held: Floats, numbers: dict[str, int], z: float
    ) -> tuple[list[Spread | None], bool]:
        """The spread of each row's value; whether a denominator may be 0 in some."""

        def column(text: str) -> Floats:
            found: Floats = held[:, numbers[text]]
            return found

        def slopes(of: Expression) -> Floats:
            return np.stack([column(self._slope(of, a)) for a in self.totals], axis=1)

        k = len(self.totals)
        v, r = np.zeros((len(held), k, k)), np.zeros((len(held), k, k))
        for a, b in self._own_pairs():
            i, j = self.totals.index(a), self.totals.index(b)
            v[:, i, j] = v[:, j, i] = column(f"v{a}_{b}")
            r[:, i, j] = r[:, j, i] = column(f"r{a}_{b}")

        def covariance(d: Floats, e: Floats) -> Floats:
            found = np.einsum("ga,gab,gb->g", d, v, e)
            scale = np.einsum("ga,gab,gb->g", np.abs(d), r, np.abs(e))
            cleaned: Floats = np.where(np.abs(found) <= _ROUNDING * scale, 0.0, found)
            return cleaned

        whole = slopes(self.value)
        error = np.sqrt(np.maximum(covariance(whole, whole), 0.0))
        middle = column(_double(self.value))
        low, high = middle - z * error, middle + z * error
        empty = np.zeros(len(held), dtype=bool)
        if self.parts is not None:
            top, bottom = (column(_double(part)) for part in self.parts)
            d, e = (slopes(part) for part in self.parts)
            vb = np.maximum(covariance(e, e), 0.0)
            unsure = vb > (_SURE * bottom) ** 2
            empty = unsure & (bottom**2 <= z**2 * vb)
            use = unsure & ~empty
            ends = _fieller(top, bottom, covariance(d, d), covariance(d, e), vb, z)
            low, high = np.where(use, ends[0], low), np.where(use, ends[1], high)
        spreads: list[Spread | None] = []
        for i, value in enumerate(values):
            if value is None:
                spreads.append(Spread())
                continue
            ends_known = not empty[i] and np.isfinite([low[i], high[i]]).all()
            sides = (float(low[i]), float(high[i])) if ends_known else (None, None)
            known = float(error[i]) if np.isfinite(error[i]) else None
            spreads.append(Spread(known, *sides))
        return spreads, bool(empty.any())


def _fieller(
    top: Floats, bottom: Floats, vtt: Floats, vtb: Floats, vbb: Floats, z: float
) -> tuple[Floats, Floats]:
    """The ends of {R : (A − R·B)² ≤ z²·Var(A − R·B)}, where B is not 0 at this confidence."""
    a = bottom**2 - z**2 * vbb
    b = top * bottom - z**2 * vtb
    root = np.sqrt(np.maximum(b**2 - a * (top**2 - z**2 * vtt), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (b - root) / a, (b + root) / a
