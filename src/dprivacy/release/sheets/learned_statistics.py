"""What a receiver can still learn from a release, and how far off it may be, whatever the truth is."""

import math
from datetime import date
from fractions import Fraction

import numpy as np

from dprivacy.errors import NotInvertible
from dprivacy.estimation import inverse_matrix
from dprivacy.mechanisms import LocalMechanism
from dprivacy.model import Channel, shown
from dprivacy.numbers import Floats
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.figures.kept_figures import found_once
from dprivacy.release.sheets.sheet_contents import Learned

_REACH = 1.959964  # standard errors on either side of an interval that is right 19 times in 20
_POINTS = " points"
_HALF = Fraction(1, 2)
_LOST = 1e9  # entries of an inverse beyond which nothing can be estimated


def learned(column: ColumnPlan, rows: int, *, name: str) -> Learned:
    """The statistic that a column is usually wanted for: its mean, or the share of each answer.

    The errors hold for every population: the one that is hardest to estimate decides. That of a mean
    counts the whole range as if half of the people were at each end.

    Parameters
    ----------
    column
        A column of a plan.
    rows
        How many rows there are.
    name
        What the column is called on the sheet.

    Examples
    --------
    >>> from dprivacy.release import Plan
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> print(learned(Plan.read({"columns": {"tea": tea}}).columns[0], 1000, name="tea").error)
    ± 6.2 points
    """
    what, unit = _statistic(column, name)
    asked = ("variances", column.kind)
    found = found_once(column.mechanism, asked, lambda: _variances(column))
    if found is None:
        return Learned(what, "not by itself: see the card", "")
    return learned_within(what, found, rows, unit)


def learned_within(
    what: str, variances: tuple[float, float], rows: int, unit: str = _POINTS
) -> Learned:
    """A statistic by the variances of one person's answer, with noise and without."""
    scale = 100 if unit == _POINTS else 1
    noisy, plain = (_reached(variance, rows, scale) for variance in variances)
    beyond = variances[0] * _REACH**2 >= variances[1] * rows  # half of the range on either side
    return Learned(what, f"{'nothing: ' if beyond else ''}± {noisy}{unit}", f"± {plain}{unit}")


def _statistic(column: ColumnPlan, name: str) -> tuple[str, str]:
    """What is learned, and its unit."""
    if column.members:
        return shown(f"cells of {name} ({len(column.values)} cells)"), _POINTS
    if column.kind not in ("numbers", "dates"):
        values = f" ({len(column.values)} values)" if column.values else ""
        return shown(f"shares of {name}{values}"), _POINTS
    if coded(column):
        return shown(f"share of {name} that is a number, not a code"), _POINTS
    span = f"(from {column.spec.get('low')} to {column.spec.get('high')})"
    return shown(f"mean of {name} {span}"), " days" if column.kind == "dates" else ""


def coded(column: ColumnPlan) -> bool:
    """Whether numbers or dates stand beside codes."""
    numbers = column.kind in ("numbers", "dates")
    return numbers and (bool(column.spec.get("codes")) or column.nulls == "category")


def _reached(variance: float, rows: int, scale: int) -> str:
    """Half of an interval that holds the truth 19 times in 20, rounded up."""
    most = _REACH * math.sqrt(variance / rows) * scale
    digits = max(0, 1 - math.floor(math.log10(most))) if most < 10 else 1
    digits = min(digits, 1) if most >= 1 else digits
    return f"{math.ceil(round(most * 10**digits, 6)) / 10**digits:,.{digits}f}"


def _variances(column: ColumnPlan) -> tuple[float, float] | None:
    """The variance of one answer with noise and without, the largest over all populations."""
    if column.local is not None:
        return float(_of_reports(column.local)), 0.25
    channel = column.channel
    undone = None if channel is None else _undone(channel)
    if channel is None or undone is None:
        return None
    if column.kind in ("numbers", "dates"):
        return _of_a_mean(_scores(column, channel), channel.matrix.floats, undone)
    squares = channel.matrix.floats @ undone**2
    others = np.where(np.eye(len(squares), dtype=bool), -np.inf, squares).max(axis=0)
    return worst_variance(squares.diagonal(), others), 0.25


def _undone(channel: Channel) -> Floats | None:
    """The inverse of a channel; None where nothing can be estimated."""
    try:
        square = len(channel.rows) == len(channel.columns)
        undone = (
            np.linalg.inv(channel.matrix.floats)
            if square
            else inverse_matrix(channel.matrix).floats
        )
    except (NotInvertible, np.linalg.LinAlgError):
        return None
    return None if np.abs(undone).max() > _LOST else np.asarray(undone, dtype=np.float64)


def corrected_squares(channel: Channel | None) -> Floats | None:
    """The mean square of one person's corrected count, by truth and answer counted; None without one.

    Examples
    --------
    >>> corrected_squares(Channel([0, 1], [0, 1], [["3/4", "1/4"], ["1/4", "3/4"]])).tolist()
    [[1.75, 0.75], [0.75, 1.75]]
    """
    undone = None if channel is None else _undone(channel)
    return None if channel is None or undone is None else channel.matrix.floats @ undone**2


def worst_variance(truth: Floats, others: Floats) -> float:
    """The variance of a corrected share for one person, the largest over answers and populations.

    Where a share p has the answer it is p·truth + (1 − p)·others − p², others being the largest
    square of people without it.
    """
    share = np.clip((truth - others) / 2, 0, 1)
    return float((share * truth + (1 - share) * others - share**2).max())


def _scores(column: ColumnPlan, channel: Channel) -> Floats:
    """What each value counts in the mean: itself, a day its number; beside codes 1 for no code."""
    if coded(column):
        codes = {str(code) for code in column.spec.get("codes", ())}
        return np.array([float(x is not None and str(x) not in codes) for x in channel.rows])
    if column.kind == "dates":
        return np.array([float(date.fromisoformat(str(x)).toordinal()) for x in channel.rows])
    return np.array([float(x) for x in channel.rows])


def _of_a_mean(at: Floats, law: Floats, undone: Floats) -> tuple[float, float]:
    at = at - at.min()
    noise = law @ (undone @ at) ** 2 - at**2
    spread = (at.max() / 2) ** 2
    return float(max(noise.max(), 0) + spread), float(spread)


def _of_reports(mechanism: LocalMechanism) -> Fraction:
    """The largest of a parabola through three shares."""
    none, half, every = (
        Fraction(mechanism.reports.variance(share, of="population"))
        for share in (Fraction(0), _HALF, Fraction(1))
    )
    bend = 2 * (none - 2 * half + every)
    slope = every - none - bend
    if bend >= 0:
        return max(none, every)
    top = min(max(-slope / (2 * bend), Fraction(0)), Fraction(1))
    return none + slope * top + bend * top**2
