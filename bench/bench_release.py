"""Sanitising files: rows a second, beside a plain copy by the same reader and writer, and peak memory.

Tables are made on the fly in a temporary folder: two listed columns, one of numbers on a grid. Each
case runs in a process of its own, so that its peak memory is its own. The copy reads and writes the
same batches and does nothing in between; the ratio ours/copy is what protection costs.

    python bench/bench_release.py [rows]
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from fresh_process import COPY, pieces, run
from survey import PLAN, SCHEMA, answers

ROWS = 10_000_000
TIMES = 3

OURS = """
from dprivacy.release import Plan, sanitise_file
plan = Plan.read({plan!r})
began = clock()
rows = sanitise_file("{source}", plan, "{target}", replace=True, again="a bench").card.count
"""


def write(folder: Path, rows: int) -> None:
    """in.csv and in.parquet."""
    with (
        pq.ParquetWriter(folder / "in.parquet", SCHEMA) as parquet,
        pacsv.CSVWriter(folder / "in.csv", SCHEMA) as csv,
    ):
        for table in pieces(answers, rows):
            parquet.write_table(table, row_group_size=1 << 17)
            csv.write_table(table)


def timed(body: str, folder: Path, **names: object) -> tuple[int, float, int]:
    """Rows, seconds and MiB of one run."""
    rows, spent, _, memory = run(body, folder, "perf_counter", **names)
    return rows, spent, memory


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    print(f"{rows:,} rows × 3 columns; pyarrow {version('pyarrow')}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, rows)
        for ending in ("parquet", "csv"):
            source, target = f"in.{ending}", f"out.{ending}"
            ours, copies, memory = [], [], []
            for _ in range(TIMES):
                copied = timed(COPY, folder, source=source, target=f"copy.{ending}")
                done = timed(OURS, folder, source=source, target=target, plan=PLAN)
                assert copied[0] == done[0] == rows
                copies.append(copied[1])
                ours.append(done[1])
                memory.append((copied[2], done[2]))
            card = json.loads((folder / f"{target}.card.json").read_text())["body"]
            assert card["count"] == rows
            best, plain = min(ours), min(copies)
            print(
                f"  {ending:8s} ours {rows / best / 1e6:6.2f} M rows/s   "
                f"copy {rows / plain / 1e6:6.2f} M rows/s   ratio ours/copy {best / plain:5.2f}×   "
                f"peak {max(m for _, m in memory)} MiB (copy {max(m for m, _ in memory)} MiB)"
            )


if __name__ == "__main__":
    main()
