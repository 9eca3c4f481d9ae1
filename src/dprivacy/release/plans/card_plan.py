"""The plan on a card, read again: it may come from anybody, so no file is opened; work is bounded."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from dprivacy.errors import BadFile, DPrivacyError, TooLarge
from dprivacy.mechanisms import FAMILIES
from dprivacy.model import Channel
from dprivacy.numbers import as_level
from dprivacy.release.domains.hierarchy_files import leaves_in
from dprivacy.release.domains.point_columns import column_size, farthest_points, has_points
from dprivacy.release.domains.quick_columns import quick_size
from dprivacy.release.joints.joint_settings import joint_size
from dprivacy.release.plans.stored_plans import plan_out
from dprivacy.release.plans.table_plan import Plan, plan_from

MOST_LISTED = 1024  # values of a column whose channel is on its card
MOST_WORK = 1 << 31  # for one card; about ten seconds of an ordinary processor
_ROUNDING = 128  # bits of a weight, beside those that ε·d takes
_CELL = 200  # what a cell costs beside its bits
_TRIPLE = 40  # what two rows cost at one output
_WRITTEN = 100_000  # what a distance costs that is written out, such as "ln 2"
_REPORTS = tuple(family.name for family in FAMILIES if family.reports)
_LISTED_REPORTS, _SET = 1 << 26, 1 << 10  # what listing all reports costs at the most, and a value
_LARGEST_JOINT = 1 << 14  # combinations, each member with one value more
_VOCABULARY = 1 << 26  # what building the vocabulary of the package costs
_MULTIPLIED = 1 << 13  # bits from which on products cost more than their length


def plan_on(plan: Mapping[str, Any], *, only: str | None = None) -> Plan:
    """The plan on a table's card, or one column of it.

    Raises
    ------
    TooLarge
        When making its mechanisms again takes more than `MOST_WORK`.
    BadFile, BadPlan, UnknownName
        When it is not a plan.
    """
    columns = plan.get("columns")
    if not isinstance(columns, Mapping):
        raise BadFile("the plan on the card names no columns")
    if "row" in plan or "joint" in plan:
        raise BadFile("the plan on the card is not as it was read: it says row or joint")
    if only is not None:
        columns = {only: columns.get(only)}
    work = {name: work_of(spec) for name, spec in columns.items() if isinstance(spec, Mapping)}
    if sum(work.values()) > MOST_WORK:
        slow = max(work, key=lambda name: work[name])
        raise TooLarge(
            "the plan on the card has too many values, or too steep levels, to be proved again; most "
            f"of the work is in column {slow!r}"
        )
    kept = plan if only is None else {"columns": columns}
    return _plan_of(json.dumps(plan_out(kept)))


@lru_cache(maxsize=8)
def _plan_of(text: str) -> Plan:
    """Building every mechanism takes seconds where columns have a thousand values: once is enough."""
    return plan_from(json.loads(text), name="the plan on the card")


def work_of(spec: Mapping[str, Any]) -> float:
    """About how much it takes to build a column's mechanism and to prove it, seen before it is built.

    Notes
    -----
    1. A table of n values whose weights have b bits has n²·b of them.
    2. The families with a formula for each entry are proved from neighbours. For any other, and for
       δ > 0, every two rows are compared at every output: n³.
    3. Weights have about ε·d/ln 2 bits, d being the farthest distance, and never fewer than those that
       numbers are written with.

    Examples
    --------
    >>> plain = {"type": "categories", "values": ["a", "b"], "epsilon": "ln 3"}
    >>> work_of(plain) < work_of({**plain, "mechanism": "exponential"})
    True
    """
    if spec.get("type") == "text":
        return (
            _VOCABULARY
            + (len(str(spec.get("topics", ""))) + len(str(spec.get("weights", "")))) * _CELL
        )
    if spec.get("mechanism") in _REPORTS:
        return _LISTED_REPORTS + _SET * _size(spec)  # which has no table either, or a small one
    if spec.get("type") == "joint" and joint_size(spec) > _LARGEST_JOINT:
        return MOST_WORK + 1
    quick = quick_size(spec)
    if quick is not None and quick > MOST_LISTED and spec.get("type") == "numbers":
        return 0  # which has no table
    size = _size(spec)
    written = any(isinstance(v, str) for v in _items(spec.get("distances")))
    proved = quick is not None or spec.get("type") == "joint"
    triples = 0 if proved and "delta" not in spec else _TRIPLE * size**3
    least = triples + _WRITTEN * size**2 * written
    if least > MOST_WORK:
        return least  # before long lists of distances are looked at
    far = _farthest(spec)
    try:
        spread = float(as_level(_told(spec.get("epsilon", 1)))) * far / math.log(2)
    except (DPrivacyError, ArithmeticError):
        spread = 0.0  # refused when it is read
    longest = max(map(len, _texts(spec)), default=0)
    bits = _ROUNDING + 4 * longest + (min(spread, 1e12) if math.isfinite(spread) else 1e12)
    table = size**2 * (_CELL + bits * (1 + bits / _MULTIPLIED))
    return least + table * (4 if triples else 1)


def _size(spec: Mapping[str, Any]) -> int:
    """At most how many values there are."""
    if spec.get("type") == "stored":
        return math.isqrt(len(str(spec.get("stored", ""))) // 6) + 1  # characters of a weight
    if has_points(str(spec.get("type")), spec, str(spec.get("nulls"))):
        with suppress(DPrivacyError, ArithmeticError):  # refused when it is read
            return column_size(spec)
    if spec.get("type") in ("numbers", "dates"):
        return quick_size(spec) or 0
    if spec.get("type") == "tree":
        return leaves_in(spec.get("hierarchy", spec.get("tree")))
    if spec.get("type") == "joint":
        return joint_size(spec)
    listed = [*_items(spec.get("values"), 1), *_items(spec.get("codes"), 1)]
    ends = {str(end) for edge in _items(spec.get("edges"), 1) for end in _items(edge, 1)}
    return len(listed) + len(ends) + 1


def _farthest(spec: Mapping[str, Any]) -> float:
    """At most how far two values are apart."""
    try:
        if has_points(str(spec.get("type")), spec, str(spec.get("nulls"))):
            return farthest_points(spec)
        if spec.get("type") == "numbers":
            return float(abs(as_level(_told(spec["high"])) - as_level(_told(spec["low"]))))
        edges = [e[2] for e in _items(spec.get("edges"), 1) if isinstance(e, list) and len(e) > 2]
        every = (*_items(spec.get("distances")), *edges)
        given = {_told(v) for v in every if isinstance(v, int | float | str)}
        lengths = [
            float(as_level(v)) for v in given if not isinstance(v, str) or len(v) < _ROUNDING
        ]
    except (DPrivacyError, ArithmeticError, KeyError):
        return 1.0  # refused when it is read
    steps = _size(spec) if spec.get("type") in ("ordered", "graph", "tree") else 1
    return max(1.0, *lengths) * steps if lengths else float(steps)


def _told(value: Any) -> Any:
    return str(value) if isinstance(value, float) else value


def _items(value: Any, deep: int = 100) -> Iterator[Any]:
    """What lies in lists and tables, in all of them or so deep."""
    if isinstance(value, Mapping | list) and deep:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _items(item, deep - 1)
    elif value is not None:
        yield value


def _texts(spec: Mapping[str, Any]) -> Iterator[str]:
    """Texts in which numbers are written."""
    numbers = ("epsilon", "delta", "low", "high", "grid", "anchor", "code_distance")
    for key in (*numbers, "distances", "edges"):
        yield from (v for v in _items(spec.get(key)) if isinstance(v, str))


def made_again(column: str, plan: Mapping[str, Any], points: int) -> Channel:
    """A channel with too many digits for a card, from the plan on it."""
    spec = plan.get("columns", {}).get(column)
    if not isinstance(spec, Mapping) or "file" in spec:  # a card may not name files to be opened
        raise BadFile(f"column {column!r}: the card has neither its channel nor its plan")
    if quick_size(spec) != points or points > MOST_LISTED:
        raise BadFile(
            f"column {column!r}: the plan on the card gives another channel than one of {points} "
            f"values, or one of more than {MOST_LISTED:,}, which is not made again"
        )
    try:
        channel = plan_on(plan, only=column).columns[0].channel
    except DPrivacyError as reason:
        raise BadFile(f"column {column!r}: the plan on the card is damaged ({reason})") from None
    if channel is None or len(channel.rows) != points:
        raise BadFile(f"column {column!r}: the plan on the card gives another channel")
    return channel
