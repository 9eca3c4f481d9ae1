"""Estimates are printed as tables: one row for each label, cell or coefficient."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprivacy.model import Answer, html_table, html_words, latex_array, latex_words
from dprivacy.numbers import Sealed

Rows = list[Sequence[str]]
NUMBERS = ("estimate", "standard_error", "low", "high", "of", "method")


@dataclass(frozen=True)
class LongForm:
    """Estimates as a flat table, one row each, which is what files of results hold.

    Parameters
    ----------
    title
        What is estimated, in words.
    keys
        The names of the columns that say what a row is about: groups, or the term of a model.
    rows
        The keys, and then the `estimate`, its `standard_error`, the ends `low` and `high` of its
        interval, `of` what it is ("table" or "population"), and by which `method`.
    notes
        What was assumed, one sentence each.

    Examples
    --------
    >>> north = ("north", 10.0, 1.0, 8.0, 12.0, "table", "score")
    >>> LongForm("mean of age", ("region",), (north,)).columns
    ('region', 'estimate', 'standard_error', 'low', 'high', 'of', 'method')
    """

    title: str
    keys: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()

    @staticmethod
    def joined(parts: "Mapping[str, LongForm]") -> "LongForm":
        """Several tables as one, with a column in front that says which; a single one as it is."""
        first, *others = parts.values()
        if not others:
            return first
        width = max(len(part.keys) for part in parts.values())
        rows = tuple(
            (
                name,
                *row[: len(part.keys)],
                *[None] * (width - len(part.keys)),
                *row[len(part.keys) :],
            )
            for name, part in parts.items()
            for row in part.rows
        )
        keys = tuple("label" if width == 1 else f"label {k + 1}" for k in range(width))
        same = all(part.keys == first.keys for part in parts.values())
        notes = tuple(dict.fromkeys(note for part in parts.values() for note in part.notes))
        titles = ", ".join(dict.fromkeys(part.title for part in parts.values()))
        return LongForm(titles, ("column", *(first.keys if same else keys)), rows, notes)

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return (*self.keys, *NUMBERS)


@dataclass(frozen=True, eq=False, repr=False)
class TabularAnswer(Answer, Sealed):
    """An answer whose arrays do not change, and whose text is a headline and a table."""

    @abstractmethod
    def _printed(self) -> tuple[str, Rows]:
        """The headline, and the rows of the table, of which the first holds the titles."""

    def __repr__(self) -> str:
        head, rows = self._printed()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)).rstrip() for row in rows]
        return "\n".join([head, *lines])

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        """The table and the words, for a notebook."""
        caption, (head, *rows) = self._printed()
        return html_table(caption, head, rows) + html_words(self.explain())

    def _repr_latex_(self) -> str:
        """The table as a formula, for a notebook that is printed."""
        _, (head, *rows) = self._printed()
        return latex_array(
            [latex_words(cell) for cell in head],
            [[latex_words(cell) for cell in row] for row in rows],
        )
