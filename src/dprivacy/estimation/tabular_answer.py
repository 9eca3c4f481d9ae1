"""Estimates are printed as tables: one row for each label, cell or coefficient."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from dprivacy.model import Answer
from dprivacy.numbers import Sealed

Rows = list[Sequence[str]]


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
        head, rows = self._printed()
        cells = [
            "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)
            for tag, row in zip(["th", *["td"] * len(rows)], rows, strict=False)
        ]
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<p>{escape(head)}</p><table>{body}</table><p>{escape(self.explain())}</p>"
