"""A table beside its codebook: what the codebook does not know is refused by column, unquoted."""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from dprivacy.errors import UnknownCategory
from dprivacy.extras import arrow, compute
from dprivacy.release.codebooks.codebook_model import decimal_of, end_of, whole_of
from dprivacy.release.columns.column_batches import MISSING
from dprivacy.release.proposals.variable_kinds import Answers

_WHOLE = re.compile(r"-?\d{1,18}")


def compared(columns: Iterable[tuple[str, Any]], declared: Mapping[str, Answers]) -> set[str]:
    """The columns of which cells are missing.

    Raises
    ------
    UnknownCategory
        Naming every column with cells that are neither listed nor in the range. They are not quoted,
        and they never extend what is declared.
    """
    gaps, strange, hints = set(), [], set()
    for name, column in columns:
        if name not in declared:
            continue
        known = {value.code for value in (*declared[name].values, *declared[name].codes)}
        missing, distinct = _distinct(column, known)
        if missing:
            gaps.add(name)
        unknown = [cell for cell in distinct if not _fits(cell, known, declared[name])]
        if unknown:
            strange.append(name)
            hints |= {hint for cell in unknown if (hint := _hint(cell, known))}
    if strange:
        listed = ", ".join(map(repr, strange))
        also = "".join(f" ({hint})" for hint in sorted(hints))
        raise UnknownCategory(
            f"{listed}: the table holds values there that the codebook does not list, or that lie "
            f"outside its range{also}; correct the table or the codebook, or choose for the column "
            "with --as NAME=drop (choices=)"
        )
    return gaps


def _distinct(column: Any, known: set[str]) -> tuple[bool, list[str]]:
    """Whether cells are missing, and the different ones that are not."""
    pa, pc = arrow(), compute()
    try:
        texts = column.combine_chunks().cast(pa.string())
    except pa.ArrowException:
        return False, [""]  # which no codebook lists
    words = pa.array([word for word in ("", *MISSING) if word not in known], pa.string())
    there = texts.drop_null()
    there = there.filter(pc.invert(pc.is_in(there, value_set=words)))
    return len(there) < len(texts), there.unique().to_pylist()


def _fits(cell: str, known: set[str], declared: Answers) -> bool:
    if cell in known:
        return True
    if declared.kind == "numbers":
        number = decimal_of(cell)
        return number is not None and declared.low <= number <= declared.high
    if declared.days is not None:
        day = end_of(cell)
        return isinstance(day, date) and declared.days[0] <= day <= declared.days[1]
    # Codes that are whole numbers are read as such, so that 01 is 1 there.
    read = str(int(cell)) if _WHOLE.fullmatch(cell) else cell
    return read in known and all(whole_of(code) is not None for code in known)


def _hint(cell: str, known: set[str]) -> str:
    """What may have become of a code on its way through other programs."""
    if cell.endswith(".0") and cell[:-2] in known:
        return "whole numbers are written there with decimals, as 1.0"
    if any(code.startswith("0") and code.lstrip("0") == cell for code in known):
        return "the codebook has codes with leading zeros, which spreadsheets drop"
    return ""
