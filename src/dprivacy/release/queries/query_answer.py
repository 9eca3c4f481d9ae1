"""What a query gave: rows, and for every estimate its standard error and interval."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from dprivacy.estimation import LongForm, figure
from dprivacy.model import Answer, shown

Kind = Literal["corrected", "exact", "raw"]


class Spread(NamedTuple):
    """How far an estimate may be off, and how it was made; None where a number is not known."""

    error: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = "score"


@dataclass(frozen=True)
class QueryAnswer(Answer):
    """The rows that a query gave, what they are, and how far estimates may be off.

    Attributes
    ----------
    columns, rows
        As the query asks for them; estimates of the true table stand where it asks for aggregates. Of a
        raw answer the last column says so in every row.
    spreads
        For every row and column the standard error and the interval, None where nothing is estimated.
    kind
        "corrected" for the noise; "exact", where nothing protected was asked for; or "raw": what the
        noisy rows say.
    of
        What estimates are of: the true "table", or the "population" its rows were drawn from.
    confidence
        Of the intervals.
    notes
        What was assumed, and what to mind.

    Examples
    --------
    >>> spread = Spread(2.1, 6.4, 14.6)
    >>> found = QueryAnswer(("tea", "n"), (("yes", 10.5),), ((None, spread),), "corrected")
    >>> print(found)
    tea     n  ± s.e.  95 % interval
    yes  10.5     2.1     6.4 … 14.6
    corrected by score; standard errors and intervals are of the true table
    >>> found.told_kind().split(";")[0], found.table()[1], found.long_form().columns[:2]
    ('corrected by score', ('yes', '10.5', '2.1', '6.4 … 14.6'), ('tea', 'estimate'))
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    spreads: tuple[tuple[Spread | None, ...], ...] = ()
    kind: Kind = "raw"
    of: Literal["table", "population"] = "table"
    confidence: float = 0.95
    notes: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the answer is of the true table, without error."""
        return self.kind == "exact"

    def explain(self) -> str:
        """The answer as a table of text."""
        texts = self.table()
        widths = [max(len(line[j]) for line in texts) for j in range(len(texts[0]))]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in texts
        ]
        return "\n".join([*lines, self.told_kind(), *self.notes])

    def table(self) -> list[tuple[str, ...]]:
        """The head and the rows in words: after each estimate its error and interval."""
        level = f"{100 * self.confidence:g} % interval"
        head: list[str] = []
        for j, name in enumerate(self.columns):
            head += [name, *(["± s.e.", level] if self._is_estimated(j) else [])]
        lines: list[tuple[str, ...]] = [tuple(head)]
        for i, row in enumerate(self.rows):
            line: list[str] = []
            for j, value in enumerate(row):
                if self._is_estimated(j):
                    line += _printed(value, self.spreads[i][j])
                else:
                    line.append(_cell(value))
            lines.append(tuple(line))
        return lines

    def _is_estimated(self, j: int) -> bool:
        return any(line[j] is not None for line in self.spreads)

    def told_kind(self) -> str:
        """What the answer is, in a sentence."""
        if self.kind == "raw":
            return "raw: what the noisy rows say, which is not what is true"
        if self.kind == "exact":
            return "exact: only public columns are asked for, which hold no noise"
        found = {spread.method for line in self.spreads for spread in line if spread is not None}
        how = " and ".join(sorted(found)) or "score"
        return f"corrected by {how}; standard errors and intervals are of the true {self.of}"

    def long_form(self) -> LongForm:
        """One row for each estimate, as files of results hold them; else one for each row."""
        estimated = [j for j in range(len(self.columns)) if self._is_estimated(j)]
        if not estimated:
            blank = (None, None, None, None, self.of, self.kind)
            return LongForm(self.kind, self.columns, tuple((*row, *blank) for row in self.rows))
        others = [j for j in range(len(self.columns)) if j not in estimated]
        several = len(estimated) > 1
        rows = [
            (
                *(row[j] for j in others),
                *([self.columns[k]] if several else []),
                row[k],
                *(self.spreads[i][k] or Spread())[:3],
                self.of,
                (self.spreads[i][k] or Spread()).method,
            )
            for i, row in enumerate(self.rows)
            for k in estimated
        ]
        keys = (*(self.columns[j] for j in others), *(["statistic"] if several else []))
        title = "corrected answer to a query" if several else self.columns[estimated[0]]
        return LongForm(title, keys, tuple(rows), self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        told = super().to_dict()
        told["spreads"] = [
            [None if spread is None else spread._asdict() for spread in line]
            for line in self.spreads
        ]
        return told


def _cell(value: Any) -> str:
    return figure(value, 0.0) if isinstance(value, float) else shown(value)


def _printed(value: Any, spread: Spread | None) -> list[str]:
    """An estimate, its error and its interval, with as many digits as the error allows."""
    error, low, high, _ = spread or Spread()
    if value is None or error is None:
        return [_cell(value), "unknown", "none"]
    ends = (
        "none" if low is None or high is None else f"{figure(low, error)} … {figure(high, error)}"
    )
    return [figure(value, error), figure(error, error), ends]
