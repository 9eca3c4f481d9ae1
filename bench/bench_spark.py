"""Sanitising with Spark beside one process, and beside a plain copy by Spark itself.

One Parquet table, made on the fly in a temporary folder: two listed columns and one of numbers on a
grid, in as many files as there are cores. Three ways in turn, best of several: Spark on a local master,
Spark that reads and writes the same columns and does nothing in between, and one process without Spark.
The ratio to the copy is what protection costs on Spark; the ratio to one process is what Spark costs.
What Spark needs to start is printed apart.

    python bench/bench_spark.py [rows]
"""

import os
import shutil
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from survey import PLAN, SCHEMA, answers

ROWS = 10_000_000
TIMES = 3
CORES = min(os.cpu_count() or 1, 8)


def write(folder: Path, rows: int) -> None:
    """One file for Spark's every core, and all of it in one file."""
    rng = np.random.default_rng(1)
    (folder / "in").mkdir()
    with pq.ParquetWriter(folder / "in.parquet", SCHEMA) as whole:
        for part in np.array_split(np.arange(rows), CORES):
            with pq.ParquetWriter(folder / "in" / f"{part[0]:012d}.parquet", SCHEMA) as one:
                for piece in np.array_split(part, max(1, len(part) // 1_000_000)):
                    table = answers(rng, len(piece))
                    whole.write_table(table, row_group_size=1 << 17)
                    one.write_table(table, row_group_size=1 << 17)


def timed(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("pyspark is not installed: pip install 'dprivacy[spark]'; and Java is needed")
        return
    if not shutil.which("java"):
        print("there is no Java here; Spark cannot start")
        return
    from dprivacy.release import Plan, sanitise, sanitise_file

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    plan = Plan.read(PLAN)
    builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false").config(
        "spark.log.level", "ERROR"
    )
    began = time.perf_counter()
    spark = builder.getOrCreate()
    spark.range(10).mapInArrow(lambda batches: batches, "id long").count()
    print(
        f"{rows:,} rows × 3 columns, {CORES} cores; pyspark {version('pyspark')}, "
        f"pyarrow {version('pyarrow')}; start and first action {time.perf_counter() - began:.1f} s"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, rows)
        frame = spark.read.parquet(f"{folder}/in")
        copies, ours, alone = [], [], []
        for k in range(TIMES):
            target = folder / f"run{k}"
            target.mkdir()
            copies.append(timed(lambda target=target: frame.write.parquet(f"{target}/copy")))
            ours.append(timed(lambda target=target: sanitise(frame, plan, output=target / "out")))
            alone.append(
                timed(
                    lambda target=target: sanitise_file(
                        folder / "in.parquet", plan, target / "out.parquet"
                    )
                )
            )
            assert pq.read_metadata(target / "out.parquet").num_rows == rows
            assert spark.read.parquet(f"{target}/out").count() == rows
        best, copy, single = min(ours), min(copies), min(alone)
        print(
            f"  Spark {rows / best / 1e6:5.2f} M rows/s   Spark's copy {rows / copy / 1e6:5.2f}   one "
            f"process {rows / single / 1e6:5.2f}   ratio Spark/copy {best / copy:4.2f}×   "
            f"ratio Spark/one process {best / single:4.2f}×"
        )
    spark.stop()


if __name__ == "__main__":
    main()
