"""Regressions on noisy columns beside naive ones on the same columns, which are biased.

The naive fit is Newton's method in NumPy on the released values as they are: what it costs to ignore
the noise. A clean column of a million different numbers keeps rows from being taken together.
"""

import sys
from pathlib import Path

import numpy as np
from timing import best_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from dprivacy.estimation import regress
from support.noisy_models import AGE, JOB, drawn


def table(n: int, rng: np.random.Generator, *, alike: bool) -> dict[str, np.ndarray]:
    """Released columns: a number on 61 points, a category of three, and a clean number."""
    z = rng.normal(size=n)
    z = z.round(1) if alike else z
    age = np.clip(np.round(30 + 5 * z + rng.normal(0, 9, n)), 0, 60).astype(int)
    job = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    line = -0.3 + 0.04 * (age - 30) - 0.5 * z + 0.7 * (job == 1) - 0.4 * (job == 2)
    return {
        "age": drawn(age, AGE, rng),
        "job": drawn(job, JOB, rng),
        "z": z,
        "linear": (line + rng.normal(size=n)).round(1 if alike else 9),
        "logistic": (rng.random(n) < 1 / (1 + np.exp(-line))).astype(int),
        "poisson": rng.poisson(np.exp(line)),
    }


def naive(data: dict[str, np.ndarray], family: str) -> np.ndarray:
    """Newton's method on released values as they are."""
    y, job = data[family], data["job"]
    X = np.column_stack([np.ones(len(y)), data["age"], job == "b", job == "c", data["z"]])
    beta = np.zeros(5)
    for _ in range(1 if family == "linear" else 7):
        t = X @ beta
        mean = {"linear": t, "logistic": 1 / (1 + np.exp(-t)), "poisson": np.exp(np.minimum(t, 50))}
        curve = {"linear": np.ones_like(t), "logistic": mean["logistic"] * (1 - mean["logistic"])}
        weights = curve.get(family, mean["poisson"])
        beta = beta + np.linalg.solve(X.T @ (X * weights[:, None]), X.T @ (y - mean[family]))
    return beta


def line(n: int, family: str, data: dict[str, np.ndarray], *, alike: bool) -> str:
    """Times and slopes of one case."""
    asked = {"channels": {"age": AGE, "job": JOB}, "family": family}
    ours, fit = best_of(lambda: regress(f"{family} ~ age + job + z", data, **asked), 2)
    theirs, beta = best_of(lambda: naive(data, family), 2)
    told = f"{fit.coefficients['age']:.4f} ± {fit.standard_errors['age']:.4f}"
    return (
        f"{n:10,}  {family:9} {'few' if alike else 'all':12} {ours:9.2f} {theirs:7.2f}  "
        f"{told} (true 0.04, naive {beta[1]:.4f})"
    )


def main() -> None:
    """One line for each size and family."""
    print(f"numpy {np.__version__}; cpu-s of one fit with noise in age and job, and of a naive one")
    print(
        f"{'rows':>10}  {'family':9} {'different z':12} {'corrected':>9} {'naive':>7}  slope of age"
    )
    for n, alike in ((20_000, True), (1_000_000, True), (1_000_000, False)):
        data = table(n, np.random.default_rng(0), alike=alike)
        for family in ("linear", "logistic", "poisson"):
            print(line(n, family, data, alike=alike), flush=True)


if __name__ == "__main__":
    main()
