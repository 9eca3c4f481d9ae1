"""Transition matrices of sdcMicro's PRAM, as R writes and prints them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from dprivacy.errors import BadFile
from dprivacy.model import (
    Cells,
    Channel,
    file_text,
    longest_decimals,
    matrix_in_text,
    must_be_a_print,
    print_of,
)
from dprivacy.release.migrate.imported_channel import ImportedChannel
from dprivacy.typing import Label, PathArg

_TYPED = 3  # decimals that a person writes: such numbers are taken at their word
_REMARKS = (
    "This is the ε of a matrix that was fixed beforehand. sdcMicro computes its invariant matrices "
    "from the table itself: such a matrix is one more statistic of the secret data, and this ε does "
    "not cover it.",
    "pram() leaves missing values as they are: whether a value is missing is then published.",
)


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
        Whatever `as_channel` reads in a file: CSV, dput, R's print of the matrix or of
        ``attr(result, "pram_params")$roof``, also one that is broken into blocks of columns.
    labels
        What to make of a label.
    name
        What to call it in messages.

    Notes
    -----
    1. A decimal stands for itself: 0.1 is one tenth.
    2. R rounds what it writes to 15 digits and what it prints to fewer. With four decimals or more,
       or where rows miss 1, each entry may be off by half a unit of the last one (`printed`), and
       rows are divided by their sums. Shorter numbers are taken at their word.

    Examples
    --------
    >>> found = pram_from_text('''
    ...          north    south
    ... north 0.900000 0.100000
    ... south 0.333333 0.666667''')
    >>> print(found.eps)
    ln(666667/100000)
    """
    found = matrix_in_text(text, name)
    if isinstance(found, Channel):
        raise BadFile(f"{name}: holds a stored channel; it needs no reading, give it to as_channel")
    rows, columns = _read(found.rows, labels), _read(found.columns, labels)
    known = print_of(Cells(rows, columns, found.entries, name))
    rounded = must_be_a_print(found) or longest_decimals(found) > _TYPED
    channel = known.normalised()
    origin = f"The PRAM matrix of {name}"
    return ImportedChannel(
        channel, origin, known.moved, remarks=_REMARKS, printed=known if rounded else None
    )


def _read(names: Sequence[Label], labels: Callable[[str], Label]) -> list[Label]:
    """The labels as the caller wants them."""
    try:
        return [labels(str(text)) for text in names]
    except ValueError:
        raise BadFile("the labels of the matrix are not what `labels` reads") from None
