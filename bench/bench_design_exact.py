"""Exact optima of small problems, against HiGHS on the whole linear program in floats.

Random rational priors and the metric as loss; four kinds of space; e^ε rational, from 11/10 to 10^20.
Ours gives a channel that is proved private and a loss that equals its lower bound as a fraction (on
Euclidean points, a gap below 1e-18). HiGHS gives floats, on the pairs that imply all others: "ε" is
whether its channel, rows scaled to sum to 1, is private up to a millionth of ε, and "loss" by how much
its loss is off. CPU time, one run; HiGHS stops after --limit seconds.

    bench_design_exact.py                N = 5, 10, 20, 30, 50
    bench_design_exact.py --sizes 5 10
"""

import argparse
import time
from fractions import Fraction
from importlib.metadata import version

import numpy as np

from dprivacy.design import optimal
from dprivacy.design.problems.design_problem import Problem
from dprivacy.numbers import Sparse, solve_in_floats
from dprivacy.spaces import FiniteSpace, discrete, from_table, grid, line, points

LEVELS = ("ln(11/10)", "ln 2", "20*ln(10)")
SIDES = {5: (1, 5), 10: (2, 5), 20: (4, 5), 30: (5, 6), 50: (5, 10)}


def spaces(n: int) -> dict[str, FiniteSpace]:
    rng = np.random.default_rng(n)
    places = [divmod(int(k), 40) for k in rng.choice(1600, n, replace=False)]
    table = [[abs(a - c) + abs(b - d) for a, b in places] for c, d in places]
    return {
        "line": line(n),
        "grid": grid(*SIDES[n], metric="manhattan"),
        "discrete": discrete(range(n)),
        "points, manhattan": from_table(range(n), table),
        "points, euclidean": points(places),
    }


def by_highs(problem: Problem, limit: float) -> tuple[np.ndarray, float] | None:
    """The channel and the loss of HiGHS; None where it gives up."""
    n, m = problem.costs.shape
    pairs = np.asarray(problem.space.edges)
    apart = float(problem.eps) * problem.space.distances.floats
    above, below = np.concatenate([pairs, pairs[:, ::-1]]).T
    with np.errstate(over="ignore"):
        up = np.minimum(np.exp(apart[above, below] / 2), 1e150)
    count = len(above)
    shift = n * np.arange(m)[:, None]
    both = np.stack([below + shift, above + shift], axis=2).ravel()
    values = np.tile(np.stack([up, -1 / up], axis=1).ravel(), m)
    matrix = Sparse(
        np.concatenate([np.arange(n) * m, n * m + 2 * np.arange(count * m + 1)]),
        np.concatenate([(np.arange(n)[:, None] + n * np.arange(m)).ravel(), both]),
        np.concatenate([np.ones(n * m), values]),
        by_row=True,
    )
    found = solve_in_floats(
        problem.costs.floats.T.ravel(),
        matrix,
        np.concatenate([np.ones(n), np.zeros(count * m)]),
        np.concatenate([np.ones(n), np.full(count * m, np.inf)]),
        tolerance=1e-9,
        seconds=limit,
    )
    return None if found is None else (found.x.reshape(m, n).T, found.value)


def private(channel: np.ndarray, problem: Problem) -> bool:
    channel = np.maximum(channel, 0) / np.maximum(channel, 0).sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(channel)
        rise = np.nan_to_num(logs[:, None] - logs[None], nan=0.0).max(axis=2)
    return bool((rise <= float(problem.eps) * (problem.space.distances.floats + 1e-6)).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIDES), choices=list(SIDES))
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for HiGHS")
    asked = parser.parse_args()
    print(f"highspy {version('highspy')}, python-flint {version('python-flint')} — CPU time")
    optimal(line(20), eps=1)  # load and compile
    for n in asked.sizes:
        for name, space in spaces(n).items():
            weights = np.random.default_rng(n).integers(1, 100, n)
            prior = [Fraction(int(w), int(weights.sum())) for w in weights]
            for eps in LEVELS:
                began = time.process_time()
                best = optimal(space, eps=eps, prior=prior)
                ours = time.process_time() - began
                assert best.gap <= (1e-18 if "euclid" in name else 0), (n, name, eps, best.gap)
                began = time.process_time()
                found = by_highs(best.problem, asked.limit)
                theirs = time.process_time() - began
                end = "no answer"
                if found is not None:
                    off = found[1] / float(best.loss) - 1
                    proper = "holds" if private(found[0], best.problem) else "broken"
                    end = f"ratio {theirs / ours:7.2f}×   ε {proper:6s} loss {off:+.0e}"
                print(
                    f"N = {n:2d} {name:17s} {eps:10s} ours {ours:7.2f} s   gap {float(best.gap):.0e}"
                    f"   HiGHS {theirs:7.2f} s   {end}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
