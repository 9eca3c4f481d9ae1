"""Posterior vulnerability and its kin, against qif in the same run; Table 5.1; exact arithmetic."""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import qif
from timing import best_of_each

import dprivacy as dp
from dprivacy import flow
from dprivacy.flow import gain


def report(title: str, runs: dict[str, Callable[[], float]], times: int = 15) -> None:
    spent, answers = best_of_each(runs, times, time.perf_counter)
    theirs, ours = float(answers["qif"]), float(answers["ours"])
    assert abs(theirs - ours) <= 1e-6 * max(1.0, abs(theirs)), (title, theirs, ours)
    print(
        f"{title:48s} qif {spent['qif'] * 1e3:9.2f} ms   ours {spent['ours'] * 1e3:9.2f} ms   "
        f"ratio {spent['qif'] / spent['ours']:8.2f}×"
    )


def random_problem(n: int) -> tuple[Any, Any, Any]:
    """A channel, a prior and a gain on n secrets, in doubles."""
    rng = np.random.default_rng(1)
    C = rng.random((n, n))
    C /= C.sum(axis=1, keepdims=True)
    pi = rng.random(n)
    pi /= pi.sum()
    return C, pi, rng.random((n, n))


def floats(n: int) -> None:
    C, pi, G = random_problem(n)
    channel, prior = dp.as_channel(C), dp.Dist(range(n), pi.tolist())
    g, bv = gain.matrix(range(n), range(n), G), gain.identity(range(n))
    cost = flow.loss.matrix(range(n), range(n), G)
    measure = qif.measure
    report(
        f"n={n:5d} posterior g-vulnerability",
        {
            "qif": lambda: measure.g_vuln.posterior(G, pi, C),
            "ours": lambda: flow.posterior_vulnerability(channel, prior=prior, gain=g),
        },
    )
    report(
        f"n={n:5d} posterior Bayes vulnerability",
        {
            "qif": lambda: measure.bayes_vuln.posterior(pi, C),
            "ours": lambda: flow.posterior_vulnerability(channel, prior=prior, gain=bv),
        },
    )
    report(
        f"n={n:5d} posterior risk of a loss",
        {
            "qif": lambda: measure.l_risk.posterior(G, pi, C),
            "ours": lambda: flow.posterior_uncertainty(channel, prior=prior, loss=cost),
        },
    )
    report(
        f"n={n:5d} multiplicative Bayes capacity",
        {
            "qif": lambda: measure.bayes_vuln.mult_capacity(C),
            "ours": lambda: flow.capacity(channel),
        },
    )
    report(
        f"n={n:5d} mutual information",
        {
            "qif": lambda: measure.shannon.add_leakage(pi, C),
            "ours": lambda: flow.mutual_information(channel, prior=prior),
        },
    )
    report(
        f"n={n:5d} posterior guessing entropy",
        {
            "qif": lambda: measure.guessing.posterior(pi, C),
            "ours": lambda: flow.posterior_guessing_entropy(channel, prior=prior),
        },
    )


def shannon(n: int) -> None:
    rng = np.random.default_rng(1)
    C = rng.random((n, n)) ** 2
    C /= C.sum(axis=1, keepdims=True)
    channel = dp.as_channel(C)
    report(
        f"n={n:5d} Shannon capacity",
        {
            "qif": lambda: qif.measure.shannon.add_capacity(C)[0],
            "ours": lambda: flow.shannon_capacity(channel),
        },
        times=1,
    )


def exact(n: int) -> None:
    """Exact rationals, against a loop over Fractions."""
    channel = dp.geometric(n, eps=dp.ln(2)).channel
    prior, g = dp.uniform(range(n)), gain.metric(dp.line(n))
    rows, table = channel.matrix.rows(), g.matrix.rows()

    def plain() -> Fraction:
        total = Fraction(0)
        for y in range(n):
            total += max(
                sum((rows[x][y] * row[x] for x in range(n)), Fraction(0)) / n for row in table
            )
        return total

    spent, answers = best_of_each(
        {
            "plain": plain,
            "ours": lambda: flow.posterior_vulnerability(channel, prior=prior, gain=g),
        },
        1,
    )
    assert answers["plain"] == answers["ours"]
    print(
        f"n={n:5d} exact posterior vulnerability: loop over Fractions {spent['plain']:.2f} s, ours "
        f"{spent['ours']:.3f} s, ratio {spent['plain'] / spent['ours']:.0f}×"
    )


def counting() -> None:
    rows = {0: 9021, 1: 384, 2: 1435, 3: 291, 4: 520, 5: 59}
    belief = dp.model.joint(
        ["in", "out"], range(6), [list(rows.values()), list(rows.values())[::-1]]
    )
    noise = dp.geometric(6, eps=dp.ln(1000)).channel
    began = time.perf_counter()
    flow.count_scenario(belief, counted=[0], rows=rows, local=noise)
    print(f"a local count of {sum(rows.values()):,} rows: {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    print(f"qif {qif.__version__}, numpy {np.__version__}")
    for size in (100, 1000):
        floats(size)
    shannon(10)
    exact(60)
    counting()
