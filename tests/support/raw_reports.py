"""Columns whose cells are reports, for the referee: every way that their sampler can go is gone."""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction as Q
from math import lcm
from typing import Any

import pyarrow as pa

from dprivacy.mechanisms import FAMILIES
from dprivacy.release import Plan
from dprivacy.release.columns.column_batches import ColumnProtector
from dprivacy.sampling import SystemSource
from support.enumerated_draws import law_of
from support.raw_laws import Law, Path, Row, promise_of
from support.raw_mechanisms import ENOUGH, LEVELS

VALUES = ["tea", "milk", "water"]
POLICIES: dict[str, Any] = {
    "": {},
    ", missing replaced": {"nulls": {"replace": "milk"}},
    ", missing as one more": {"nulls": "category"},
}


def report_columns() -> Iterator[Path]:
    """Every family of reports with every policy for missing values, from cells of a file."""
    for family, (words, policy) in itertools.product(FAMILIES, POLICIES.items()):
        pairs = 0
        for level in LEVELS if family.reports else ():
            if pairs >= ENOUGH:
                break
            spec = {"type": "categories", "values": VALUES, "epsilon": level, **policy}
            spec["mechanism"] = family.name
            values = [*VALUES, *([None, "NA"] if policy else [])]
            pairs += len(values) * (len(values) + 1) // 2
            yield _reported(f"table: categories, {family.name}{words}", spec, values)


def _reported(name: str, spec: dict[str, Any], values: Sequence[Any]) -> Path:
    column = Plan.read({"columns": {"x": spec}}).column("x")

    def cell(value: Any) -> Any:
        protector = ColumnProtector(column, SystemSource(), texts=True)
        return protector.apply([pa.array([value], pa.string())])[0][0].as_py()

    def laws(values: Sequence[Any]) -> list[Law]:
        found = [law_of(lambda value=value: cell(value)) for value in values]
        cells = list(dict.fromkeys(one for law in found for one in law))
        rows = []
        for law in found:
            assert sum(law.values()) == 1
            scale = lcm(*(chance.denominator for chance in law.values()))
            rows.append((Row(tuple(int(law.get(one, Q(0)) * scale) for one in cells)),))
        return rows

    def read(value: Any) -> Any:
        missing = None if value in (None, "NA") else value
        return column.null_value if missing is None and column.nulls == "replace" else missing

    covers = frozenset({spec["mechanism"], spec["type"], f"nulls {column.nulls}"})
    return Path(name, values, laws, promise_of(column.mechanism.guarantee, read), covers=covers)
