"""One table of what people feel: public calls beside a peer or a limit, with what was aimed at.

Every file bench_speed_<part>.py beside this one has a function `cases`, which measures and yields its
rows (`Case`); this one runs all parts, or those named, and prints one table at the end.

    python bench/bench_speed.py [part …]
"""

import os
import sys
from importlib import import_module
from pathlib import Path

from speed_cases import table

if __name__ == "__main__":
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # on both sides
    here = Path(__file__).parent
    parts = sys.argv[1:] or sorted(
        path.stem.removeprefix("bench_speed_") for path in here.glob("bench_speed_*.py")
    )
    found = [case for part in parts for case in import_module(f"bench_speed_{part}").cases()]
    print(table(found))
