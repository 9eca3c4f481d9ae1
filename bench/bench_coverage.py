"""How often intervals hold the truth, over many simulated releases: the table of the documentation.

`bench/run coverage` takes 1,000 releases of each statistic (400 of those by maximum likelihood): two
minutes of CPU.
"""

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.coverage_cases import CASES, runs_for, summary


def main() -> None:
    """Print the table, a row for each statistic, as Markdown."""
    warnings.simplefilter("ignore")
    print("| statistic | releases | truth | spread | mean s.e. | bias / s.e. | coverage |")
    print("|---|---|---|---|---|---|---|")
    for name in CASES:
        found = summary(name, runs_for(name))
        numbers = f"{found.truth:.4g} | {found.spread:.3g} | {found.error:.3g} | {found.bias:+.2f}"
        print(f"| {name} | {found.runs} | {numbers} | {found.coverage:.3f} |", flush=True)


if __name__ == "__main__":
    main()
