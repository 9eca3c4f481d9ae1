"""A released table laid out for one question: records, groups, and conditions on true values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.estimation import (
    ColumnScores,
    Method,
    ScoredRecords,
    Statistic,
    Statistics,
    Survey,
    read_chance,
    require_method,
)
from dprivacy.numbers import Floats
from dprivacy.release.receiving.asked_functions import Asked, Columns, read_where
from dprivacy.release.receiving.gathered_rows import Rows, gathered, protected_scores

Of = Literal["table", "population"]
PERSON = "assumes one row a person, as rows of one person share their noise in permanent answers"


@dataclass(frozen=True, eq=False)
class Question:
    """Who is asked about, and how: groups, conditions, design, confidence.

    Parameters
    ----------
    where
        Conditions on true values; see `read_where`.
    by
        The columns that groups are made of, protected or not.
    survey
        How the rows were drawn.
    of
        "table" or "population"; None: the population if the survey says how rows were drawn.
    method
        "auto", "score" or "likelihood", for counts and shares.
    confidence
        Of the intervals.
    """

    where: Any = None
    by: tuple[str, ...] = ()
    survey: Survey = field(default_factory=Survey)
    of: Of | None = None
    method: Method = "auto"
    confidence: float = 0.95

    @property
    def asked_of(self) -> Of:
        """What the answer is about."""
        if self.of is not None:
            return self.of
        return "population" if self.survey.draws else "table"


class Desk:
    """A table laid out for one question: records, groups, and the functions of its conditions.

    Conditions on a public column choose rows; those on protected ones become part of every function.
    Groups of public columns are groups of rows; for protected ones every label is asked about in turn.
    """

    def __init__(self, table: Rows, question: Question, columns: Sequence[str]) -> None:
        require_method(question.method)
        if question.of is not None:
            UnknownName.require("of", question.of, ("table", "population"))
        read_chance(question.confidence)
        self.question, self.card = question, table.card
        conditions = read_where(question.where, Columns(table.columns, table.card.dropped))
        asked = [name for each in conditions for name in each.columns]
        used = list(dict.fromkeys([*columns, *asked, *question.by]))
        owner = {
            name: entry for entry, told in table.card.mechanisms.items() for name in told["columns"]
        }
        self.scores: dict[str, ColumnScores] = {
            name: protected_scores(table, owner[name]) for name in used if name in owner
        }
        fraction = 1.0 if question.asked_of == "table" else None
        found = gathered(table, used, self.scores, question.survey, fraction)
        self.found, self.design = found, found.design
        self.chosen = [c for c in conditions if not any(name in self.scores for name in c.columns)]
        self.conditions = [c for c in conditions if c not in self.chosen]
        apart = [*columns, *(name for c in self.conditions for name in c.columns)]
        apart += [name for name in question.by if name in self.scores]
        self.hidden = [name for name in dict.fromkeys(apart) if name in self.scores]
        self.open = [name for name in dict.fromkeys(apart) if name not in self.scores]
        self.combinations, public = self._combined(self.open)
        self.groups, codes = self._grouped([n for n in question.by if n not in self.scores])
        none = np.zeros((len(found.design.rows), 0), dtype=np.intp)
        each = [found.codes[name][:, None] for name in self.hidden]
        codes_of = np.concatenate([none, *each], axis=1)
        self.records = ScoredRecords(
            tuple(self.scores[name] for name in self.hidden),
            codes_of,
            public,
            len(self.combinations),
            found.design,
            codes,
            len(self.groups) + 1,
        )

    def _combined(self, names: Sequence[str]) -> tuple[list[tuple[Any, ...]], NDArray[np.intp]]:
        """The combinations of values of some columns that occur, and the number of each record's."""
        size = len(self.design.rows)
        if not names:
            return [()], np.zeros(size, dtype=np.intp)
        codes = np.zeros(size, dtype=np.intp)
        for name in names:
            codes = codes * len(self.found.values[name]) + self.found.codes[name]
        distinct, at = np.unique(codes, return_inverse=True)
        listed = []
        for number in distinct.tolist():
            each = []
            for name in reversed(names):
                number, k = divmod(number, len(self.found.values[name]))
                each.append(self.found.values[name][k])
            listed.append(tuple(reversed(each)))
        order = sorted(range(len(listed)), key=lambda k: [_sortable(v) for v in listed[k]])
        place = np.argsort(np.array(order))
        return [listed[k] for k in order], place[at].astype(np.intp)

    def _grouped(self, names: Sequence[str]) -> tuple[list[tuple[Any, ...]], NDArray[np.intp]]:
        """The groups of rows that meet the conditions; all other rows are in one more, the last."""
        listed, codes = self._combined(names)
        held = self._held()
        present = np.unique(codes[held])
        if not len(present):
            raise NotApplicable(
                "no row meets the conditions on the columns that were passed through"
            )
        place = np.full(len(listed), len(present), dtype=np.intp)
        place[present] = np.arange(len(present))
        return [listed[k] for k in present], np.where(held, place[codes], len(present))

    def _held(self) -> NDArray[np.bool_]:
        """The records whose public values meet the conditions on them."""
        held = np.ones(len(self.design.rows), dtype=bool)
        for condition in self.chosen:
            listed, at = self._combined(condition.columns)
            held &= np.array([bool(condition.call(*each)) for each in listed])[at]
        return held

    def table(self, asked: Asked) -> Floats:
        """A function as a table of public combinations and true values, to be broadcast."""
        inner = [name for name in asked.columns if name in self.scores]
        sides = [self.scores[name].inputs for name in inner]
        if len(inner) == len(asked.columns):
            found = asked.table(sides)[None]
        else:
            asked.require_few(len(self.combinations) * math.prod(map(len, sides)))
            found = np.stack(
                [self._at(asked, dict(zip(self.open, c, strict=True))) for c in self.combinations]
            )
        order = sorted(range(len(inner)), key=lambda k: self.hidden.index(inner[k]))
        shape = [len(found), *[1] * len(self.hidden)]
        for name, side in zip(inner, sides, strict=True):
            shape[1 + self.hidden.index(name)] = len(side)
        return np.transpose(found, [0, *(1 + k for k in order)]).reshape(shape)

    def _at(self, asked: Asked, public: Mapping[str, Any]) -> Floats:
        """A function at one combination of public values, an axis for each protected column."""
        sides = [self.scores[n].inputs if n in self.scores else [public[n]] for n in asked.columns]
        kept = [len(s) for s, n in zip(sides, asked.columns, strict=True) if n in self.scores]
        return asked.table(sides).reshape(kept)

    def condition(self) -> Floats:
        """1 where every condition on protected columns holds."""
        held = np.ones([1] * (1 + len(self.hidden)))
        for each in self.conditions:
            held = held * (self.table(each) != 0)
        return held

    def labels(self) -> list[tuple[tuple[Any, ...], Floats]]:
        """Every combination of labels of the protected groups, and its indicator."""
        names = [name for name in self.question.by if name in self.scores]
        sides = [self.scores[name].inputs for name in names]
        found = []
        for each in product(*(range(len(side)) for side in sides)):
            held = np.ones([1] * (1 + len(self.hidden)))
            for name, k, side in zip(names, each, sides, strict=True):
                shape = [1] * (1 + len(self.hidden))
                shape[1 + self.hidden.index(name)] = len(side)
                held = held * (np.arange(len(side)) == k).reshape(shape)
            found.append((tuple(side[k] for side, k in zip(sides, each, strict=True)), held))
        return found

    def keyed(self, group: tuple[Any, ...], label: tuple[Any, ...]) -> tuple[Any, ...]:
        """The labels of a group in the order that was asked for."""
        opened, hidden = iter(group), iter(label)
        return tuple(
            next(hidden) if name in self.scores else next(opened) for name in self.question.by
        )

    def full(self, f: Floats) -> Floats:
        """A function's table at its full size."""
        return np.ascontiguousarray(np.broadcast_to(f, self.records.shape))

    def answer(self, words: str, entries: Sequence[Statistic]) -> Statistics:
        """The answer, groups in their order."""
        notes = list(self.design.notes)
        if self.card.permanent and not self.question.survey.clusters:
            notes.append(PERSON)
        if self.question.survey.weights:
            words += f", weighted by {self.question.survey.weights}"
        conditions = [c.words for c in (*self.chosen, *self.conditions)]
        if conditions:
            words += f", where {' and '.join(conditions)}"
        ordered = sorted(entries, key=lambda e: [_sortable(v) for v in e.keys])
        return Statistics(
            words,
            self.question.by,
            tuple(ordered),
            self.question.asked_of,
            self.question.confidence,
            int(self.design.rows.sum()),
            tuple(notes),
        )


def _sortable(value: Any) -> Any:
    number = isinstance(value, int | float) or hasattr(value, "numerator")
    return (value is None, not number, float(value) if number else 0.0, str(value))
