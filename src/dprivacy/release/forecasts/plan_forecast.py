"""Before any data is touched: what a plan promises, and what it will cost."""

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable, NotInvertible
from dprivacy.estimation import count_error, smallest_eps_for
from dprivacy.mechanisms import cell_form
from dprivacy.model import Answer, Channel, Pictured, plain, shown
from dprivacy.release.budgets.widest_levels import mechanism_level
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.domains.point_columns import class_level
from dprivacy.release.figures.kept_figures import found_once
from dprivacy.release.figures.plain_numbers import factor_said
from dprivacy.release.figures.row_statement import RowFigures, row_figures
from dprivacy.release.forecasts.column_table import ColumnForecast, column_lines
from dprivacy.release.forecasts.local_candidates import Alternatives, alternatives, report_error
from dprivacy.release.plans.joint_promise import JointGuarantee, folded_notes, joint_guarantee
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.shuffle_terms import shuffle_delta
from dprivacy.release.unordered.shuffled_block import ShuffledTable, shuffled_table
from dprivacy.spaces import Categories, FiniteSpace
from dprivacy.typing import NumberLike, PlanLike

_APART = {
    "categories": "any two at distance 1 within a block",
    "ordered": "neighbours at distance 1",
    "tree": "distances in the tree",
    "graph": "shortest paths",
    "distances": "distances of its table",
    "stored": "distances of the mechanism",
    "numbers": "numbers at their difference",
    "dates": "dates at their difference in days",
    "place": "Euclidean",
    "bits": "differing bits count",
    "text": "distances of the vocabulary",
}


@dataclass(frozen=True)
class Forecast(Answer, Pictured):
    """What a plan promises and costs, at a number of rows.

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = Plan.read({"columns": {"tea": tea}})
    >>> print(forecast(plan, rows=1000).explain().splitlines()[0])
    LIMITED. One person's row tells something, within a limit that means something.
    """

    row: RowFigures
    guarantee: JointGuarantee
    rows: int
    columns: tuple[ColumnForecast, ...]
    alternatives: tuple[Alternatives, ...] = ()
    shuffled: ShuffledTable | None = None

    exact = False

    def explain(self) -> str:
        """What the row tells, and a line for each column."""
        lines = self.row.explain().splitlines()
        if self.shuffled is not None:
            lines += [self.shuffled.in_odds(), self.shuffled.explain()]
        lines += [
            "",
            *column_lines(self.columns, self.rows),
            *map(shown, folded_notes(self.guarantee.notes)),
        ]
        for told in self.alternatives:
            lines += ["", told.explain()] if len(self.alternatives) == 1 else []
        if len(self.alternatives) > 1:
            lines += ["", *(told.line() for told in self.alternatives), _WAYS]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data."""
        return {
            "row": self.row.to_dict(),
            "guarantee": self.guarantee.to_dict(),
            "rows": self.rows,
            "columns": [plain(vars(column)) for column in self.columns],
            "alternatives": [plain(told.to_dict()) for told in self.alternatives],
            **({} if self.shuffled is None else {"shuffled": self.shuffled.to_dict()}),
        }


_WAYS = "Cells are then reports, to be read through the card; --transitions NAME has all choices."


def forecast(
    plan: PlanLike, *, rows: int, delta: NumberLike | None = None, group: int | None = None
) -> Forecast:
    """What a plan promises and what estimates from its output will be worth.

    Parameters
    ----------
    plan
        A Plan, the path of a plan file, or the mapping such a file gives.
    rows
        How many rows the table will have.
    delta
        With it, the forecast adds what the table protects when it is released shuffled.
    group
        For that, where columns are published as they are: the rows of the smallest group that is alike
        in them.

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = Plan.read({"columns": {"tea": tea}})
    >>> forecast(plan, rows=1000).columns[0].kept
    (0.75, 0.75)
    """
    plan = Plan.read(plan)
    if not isinstance(rows, Integral) or rows < 1:
        raise BadNumber(f"a table has a whole number of rows, at least one row, not {rows!r}")
    columns = tuple(_column(c, rows) for c in plan.columns)
    others = (
        alternatives(column, rows, found.count_error)
        for column, found in zip(plan.columns, columns, strict=True)
    )
    shuffled = _shuffled(plan, rows, delta, group)
    told = tuple(each for each in others if each is not None)
    return Forecast(row_figures(plan), joint_guarantee(plan), rows, columns, told, shuffled)


def _shuffled(
    plan: Plan, rows: int, delta: NumberLike | None, group: int | None
) -> ShuffledTable | None:
    if delta is None:
        return None
    slack = shuffle_delta(plan, shuffle=True, delta=delta, permanent=False)
    assert slack is not None
    if plan.pass_through and group is None:
        names = ", ".join(plan.pass_through)
        raise NotApplicable(
            f"the plan publishes {names} as they are, and a row hides only among rows that are alike "
            "there; say how many there are in the smallest such group (group=, --group)"
        )
    if group is not None and (type(group) is not int or not 2 <= group <= rows):
        raise BadNumber(
            f"a group has a whole number of rows, at least 2 and at most all {rows:,}, not {group!r}"
        )
    return shuffled_table(plan, int(rows), delta=slack, smallest=group)


def _column(column: ColumnPlan, rows: int) -> ColumnForecast:
    channel = column.channel
    level = mechanism_level(column.mechanism)
    told = column.name, column.mechanism.family, _distances(column)
    factor = "no limit" if level is None else factor_said(level)
    if channel is None:
        error = report_error(column, rows)
        share = None if error is None else error / rows
        bits = None if column.local is None else column.local.bits
        sampled = None if share is None else math.hypot(share, _sampling(len(column.values), rows))
        return ColumnForecast(*told, None, None, error, share, bits, None, sampled, factor)
    kept = [float(channel[x, x]) if x in channel.columns else 0.0 for x in channel.rows]
    error, sampled = found_once(column.mechanism, ("errors", rows), lambda: _errors(channel, rows))
    mean, spread = _mean(column, rows)
    return ColumnForecast(
        *told,
        (min(kept), max(kept)),
        _moved(column, channel),
        error,
        None if error is None else error / rows,
        None,
        sum(kept) / len(kept),
        sampled,
        factor,
        mean,
        spread,
    )


def _errors(channel: Channel, rows: int) -> tuple[float | None, float | None]:
    """The largest error of a count from the noise alone, and of a share with sampling."""
    try:
        error = max(count_error(channel, n=rows).values())
        return error, max(
            count_error(channel, n=rows, of="population", scale="proportions").values()
        )
    except NotInvertible:
        return None, None


def _mean(column: ColumnPlan, rows: int) -> tuple[float | None, float | None]:
    """The standard error of a corrected mean, the largest over populations, and half the range."""
    space, level = column.mechanism.guarantee.space, mechanism_level(column.mechanism)
    if column.kind != "numbers" or column.mechanism.family != "laplace" or level is None:
        return None, None
    wide, steps = float(space.diameter), len(column.channel.rows) - 1 if column.channel else 0
    if steps < 1:
        return None, None
    a, half = math.exp(-float(level) / steps), steps // 2
    ends = (a**half + a ** (steps - half)) / (1 + a)  # the least chance of an end: in the middle
    variance = a * (2 - ends) / (1 - a) ** 2 / steps**2
    return wide * math.sqrt(variance / rows), wide / 2


def _sampling(values: int, rows: int) -> float:
    """The standard error of a share of 1/k without any noise."""
    return math.sqrt((values - 1) / rows) / values


def _distances(column: ColumnPlan) -> str:
    space = column.mechanism.guarantee.space
    if isinstance(space, FiniteSpace) and space.uniform_distance is not None:
        return f"any two at distance {space.uniform_distance}"
    if isinstance(space, Categories):
        return "any two at distance 1"
    beside = "" if class_level(column.mechanism) is None else ", codes hang on the anchor"
    return _APART[column.kind] + beside


def _moved(column: ColumnPlan, channel: Channel) -> float | None:
    """The expected distance that a value moves, at most; None if some outputs are not inputs."""
    space = column.mechanism.guarantee.space
    if not isinstance(space, FiniteSpace) or any(y not in space for y in channel.columns):
        return None
    at = {label: k for k, label in enumerate(space.labels)}
    rows, columns = ([at[label] for label in side] for side in (channel.rows, channel.columns))
    chances = channel.matrix.floats
    far = np.where(chances > 0, space.distances.floats[np.ix_(rows, columns)], 0.0)
    return float((chances * far).sum(axis=1).max())


def needed_eps(rows: int, categories: int, points: float) -> float:
    """The smallest ε of a randomised response that estimates proportions to within ± points (95 %).

    Examples
    --------
    >>> print(f"{needed_eps(10_000, 2, points=2):.3f}")
    0.944
    """
    return smallest_eps_for(
        error=points / 100 / 1.96, n=rows, categories=categories, scale="proportions"
    )


def transition_summary(column: ColumnPlan) -> str:
    """How a column's values change, as statisticians know it from PRAM: a row a value.

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = Plan.read({"columns": {"tea": tea}})
    >>> print(transition_summary(plan.columns[0]))
    tea: probability of each released value
      yes -> yes 75.0%, no 25.0%
      no -> no 75.0%, yes 25.0%
    """
    channel, local = column.channel, column.local
    if local is not None:
        return (
            f"{column.name}: a cell is a report, {cell_form(local)}; its set holds the true value with "
            f"probability {float(local.p):.1%}, and any other with {float(local.q):.1%}"
        )
    if channel is None:
        return f"{column.name}: no transition matrix ({column.mechanism.family})"
    lines = [f"{column.name}: probability of each released value"]
    for x in channel.rows:
        row = channel.row(x)
        best = sorted(row.items(), key=lambda item: -item[1])[:4]
        lines.append(f"  {shown(x)} -> " + ", ".join(f"{shown(y)} {float(p):.1%}" for y, p in best))
    return "\n".join(lines)
