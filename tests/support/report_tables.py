"""Tables whose cells are reports: every table that can come out of a few people, with its chance."""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from dprivacy.mechanisms import cells_of
from dprivacy.release import Plan, ReceivedTable
from dprivacy.release.plans.table_card import table_card

FAMILIES: dict[str, dict[str, Any]] = {
    "projective": {"mechanism": "projective_response", "q": 2},
    "hashed": {"mechanism": "hashed_response", "q": 2},
    "subset": {"mechanism": "subset_response", "size": 2},
    "unary": {"mechanism": "unary_response"},
}
VALUES = ["tea", "milk", "rum"]


def report_plan(family: str, values: list[Any] = VALUES, **more: Any) -> Plan:
    """A plan for the column drink, with the column town passed through."""
    spec = {"type": "categories", "values": values, "epsilon": "ln 3", **FAMILIES[family], **more}
    return Plan.read({"columns": {"drink": spec}, "pass_through": ["town"]})


def every_release(
    plan: Plan, drinks: list[Any], towns: list[str]
) -> Iterator[tuple[Fraction, ReceivedTable]]:
    """All tables that a few people's answers can become, each with its exact probability."""
    local = plan.column("drink").local
    channel = local.channel
    cells = cells_of(local, local.reports.read(channel.columns))
    card = table_card(plan, rows=len(drinks), secure=True)
    rows = [[Fraction(p) for p in channel.row(drink).values()] for drink in drinks]
    for chosen in itertools.product(range(len(cells)), repeat=len(drinks)):
        chance = Fraction(1)
        for row, y in zip(rows, chosen, strict=True):
            chance *= row[y]
        released = [cells[y] for y in chosen]
        kind = pa.string() if isinstance(cells, list) else pa.int64()
        yield (
            chance,
            ReceivedTable(
                pa.table({"drink": pa.array(released, kind), "town": pa.array(towns)}), card
            ),
        )
