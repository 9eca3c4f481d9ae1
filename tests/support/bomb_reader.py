"""Reads one Parquet file and prints the refusal, and by how many MiB the memory grew.

python -m support.bomb_reader FILE
"""

import resource
import sys
from pathlib import Path

import pyarrow.compute
import pyarrow.parquet  # noqa: F401 - before the memory is measured

from dprivacy.errors import DPrivacyError
from dprivacy.release.files.table_files import batches_of


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def main() -> None:
    before, rows = peak(), 0
    try:
        with batches_of(Path(sys.argv[1])) as (batches, _):
            rows = sum(batch.num_rows for batch in batches)
        told = f"read {rows} rows"
    except DPrivacyError as refusal:
        told = f"{type(refusal).__name__} {refusal}"
    print(before, peak(), told)


if __name__ == "__main__":
    main()
