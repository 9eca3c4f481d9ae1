"""Reports as cells of a table: one declared form for each kind of set, written and read back.

A hyperplane is its number, 1365. A set of fixed size is the positions of its labels, counted from 0
and rising: 3 17 42. A free set is an x and its bits in hexadecimal, x0a1f, the first label in the
lowest bit of the first byte; nothing takes that for a number.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import UnknownCategory
from dprivacy.mechanisms.local.geometry_reports import HyperplaneReports
from dprivacy.mechanisms.local.local_mechanism import LocalMechanism, ReportCounts
from dprivacy.mechanisms.local.set_reports import SubsetReports

NUMBER = "the number of the report"
POSITIONS = "the positions of the set's labels, from 0, rising"
BITS = (
    "x and a bit for each label in hexadecimal, the first label in the lowest bit of the first byte"
)
_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")
_HEX = re.compile(r"x(?:[0-9a-f]{2})+")


def cell_form(mechanism: LocalMechanism) -> str:
    """How a report is written as a cell, in words that stand on a card.

    Examples
    --------
    >>> from dprivacy.mechanisms import projective_response
    >>> cell_form(projective_response(range(9), eps=1))
    'the number of the report'
    """
    if isinstance(mechanism.reports, HyperplaneReports):
        return NUMBER
    return POSITIONS if isinstance(mechanism.reports, SubsetReports) else BITS


def cells_of(mechanism: LocalMechanism, drawn: NDArray[Any]) -> NDArray[np.int64] | list[str]:
    """Drawn reports, one a row, as cells.

    Examples
    --------
    >>> from dprivacy.mechanisms import unary_response
    >>> cells_of(unary_response(range(9), eps=1), np.array([[9, 1]], dtype=np.uint8))
    ['x0901']
    """
    form = cell_form(mechanism)
    if form == NUMBER:
        return drawn.astype(np.int64)
    if form == POSITIONS:
        names = [str(z) for z in range(len(mechanism.labels))]
        return [" ".join([names[z] for z in row]) for row in drawn.tolist()]
    digits, wide = drawn.astype(np.uint8).tobytes().hex(), 2 * drawn.shape[1]
    return [f"x{digits[at : at + wide]}" for at in range(0, len(digits), wide)]


def longest_cell(mechanism: LocalMechanism) -> int:
    """At most how many characters a cell has that is a text.

    Examples
    --------
    >>> from dprivacy.mechanisms import unary_response
    >>> longest_cell(unary_response(range(9), eps=1))
    5
    """
    k = len(mechanism.labels)
    if isinstance(mechanism.reports, SubsetReports):
        return mechanism.reports.size * (len(str(k - 1)) + 1)
    return 1 + 2 * -(-k // 8)


def reports_in(mechanism: LocalMechanism, cells: Sequence[Any]) -> NDArray[Any]:
    """The reports in some cells, as they were drawn.

    Raises
    ------
    UnknownCategory
        For cells that are not reports; the message counts them and shows none.
    """
    form = cell_form(mechanism)
    read = {NUMBER: _number, POSITIONS: _positions, BITS: _bytes}[form]
    found = mechanism.reports.read([read(cell) for cell in cells])
    strange = int((found.reshape(len(cells), -1)[:, 0] < 0).sum()) if len(cells) else 0
    if strange:
        raise UnknownCategory(
            f"{strange:,} of {len(cells):,} different cells hold no report of {mechanism.family} about "
            f"{len(mechanism.labels):,} values ({form}); is this the card of this table?"
        )
    return found


def counts_in(mechanism: LocalMechanism, tally: Mapping[Any, int]) -> ReportCounts:
    """Counts of cells as counters of reports, which is all that estimation needs."""
    found = reports_in(mechanism, list(tally))
    times = np.array(list(tally.values()), dtype=np.int64)
    counters = np.zeros(mechanism.reports.slots, dtype=np.int64)
    for once in np.unique(times).tolist():
        counters += once * mechanism.reports.count(found[times == once])
    return ReportCounts(mechanism, int(times.sum()), counters)


def _number(cell: Any) -> int:
    """A whole number, also as text or as a double, as other programs may have it."""
    text = _text(cell)
    return int(text) if _WHOLE.fullmatch(text) else -1


def _positions(cell: Any) -> tuple[int, ...]:
    parts = _text(cell).split(" ")
    return tuple(map(int, parts)) if all(map(_WHOLE.fullmatch, parts)) else ()


def _bytes(cell: Any) -> bytes:
    text = _text(cell)
    return bytes.fromhex(text[1:]) if _HEX.fullmatch(text) else b""


def _text(cell: Any) -> str:
    if isinstance(cell, float | np.floating) and cell.is_integer():
        return str(int(cell))
    return str(cell)
