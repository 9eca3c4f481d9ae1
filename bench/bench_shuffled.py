"""Sorted releases: what it costs to take the order away, beside a plain copy and a plain release.

Two tables, made on the fly in a temporary folder: one whose rows are few different ones, which are
counted, and one in which nearly every row is different, so that runs are merged. Each case runs in a
process of its own, so that its peak memory is its own; times are those of the processor, as other work
on the machine would change the rest. A second size shows whether memory grows with the rows.

    python bench/bench_shuffled.py [rows]
"""

import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fresh_process import COPY, pieces, run
from survey import PLAN, SCHEMA, answers

ROWS = 10_000_000
AMOUNT = {"type": "numbers", "low": 0, "high": 1_000_000, "grid": 1, "epsilon": "1/1000000"}
WIDE = {"columns": {"income": AMOUNT, "rent": AMOUNT}}
WIDE_SCHEMA = pa.schema({"income": pa.int64(), "rent": pa.int64()})

RELEASE = """
from fractions import Fraction
from dprivacy.release import Plan, sanitise_file
from dprivacy.release.unordered.shuffled_block import shuffled_table
plan = Plan.read({plan!r})
began = clock()
if {how!r}:  # found again when the card is written
    shuffled_table(plan, {rows}, delta=Fraction({how!r}["delta"]))
proof = clock() - began
began = clock()
card = sanitise_file("{source}", plan, "out.parquet", replace=True, again="a bench", **{how!r}).card
rows = card.count
"""


def amounts(rng: np.random.Generator, n: int) -> pa.Table:
    """Incomes and rents, nearly all of them different."""
    return pa.table({name: rng.integers(0, 1_000_001, n) for name in WIDE_SCHEMA.names})


CASES = {  # plan, schema, rows, and by what the size is divided
    "few different rows": (PLAN, SCHEMA, answers, 1),
    "all rows different": (WIDE, WIDE_SCHEMA, amounts, 5),
}


def write(path: Path, rows: int, schema: pa.Schema, made: Callable[..., pa.Table]) -> None:
    """A table, a million rows at a time."""
    with pq.ParquetWriter(path, schema) as parquet:
        for table in pieces(made, rows):
            parquet.write_table(table, row_group_size=1 << 17)


def spent(body: str, folder: Path, **names: object) -> tuple[float, float, int]:
    """Seconds of the processor, those of the proof, and MiB of one run."""
    rows, *found = run(body, folder, "process_time", **names)
    assert rows == names["rows"]
    return tuple(found)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    print(f"pyarrow {version('pyarrow')}; seconds of the processor, and peak memory")
    for name, (plan, schema, made, share) in CASES.items():
        most = rows // share
        for n in (most // 10, most):
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                write(folder / "in.parquet", n, schema, made)
                told = {"source": "in.parquet", "target": "copy.parquet", "plan": plan, "rows": n}
                copy, _, held = spent(COPY, folder, **told)
                plain, _, kept = spent(RELEASE, folder, how={}, **told)
                how = {"shuffle": True, "delta": "1e-18"}
                ours, proof, used = spent(RELEASE, folder, how=how, **told)
            print(
                f"  {name}, {n:>11,} rows: sorted {ours:6.1f} s, {used} MiB   "
                f"in order {plain:6.1f} s, {kept} MiB   copy {copy:6.1f} s, {held} MiB   "
                f"ratio sorted/in order {ours / plain:4.2f}×, sorted/copy {ours / copy:5.1f}×   "
                f"proof {proof:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
