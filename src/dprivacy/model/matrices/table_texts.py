"""The cells of a labelled table in a text: CSV, tabs, semicolons, R's prints and dput, LaTeX.

Cells stay texts, so that how many decimals were written is known. What is read may be anything, a table
of people by mistake: no refusal repeats a cell or a label.
"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dprivacy.errors import BadFile, BadNumber, DuplicateLabel, NotStochastic, counted
from dprivacy.model.matrices.latex_tables import is_latex, latex_lines
from dprivacy.model.matrices.r_objects import is_dput, matrix_of_dput
from dprivacy.model.plain_data import shown
from dprivacy.typing import Label

_LONGEST_NUMBER = 4000  # characters
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?|[+-]?[0-9]+/0*[1-9][0-9]*"
)
_R_ROW, _R_COLUMN = re.compile(r"\[([0-9]+),\]"), re.compile(r"\[,([0-9]+)\]")
_NEAR = Fraction(1, 20)  # by which lines of bare probabilities may miss 1
_FORM = (
    "a matrix has labels across the top and down the side, and fractions or decimals elsewhere; "
    "a table of people is not a matrix"
)


@dataclass(frozen=True)
class Cells:
    """A table as it was written: labels, and entries that are still texts."""

    rows: Sequence[Label]
    columns: Sequence[Label]
    entries: Sequence[Sequence[str]]
    name: str

    @cached_property
    def probabilities(self) -> list[list[Fraction]]:
        """The entries, read exactly; a refusal says where an entry is not a probability."""
        same = len(self.entries) == len(self.rows)
        if not same or any(len(line) != len(self.columns) for line in self.entries):
            raise BadFile(f"{self.name}: ragged matrix: rows should be equally long")
        table = [[Fraction(c) if is_number(c) else None for c in line] for line in self.entries]
        found: list[list[Fraction]] = []
        for i, line in enumerate(table, 1):
            found.append([])
            for j, value in enumerate(line, 1):
                where = f"{self.name}: row {i}, column {j}"
                if value is None:
                    raise BadNumber(f"{where} is not a number that can be read: {_FORM}")
                if not 0 <= value <= 1:
                    raise NotStochastic(f"{where} is not between 0 and 1: {_FORM}")
                found[-1].append(value)
        for what, labels in (("row", self.rows), ("column", self.columns)):
            seen: dict[Label, int] = {}
            for i, label in enumerate(labels, 1):
                if seen.setdefault(label, i) != i:
                    raise DuplicateLabel(
                        f"{self.name}: {what} {seen[label]} and {what} {i} have the same label"
                    )
        return found

    def called(self, i: int) -> str:
        """A row in a message: by its label where it looks like a matrix's, by its place otherwise."""
        return f"row {shown(self.rows[i])!r}" if self._parted(i) else f"row {i + 1}"

    def summed(self, i: int, total: Fraction | int) -> str:
        """What a row sums to; of a row of zeros and ones, which may be a person's, nothing is told."""
        return f"sums to {float(total):.6g}" if self._parted(i) else "does not"

    def _parted(self, i: int) -> bool:
        return any(value.denominator != 1 for value in self.probabilities[i])


def is_number(cell: str) -> bool:
    """Whether a cell is a fraction or a decimal, of a length that is safe to read."""
    return len(cell) <= _LONGEST_NUMBER and _NUMBER.fullmatch(cell) is not None


def cells_of_text(text: str, name: str) -> Cells:
    """The cells of a text, whatever program wrote it; JSON has a reader of its own.

    Labels stand across the top and down the side; R may leave the corner out. Where every line is
    probabilities that sum to about 1, there are no labels, and they are 0 … n−1.
    """
    if is_dput(text):
        return Cells(*matrix_of_dput(text, name), name)
    if is_latex(text):
        return _of_lines(latex_lines(text, name), name)
    lines = _lines(text)
    first = re.sub(r'"[^"]*"|\[,[0-9]+\]', "", lines[0]) if lines else ""
    try:
        if ";" in first:
            table = list(_split(lines, ";")) or [[]]
            return _of_lines([table[0], *(_points(line) for line in table[1:])], name)
        for mark in (",", "\t"):
            if mark in first:
                return _of_lines(list(_split(lines, mark)), name)
        return _of_print(list(_split(lines, " ")), name)
    except csv.Error as reason:
        raise BadFile(f"{name}: not a table ({reason})") from None


def csv_lines(text: str, name: str) -> list[list[str]]:
    """The lines of a CSV table that are not blank."""
    try:
        lines = list(csv.reader(io.StringIO(text), strict=True))
    except csv.Error as reason:
        raise BadFile(f"{name}: not a CSV table ({reason})") from None
    return [line for line in lines if any(cell.strip() for cell in line)]


def _lines(text: str) -> list[str]:
    """The lines that are not blank; of R's print of a list, those of its part Rs."""
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((k + 1 for k, line in enumerate(lines) if line.strip() == "$Rs"), 0)
    ends = (k for k in range(start, len(lines)) if lines[k].startswith("$"))
    return [line for line in lines[start : next(ends, len(lines))] if line.strip()]


def _split(lines: Sequence[str], mark: str) -> list[list[str]]:
    kept = [line.strip() if mark == " " else line for line in lines]
    reader = csv.reader(
        io.StringIO("\n".join(kept)), delimiter=mark, skipinitialspace=True, strict=True
    )
    table = [[cell.strip() for cell in line] for line in reader]
    return [line for line in table if any(line)]


def _points(line: Sequence[str]) -> list[str]:
    """A line in which decimals are written with a comma."""
    return [line[0], *(cell.replace(",", ".") for cell in line[1:])]


def _of_lines(table: Sequence[Sequence[str]], name: str) -> Cells:
    if _bare(table):
        return Cells(range(len(table)), range(len(table[0])), table, name)
    if len(table) < 2 or len(table[1]) < 2:
        raise BadFile(f"{name}: needs a line of output labels and at least one input line below it")
    head, body = table[0], table[1:]
    if len(head) + 1 != len(body[0]) or not all(head):  # otherwise R left the corner out
        head = head[1:]
    for i, line in enumerate(body, 1):
        if len(line) != len(head) + 1:
            raise BadFile(
                f"{name}: ragged table: row {i} has {counted(len(line) - 1, 'entry', 'entries')} "
                f"where the first line names {counted(len(head), 'output')}; put labels that "
                "contain separators in quotes"
            )
    return Cells([line[0] for line in body], head, [line[1:] for line in body], name)


def _bare(table: Sequence[Sequence[str]]) -> bool:
    """Whether every line is probabilities that sum to about 1: then nothing in it is a label."""
    if not table or any(len(line) != len(table[0]) for line in table):
        return False
    for line in table:
        if not all(map(is_number, line)):
            return False
        values = [Fraction(cell) for cell in line]
        if not all(0 <= v <= 1 for v in values) or abs(sum(values, Fraction(-1))) > _NEAR:
            return False
    return True


def _of_print(table: Sequence[Sequence[str]], name: str) -> Cells:
    """A print; R breaks wide ones into blocks, each with its own header and all row labels."""
    # the next header is the first line that is shorter than the row above it
    short = (k for k in range(2, len(table)) if len(table[k]) < len(table[k - 1]))
    height = next(short, len(table) or 1)
    parts = [_of_lines(table[k : k + height], name) for k in range(0, len(table), height)]
    if not parts:
        return _of_lines(table, name)
    rows = parts[0].rows
    if any(list(part.rows) != list(rows) for part in parts):
        raise BadFile(f"{name}: the blocks of the print do not repeat the same rows")
    columns = [column for part in parts for column in part.columns]
    entries = [[cell for part in parts for cell in part.entries[k]] for k in range(len(rows))]
    return Cells(_counted(rows, _R_ROW), _counted(columns, _R_COLUMN), entries, name)


def _counted(labels: Sequence[Label], form: re.Pattern[str]) -> Sequence[Label]:
    """The numbers of rows or columns that R calls [1,] or [,1], for want of labels."""
    found = [form.fullmatch(str(label)) for label in labels]
    return [int(match[1]) for match in found if match] if all(found) else labels
