"""How the answers of a variable lie to each other: on a line, in order, in a tree, or merely listed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Literal

from dprivacy.model import counted
from dprivacy.release.codebooks.codebook_model import Value, Variable, decimal_of, whole_of

Kind = Literal["numbers", "dates", "ordered", "tree", "categories", "decide"]

_DEEPEST = 30  # levels of a hierarchy
_APART = re.compile(
    r"^n\.?/?a\b|not applicable|inapplicable|refus|don.?t know|do(es)? not know|\bmissing\b"
    r"|not reported"
    r"|not stated|no answer|no response|\bunknown\b|not available|not asked|place ?holder|keine angabe"
    r"|wei(ss|ß) nicht|sans objet|ne sait pas|non r[ée]ponse|no sabe|no contesta",
    re.IGNORECASE,
)
_DEGREES = re.compile(
    r"\b(grade|degree|diploma|school|schooling|percentile|decile|quantile|per ?cent|often|never|always"
    r"|rarely|seldom|sometimes|agree|disagree|(dis)?satisfied|poor|fair|good|bad|excellent|low|lower|medium"
    r"|middle|high|higher|less than|more than|under|over|at least|at most|up to|years?|or more|daily"
    r"|weekly|monthly)\b|%|\d\s*(to|-|–)\s*\d",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Answers:
    """What the answers of a variable are, and the reasons.

    `codes` stand beside the numbers of a line, or beside classes in order; `values` are all that may
    occur where they are listed. `days` are the first
    and the last of dates.
    """

    kind: Kind
    reasons: tuple[str, ...]
    values: tuple[Value, ...] = ()
    codes: tuple[Value, ...] = ()
    low: Decimal = Decimal(0)
    high: Decimal = Decimal(0)
    groups: tuple[Value, ...] = ()
    whole: bool = True
    days: tuple[date, date] | None = None


def answers_of(variable: Variable) -> Answers:
    """The kind of answers that a codebook describes: a line with codes, a line, an order, a list.

    Examples
    --------
    >>> found = answers_of(Variable("age", low=Decimal(0), high=Decimal(110)))
    >>> found.kind, found.reasons
    ('numbers', ('a range from 0 to 110',))
    """
    values = tuple(replace(v, missing=v.missing or _stands_apart(v)) for v in variable.values)
    if isinstance(variable.low, date) and isinstance(variable.high, date):
        told = f"dates from {variable.low} to {variable.high}{_beside(values)}"
        if variable.low == variable.high:
            return Answers("decide", ("its range holds a single day",))
        return Answers("dates", (told,), codes=values, days=(variable.low, variable.high))
    if isinstance(variable.low, Decimal) and isinstance(variable.high, Decimal):
        found = _on_a_line(variable, values, variable.low, variable.high)
        if found is not None:
            return found
    if not values:
        return Answers("decide", ("the codebook lists neither values nor a range",))
    usual = [value for value in values if not value.missing]
    if variable.measure == "scale":
        return Answers("decide", ("the codebook labels some codes of a scale, and gives no range",))
    if len(values) < 2:
        return Answers("decide", ("the codebook lists a single code, which says nothing",))
    lost: tuple[str, ...] = ()
    if any(value.parent for value in values):
        tree = _in_a_tree(variable, values)
        if isinstance(tree, Answers):
            return tree
        lost = (f"its hierarchy is left out, as {tree}",)
    wholes = [whole_of(value.code) for value in usual]
    if variable.measure == "ordinal" and len(usual) > 2:
        return _in_order(values, "the codebook calls it ordinal")
    degrees = sum(bool(_DEGREES.search(value.label)) for value in usual)
    if len(usual) > 2 and None not in wholes and 2 * degrees >= len(usual):
        return _in_order(
            values,
            "whole-number codes whose labels name degrees: confirm the order",
        )
    reasons = (f"{len(values)} codes that the codebook lists", *lost)
    return Answers("categories", reasons, values)


def listed(variable: Variable) -> Answers:
    """All codes as categories, whatever else they may be."""
    values = tuple(variable.values)
    return Answers("categories", (f"{len(values)} codes that the codebook lists",), values)


def ranked(variable: Variable) -> Answers:
    """All codes in order."""
    values = tuple(replace(v, missing=v.missing or _stands_apart(v)) for v in variable.values)
    return _in_order(values, "classes in order, as was asked for")


def _stands_apart(value: Value) -> bool:
    """Whether a code is for no answer, such as a refusal."""
    return bool(_APART.search(value.label)) or (value.code == "N" and not value.label)


def _on_a_line(
    variable: Variable, values: Sequence[Value], low: Decimal, high: Decimal
) -> Answers | None:
    """Numbers of a range, and the codes beside it; None where the codes are all there is."""
    reasons: list[str] = []
    inside = {whole_of(v.code) for v in values if not v.missing} - {None}
    every = high - low < len(values) and set(range(int(low), int(high) + 1)) <= inside
    if values and (variable.measure in ("nominal", "ordinal") or every):
        return None  # the range says once more which codes are listed
    numbers = {value.code: decimal_of(value.code) for value in values}
    gone = {numbers[value.code] for value in values if value.missing}
    while low < high and high in gone:
        reasons.append(f"code {high:f} is a missing one, so that the range ends before it")
        high -= 1
    while low < high and low in gone:
        reasons.append(f"code {low:f} is a missing one, so that the range begins after it")
        low += 1
    for value in values:
        number = numbers[value.code]
        if number is not None and not value.missing and number in (low - 1, high + 1):
            low, high = min(low, number), max(high, number)
            reasons.append(f"code {value.code} continues the range")
    if low >= high:
        return Answers("decide", ("its range holds a single number",))
    within = {
        code for code, number in numbers.items() if number is not None and low <= number <= high
    }
    if any(value.missing and value.code in within for value in values):
        return Answers("decide", ("a missing code lies within its range",))
    beside = [value for value in values if value.code not in within]
    reasons.insert(0, f"a range from {low:f} to {high:f}{_beside(beside)}")
    whole = low == low.to_integral_value() and high == high.to_integral_value()
    return Answers("numbers", tuple(reasons), (), tuple(beside), low, high, whole=whole)


def _beside(codes: Sequence[Value]) -> str:
    return f" with {counted(len(codes), 'code')} beside" if codes else ""


def _in_order(values: Sequence[Value], reason: str) -> Answers:
    """Classes in order: by number where all are whole, and as listed where not."""
    usual = [value for value in values if not value.missing]
    apart = tuple(value for value in values if value.missing)
    wholes = {value.code: whole_of(value.code) for value in usual}
    if None not in wholes.values():
        usual.sort(key=lambda value: wholes[value.code] or 0)
    beside = ", ".join(value.code for value in apart)
    told = (f"beside the order, as they mean no answer: {beside}",) if apart else ()
    return Answers("ordered", (reason, *told), tuple(usual), apart)


def _in_a_tree(variable: Variable, values: Sequence[Value]) -> Answers | str:
    """The lowest codes of a hierarchy; in place of them, what speaks against it."""
    known = {v.code: v for v in (*variable.groups, *values)}
    if len(known) < len(variable.groups) + len(values):
        return "a code is also the name of a group"
    for value in known.values():
        seen, at = {value.code}, value.parent
        while at:
            if at not in known:
                return "a code above others is not listed"
            if at in seen:
                return "it goes round in a circle"
            if len(seen) > _DEEPEST:
                return f"it has more than {_DEEPEST} levels"
            seen.add(at)
            at = known[at].parent
    above = {v.parent for v in known.values()}
    leaves = tuple(v for v in values if v.code not in above)
    inner = tuple(v for v in known.values() if v.code in above)
    if len(leaves) < 2:
        return "it has a single lowest code"
    told = f"{len(leaves)} codes in a hierarchy, under {len(inner)} codes of higher levels"
    return Answers("tree", (told,), leaves, groups=inner)
