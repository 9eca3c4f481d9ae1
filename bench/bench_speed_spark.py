"""Sanitising with Spark beside a plain copy by Spark: part of the table of speeds.

One Parquet table of three columns in as many files as there are cores, made on the fly. The same frame
is copied by Spark and sanitised, in turn, best of several: as a frame (with a filter in it, so that
Spark must read it) and as bare files, on a local master and on a cluster of two workers with one core
each; once with all columns protected, so that rows are counted, and once with one of them passed
through, so that every row is written down. CPU time is that of all processes together: the driver,
Java, workers and their Pythons.

Where this Python has no Spark, the one of .ci/heavy (.spark-env) is used.

    python bench/bench_speed.py spark
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from speed_cases import Case
from survey import PLAN, SCHEMA, answers

ROOT = Path(__file__).parent.parent
ROWS, WARM, TIMES = 10_000_000, 4, 4
BEFORE = "2.3–3.1× a copy"
FRAME, SCAN = 1.5, 0.7  # the most that ours may take of a copy
# Why a target is missed, by what was given.
READ = "Spark reads the rows of a frame for us, and they go from Java to Python"
COUNTED = "a copy reads and writes side by side; here every row is counted before any can be drawn"
PASSED = (
    "every noisy row is written down, hidden, and files are made from that in random order, so that "
    "their layout says nothing of secret cells, which a plain copy does not do"
)


def cases() -> Iterator[Case]:
    """Frames and bare files, on a local master and on a cluster."""
    python = ROOT / ".spark-env/bin/python"
    if find_spec("pyspark") or python.exists():
        command = [sys.executable if find_spec("pyspark") else str(python), __file__]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        yield from (Case(**json.loads(line)) for line in done.stdout.splitlines())
    else:
        print("Spark: skipped, as it is installed neither here nor by .ci/heavy")


def measured(where: str, spark: Any, folder: Path) -> Iterator[Case]:
    from dprivacy.release import Plan, sanitise

    frame = spark.read.parquet(f"{folder}/in")
    kept = frame.where("hours >= 0")
    counted = Plan.read(PLAN)
    passed = Plan.read(
        {
            "columns": {name: PLAN["columns"][name] for name in ("hobby", "health")},
            "pass_through": ["hours"],
        }
    )
    numbers = iter(range(10**6))

    def out() -> str:
        return f"{folder}/{where[:5]}{next(numbers)}"

    for case, given, plan, most, reason in (
        ("frame", kept, counted, FRAME, READ),
        ("bare Parquet files", frame, counted, SCAN, COUNTED),
        ("frame, a column passed through", kept, passed, FRAME, f"{READ}; {PASSED}"),
        ("bare Parquet files, a column passed through", frame, passed, SCAN, PASSED),
    ):
        runs: dict[str, Callable[[], object]] = {
            "copy": lambda given=given: given.write.parquet(out()),
            "ours": lambda given=given, plan=plan: sanitise(given, plan, output=out()),
        }
        spent = {name: best(run) for name, run in interleaved(runs)}
        cpu = spent["ours"][0] / spent["copy"][0]
        wall = spent["ours"][1] / spent["copy"][1]
        yield Case(
            f"sanitise, Spark on {where}, {case}, {ROWS:,} rows × 3",
            f"Spark's copy {spent['copy'][0]:.1f} s CPU, {spent['copy'][1]:.1f} s",
            f"{spent['ours'][0]:.1f} s CPU, {spent['ours'][1]:.1f} s",
            BEFORE,
            f"{cpu:.2f}× CPU, {wall:.2f}× wall",
            f"≤ {most}×",
            cpu <= most and wall <= most,
            "" if cpu <= most and wall <= most else reason,
        )


def interleaved(
    runs: dict[str, Callable[[], object]],
) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """CPU and wall time of each, in turn.

    The first rounds only warm up: workers of Python are started and load their libraries once, and Java
    compiles what it runs often.
    """
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for round_ in range(WARM + TIMES):
        for name, run in runs.items():
            cpu, wall = cpu_of_all(), time.perf_counter()
            run()
            took = cpu_of_all() - cpu, time.perf_counter() - wall
            if round_ >= WARM:
                spent[name].append(took)
    yield from spent.items()


def best(times: list[tuple[float, float]]) -> tuple[float, float]:
    return min(cpu for cpu, _ in times), min(wall for _, wall in times)


def cpu_of_all() -> float:
    """CPU seconds of this process and all below it, those included that have ended."""
    parents, spent = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        parents[int(place.name)] = int(fields[1])
        spent[int(place.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def ours(process: int) -> bool:
        while process not in (0, 1, os.getpid()):
            process = parents.get(process, 0)
        return process == os.getpid()

    return sum(seconds for process, seconds in spent.items() if ours(process))


def write(folder: Path) -> None:
    """One file for each of two cores."""
    rng = np.random.default_rng(1)
    (folder / "in").mkdir()
    for part in range(2):
        pq.write_table(
            answers(rng, ROWS // 2).cast(SCHEMA),
            folder / "in" / f"{part}.parquet",
            row_group_size=1 << 17,
        )


@contextmanager
def clusters(folder: Path) -> Iterator[dict[str, str]]:
    """A local master, and a cluster of two workers on this machine."""
    sys.path.append(str(ROOT / "tests"))
    from support.spark_standalone import Cluster

    cluster = Cluster(folder / "cluster")
    try:
        yield {"local[2]": "local[2]", "a cluster of two": cluster.url}
    finally:
        cluster.stop()


def main() -> None:
    sys.path.append(str(ROOT / "tests"))
    from support.spark_standalone import session_on

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cluster").mkdir()
        write(folder)
        with clusters(folder) as masters:
            for number, (where, master) in enumerate(masters.items()):
                own = folder / f"session{number}"
                own.mkdir()
                with session_on(master, own) as spark:
                    for case in measured(where, spark, folder):
                        print(json.dumps(asdict(case)), flush=True)


if __name__ == "__main__":
    if shutil.which("java"):
        main()
