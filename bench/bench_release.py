"""Sanitising files: rows a second, beside a plain copy by the same reader and writer, and peak memory.

Tables are made on the fly in a temporary folder: two listed columns, one of numbers on a grid. Each
case runs in a process of its own, so that its peak memory is its own. The copy reads and writes the
same batches and does nothing in between; the ratio ours/copy is what protection costs.

    python bench/bench_release.py [rows]
"""

import json
import subprocess
import sys
import tempfile
import textwrap
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from survey import PLAN, SCHEMA, answers

ROWS = 10_000_000
TIMES = 3

OURS = """
from dprivacy.release import Plan, sanitise_file
plan = Plan.read({plan!r})
began = time.perf_counter()
rows = sanitise_file("{source}", plan, "{target}", replace=True, again="a bench").card.count
"""
COPY = """
from pathlib import Path
from dprivacy.release.files.table_files import batches_of, writer_of
began = time.perf_counter()
rows, writer = 0, None
with batches_of(Path("{source}")) as (batches, _):
    for batch in batches:
        table = pa.Table.from_batches([batch])
        writer = writer or writer_of("{target}", Path("{target}"), table.schema)
        writer.write_table(table)
        rows += len(table)
writer.close()
"""
FRAME = """
import resource, time
import pyarrow as pa
{body}
spent = time.perf_counter() - began
print(rows, spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def write(folder: Path, rows: int) -> None:
    """in.csv and in.parquet, a million rows at a time."""
    rng = np.random.default_rng(1)
    with (
        pq.ParquetWriter(folder / "in.parquet", SCHEMA) as parquet,
        pacsv.CSVWriter(folder / "in.csv", SCHEMA) as csv,
    ):
        for start in range(0, rows, 1_000_000):
            n = min(1_000_000, rows - start)
            table = answers(rng, n)
            parquet.write_table(table, row_group_size=1 << 17)
            csv.write_table(table)


def run(body: str, folder: Path, **names: object) -> tuple[int, float, int]:
    """Rows, seconds and MiB of one run in a fresh process."""
    code = FRAME.format(body=textwrap.dedent(body).format(**names))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    rows, spent, memory = done.stdout.split()
    return int(rows), float(spent), int(memory)


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
                copied = run(COPY, folder, source=source, target=f"copy.{ending}")
                done = run(OURS, folder, source=source, target=target, plan=PLAN)
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
