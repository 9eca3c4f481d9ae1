"""Cases that run in processes of their own, so that their peak memory is their own; and their files."""

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

MILLION = 1_000_000
COPY = """
from pathlib import Path
from dprivacy.release.files.table_files import batches_of, writer_of
began = clock()
rows, writer = 0, None
with batches_of(Path("{source}")) as (batches, _):
    for batch in batches:
        table = pa.Table.from_batches([batch])
        writer = writer or writer_of(open("{target}", "wb"), Path("{target}"), table.schema)
        writer.write_table(table)
        rows += len(table)
writer.close()
"""
_FRAME = """
import resource, time, warnings
import pyarrow as pa
warnings.simplefilter("ignore")
clock, proof = time.{clock}, 0.0
{body}
print(rows, clock() - began, proof, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def run(body: str, folder: Path, clock: str, **names: object) -> tuple[int, float, float, int]:
    """Rows, seconds, those of a proof before, and MiB of one run.

    The body sets `began` by `clock()`, `rows`, and `proof` where there is one.
    """
    code = _FRAME.format(clock=clock, body=textwrap.dedent(body).format(**names))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    rows, spent, proof, memory = done.stdout.split()
    return int(rows), float(spent), float(proof), int(memory)


def pieces(made: Callable[[np.random.Generator, int], pa.Table], rows: int) -> Iterator[pa.Table]:
    """A table that is made up, a million rows at a time."""
    rng = np.random.default_rng(1)
    for start in range(0, rows, MILLION):
        yield made(rng, min(MILLION, rows - start))
