"""One answer of a person: how often it is guessed blindly, with the row, and by those who know more."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber, NotApplicable
from dprivacy.flow import capacity
from dprivacy.model import Channel, factor_up, plain
from dprivacy.numbers import as_share
from dprivacy.release.budgets.widest_levels import mechanism_level
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.figures.row_statement import plan_behind
from dprivacy.release.joints.joint_settings import margin
from dprivacy.release.plans.column_domains import blocks_of
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.report_columns import listed_reports
from dprivacy.typing import Number, NumberLike, PlanLike


@dataclass(frozen=True)
class AnswerFigures:
    """How often one answer is guessed, found from the plan alone.

    Attributes
    ----------
    name, columns
        The column, as the plan and as the table has it.
    values
        How many values it may have; None where they are not listed. Where groups of values are
        published as they are, it is those of the largest group.
    group
        Whether the values are those of a published group.
    blind, seen
        How often the best guess is right before and after seeing the row, when all values are equally
        likely: exact Bayes, or a bound where reports cannot be listed.
    kept, kept_worst
        How often the value stays as it is: the average over all values, and the value for which it is
        smallest; None where cells are not values.
    factor, delta
        The most that the column changes odds by, between any two of its values; `inf` without limit.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> answer_figures({"columns": {"tea": tea}})[0].after("3/4")
    Fraction(9, 10)
    >>> sorted(answer_figures({"columns": {"tea": tea}})[0].to_dict())
    ['blind', 'columns', 'delta', 'factor', 'group', 'kept', 'kept_worst', 'name', 'seen', 'values']
    """

    name: str
    columns: tuple[str, ...]
    values: int | None
    group: bool
    blind: Fraction | None
    seen: Number | None
    kept: Fraction | None
    kept_worst: Fraction | None
    factor: Number
    delta: Fraction

    def after(self, before: NumberLike) -> Number:
        """The most right guesses of those who know all other answers, `before` without the row."""
        return guess_limit(before, self.factor, delta=self.delta)

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


def guess_limit(before: NumberLike, factor: Number, *, delta: NumberLike = 0) -> Number:
    """F·b/(1 + (F − 1)·b): how often a guess can be right that was right with probability b before.

    It holds for every prior, and for averages over whatever else is known. With the factor of a column
    it is for those who know all other answers of the person truly; with the factor of the row for
    those who read the other cells only. A slack δ adds at most δ.

    Examples
    --------
    >>> [str(guess_limit(b, Fraction(3))) for b in ("0.5", "0.75", "0.95")]
    ['3/4', '9/10', '57/58']
    """
    b, slack = as_share(before, "before"), as_share(delta, "delta")
    if not factor >= 1:
        raise BadNumber(f"a factor is at least 1, not {factor}")
    if factor == float("inf"):
        return Fraction(int(b > 0))
    exact = Fraction(factor)
    return min(exact * b / (1 + (exact - 1) * b) + slack, Fraction(1))


def answer_figures(plan: PlanLike | Card) -> tuple[AnswerFigures, ...]:
    """How often each answer of a person is guessed under a plan, or under the plan on a table's card.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["green", "black", "none"], "epsilon": "ln 4"}
    >>> (found,) = answer_figures({"columns": {"tea": tea}})
    >>> str(found.blind), str(found.seen), str(found.kept), found.after("1/2")
    ('1/3', '2/3', '2/3', Fraction(4, 5))
    """
    return tuple(
        figures
        for column in plan_behind(plan).columns
        for figures in (_together(column) if column.members else [_figures(column)])
    )


def _together(column: ColumnPlan) -> list[AnswerFigures]:
    """Of columns that are drawn together, each by its margin; but its factor is that of all of them."""
    assert column.channel is not None
    whole = _figures(column)
    found = []
    for place, member in enumerate(column.members):
        channel = margin(column.channel, (place,))
        kept = [Fraction(channel[x, x]) for x in channel.rows]
        size = len(kept)
        found.append(
            replace(
                whole,
                name=member.name,
                columns=member.columns,
                values=size,
                blind=Fraction(1, size),
                seen=capacity(channel) / size,
                kept=sum(kept, Fraction(0)) / size,
                kept_worst=min(kept),
            )
        )
    return found


def _figures(column: ColumnPlan) -> AnswerFigures:
    guarantee, channel = column.mechanism.guarantee, _channel(column)
    most = mechanism_level(column.mechanism)
    factor = float("inf") if most is None else factor_up(most)
    delta = Fraction(guarantee.delta)
    size: int | None = len(column.values) or None
    grouped = "blocks" in column.spec
    kept = []
    if channel is not None and column.local is None:
        size = len(channel.rows)
        kept = [
            Fraction(channel[x, x]) if x in channel.columns else Fraction(0) for x in channel.rows
        ]
    if channel is not None and grouped:
        blocks = blocks_of(column.spec["blocks"], column.values, column.name)
        channel = _among(channel, max(blocks, key=len))
        size = len(channel.rows)
    blind = None if size is None else Fraction(1, size)
    seen: Number | None = None
    if channel is not None:
        seen = capacity(channel) / len(channel.rows)
    elif blind is not None:
        seen = guess_limit(blind, factor, delta=delta)
    average = sum(kept, Fraction(0)) / len(kept) if kept else None
    return AnswerFigures(
        column.name,
        column.columns,
        size,
        grouped,
        blind,
        seen,
        average,
        min(kept) if kept else None,
        factor,
        delta,
    )


def _channel(column: ColumnPlan) -> Channel | None:
    """The channel of a column from values to cells, where both can be listed."""
    if column.local is None:
        return column.channel
    try:
        return listed_reports(column.local, column.name)
    except NotApplicable:
        return None


def _among(channel: Channel, values: list[Any]) -> Channel:
    """The channel on some of its values."""
    rows = [channel.row(x) for x in values]
    outputs = [y for y in channel.columns if any(row.get(y, 0) for row in rows)]
    return Channel(values, outputs, [[row.get(y, 0) for y in outputs] for row in rows])
