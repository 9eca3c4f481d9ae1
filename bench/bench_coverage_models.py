"""How often intervals of regressions hold the truth, over many tables: a table of the documentation.

`bench/run coverage_models` draws 4,000 rows from a model, releases them, fits, and compares with the
model: 1,000 times where covariates of linear and logistic models are noisy, 400 times elsewhere. Three
minutes of CPU.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.model_coverage import coverage

CASES = (
    ("linear", False, 1000),
    ("logistic", False, 1000),
    ("logistic", True, 400),
    ("poisson", False, 400),
    ("ordinal", False, 400),
    ("multinomial", False, 400),
)
HEAD = (
    "model",
    "outcome",
    "coefficient",
    "runs",
    "truth",
    "mean s.e.",
    "spread / s.e.",
    "bias / s.e.",
)


def main() -> None:
    """Print the table, a row for each coefficient, as Markdown."""
    print("|", " | ".join((*HEAD, "coverage")), "|")
    print("|" + "---|" * (len(HEAD) + 1))
    for family, noisy, runs in CASES:
        for found in coverage(family, runs, noisy_outcome=noisy):
            if found.name.endswith("intercept") or "|" in found.name:
                continue
            told = [family, "noisy" if noisy else "clean", found.name, runs, f"{found.truth:g}"]
            told += [f"{found.error:.3g}", f"{found.spread:.2f}", f"{found.bias:+.2f}"]
            print("|", " | ".join(map(str, [*told, f"{found.covered:.3f}"])), "|", flush=True)


if __name__ == "__main__":
    main()
