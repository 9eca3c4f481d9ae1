"""IBU and Kantorovich against qif in the same run; leaps against plain updates; long lines."""

import math
import os
from importlib.metadata import version

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads would count as CPU time

import numpy as np
import qif
from timing import best_of

import dprivacy as dp
from dprivacy.estimation import estimate, kantorovich
from dprivacy.estimation.climbing.bayesian_update import climb, mean_log_likelihood
from dprivacy.estimation.operators.channel_operator import Dense
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.mechanisms import geometric, laplace, randomised_response

N = 101
UPDATES = 5000


def noisy(truth: np.ndarray, floats: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows = floats / floats.sum(axis=1, keepdims=True)
    return sum(rng.multinomial(count, row) for count, row in zip(truth, rows, strict=True))


def populations(rng: np.random.Generator, size: int) -> dict[str, np.ndarray]:
    share = np.zeros(N)
    share[rng.choice(N, 4, replace=False)] = rng.dirichlet(np.ones(4))
    return {
        "binomial": np.bincount(rng.binomial(100, 0.5, size), minlength=N),
        "4 points": rng.multinomial(size, share),
    }


def against_qif() -> None:
    rng = np.random.default_rng(1)
    mechanisms = {
        "geometric ln2/10": geometric(N, eps="1/10 ln 2"),
        "response ln2": randomised_response(range(N), eps="ln 2"),
    }
    for size in (1_000, 100_000):
        for people, truth in populations(rng, size).items():
            for name, mechanism in mechanisms.items():
                C = np.ascontiguousarray(mechanism.channel.matrix.floats)
                q = noisy(truth, C, rng) / size
                operator = Dense(mechanism.channel)
                theirs, answer = best_of(
                    lambda C=C, q=q: qif.channel.iterative_bayesian_update(
                        C, q, max_diff=0.0, max_iter=UPDATES
                    ),
                    3,
                )
                ours, plain = best_of(
                    lambda o=operator, q=q: climb(
                        o, q, tolerance=-math.inf, max_iterations=UPDATES, accelerate=False
                    ),
                    3,
                )
                assert np.abs(plain.p - answer[0]).max() <= 1e-9
                target = mean_log_likelihood(q, plain.p @ C)
                chosen = Known(mechanism).operator
                fast, found = best_of(
                    lambda o=chosen, q=q: climb(o, q, tolerance=1e-9, max_iterations=10**5), 3
                )
                assert found.converged
                assert mean_log_likelihood(q, found.p @ C) >= target - 1e-12
                leaps = updates_to(operator, q, plain.trace[-1] - 1e-10)
                print(
                    f"{size:7,} people, {people:8s}, {name:16s} {UPDATES} updates: "
                    f"qif {theirs * 1e3:5.1f} ms, ours {ours * 1e3:5.1f} ms ({theirs / ours:4.2f}×), "
                    f"gap left {plain.gap:.0e};\n{'':12s}the maximum to 1e-9: {fast * 1e3:.1f} ms "
                    f"({theirs / fast:.1f}×); the same likelihood in {leaps} leaping updates "
                    f"({UPDATES / leaps:.0f}× fewer)"
                )


def updates_to(operator: Dense, q: np.ndarray, target: float) -> int:
    """Leaping updates until the mean log-likelihood is reached, interior steps left out."""
    from dprivacy.estimation.counts import bayesian_update as ibu

    patience, ibu._PATIENCE = ibu._PATIENCE, 10**9
    try:
        for most in range(2, UPDATES, 2):
            found = climb(operator, q, tolerance=-math.inf, max_iterations=most)
            if found.trace[-1] >= target:
                return most
    finally:
        ibu._PATIENCE = patience
    return UPDATES


def long_lines() -> None:
    rng = np.random.default_rng(2)
    for n in (1_000, 10_000, 100_000):
        noise = laplace(0, n - 1, eps="1/20", grid=1)
        x = np.linspace(0, 1, n)
        shape = (
            0.6 * np.exp(-(((x - 0.3) / 0.05) ** 2))
            + 0.4 * np.exp(-(((x - 0.7) / 0.1) ** 2))
            + 0.02
        )
        truth = rng.choice(n, size=10**6, p=shape / shape.sum())
        alpha = math.exp(-1 / 20)
        drawn = truth + rng.geometric(1 - alpha, 10**6) - rng.geometric(1 - alpha, 10**6)
        q = np.bincount(np.clip(drawn, 0, n - 1), minlength=n) / 10**6
        operator = Known(noise).operator
        spent, found = best_of(
            lambda o=operator, q=q: climb(o, q, tolerance=1e-8, max_iterations=10**5), 2
        )
        line = f"{n:7,} symbols on a line, 10⁶ people: gap {found.gap:.0e} in {spent:.3f} s"
        if n == 1_000:
            dense = Dense(noise.channel)
            slow, again = best_of(
                lambda o=dense, q=q: climb(o, q, tolerance=1e-8, max_iterations=10**5), 1
            )
            apart = kantorovich(found.p, again.p, dp.line(n))
            line += f"; as a dense matrix {slow:.2f} s ({slow / spent:.0f}×), {apart:.1e} away"
        print(line)


def front_door() -> None:
    rng = np.random.default_rng(3)
    mechanism = randomised_response([f"label {k}" for k in range(20)], eps="ln 3")
    noisy_labels = mechanism.randomise(np.array(mechanism.channel.rows)[rng.integers(0, 20, 10**6)])
    spent, _ = best_of(lambda: estimate(mechanism, noisy_labels), 2)
    print(f"estimate() on 10⁶ text labels, 20 categories: {spent * 1e3:.0f} ms")


def distances() -> None:
    rng = np.random.default_rng(4)
    for n, name in ((100, "plane"), (400, "plane"), (1000, "line")):
        space = dp.line(n) if name == "line" else dp.points(rng.random((n, 2)))
        p, q = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        ours, found = best_of(lambda s=space, p=p, q=q: kantorovich(p, q, s), 2)
        if name == "line":
            direct = float(np.abs(np.cumsum(p - q))[:-1].sum())
            print(
                f"kantorovich, {n} points of a line: {ours * 1e3:.2f} ms "
                f"(off by {abs(found - direct):.0e})"
            )
            continue
        table = space.distances.floats
        metric = qif.metric.kantorovich(qif.metric.from_distance_matrix(table))
        theirs, other = best_of(lambda m=metric, p=p, q=q: m(p, q), 1)
        print(
            f"kantorovich, {n} points of the {name}: qif {theirs * 1e3:.1f} ms, "
            f"ours {ours * 1e3:.1f} ms ({theirs / ours:.1f}×); they differ by {abs(found - other):.1e}"
        )


if __name__ == "__main__":
    print(f"dprivacy {version('dprivacy')}, qif {version('qif')}, numpy {np.__version__}")
    against_qif()
    long_lines()
    front_door()
    distances()
