"""Reads one table and prints the refusal, how many MiB it took and, of the processor, how many seconds.

What a process of its own took for it counts as well.

python -m support.bomb_reader FILE
"""

import resource
import sys
from pathlib import Path

import pyarrow.compute
import pyarrow.parquet  # noqa: F401 - before the memory is measured

from dprivacy.errors import DPrivacyError
from dprivacy.release.files.table_files import batches_of
from support.programs import of_this_process

WHOSE = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN


def peak() -> int:
    others = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(of_this_process("VmHWM") >> 20, others >> 10)


def seconds() -> float:
    used = [resource.getrusage(who) for who in WHOSE]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    before, began, rows = peak(), seconds(), 0
    try:
        with batches_of(Path(sys.argv[1])) as (batches, _):
            rows = sum(batch.num_rows for batch in batches)
        told = f"read {rows} rows"
    except DPrivacyError as refusal:
        told = f"{type(refusal).__name__} {refusal}"
    print(before, peak(), f"{seconds() - began:.2f}", told)


if __name__ == "__main__":
    main()
