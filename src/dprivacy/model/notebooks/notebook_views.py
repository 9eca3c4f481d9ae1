"""Words that wrap, tables for eyes and screen readers, and formulas, in the notebook's own colours."""

from collections.abc import Sequence
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from dprivacy.model.plain_data import about, shown

MOST_SHOWN = 12  # rows and columns
_MOST_BITS = 48  # of the numerator and of the denominator of a number that is shown exactly
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "\n": " ",
}  # fmt: skip


def html_words(text: str) -> str:
    """Text as it is, line by line; long lines wrap.

    Examples
    --------
    >>> html_words("a < b")
    '<pre style="white-space: pre-wrap; word-break: normal">a &lt; b</pre>'
    """
    return f'<pre style="white-space: pre-wrap; word-break: normal">{escape(text)}</pre>'


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row and first column are headings.

    Examples
    --------
    >>> print(html_table("Shares", ["", "share"], [["tea", "1/3"]]).count("scope="))
    2
    """
    titles = "".join(
        f'<th scope="col">{escape(cell)}</th>' if cell else "<td></td>" for cell in head
    )
    lines = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<table><caption style="text-align: left; white-space: nowrap">{escape(caption)}</caption>'
        f"<thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"
    )


def html_matrix(caption: str, rows: Sequence[Any], columns: Sequence[Any], entries: Any) -> str:
    """A labelled matrix; `entries(i)` is its row i. Of a large one the first rows and columns."""
    more = "…" if len(columns) > MOST_SHOWN else ""
    head = ["", *map(shown, columns[:MOST_SHOWN]), *more]
    lines = [
        [shown(x), *map(number_text, entries(i)[:MOST_SHOWN]), *more]
        for i, x in enumerate(rows[:MOST_SHOWN])
    ]
    if len(rows) > MOST_SHOWN:
        lines.append(["…"] * len(head))
    return html_table(caption, head, lines)


def latex_matrix(rows: Sequence[Any], columns: Sequence[Any], entries: Any) -> str | None:
    """A labelled matrix as a formula; None for one that is too large for it."""
    if max(len(rows), len(columns)) > MOST_SHOWN:
        return None
    lines = [[latex_words(shown(x)), *map(latex_number, entries(i))] for i, x in enumerate(rows)]
    return latex_array(["", *(latex_words(shown(y)) for y in columns)], lines)


def latex_array(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A table of formulas, with its first row and first column set apart.

    Examples
    --------
    >>> print(latex_array(["", "y"], [["x", "1"]]))
    $$\begin{array}{l|r}  & y \\ \hline x & 1 \end{array}$$
    """
    body = r" \\ ".join(" & ".join(row) for row in rows)
    sides = "l|" + "r" * (len(head) - 1)
    return rf"$$\begin{{array}}{{{sides}}} {' & '.join(head)} \\ \hline {body} \end{{array}}$$"


def latex_number(value: Any) -> str:
    r"""A number as a formula.

    Examples
    --------
    >>> print(latex_number(Fraction(-1, 3)), latex_number(0.1))
    -\frac{1}{3} 0.1
    """
    text = number_text(value)
    if not isinstance(value, Fraction) or "/" not in text:
        return text
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def number_text(value: Any) -> str:
    """A number in a cell: exact where that is short, else six digits."""
    if isinstance(value, Fraction | int):
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        if bits <= _MOST_BITS:
            return str(value)
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return about(value)


def latex_escaped(text: str) -> str:
    """Text in which LaTeX reads nothing but text."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def latex_words(text: str) -> str:
    """Words inside a formula."""
    return rf"\text{{{latex_escaped(text)}}}"


class Promised:
    """A mechanism that shows itself in a notebook: what it is, and its guarantee in words."""

    def _repr_html_(self) -> str:
        """Name and guarantee, for a notebook."""
        guarantee: Any = getattr(self, "guarantee")  # noqa: B009  # a field or a property below
        return html_words(f"{self!r}\n{guarantee.explain()}")


class Explained:
    """Something that says in words what it is, and shows them in a notebook."""

    __slots__ = ()

    if TYPE_CHECKING:

        def explain(self) -> str:
            """All of it in words."""
            ...

    def _repr_html_(self) -> str:
        """The words, for a notebook."""
        return html_words(self.explain())
