"""How often intervals hold the truth, over many simulated releases: the table of the documentation.

`bench/run coverage` takes 1,000 releases of each statistic, a few minutes.
"""

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.coverage_cases import CASES, summary

RUNS = 1000


def main() -> None:
    """Print the table, a row for each statistic, as Markdown."""
    warnings.simplefilter("ignore")
    print("| statistic | truth | spread | mean s.e. | bias / s.e. | coverage |")
    print("|---|---|---|---|---|---|")
    for name in CASES:
        found = summary(name, RUNS)
        numbers = f"{found.truth:.4g} | {found.spread:.3g} | {found.error:.3g}"
        print(f"| {name} | {numbers} | {found.bias:+.2f} | {found.coverage:.3f} |", flush=True)


if __name__ == "__main__":
    main()
