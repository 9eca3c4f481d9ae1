"""The rows of the table of speeds, and how it is printed."""

from collections.abc import Sequence
from dataclasses import dataclass

_HEADS = ("case", "peer or limit", "before", "ours", "ratio", "target", "")


@dataclass(frozen=True)
class Case:
    """One row.

    Parameters
    ----------
    case
        What was done, by which public call.
    peer, ours
        What it was compared with, and what we took, as texts with their units.
    before
        What it was before this table was made, as measured then on another day.
    ratio
        What the target is about, such as ours/peer in CPU time.
    target
        The most (or least) that the ratio should be, such as "≤ 1.5×"; empty for what is only told.
    met
        Whether it is.
    reason
        Why not, where it is not.
    """

    case: str
    peer: str
    ours: str
    before: str
    ratio: str
    target: str
    met: bool
    reason: str = ""


def _verdict(case: Case) -> str:
    return "" if not case.target else "met" if case.met else "missed"


def table(cases: Sequence[Case]) -> str:
    """All rows under one another, and what was missed with its reason."""
    rows = [(c.case, c.peer, c.before, c.ours, c.ratio, c.target, _verdict(c)) for c in cases]
    widths = [max(map(len, column)) for column in zip(_HEADS, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (_HEADS, *rows)
    ]
    missed = [f"{c.case}: {c.reason}" for c in cases if not c.met]
    return "\n".join([*lines, *(["", "Missed:"] if missed else []), *missed])
