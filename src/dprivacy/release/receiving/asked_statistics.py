"""The statistics that can be asked of a received table, each one question to the layer below."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.estimation import (
    Statistics,
    Survey,
    correlation,
    covariance,
    ratio,
    read_chance,
    total,
    variance,
)
from dprivacy.numbers import Floats
from dprivacy.release.plans.release_card import Card
from dprivacy.release.receiving.asked_functions import Asked, Columns, read_value, read_where
from dprivacy.release.receiving.question_desk import Desk, Question
from dprivacy.release.receiving.received_statistics import (
    counted_statistic,
    quantile_statistic,
    smooth_statistic,
)

Value = str | Callable[..., Any]


class Asking(TypedDict, total=False):
    """What every statistic may be asked with; see `ReceivedTable.total`."""

    where: Any
    by: str | Sequence[str]
    weights: str
    survey: Survey | None
    of: Literal["table", "population"] | None
    method: Literal["auto", "score", "likelihood"]
    confidence: float


class AskedStatistics:
    """Totals, means, shares, variances and quantiles of a table that gives its rows and its card.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import received, sanitise
    >>> cups = {"type": "ordered", "values": [0, 1, 2, 3], "epsilon": "ln 4"}
    >>> true = pandas.DataFrame({"cups": [0, 0, 1, 1, 3] * 2000, "age": [20, 20, 30, 30, 60] * 2000})
    >>> table = received(sanitise(true, {"columns": {"cups": cups}, "pass_through": ["age"]}))
    >>> round(table.mean("cups").only.value), round(table.total("cups").only.value, -4)
    (1, 10000.0)
    >>> round(table.share(where={"cups": 3}).only.value, 1), table.quantile("cups").only.value
    (0.2, 1.0)
    >>> round(table.variance("cups").only.value), table.covariance("cups", "age").only.value > 0
    (1, True)
    >>> table.correlation("cups", "age").only.value > 0.5, table.require_numbers("cups")
    (True, None)
    """

    if TYPE_CHECKING:
        card: Card

        @property
        def columns(self) -> tuple[str, ...]:
            """Every column of the table that the card speaks of."""
            ...

        def entry_of(self, column: str) -> str:
            """The name under which the card speaks of a column of the table."""
            ...

    def total(self, value: Value | None = None, **asked: Unpack[Asking]) -> Statistics:
        """The total of a column or of a function of columns; how many rows there are without one.

        Parameters
        ----------
        value
            A column of numbers, or a function whose parameters are named like columns.
        where
            Conditions on true values: a mapping from column to value, values or predicate, a function
            of columns, or texts such as "age=40..49".
        by
            Columns to group by, protected or not.
        weights, survey
            The column of weights, or the whole design.
        of
            "table", where only the noise errs, or "population", which adds the error of drawing rows;
            by default the population if the survey says how rows were drawn.
        method
            For counts: "auto" takes maximum likelihood where it is forecast to err less than the
            unbiased "score"; "likelihood" always.
        confidence
            Of the intervals.
        """
        if value is None:
            desk = self._desk((), asked)
            return counted_statistic(desk, "count of rows", share=False)
        x, desk = self._numbers(value, asked)
        held = desk.condition()
        return smooth_statistic(desk, [x[0] * held], total, f"total of {x[2]}")

    def mean(self, value: Value, **asked: Unpack[Asking]) -> Statistics:
        """The mean of a column of numbers, or of a function of columns; see `total`."""
        (x, there, words), desk = self._numbers(value, asked)
        held = desk.condition() * there
        return smooth_statistic(desk, [x * held, held], ratio, f"mean of {words}")

    def share(self, among: Any = None, **asked: Unpack[Asking]) -> Statistics:
        """The share of rows that meet `where`, in each group of public columns; see `total`.

        `among` are conditions too: the share among those who meet them.
        """
        if among is None:
            by = asked.get("by", ())
            named = (by,) if isinstance(by, str) else by
            if not any(name in self._protected for name in named):
                return counted_statistic(self._desk((), asked), "share of rows", share=True)
        extra = read_where(among, self._known)
        desk = self._desk([name for each in extra for name in each.columns], asked)
        base = np.ones([1] * (1 + len(desk.hidden)))
        for each in extra:
            base = base * (desk.table(each) != 0)
        told = " and ".join(each.words for each in extra)
        words = f"share of rows{f' among {told}' if told else ''}"
        return smooth_statistic(desk, [base * desk.condition(), base], ratio, words)

    def variance(self, value: Value, **asked: Unpack[Asking]) -> Statistics:
        """The variance (mean square distance from the mean) of a column of numbers; see `total`."""
        (x, there, words), desk = self._numbers(value, asked)
        held = desk.condition() * there
        functions = [x * x * held, x * held, held]
        return smooth_statistic(desk, functions, variance, f"variance of {words}")

    def covariance(self, first: Value, second: Value, **asked: Unpack[Asking]) -> Statistics:
        """The covariance of two columns of numbers; see `total`."""
        x, y, held, words, desk = self._pair(first, second, asked)
        functions = [x * y * held, x * held, y * held, held]
        return smooth_statistic(desk, functions, covariance, f"covariance of {words}")

    def correlation(self, first: Value, second: Value, **asked: Unpack[Asking]) -> Statistics:
        """The correlation of two columns of numbers; see `total`."""
        x, y, held, words, desk = self._pair(first, second, asked)
        functions = [x * y * held, x * x * held, y * y * held, x * held, y * held, held]
        return smooth_statistic(desk, functions, correlation, f"correlation of {words}")

    def quantile(self, column: str, level: float = 0.5, **asked: Unpack[Asking]) -> Statistics:
        """A quantile of a protected column of numbers (1/2 for the median), in public groups.

        The most likely value, with all that a likelihood-ratio test does not reject; see `total`.
        """
        self.require_numbers(column)
        if column not in self._protected:
            raise NotApplicable(
                f"column {column!r} was passed through: its quantiles are those of the table itself"
            )
        return quantile_statistic(self._desk([column], asked), column, read_chance(level, "level"))

    def require_numbers(self, column: str) -> None:
        """Refuse a column whose labels are not numbers, or are codes of unordered categories."""
        self._known.require(column)
        kind = self._protected.get(column)
        if kind is None:
            return
        labels = self.card.outputs(self.entry_of(column)) or ()
        words = next((label for label in labels if isinstance(label, str)), None)
        if kind == "dates":
            raise NotApplicable(
                f"column {column!r} holds dates, which are not added up; ask for counts by it or under "
                "conditions (day>=2020-03-01), or for a function that gives each date a number"
            )
        if kind == "numbers":
            return  # words beside numbers are codes, and left out
        if kind != "ordered" or words is not None:
            why = "holds words" if words is not None else f"holds labels of type {kind!r}"
            raise NotApplicable(
                f"column {column!r} {why}, which have no size, so it has no total, mean or quantile; "
                "ask for counts by it, or for a function that says what each label is worth"
            )

    @property
    def _known(self) -> Columns:
        return Columns(self.columns, self.card.dropped)

    @property
    def _protected(self) -> dict[str, str]:
        """The type of every protected column, by the table's name for it."""
        entries = self.card.mechanisms.values()
        return {name: str(entry["type"]) for entry in entries for name in entry["columns"]}

    def _desk(self, columns: Sequence[str], asked: Asking) -> Desk:
        weights, by = asked.get("weights", ""), asked.get("by", ())
        survey = asked.get("survey") or Survey()
        if weights and survey.weights not in ("", weights):
            raise NotApplicable(
                f"the survey's weights are {survey.weights!r}; give weights only once"
            )
        question = Question(
            where=asked.get("where"),
            by=(by,) if isinstance(by, str) else tuple(by),
            survey=replace(survey, weights=weights or survey.weights),
            of=asked.get("of"),
            method=asked.get("method", "auto"),
            confidence=asked.get("confidence", 0.95),
        )
        return Desk(self, question, columns)  # type: ignore[arg-type]

    def _numbers(self, value: Value, asked: Asking) -> tuple[tuple[Floats, Floats, str], Desk]:
        """A function of columns with 0 for what is missing, where it is there, and its words."""
        read = self._value(value)
        desk = self._desk(read.columns, asked)
        return (*_filled(desk.table(read)), read.words), desk

    def _pair(
        self, first: Value, second: Value, asked: Asking
    ) -> tuple[Floats, Floats, Floats, str, Desk]:
        one, two = self._value(first), self._value(second)
        desk = self._desk([*one.columns, *two.columns], asked)
        (x, some), (y, others) = _filled(desk.table(one)), _filled(desk.table(two))
        held = desk.condition() * some * others
        return x, y, held, f"{one.words} and {two.words}", desk

    def _value(self, value: Value) -> Asked:
        read = read_value(value, self._known)
        if not isinstance(value, str):
            return read
        self.require_numbers(value)
        labels = self.card.outputs(self.entry_of(value)) or () if value in self._protected else ()
        coded = self._protected.get(value) == "numbers" and any(isinstance(v, str) for v in labels)
        return replace(read, words=f"{value} without its codes") if coded else read


def _filled(values: Floats) -> tuple[Floats, Floats]:
    """Values with 0 for what is missing, and 1 where something is there."""
    there = ~np.isnan(values)
    return np.where(there, values, 0.0), there.astype(np.float64)
