"""Transition matrices of sdcMicro's PRAM, as R writes and prints them."""

import csv
import io
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, BadNumber, NotStochastic
from dprivacy.model import Channel, counted, file_text
from dprivacy.release.migrate.imported_channel import ImportedChannel
from dprivacy.typing import Label, PathArg

_NUMBER = re.compile(
    r"(\d{1,20}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?|\d{1,20}/0*[1-9]\d{0,19}", re.I
)
_FINEST = 15  # significant digits that R writes at most
_TYPED = 3  # decimals that a person writes: such numbers are taken at their word
_REMARKS = (
    "This is the ε of a matrix that was fixed beforehand. sdcMicro computes its invariant matrices "
    "from the table itself: such a matrix is one more statistic of the secret data, and this ε does "
    "not cover it.",
    "pram() leaves missing values as they are: whether a value is missing is then published.",
)

Table = tuple[list[str], list[str], list[list[str]]]


def read_pram(path: PathArg, *, labels: Callable[[str], Label] = str) -> ImportedChannel:
    r"""Read a PRAM transition matrix from a file that R wrote.

    Parameters
    ----------
    path
        What ``write.csv(Rs, …)``, ``write.csv2``, ``write.table`` or ``capture.output(print(…))`` made
        of ``attr(result, "pram_params")$roof$Rs``.
    labels
        What to make of a label, such as `int` for codes that are whole numbers in your table.

    Returns
    -------
    ImportedChannel
        The matrix as exact numbers, with the ε it has.

    Raises
    ------
    BadFile, NotStochastic
        A text that is not such a matrix; rows that rounding does not explain.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "Rs.csv")
    ...     _ = file.write_text('"","a","b"\n"a",0.8,0.2\n"b",0.2,0.8\n')
    ...     print(read_pram(file).eps)
    ln(4)
    """
    return pram_from_text(file_text(path), labels=labels, name=Path(path).name)


def pram_from_text(
    text: str, *, labels: Callable[[str], Label] = str, name: str = "the text"
) -> ImportedChannel:
    r"""Read a PRAM transition matrix from text, such as what R printed.

    Parameters
    ----------
    text
        CSV, or R's print of the matrix or of ``attr(result, "pram_params")$roof``; also a print that is
        broken into blocks of columns.
    labels
        What to make of a label.
    name
        What to call it in messages.

    Notes
    -----
    1. A decimal stands for itself: 0.1 is one tenth.
    2. R rounds what it writes to 15 digits and what it prints to fewer. With four decimals or more
       each entry may be off by half a unit of the last one, and a row whose sum is off by no more
       than that explains is divided by its sum. Shorter numbers are taken at their word.

    Examples
    --------
    >>> found = pram_from_text('''
    ...          north    south
    ... north 0.900000 0.100000
    ... south 0.333333 0.666667''')
    >>> print(found.eps)
    ln(666667/100000)
    """
    rows, columns, cells = _table(text, name)
    exact = [
        [_number(cell, f"{name}: the line of {row!r}") for cell in line]
        for row, line in zip(rows, cells, strict=True)
    ]
    rounding = _rounding([_decimals(line[j] for line in cells) for j in range(len(columns))])
    moved = Fraction(0)
    for row, line in zip(rows, exact, strict=True):
        total = sum(line, Fraction(0))
        if total == 1:
            continue
        if abs(total - 1) > rounding * len(columns):
            raise NotStochastic(
                f"{name}: row {row!r} should sum to 1 but sums to {float(total):.6g}, which rounding "
                "to the decimals shown does not explain; a row is a true value, a column a released one"
            )
        moved = max(moved, *(abs(p / total - p) for p in line))
        line[:] = [p / total for p in line]
    channel = Channel(_read(rows, labels, name), _read(columns, labels, name), exact)
    return ImportedChannel(channel, f"The PRAM matrix of {name}", moved, rounding, _REMARKS)


def _table(text: str, name: str) -> Table:
    """Row labels, column labels and cells, whatever R wrote them with."""
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((k + 1 for k, line in enumerate(lines) if line.strip() == "$Rs"), 0)
    end = next((k for k in range(start, len(lines)) if lines[k].startswith("$")), len(lines))
    kept = [line for line in lines[start:end] if line.strip()]
    if len(kept) < 2:
        raise BadFile(f"{name}: needs a line of released values and a line for each true value")
    try:
        if ";" in kept[0]:
            table = [[cell.replace(",", ".") if k else cell for k, cell in enumerate(line)]
                     for line in _split(kept, ";")]  # fmt: skip
            table[0] = next(_split(kept[:1], ";"))
            return _one_block(table, name)
        for mark in (",", "\t"):
            if mark in kept[0]:
                return _one_block(list(_split(kept, mark)), name)
        return _blocks(list(_split(kept, " ")), name)
    except csv.Error as reason:
        raise BadFile(f"{name}: not a table ({reason})") from None


def _split(lines: list[str], mark: str) -> Any:
    reader = csv.reader(io.StringIO("\n".join(line.strip() for line in lines)), delimiter=mark,
                        skipinitialspace=True, strict=True)  # fmt: skip
    for line in reader:
        yield [cell.strip() for cell in line]


def _one_block(table: list[list[str]], name: str) -> Table:
    """A header and the lines below it; R may leave the corner of the header out."""
    if len(table) < 2:
        raise BadFile(f"{name}: a line of released values has no lines below it")
    width = len(table[1])
    columns = table[0][1:] if len(table[0]) == width else table[0]
    for line in table[1:]:
        if len(line) != len(columns) + 1:
            raise BadFile(
                f"{name}: the line of {line[0]!r} has {counted(len(line) - 1, 'entry', 'entries')} "
                f"where {len(columns)} released values are named; write labels that contain spaces "
                "with write.csv"
            )
    return [line[0] for line in table[1:]], columns, [line[1:] for line in table[1:]]


def _blocks(table: list[list[str]], name: str) -> Table:
    """A print; R breaks wide ones into blocks, each with its own header and all row labels."""
    # the next header is the first line that is shorter than the row above it
    short = (k for k in range(2, len(table)) if len(table[k]) < len(table[k - 1]))
    height = next(short, len(table))
    parts = [_one_block(table[k : k + height], name) for k in range(0, len(table), height)]
    rows = parts[0][0]
    if any(part[0] != rows for part in parts):
        raise BadFile(f"{name}: the blocks of the print do not repeat the same rows")
    columns = [column for part in parts for column in part[1]]
    return (
        rows,
        columns,
        [[cell for part in parts for cell in part[2][k]] for k in range(len(rows))],
    )


def _number(cell: str, where: str) -> Fraction:
    number = Fraction(cell) if _NUMBER.fullmatch(cell) else None
    if number is None or number > 1:
        raise BadNumber(f"{where}: {cell[:24]!r} is not a probability")
    return number


def _rounding(decimals: list[int]) -> Fraction:
    """Half a unit of the last decimal, by the shortest column that was not typed by hand."""
    long = [count for count in decimals if count > _TYPED]
    return Fraction(1, 2 * 10 ** min(*long, _FINEST)) if long else Fraction(0)


def _read(names: list[str], labels: Callable[[str], Any], name: str) -> list[Any]:
    """The labels as the caller wants them."""
    try:
        return [labels(text) for text in names]
    except ValueError:
        raise BadFile(f"{name}: its labels are not what `labels` reads: {names!r}") from None


def _decimals(cells: Any) -> int:
    """The most decimals that a cell of a column has."""
    most = 0
    for cell in cells:
        number, _, exponent = cell.lower().partition("e")
        most = max(most, len(number.partition(".")[2]) - int(exponent or 0))
    return most
