"""What a plan allows and is seldom wise, told to whoever uses it."""

import warnings
from collections.abc import Sequence

from dprivacy.errors import PrivacyLeakWarning
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.plans.joint_promise import joint_guarantee
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.plans.weak_levels import MUCH
from dprivacy.release.texts.texts_in_columns import readable_share
from dprivacy.spaces import FiniteSpace
from dprivacy.text import readable_words
from dprivacy.typing import Label


def warn_about(plan: Plan, *, above: int = 1) -> None:
    """Warn of what is allowed and seldom wise, in the name of the caller that many calls above."""
    for column in plan.columns:
        found = []
        share = readable_share(column)
        if share is not None and (told := readable_words(share)):
            found.append(told)
        near = 0.0 if share is not None else _between_neighbours(column)
        if near > MUCH:
            found.append(f"ε = {near:.3g} between neighbouring values protects little")
        twins = _twins(column.values)
        if twins:
            found.append(f"{twins[0]!r} and {twins[1]!r} differ only in case or spaces")
        if "blocks" in column.spec:
            found.append("which block a value is in is published as it is")
        for what in found:
            told = f"column {column.name!r}: {what}"
            warnings.warn(told, PrivacyLeakWarning, stacklevel=above + 2)
    together = joint_guarantee(plan).warning
    if together:
        warnings.warn(together, PrivacyLeakWarning, stacklevel=above + 2)


def _between_neighbours(column: ColumnPlan) -> float:
    """ε times the smallest distance between two values."""
    mechanism = column.mechanism
    space, eps = mechanism.guarantee.space, float(mechanism.guarantee.eps)
    if isinstance(space, FiniteSpace):
        return eps * float(space.separation)
    return eps * float(getattr(space, "step", getattr(mechanism, "step", 1)))


def _twins(labels: Sequence[Label]) -> tuple[Label, Label] | None:
    """Two labels that a careless hand would write for each other."""
    seen: dict[str, Label] = {}
    for label in labels:
        key = " ".join(str(label).split()).casefold()
        if key in seen:
            return seen[key], label
        seen[key] = label
    return None
