"""Two answers together: how far off the cells of a two-way table may be, whatever the truth is."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dprivacy.model import Channel
from dprivacy.numbers import Floats
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.figures.kept_figures import found_once
from dprivacy.release.joints.joint_settings import margin
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.sheets.learned_statistics import corrected_squares, worst_variance

MOST_VALUES = 60  # of an answer that is crossed with others


@dataclass(frozen=True)
class Crossed:
    """Two answers, the sides of their table, and the variance of a cell's share for one person."""

    names: tuple[str, str]
    columns: tuple[str, str]
    sizes: tuple[int, int]
    variance: float


@dataclass(frozen=True)
class _Side:
    """One answer: its column of the plan, and its place there if several are drawn together."""

    column: ColumnPlan
    place: int

    @property
    def own(self) -> ColumnPlan:
        return self.column.cells[self.place]

    def squares(self) -> Floats | None:
        """Of each person's corrected count, by truth and answer counted."""
        return found_once(
            self.column.mechanism, ("squares", self.place), lambda: corrected_squares(self._law())
        )

    def _law(self) -> Channel | None:
        channel = self.column.channel
        if channel is None or not self.column.members:
            return channel
        return margin(channel, (self.place,))


def crossed_answers(plan: Plan) -> list[Crossed]:
    """Every two answers with listed values, the table that errs least first.

    Columns have noises of their own, so that the corrected counts of a cell multiply; for columns that
    are drawn together it is the one draw that counts.
    """
    sides = [
        _Side(column, place)
        for column in plan.columns
        for place, own in enumerate(column.cells)
        if own.kind not in ("numbers", "dates") and 1 < len(own.values) <= MOST_VALUES
    ]
    return sorted(_pairs(sides), key=lambda pair: pair.variance)


def _pairs(sides: list[_Side]) -> Iterator[Crossed]:
    for one, other in combinations(sides, 2):
        variance = _together(one, other) if one.column is other.column else _apart(one, other)
        if variance is not None:
            yield Crossed(
                (one.own.name, other.own.name),
                (one.own.columns[0], other.own.columns[0]),
                (len(one.own.values), len(other.own.values)),
                variance,
            )


def _together(one: _Side, other: _Side) -> float | None:
    assert one.column.channel is not None
    squares = corrected_squares(margin(one.column.channel, (one.place, other.place)))
    return None if squares is None else worst_variance(*_tops(squares))


def _apart(one: _Side, other: _Side) -> float | None:
    first, second = one.squares(), other.squares()
    if first is None or second is None:
        return None
    (truth, others), (truth_2, others_2) = _tops(first), _tops(second)
    either, either_2 = np.maximum(truth, others), np.maximum(truth_2, others_2)
    return worst_variance(
        np.outer(truth, truth_2),
        np.maximum(np.outer(others, either_2), np.outer(either, others_2)),
    )


def _tops(squares: Floats) -> tuple[Floats, Floats]:
    """The square for people who have an answer, and the largest for those who have another."""
    others = np.where(np.eye(len(squares), dtype=bool), -np.inf, squares).max(axis=0)
    return squares.diagonal(), others
