"""Among which rows a row hides, found before anything is drawn, and what that proves."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.shuffle_terms import warn_of_delta
from dprivacy.release.unordered.shuffled_block import ShuffledTable, shuffled_table
from dprivacy.release.unordered.untouched_groups import GroupCount, Groups, require_company


@dataclass(frozen=True, eq=False)
class Company:
    """The groups of a table, and what a card says of it when its rows are sorted."""

    groups: Groups
    table: ShuffledTable

    @property
    def block(self) -> dict[str, Any]:
        """What a card says."""
        return self.table.to_dict()


def company_of(batches: Iterable[Any], plan: Plan, delta: Fraction, *, above: int = 1) -> Company:
    """The company of the rows of a table; NotApplicable where some row has none.

    Parameters
    ----------
    batches
        Arrow tables or record batches, of which the untouched columns are looked at.
    plan, delta
        On what terms they are shuffled.
    above
        In the name of which caller a warning is given.
    """
    count = GroupCount(plan.pass_through)
    for batch in batches:
        count.see(batch)
    groups = count.found()
    require_company(groups, plan.pass_through)
    warn_of_delta(delta, groups.smallest, above=above + 1)
    found = shuffled_table(plan, groups.rows, delta=delta, smallest=groups.smallest)
    return Company(groups, found)
