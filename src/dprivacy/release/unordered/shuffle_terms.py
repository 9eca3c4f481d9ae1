"""What a plan must be like for its rows to hide among each other, and the δ that goes with it."""

import warnings
from collections.abc import Iterator
from fractions import Fraction

from dprivacy.errors import BadNumber, BadPlan, NotApplicable, PrivacyLeakWarning
from dprivacy.model import about
from dprivacy.numbers import as_delta
from dprivacy.release.plans.table_plan import Plan
from dprivacy.typing import NumberLike

_WITHOUT = "or release without shuffling"


def shuffle_delta(
    plan: Plan, *, shuffle: bool, delta: NumberLike | None, permanent: bool
) -> Fraction | None:
    """The δ of a shuffled release; None for one that keeps its order.

    Parameters
    ----------
    plan
        What happens to every column.
    shuffle, delta
        As for `sanitise`.
    permanent
        Whether answers are permanent.

    Raises
    ------
    BadNumber, NotApplicable, BadPlan
        When δ is missing or no probability, and when rows would not hide among each other.
    """
    require_delta(shuffle=shuffle, delta=delta)
    if delta is None:
        return None
    slack = as_delta(repr(delta) if isinstance(delta, float) else delta)
    if not 0 < slack < 1:
        raise BadNumber(f"δ lies between 0 and 1 where rows are shuffled, not at {slack}")
    for reason in misfits(plan, permanent=permanent):
        raise reason
    return slack


def require_delta(*, shuffle: bool, delta: NumberLike | None) -> None:
    """Refuse one of the two without the other."""
    if delta is not None and not shuffle:
        raise NotApplicable(
            f"delta={delta!r} (--delta) is for a shuffled release; pass shuffle=True (--shuffle) "
            "as well"
        )
    if shuffle and delta is None:
        raise BadNumber(
            "a shuffled release holds except with a small δ, which has to be chosen: pass delta= "
            "(--delta), for n rows at most 1/n²: 1e-6 for 1,000 rows, 1e-10 for 100,000"
        )


def misfits(plan: Plan, *, permanent: bool = False) -> Iterator[BadPlan | NotApplicable]:
    """Why shuffling would prove nothing for a plan, each with the way out."""
    if permanent:
        yield NotApplicable(
            "permanent answers repeat a person's noise, so that rows are recognised from one release "
            f"to the next whatever their order; leave out the permanent key, {_WITHOUT}"
        )
    if plan.unit != "row" and plan.unit in (*plan.pass_through, *plan.protected):
        yield BadPlan(
            f"the column {plan.unit!r} says whose a row is and would be in the output, where order is "
            f"then no secret; list it in drop, {_WITHOUT}"
        )
    for column in plan.columns:
        if column.source != "declared":
            yield BadPlan(
                f"the values of {column.name!r} were read off the data, and nothing is proved of such "
                "a column; compare them with the questionnaire or code list and set source = "
                f'"declared", {_WITHOUT}'
            )
        if column.kind == "text" and not column.listed:
            yield NotApplicable(
                f"column {column.name!r} holds words of texts, of which no two rows are alike; use "
                f'keep = "topic", {_WITHOUT}'
            )
        if column.members:
            yield BadPlan(
                f"the columns of {column.name!r} are drawn together, and sorted rows are proved for "
                f"columns that are drawn one by one; give each its level, {_WITHOUT}"
            )
        if "blocks" in column.spec:
            yield BadPlan(
                f"column {column.name!r} has blocks, and which block a row is in is published as it "
                f"is; release each block as a table of its own, {_WITHOUT}"
            )


def warn_of_delta(delta: Fraction, n: int, *, above: int = 1) -> None:
    """Warn, in the name of the caller that many calls above, of a δ that allows too much."""
    if delta * n < 1:
        return
    warnings.warn(
        f"δ = {about(delta)} is 1/n or more for n = {n:,} rows: publishing one row in clear, whoever's "
        f"it is, would pass as well; choose at most 1/n² = {about(Fraction(1, n * n))}",
        PrivacyLeakWarning,
        stacklevel=above + 2,
    )
