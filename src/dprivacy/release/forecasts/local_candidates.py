"""For columns of many unordered values: local mechanisms beside the one that the plan names."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber
from dprivacy.mechanisms import Candidate, local_plan
from dprivacy.model import shown
from dprivacy.release.domains.planned_column import ColumnPlan

_MUCH = 1.1  # times the error of the recommended mechanism from which on another is worth changing


@dataclass(frozen=True)
class Alternatives:
    """What a column's counts would err by with each local mechanism, at the level of the plan.

    Attributes
    ----------
    column, values
        The column, and how many values it has.
    error
        The standard error of a corrected count as the plan has it.
    candidates
        The mechanisms, the recommended one first; randomised response is among them.

    Examples
    --------
    >>> from dprivacy.release import Plan, forecast
    >>> towns = {"type": "categories", "values": list(range(200)), "epsilon": "1"}
    >>> (found,) = forecast(Plan.read({"columns": {"town": towns}}), rows=100_000).alternatives
    >>> print(found.sentence().partition(":")[0])
    town has 200 unordered values
    >>> [(each.name, round(each.error)) for each in found.candidates][:1]
    [('projective response (q = 4, t = 5)', 606)]
    """

    column: str
    values: int
    error: float
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The recommended one: the shortest reports among those that err least."""
        return self.candidates[0]

    @property
    def worthwhile(self) -> bool:
        """Whether the recommended one errs so much less that the plan should be changed."""
        return self.error > _MUCH * self.best.error

    def sentence(self) -> str:
        """The recommendation, and its reason."""
        best, k = self.best, f"{self.values:,} unordered values"
        if not self.worthwhile:
            return (
                f"{shown(self.column)} has {k}: no local mechanism that was looked at errs by much "
                "less than the one it has."
            )
        return (
            f'{shown(self.column)} has {k}: mechanism = "{best.family}" is recommended, whose counts '
            f"have a standard error of {_told(best.error)} in place of {_told(self.error)}, at the "
            f"same level. Cells are then reports of {best.bits:.1f} bits, to be read through the card, "
            "and not values."
        )

    def line(self) -> str:
        """The recommendation as one line among others."""
        if not self.worthwhile:
            return self.sentence()
        return (
            f'{shown(self.column)}: mechanism = "{self.best.family}" is recommended, whose counts have '
            f"a standard error of {_told(self.best.error)} in place of {_told(self.error)}."
        )

    def explain(self) -> str:
        """The recommendation and a table."""
        lines = [self.sentence(), f"    {'mechanism':<38}{'± s.e.':>10}{'bits':>10}"]
        for each in self.candidates:
            lines.append(f"    {each.name:<38}{_told(each.error):>10}{each.bits:>10,.1f}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "column": self.column,
            "values": self.values,
            "error": self.error,
            "recommended": self.best.family if self.worthwhile else None,
            "candidates": [
                {"mechanism": c.family, **c.parameters, "error": c.error, "bits": c.bits}
                for c in self.candidates
            ],
            "sentence": self.sentence(),
        }


def _told(error: float) -> str:
    return f"{error:,.0f}" if error >= 100 else f"{error:.3g}"


def report_error(column: ColumnPlan, rows: int) -> float | None:
    """The standard error of a corrected count of a column of reports, where all are equally common."""
    if column.local is None:
        return None
    each = column.local.reports.variance(Fraction(1, len(column.local.labels)))
    return math.sqrt(rows * float(each))


def alternatives(column: ColumnPlan, rows: int, error: float | None) -> Alternatives | None:
    """Local mechanisms for a column, where one errs by much less or the column sends reports.

    None for columns that are not of plain categories: elsewhere distances say what is protected, and
    blocks, or δ, are what no local mechanism here has.
    """
    plain = column.kind == "categories" and not {"blocks", "delta"} & set(column.spec)
    if not plain or error is None:
        return None
    try:
        found = local_plan(column.values, eps=column.mechanism.guarantee.eps, n=rows)
    except BadNumber:  # at a level so small that no report says anything
        return None
    told = Alternatives(column.name, len(column.values), error, found.candidates)
    return told if told.worthwhile or column.local is not None else None
