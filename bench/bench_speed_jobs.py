"""File jobs beside a plain copy by pyarrow, and the keyed stream beside the system's, in CPU time.

The copy reads and writes the same rows with the same readers and does nothing in between; ours also
hashes the source and the output, draws, keeps its journal and writes the card. Ten million rows of two
listed columns and one of numbers on a grid.
"""

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
from speed_cases import Case
from survey import PLAN, SCHEMA, answers
from timing import best_of_each

from dprivacy.release import Plan, sanitise_file
from dprivacy.sampling import CtrWords, SystemSource

ROWS, TIMES, PIECE = 10_000_000, 4, 1_000_000
TODAY = {"parquet": "3.2× (3 M rows)", "csv": "5.3× (3 M rows)"}
MOST = {"parquet": 1.1, "csv": 1.6}
REASON = {
    "parquet": "30 M exact draws cost a tenth of the copy; reading, looking up, writing are the rest",
    "csv": "SHA-256 of both files is a quarter of the copy, looking up a quarter, 30 M draws a sixth",
}


def write(folder: Path) -> None:
    """in.csv and in.parquet, a million rows at a time."""
    rng = np.random.default_rng(1)
    with (
        pq.ParquetWriter(folder / "in.parquet", SCHEMA) as parquet,
        pacsv.CSVWriter(folder / "in.csv", SCHEMA) as csv,
    ):
        for _ in range(0, ROWS, PIECE):
            table = answers(rng, PIECE)
            parquet.write_table(table, row_group_size=1 << 17)
            csv.write_table(table)


def copy_parquet(source: Path, target: Path) -> None:
    """Row by row the same, in batches of 65,536."""
    with pq.ParquetFile(source) as file, pq.ParquetWriter(target, file.schema_arrow) as writer:
        for batch in file.iter_batches(batch_size=1 << 16):
            writer.write_batch(batch)


def copy_csv(source: Path, target: Path) -> None:
    """Every cell as text, as a job reads it: newlines may be inside of quotes."""
    with (
        pacsv.open_csv(
            source,
            read_options=pacsv.ReadOptions(block_size=1 << 22, use_threads=False),
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                column_types={name: pa.string() for name in SCHEMA.names}
            ),
        ) as reader,
        pacsv.CSVWriter(target, reader.schema) as writer,
    ):
        for batch in reader:
            writer.write_batch(batch)


def both_clocks(run: Callable[[], object], walls: list[float]) -> Callable[[], object]:
    """The same, with the seconds on the wall noted."""

    def timed() -> None:
        began = time.perf_counter()
        run()
        walls.append(time.perf_counter() - began)

    return timed


def jobs(folder: Path) -> Iterator[Case]:
    """The two formats."""
    write(folder)
    plan = Plan.read(PLAN)
    for ending, copy in (("parquet", copy_parquet), ("csv", copy_csv)):
        source, target = folder / f"in.{ending}", folder / f"out.{ending}"
        walls: dict[str, list[float]] = {"copy": [], "ours": []}

        def ours(source: Path = source, target: Path = target) -> None:
            with warnings.catch_warnings(action="ignore"):
                card = sanitise_file(source, plan, target, replace=True, again="a bench").card
            assert card.count == ROWS

        runs = {
            "copy": lambda copy=copy, source=source, ending=ending: copy(
                source, folder / f"copy.{ending}"
            ),
            "ours": ours,
        }
        spent, _ = best_of_each(
            {name: both_clocks(run, walls[name]) for name, run in runs.items()}, TIMES
        )
        ratio = spent["ours"] / spent["copy"]
        wall = min(walls["ours"]) / min(walls["copy"])
        yield Case(
            f"{ending} job, {ROWS // 1_000_000} M rows × 3, CPU",
            f"pyarrow's copy {spent['copy']:.2f} s",
            f"{spent['ours']:.2f} s ({min(walls['ours']):.1f} s on the wall)",
            TODAY[ending],
            f"{ratio:.2f}× the time (wall {wall:.2f}×)",
            f"≤ {MOST[ending]}×",
            met=ratio <= MOST[ending],
            reason=REASON[ending],
        )


def words() -> Iterator[Case]:
    """Streams, 32,768 words at a time."""
    at_a_time, times = 1 << 15, 300
    keyed, system = CtrWords(bytes(range(32)), 0), SystemSource()
    spent, _ = best_of_each(
        {
            "system": lambda: [system.words(at_a_time) for _ in range(times)],
            "keyed": lambda: [keyed.words(at_a_time) for _ in range(times)],
        },
        times=7,
    )
    rate = {name: at_a_time * times / seconds / 1e6 for name, seconds in spent.items()}
    yield Case(
        "keyed stream, 32,768 words at a time",
        f"the system's {rate['system']:.0f} M/s",
        f"{rate['keyed']:.0f} M/s",
        "29 M/s",
        f"{rate['keyed'] / rate['system']:.2f}× as fast",
        "≥ 500 M/s",
        met=rate["keyed"] >= 500,
        reason="not explained: it depends on what else the cores do",
    )


def cases() -> Iterator[Case]:
    """The rows of this part."""
    yield from words()
    with tempfile.TemporaryDirectory() as name:
        yield from jobs(Path(name))
