"""Whether the first line of a table holds names or a person's record; or that somebody must say."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from dprivacy.release.intake.cell_kinds import kind_of, marks_of

_FEW_ROWS, _ENOUGH_ROWS, _ENOUGH_COLUMNS = 10, 20, 3  # less may be somebody's rare answers
_ONCE = 0.02  # of the rows have a value that comes once
_NAME = re.compile(r"[^\W\d]")  # a name begins with a letter; 90+, <LOD, ~50, 12 kg are answers


def header_of(
    rows: Sequence[Sequence[str]], names: Collection[str] = ()
) -> tuple[bool | None, str]:
    """Whether the first row is a header, and the reason, which quotes nothing; None for ask.

    `names` are columns that somebody has declared: a row that holds half of them is a header.

    Examples
    --------
    >>> header_of([["town", "age"], ["Basel", "33"], ["Bern", "54"]])[0]
    True
    >>> header_of([["Basel", "33"], ["Bern", "54"]])[0]
    False
    """
    first = [cell.strip() for cell in rows[0]]
    if holds_names(first, names):
        return True, "its first line holds the names that were declared"
    below = [row for row in rows[1:] if len(row) == len(first)]
    if not below:
        return None, "it has no second line like the first"
    kinds = [kind_of(cell) for cell in first]
    twice = len(set(first)) < len(first)
    if any(kind in ("number", "date") for kind in kinds):
        if all(cell.isdecimal() for cell in first) and not twice:
            return None, "its first line holds whole numbers alone"
        return False, "its first line holds numbers or dates"
    if twice:
        return None, "its first line holds a cell twice"
    if "missing" in kinds:
        return None, "its first line has cells that are empty or stand for a missing answer"
    columns = [[row[k].strip() for row in below] for k in range(len(first))]
    again = sum(cell in column for cell, column in zip(first, columns, strict=True))
    if again:
        sure = again >= max(1, len(first) // 4)
        return False if sure else None, "cells of its first line come again below it"
    return _words_above(first, columns)


def holds_names(first: Collection[str], names: Collection[str]) -> bool:
    """Whether at least half of the declared names stand in the first line."""
    return bool(names) and 2 * len(set(names) & set(first)) >= len(names)


def _words_above(first: Sequence[str], columns: Sequence[Sequence[str]]) -> tuple[bool | None, str]:
    """The first line holds words that do not come again: are they above something else?"""
    numeric = [_holds_numbers(column) for column in columns]
    texts = [(cell, column) for cell, column, number in zip(first, columns, numeric, strict=True)
             if not number]  # fmt: skip
    # A record whose numbers are all missing, in odd words, has names like those below it.
    stands_out = not any(_looks_like(cell, column) for cell, column in texts)
    many = len(columns[0]) >= _ENOUGH_ROWS
    named = sum(
        number and bool(_NAME.match(cell)) for cell, number in zip(first, numeric, strict=True)
    )
    if many and named >= _ENOUGH_COLUMNS:
        return True, "its first line holds words above numbers or dates"
    if any(numeric) and stands_out:
        if named < sum(numeric):
            return None, "cells of its first line above numbers do not begin with a letter"
        if len(columns) == 1:  # somebody may have answered in an odd word; hardly in several
            return None, "its first line holds a word above a single column of numbers"
        return True, "its first line holds words above numbers or dates"
    if not any(numeric) and many and sum(map(_repeats, columns)) >= _ENOUGH_COLUMNS and stands_out:
        return True, "no cell of its first line comes again, though the columns repeat themselves"
    return None, "its first line holds words, as the lines below it do"


def _looks_like(cell: str, column: Sequence[str]) -> bool:
    """Whether a cell may be one more of a column of words, in which it does not come again."""
    below = [(kind_of(other), marks_of(other)) for other in column]
    if any(kind in ("number", "date") for kind, _ in below):  # it says some things in words
        return any(kind == "text" and "9" not in marks for kind, marks in below)
    # What nearly every value does, to come again, the next one would have done as well (Good, Turing).
    once = sum(times == 1 for times in Counter(column).values())
    if len(column) >= _FEW_ROWS and once <= _ONCE * len(column):
        return False
    return any(marks == marks_of(cell) for _, marks in below)


def _holds_numbers(column: Sequence[str]) -> bool:
    """Whether a column holds numbers or dates, and no word: where one is, the first cell may be one."""
    told = {kind_of(cell) for cell in column} - {"missing"}
    return bool(told) and "text" not in told


def _repeats(column: Sequence[str]) -> bool:
    return 2 * len(set(column)) <= len(column)
