"""The joint guarantee of a release: what all columns together protect."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.model.guarantee import Guarantee, factor_in_words
from dprivacy.model.plain import about, plain
from dprivacy.numbers.level import Level, as_level
from dprivacy.release.plan import ColumnPlan, Plan
from dprivacy.sources import result
from dprivacy.spaces import BitStrings, FiniteSpace, GridLine


@dataclass(frozen=True)
class JointGuarantee:
    """Levels add up over columns: ε·d = Σ ε_c·d_c, and all of it over a person's rows.

    `total` is the level between the two most different records (None when a column is unbounded).
    """

    parts: tuple[tuple[str, Guarantee], ...]
    rows_per_person: int
    total: Level | None
    delta: Fraction
    revealed: tuple[str, ...]

    def explain(self) -> str:
        """What a release protects, in a few sentences."""
        people = "person" if self.rows_per_person > 1 else "row"
        lines = []
        if self.total is not None:
            factor = factor_in_words(self.total)
            lines.append(
                "Anyone who sees the released table can multiply their odds between any two records "
                f"that a {people} may hold by at most {factor}, whatever they know of everyone else."
            )
        for name, guarantee in self.parts:
            lines.append(f"Column {name}: {guarantee.explain()}")
        if self.delta:
            lines.append(f"All of this up to a slack of {about(self.delta)} on any set of tables.")
        if self.rows_per_person > 1:
            lines.append(
                f"A person may have {self.rows_per_person} rows, so each column's level counts "
                f"{self.rows_per_person} times."
            )
        if self.revealed:
            lines.append(
                f"Published as they are, and so not protected: {', '.join(self.revealed)}."
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return {
            "total": plain(self.total),
            "delta": plain(self.delta),
            "rows_per_person": self.rows_per_person,
            "columns": {name: guarantee.to_dict() for name, guarantee in self.parts},
            "not_protected": list(self.revealed),
            "sentence": self.explain(),
        }


@result("T", "Lem 3.2")
def joint_guarantee(plan: Plan) -> JointGuarantee:
    """What all protected columns of a plan protect together, per row or per person."""
    parts = tuple((column.name, column.mechanism.guarantee) for column in plan.columns)
    widest = [_widest(column) for column in plan.columns]
    bounded = [level for level in widest if level is not None]
    total = sum(bounded, Level(0)) * plan.rows_per_person if len(bounded) == len(widest) else None
    delta = sum((Fraction(g.delta) for _, g in parts), Fraction(0)) * plan.rows_per_person
    return JointGuarantee(
        parts, plan.rows_per_person, total, min(delta, Fraction(1)), plan.pass_through
    )


def _widest(column: ColumnPlan) -> Level | None:
    """ε times the largest (finite) distance of a column."""
    guarantee: Guarantee = column.mechanism.guarantee
    space = guarantee.space
    if isinstance(space, FiniteSpace):
        finite = [
            space.distances[i, j]
            for i in range(len(space))
            for j in range(i)
            if not math.isinf(float(space.distances[i, j]))
        ]
        exact = [as_level(d) for d in set(finite)]
        return guarantee.eps * max(exact, default=Level(0))
    if isinstance(space, GridLine) and space.low is not None and space.high is not None:
        return guarantee.eps * (space.high - space.low)
    if isinstance(space, BitStrings):
        return guarantee.eps * space.bits
    return None
