"""smallest_eps of a float channel, against qif in the same run; the exact check; the import."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import qif
from timing import best_of

import dprivacy as dp


def random_channel(n: int) -> np.ndarray:
    entries = np.random.default_rng(1).random((n, n)) + 0.01
    return entries / entries.sum(axis=1, keepdims=True)


def truncated_geometric(n: int, alpha: Fraction) -> list[list[Fraction]]:
    def entry(x: int, y: int) -> Fraction:
        return alpha ** abs(x - y) * ((1 - alpha) if 0 < y < n - 1 else 1) / (1 + alpha)

    return [[entry(x, y) for y in range(n)] for x in range(n)]


def against_qif(n: int) -> None:
    matrix = random_channel(n)
    channel = dp.as_channel(matrix)
    places = np.random.default_rng(2).random((n, 2))
    spaces = {
        "general metric (points in the plane)": dp.points(places),
        "line": dp.line(n),
        "Manhattan grid": dp.FiniteSpace(
            range(n),
            dp.grid(n // 10, 10, metric="manhattan").distances,
            edges=dp.grid(n // 10, 10, metric="manhattan").known_edges,
        ),
        "discrete": dp.discrete(range(n)),
    }
    for name, space in spaces.items():
        metric = qif.metric.from_distance_matrix(space.distances.floats)
        theirs, expected = best_of(
            lambda m=metric: qif.measure.d_privacy.smallest_epsilon(matrix, m), 1
        )
        ours, found = best_of(lambda s=space: dp.smallest_eps(channel, s), 5)
        assert abs(found - expected) <= 1e-9 * expected, (name, found, expected)
        print(
            f"n={n:5d}  {name:38s} qif {theirs * 1e3:9.1f} ms   ours {ours * 1e3:8.2f} ms   "
            f"ratio {theirs / ours:8.1f}×"
        )


def exact_check(n: int) -> None:
    channel = dp.as_channel(truncated_geometric(n, Fraction(1, 2)))
    spent, verdict = best_of(lambda: dp.privacy(channel, dp.line(n), eps="ln 2"), 3)
    assert verdict.status == "proved"
    print(f"n={n:5d}  exact proof of a truncated geometric: {spent * 1e3:.1f} ms")
    spent, verdict = best_of(lambda: dp.privacy(channel, dp.discrete(range(n)), eps="1"), 3)
    assert verdict.status == "refuted"
    print(f"n={n:5d}  exact refutation on the discrete metric: {spent * 1e3:.1f} ms")


def import_cost() -> None:
    def spent(statement: str) -> float:
        program = f"import time; a=time.perf_counter(); {statement}; print(time.perf_counter()-a)"
        runs = [
            subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
            for _ in range(5)
        ]
        return min(float(run.stdout) for run in runs)

    alone, both = spent("import numpy"), spent("import numpy; import dprivacy")
    used = spent("import numpy; import dprivacy as dp; dp.privacy")
    print(
        f"import numpy {alone * 1e3:.0f} ms; import dprivacy adds {(both - alone) * 1e3:.0f} ms; "
        f"with the verifying rooms loaded {(used - alone) * 1e3:.0f} ms"
    )


if __name__ == "__main__":
    for size in (100, 1000):
        against_qif(size)
    exact_check(100)
    import_cost()
