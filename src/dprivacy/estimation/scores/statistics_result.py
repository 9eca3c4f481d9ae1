"""Corrected statistics as an answer: values, errors, intervals, and by which method."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from dprivacy.errors import NotApplicable, UnknownCategory
from dprivacy.estimation.tabular_answer import LongForm, Rows, TabularAnswer
from dprivacy.model import Pictured, counted, plain, shown

_ROWS_SHOWN = 60


@dataclass(frozen=True)
class Statistic:
    """One corrected number.

    Parameters
    ----------
    keys
        The group it is of.
    value, standard_error, low, high
        The estimate, its standard error, and the ends of its interval.
    method
        "score" (unbiased) or "maximum likelihood".
    spread
        V, the variance of one row's score, where the estimator was chosen by it; NaN elsewhere.
    note
        What a reader should know of this number.

    Examples
    --------
    >>> Statistic(("north",), 10.0, 1.0, 8.0, 12.0).method
    'score'
    """

    keys: tuple[Any, ...]
    value: float
    standard_error: float
    low: float
    high: float
    method: str = "score"
    spread: float = math.nan
    note: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Statistics(TabularAnswer, Pictured):
    """Corrected statistics of a noisy table, one for each group.

    Attributes
    ----------
    statistic
        What was estimated, in words.
    keys
        The columns that groups are made of.
    entries
        One for each group.
    of
        "table": the true table itself, where only the noise errs. "population": what it was drawn from.
    confidence
        Of the intervals.
    rows
        How many rows it rests on.
    notes
        What was assumed.

    Examples
    --------
    >>> north = Statistic(("north",), 10.0, 1.0, 8.0, 12.0)
    >>> found = Statistics("mean of age", ("region",), (north,), "table", 0.95, 100)
    >>> print(found)
    mean of age, of the table (100 rows)
    region  estimate  ± s.e.  95 % interval  method
     north      10.0     1.0     8.0 … 12.0   score
    >>> found.at("north").value, found.only.keys, found.standard_error, found.interval
    (10.0, ('north',), 1.0, (8.0, 12.0))
    >>> found.long_form().columns
    ('region', 'estimate', 'standard_error', 'low', 'high', 'of', 'method')
    """

    statistic: str
    keys: tuple[str, ...]
    entries: tuple[Statistic, ...]
    of: str
    confidence: float
    rows: int
    notes: tuple[str, ...] = ()
    exact: ClassVar[bool] = False  # intervals rest on normal approximations

    @property
    def only(self) -> Statistic:
        """The one statistic there is, where there are no groups."""
        if len(self.entries) != 1:
            raise NotApplicable(
                f"there are {counted(len(self.entries), 'group')}; say which with at(…)"
            )
        return self.entries[0]

    @property
    def value(self) -> float:
        """The estimate, where there are no groups."""
        return self.only.value

    @property
    def standard_error(self) -> float:
        """Its standard error."""
        return self.only.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of its interval."""
        return self.only.low, self.only.high

    def at(self, *keys: Any) -> Statistic:
        """The statistic of one group, by the labels of the group."""
        for entry in self.entries:
            if entry.keys == keys:
                return entry
        asked, named = ", ".join(map(repr, keys)), ", ".join(self.keys)
        raise UnknownCategory(f"no group has the labels {asked}; groups are of {named}")

    def long_form(self) -> LongForm:
        """One row for each group, to be written to a file."""
        rows = tuple(
            (*e.keys, e.value, e.standard_error, e.low, e.high, self.of, e.method)
            for e in self.entries
        )
        return LongForm(self.statistic, self.keys, rows, (*self.notes, *self._noted()))

    def _noted(self) -> tuple[str, ...]:
        """The notes of single entries, each once, with the first group it is about."""
        told: dict[str, str] = {}
        for entry in self.entries:
            if entry.note and entry.note not in told:
                where = ", ".join(map(shown, entry.keys))
                told[entry.note] = f"{where}: {entry.note}" if where else entry.note
        return tuple(told.values())

    def explain(self) -> str:
        """The answer in words."""
        methods = " and ".join(dict.fromkeys(entry.method for entry in self.entries))
        truth = "this table" if self.of == "table" else "the population it was drawn from"
        head = (
            f"{self.statistic[:1].upper()}{self.statistic[1:]}, of {truth}, estimated from "
            f"{counted(self.rows, 'row')} by {methods}."
        )
        if len(self.entries) == 1 and not self.keys:
            e = self.only
            head += (
                f" It is {e.value:.6g} with a standard error of {e.standard_error:.3g} "
                f"({100 * self.confidence:g} % interval {e.low:.6g} … {e.high:.6g})."
            )
        return " ".join([head, *(f"{_sentence(note)}" for note in (*self.notes, *self._noted()))])

    def to_dict(self) -> dict[str, Any]:
        """The statistics as plain data."""
        return {
            **self._told("statistic", "of", "confidence", "rows"),
            "groups": [
                {
                    **dict(zip(self.keys, plain(e.keys), strict=True)),
                    "estimate": plain(e.value),
                    "standard_error": plain(e.standard_error),
                    "low": plain(e.low),
                    "high": plain(e.high),
                    "method": e.method,
                    **({} if math.isnan(e.spread) else {"spread": e.spread}),
                    **({"note": e.note} if e.note else {}),
                }
                for e in self.entries
            ],
            **self._told("notes", "exact"),
        }

    def _printed(self) -> tuple[str, Rows]:
        head = f"{self.statistic}, of the {self.of} ({counted(self.rows, 'row')})"
        rows: Rows = [
            (*self.keys, "estimate", "± s.e.", f"{100 * self.confidence:g} % interval", "method")
        ]
        for e in self.entries[:_ROWS_SHOWN]:
            span = f"{figure(e.low, e.standard_error)} … {figure(e.high, e.standard_error)}"
            value, error = (
                figure(e.value, e.standard_error),
                figure(e.standard_error, e.standard_error),
            )
            rows.append((*map(shown, e.keys), value, error, span, e.method))
        left = len(self.entries) - _ROWS_SHOWN
        if left > 0:
            rows.append((f"… and {left:,} more", *[""] * (len(rows[0]) - 1)))
        return head, rows


def figure(value: float, error: float) -> str:
    """A number with as many decimals as its standard error allows: two digits of the error."""
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else ("−∞" if value < 0 else "∞")
    if not math.isfinite(error) or error <= 0:
        return f"{value:.6g}"
    decimals = min(max(1 - math.floor(math.log10(error)), 0), 12)
    return f"{value:,.{decimals}f}"


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."
