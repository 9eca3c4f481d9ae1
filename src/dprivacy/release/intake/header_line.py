"""Whether the first line of a table holds names or a person's record; or that somebody must say."""

from collections.abc import Collection, Sequence

from dprivacy.release.intake.cell_kinds import kind_of, shape_of

_LOOKED_AT = 500  # rows
_ENOUGH_ROWS, _ENOUGH_COLUMNS = 20, 3  # of a table of words: less may be somebody's rare answers
_OFTEN = 0.9


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
    below = [row for row in rows[1:_LOOKED_AT] if len(row) == len(first)]
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
        return None, "its first line has empty cells"
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
    unlike = sum(map(_mostly_numbers, columns))
    texts = [(cell, column) for cell, column in zip(first, columns, strict=True)
             if not _mostly_numbers(column)]  # fmt: skip
    # A record whose only number is missing in some odd word has names like those below it.
    stands_out = all(
        _repeats(column) or shape_of(cell) not in map(shape_of, column) for cell, column in texts
    )
    if unlike and (unlike >= 2 or stands_out):
        return True, "its first line holds words above numbers or dates"
    enough = len(columns[0]) >= _ENOUGH_ROWS and sum(map(_repeats, columns)) >= _ENOUGH_COLUMNS
    if not unlike and enough and stands_out:
        return True, "no cell of its first line comes again, though the columns repeat themselves"
    return None, "its first line holds words, as the lines below it do"


def _mostly_numbers(column: Sequence[str]) -> bool:
    told = [kind for kind in map(kind_of, column) if kind != "missing"]
    return bool(told) and sum(kind != "text" for kind in told) >= _OFTEN * len(told)


def _repeats(column: Sequence[str]) -> bool:
    return 2 * len(set(column)) <= len(column)
