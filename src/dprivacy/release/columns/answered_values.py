"""Whose true value is which, in every row: what a ledger counts for permanent answers."""

from collections.abc import Iterable, Mapping
from typing import Any

from dprivacy.release.joints.joint_protector import protector_of
from dprivacy.release.plans.table_plan import Plan
from dprivacy.sampling import SystemSource

Answered = Mapping[str, list[tuple[Any, int]]]  # by column: person and position of the true value


def answered_in(plan: Plan, batches: Iterable[Mapping[str, Any]], *, texts: bool) -> Answered:
    """The person and the position of the true value in every row, by column.

    Parameters
    ----------
    plan
        A plan of listed columns, with a column that identifies a person.
    batches
        Arrow arrays by name, batch after batch.
    texts
        Whether they come from a CSV file, where every cell is a text.
    """
    readers = [protector_of(column, SystemSource(), texts=texts) for column in plan.columns]
    found: dict[str, list[tuple[Any, int]]] = {column.name: [] for column in plan.columns}
    for arrays in batches:
        people = arrays[plan.unit].to_pylist()
        for reader in readers:
            codes = reader.look([arrays[name] for name in reader.column.columns])
            found[reader.column.name] += zip(people, codes.tolist(), strict=True)
    return found
