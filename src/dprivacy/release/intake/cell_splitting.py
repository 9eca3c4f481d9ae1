"""Delimiter and quoting of a table, from how well its lines agree when they are split; or ask."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from dprivacy.release.intake.cell_kinds import kind_of

CANDIDATES = ",;\t|"
_OTHER_MARKS = (r"[ ]+", ":", r"\^", "~", "#", "\x1f", "\x01", "/", "&", "=")
_MOST_ROWS = 2000
_CLEAR = 0.97  # of the best score: what comes nearer may be as good
_LEAST = 0.5
_OFTEN = 0.9

Rows = list[list[str]]


@dataclass(frozen=True)
class Splitting:
    """How lines are split into cells; no delimiter for a single column."""

    delimiter: str | None
    quote: bool

    def rows(self, text: str, most: int = _MOST_ROWS) -> Rows:
        """The first rows of a text that are not empty."""
        return split_rows(text, self.delimiter or ",", self.quote, most)


def splitting_of(text: str) -> tuple[Splitting | None, str]:
    r"""How the lines of a text are split, and the reason; None for ask.

    Examples
    --------
    >>> splitting_of("lat;lon\n47,1;8,2\n46,9;7,4\n")[0]
    Splitting(delimiter=';', quote=True)
    """
    found = {
        (mark, quote): _score(split_rows(text, mark, quote), mark)
        for mark in CANDIDATES
        for quote in ((True, False) if '"' in text else (True,))
    }
    (mark, quote), best = max(found.items(), key=lambda item: (item[1], item[0][1]))
    if not best:
        return _single_column(text)
    second = max(score for (other, _), score in found.items() if other != mark)
    if best < _LEAST:
        return None, "its lines do not have the same number of cells, whatever they are split at"
    if second > _CLEAR * best:
        return None, "its lines can be split in two ways that fit as well"
    return Splitting(mark, quote), "its lines agree when they are split there"


def split_rows(text: str, delimiter: str, quote: bool, most: int = _MOST_ROWS) -> Rows:
    """The first rows that are not empty; none where a cell has no end."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    )
    try:
        return list(islice((row for row in reader if row), most))
    except csv.Error:
        return []


def _score(rows: Rows, delimiter: str) -> float:
    """How many rows agree in width, times how many cells are clean; 0 for a single column."""
    widths = Counter(map(len, rows))
    width, often = widths.most_common(1)[0] if widths else (0, 0)
    if width < 2:
        return 0.0
    cells = [cell for row in rows for cell in row]
    dirt = sum(_dirt(cell, delimiter) for cell in cells)
    return often / len(rows) * (1 - dirt / len(cells)) * (1 - 1 / (width + 4))


def _dirt(cell: str, delimiter: str) -> float:
    """How much a cell looks as if it should be split further: 0 to 1."""
    if cell.isalnum() or kind_of(cell) in ("number", "date"):
        return 0.0
    if '"' in cell or any(mark in cell for mark in ";\t|" if mark != delimiter):
        return 1.0
    return 0.3 if delimiter != "," and re.search(r",(?!\s)", cell) else 0.0


def _single_column(text: str) -> tuple[Splitting | None, str]:
    """A single column, unless its cells may be whole records."""
    cells = [row[0] for row in split_rows(text, "\0", True) if row[0].strip()]
    if not cells:
        return Splitting(None, True), "it holds nothing"
    if any(mark in cell for cell in cells for mark in CANDIDATES):
        return None, "it has a single column whose cells hold commas, semicolons, tabs or bars"
    if _hides_records(cells):
        return None, "it has a single column whose cells may be split at another character"
    return Splitting(None, True), "it has a single column"


def _hides_records(cells: Sequence[str]) -> bool:
    """Whether some other mark, or spaces, occur in nearly all texts, and equally often."""
    texts = [cell.strip() for cell in cells if kind_of(cell) == "text"]
    for mark in _OTHER_MARKS:
        counts = Counter(len(re.findall(mark, text)) for text in texts)
        times, often = counts.most_common(1)[0] if counts else (0, 0)
        if times >= 2 and often >= _OFTEN * len(cells):
            return True
    return False
