"""`row` at the top of a plan: the level of the whole row, which columns share by their errors."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadPlan, DPrivacyError, UnknownName
from dprivacy.model import counted
from dprivacy.numbers import Level, as_eps, as_level, exp_bounds
from dprivacy.release.budgets.error_curves import (
    ErrorCurve,
    block_square,
    coded_total,
    geometric_total,
    line_variance,
    response_total,
)
from dprivacy.release.budgets.level_split import (
    SPLITS,
    exact_factors,
    split_level,
    wanted_levels,
)
from dprivacy.release.texts.text_columns import spec_of_topics

ROW_KEYS = ("row", "split", "rows")
SHARE_KEYS = ("importance", "wanted")
_SHARING = ("randomised_response", "geometric", "laplace", "coded_laplace")
_TYPES = (
    "categories",
    "ordered",
    "tree",
    "graph",
    "distances",
    "numbers",
    "dates",
    "joint",
    "topic",
)
_LINES = ("numbers", "dates")
ALONE = "give every column its epsilon, and leave row out"
_BITS = 128
_LEAST, _MOST = Fraction(1, 10**6), 600  # levels that can be shared: of a column, and of a row
_POINTS = re.compile(r"(\d+(?:\.\d+)?) points?")
_PROBE = "1/1000000"  # a level with which a column is built to see how far its values are apart

Widest = Callable[[str, Mapping[str, Any]], tuple[Level | None, int]]


def with_levels(data: Mapping[str, Any], name: str, widest: Widest) -> Mapping[str, Any]:
    """A plan whose columns have the levels that the row's budget gives them.

    What was asked for moves to the entry `budget`, which nothing is computed from again: a plan on a
    card says the levels themselves.

    Parameters
    ----------
    data, name
        What the plan says, and what to call it.
    widest
        For a column's settings, the level between its two most different values and how many values
        it has.
    """
    columns = data["columns"]
    if "row" not in data:
        _refuse_shares(data, columns, name)
        return data
    level = _read(data["row"], f"{name}: row")
    how = data.get("split", SPLITS[0])
    if how not in SPLITS:
        raise UnknownName.among(f"{name}: split", how, SPLITS)
    rows = data.get("rows")
    if rows is not None and (type(rows) is not int or rows < 1):
        raise BadPlan(f"{name}: rows should be a whole number ≥ 1, not {str(rows)[:40]}")
    distances, curves = {}, []
    for key, spec in columns.items():
        where = f"{name}, column {key!r}"
        distances[key], curve = _shared(key, spec, where, widest)
        curves.append(curve)
    each = level / _times(data)
    if not _LEAST * len(columns) <= each <= _MOST:
        raise BadPlan(
            f"{name}: row leaves each column less than {float(_LEAST):g}, at which nothing can be "
            f"estimated, or each row of a person more than {_MOST}, which protects nothing; write "
            'row = "ln 9", say'
        )
    levels = _levels(curves, float(each), how, rows, name)
    whole = each.exp() or exp_bounds(*each.bounds(_BITS), _BITS)[0]
    factors = exact_factors(levels, whole, [curve.wanted is not None for curve in curves])
    resolved = {
        key: {
            **{k: v for k, v in spec.items() if k not in SHARE_KEYS},
            "epsilon": _epsilon(factor, distances[key]),
        }
        for (key, spec), factor in zip(columns.items(), factors, strict=True)
    }
    told = {key: data[key] for key in ROW_KEYS if key in data}
    for share in SHARE_KEYS:
        said = {key: spec[share] for key, spec in columns.items() if share in spec}
        told |= {share: said} if said else {}
    rest = {key: value for key, value in data.items() if key not in ROW_KEYS}
    return {**rest, "columns": resolved, "budget": told}


def require_within(budget: Any, levels: Sequence[Level | None], times: int, name: str) -> None:
    """Refuse a plan whose levels, counted this many times, come to more than the budget it names."""
    if not isinstance(budget, Mapping) or "row" not in budget:
        raise BadPlan(f"{name}: budget should be a table with row, as a plan with a budget has it")
    row = _read(budget["row"], f"{name}: budget")
    known = [level for level in levels if level is not None]
    if len(known) < len(levels) or sum(known, Level(0)) * times > row:
        raise BadPlan(
            f"{name}: the levels of its columns come to more than its budget of {row} for the row"
        )


def _read(level: Any, where: str) -> Level:
    try:
        return as_eps(str(level) if isinstance(level, float) else level)
    except DPrivacyError as reason:
        raise BadPlan(f"{where}: {reason}") from None


def _times(data: Mapping[str, Any]) -> int:
    """How often a level counts for one person; wrong values are refused where they are read."""
    given = (data.get(key, 1) for key in ("rows_per_person", "values_per_person"))
    product = 1
    for each in given:
        product *= each if type(each) is int and each > 0 else 1
    return product


def _refuse_shares(data: Mapping[str, Any], columns: Mapping[str, Any], name: str) -> None:
    for key in ROW_KEYS[1:]:
        if key in data:
            raise BadPlan(f'{name}: {key} goes with a budget for the row; write row = "ln 9", say')
    for key, spec in columns.items():
        for share in SHARE_KEYS:
            if isinstance(spec, Mapping) and share in spec:
                raise BadPlan(
                    f"{name}, column {key!r}: {share} goes with a budget for the row; write "
                    'row = "ln 9", say, at the top of the plan, and no epsilon'
                )


def _shared(key: str, spec: Any, where: str, widest: Widest) -> tuple[Fraction, ErrorCurve]:
    """The widest distance of a column, and its errors."""
    if not isinstance(spec, Mapping):
        raise BadPlan(f"{where}: must be a table of settings, not {str(spec)[:60]}")
    if "epsilon" in spec:
        raise BadPlan(
            f"{where}: the plan has a budget for the row, from which the column gets its level; leave "
            "epsilon out here, or row at the top"
        )
    usual = "" if spec.get("type") in ("tree", "graph", "distances") else _SHARING[0]
    kind = "topic" if spec.get("type") == "text" and spec_of_topics(spec) else spec.get("type")
    if kind not in _TYPES or spec.get("mechanism", usual) not in _SHARING:
        raise BadPlan(
            f"{where}: a budget for the row is shared by categories, ordered values, numbers, dates "
            'and topics of texts (keep = "topic"), and by trees, graphs and tables of distances with '
            f'mechanism = "randomised_response"; change it, or {ALONE}'
        )
    importance = spec.get("importance", 1)
    if type(importance) not in (int, float) or not 0 < importance < float("inf"):
        raise BadPlan(f"{where}: importance should be a number above 0, not {str(importance)[:40]}")
    probe = {k: v for k, v in spec.items() if k not in SHARE_KEYS}
    most, values = widest(key, {**probe, "epsilon": _PROBE})
    distance = None if most is None else most / as_level(_PROBE)
    if distance is None or not distance.is_rational:
        raise BadPlan(
            f"{where}: a share of the row's budget needs values whose distances are bounded and "
            f"rational; {ALONE}"
        )
    square, unit = _square(spec, values, distance.rational)
    wanted = _wanted(spec, where)
    return distance.rational, ErrorCurve(key, square, float(importance), unit, wanted)


def _square(
    spec: Mapping[str, Any], values: int, distance: Fraction
) -> tuple[Callable[[complex], complex], float]:
    if spec["type"] in _LINES:
        return (lambda level: line_variance(max(values - 1, 1), level)), float(distance)
    if spec["type"] == "ordered" and "codes" in spec:
        classes = len(spec["values"])
        return (lambda level: coded_total(classes, values - classes, level) / values), 100.0
    geometric = spec["type"] == "ordered" and spec.get("mechanism", "geometric") == "geometric"
    total = geometric_total if geometric else response_total
    blocks = spec.get("blocks")
    sizes = [len(block) for block in blocks] if isinstance(blocks, list) else [values]
    return block_square(total, sizes), 100.0


def _wanted(spec: Mapping[str, Any], where: str) -> float | None:
    wanted = spec.get("wanted")
    if wanted is None:
        return None
    if spec["type"] in _LINES:
        if type(wanted) in (int, float) and 0 < wanted < float("inf"):
            return float(wanted)
        raise BadPlan(
            f"{where}: wanted should be the standard error of the mean, in units of the column, "
            f"such as 5, not {str(wanted)[:40]}"
        )
    found = _POINTS.fullmatch(wanted) if isinstance(wanted, str) else None
    if found is None or not float(found[1]):
        raise BadPlan(
            f'{where}: wanted should be the standard error of a share, such as "2 points", not '
            f"{str(wanted)[:40]}"
        )
    return float(found[1])


def _levels(
    curves: list[ErrorCurve], level: float, how: str, rows: int | None, name: str
) -> list[float]:
    """Wanted errors first, and what is left to the others."""
    asking = [curve for curve in curves if curve.wanted is not None]
    if asking and rows is None:
        raise BadPlan(
            f"{name}: wanted errors depend on the number of rows; write rows = 5000, say, at the top"
        )
    try:
        needed = wanted_levels(asking, level, rows) if rows is not None else []
    except BadPlan as reason:
        raise BadPlan(f"{name}: {reason}") from None
    taking = [curve for curve in curves if curve.wanted is None]
    left = level - sum(needed)
    if taking and left <= level * 1e-6:
        raise BadPlan(
            f"{name}: the wanted errors take the whole row, and nothing is left for "
            f"{counted(len(taking), 'other column')}"
        )
    given = iter(split_level(taking, left, how) if taking else [])
    wanted = iter(needed)
    return [next(given if curve.wanted is None else wanted) for curve in curves]


def _epsilon(factor: Fraction, distance: Fraction) -> str:
    """The level per unit of distance, as a plan writes it: "ln 1.44", "1/3 ln 1.66"."""
    digits = len(str(factor.denominator)) + 1
    text = f"{factor.numerator / factor.denominator:.{digits}f}".rstrip("0").rstrip(".")
    said = f"ln {text}" if Fraction(text) == factor else f"ln({factor})"
    return said if distance == 1 else f"{1 / distance} {said}"
