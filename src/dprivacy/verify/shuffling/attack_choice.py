"""The best of the known attacks on two values of one person."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dprivacy.model import BlockLaw
from dprivacy.numbers import Level, ln
from dprivacy.typing import Label
from dprivacy.verify.shuffling.column_covers import exact_rows
from dprivacy.verify.shuffling.difference_attack import difference_factor
from dprivacy.verify.shuffling.threshold_attack import attack_factor
from dprivacy.verify.shuffling.worst_pair import DIGITS

Cells = tuple[tuple[Fraction, Fraction, Fraction], ...]

_MOST_SCORED = 10_000  # reports up to which scores are added up, where counts do not come close


def best_attack(cases: Iterable[Cells], n: int, delta: Fraction, a: Fraction) -> Level | None:
    """The largest level found at which n shuffled reports are not private; None where none was found.

    Parameters
    ----------
    cases
        The two rows, and beside them what everybody else sends: one value's row.
    n, delta, a
        How many reports there are, δ, and the e^ε that was proved.
    """
    rows = [[[cell[k] for cell in cells] for k in range(3)] for cells in cases]
    known = [difference_factor(p, q, others, n, delta, a) for p, q, others in rows]
    best = max((factor for factor in known if factor is not None), default=Fraction(1))
    close = math.log(best) > 0.99 * math.log(a)
    if n <= _MOST_SCORED and not close:
        known = [attack_factor(p, q, others, n, delta, a) for p, q, others in rows]
        best = max([best, *(factor for factor in known if factor is not None)])
    short = Fraction(math.floor(best * 10**DIGITS), 10**DIGITS)
    return ln(short) if short > 1 else None


def attack_cases(column: Any, pair: tuple[Label, Label]) -> set[Cells]:
    """The rows of two values, and beside them what everybody else may send: one value's row."""
    listed = exact_rows(column)
    if listed is not None:
        labels, rows = listed
        p, q = (rows[list(labels).index(label)] for label in pair)
        return {tuple(sorted(zip(p, q, row, strict=True))) for row in rows}
    law = getattr(column, "reports", None)
    return _design_cases(law) if isinstance(law, BlockLaw) else set()


def _design_cases(law: Any) -> set[Cells]:
    """Sets that hold both labels, one of them or none; everybody else has one of them, or a third."""
    a, z, one, both = law.factor, law.normaliser, law.single, law.pair
    weights = both, one - both, one - both, law.total - 2 * one + both
    p = [weight * factor / z for weight, factor in zip(weights, (a, a, 1, 1), strict=True)]
    q = [weight * factor / z for weight, factor in zip(weights, (a, 1, a, 1), strict=True)]
    cases = [p, q]
    if law.labels > 2 and hasattr(law, "triple"):
        three = law.triple(0, 1, 2)  # with the third label: all three, two of them, one
        held = three, both - three, both - three, one - 2 * both + three
        cases.append([(w + (a - 1) * h) / z for w, h in zip(weights, held, strict=True)])
    return {tuple(zip(p, q, others, strict=True)) for others in cases}
