"""Small spaces of every kind, costs on them, and what every answer of an engine must satisfy."""

from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design.problems.approximation import Approximation
from dprivacy.flow import loss
from dprivacy.spaces import from_table, line

rng = np.random.default_rng  # every test has a generator of its own


def apart(points, p=2):
    return np.linalg.norm(points[:, None] - points[None], ord=p, axis=-1)


def lattice(k):
    return np.array([(i, j) for i in range(k) for j in range(k)], dtype=float)


def spaces(seed=0):
    """Distances of one small space of every kind."""
    cloud = rng(seed)
    steps = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    halves = np.full((9, 9), np.inf)
    halves[:4, :4] = apart(cloud.random((4, 2)))
    halves[4:, 4:] = apart(cloud.random((5, 2)))
    return {
        "line": steps,
        "cycle": np.minimum(steps, 8 - steps),
        "L1 grid": apart(lattice(3), 1),
        "L2 grid": apart(lattice(3), 2),
        "Linf grid": apart(lattice(3), np.inf),
        "plane": apart(2 * cloud.random((9, 2))),
        "cloud": apart(2 * cloud.random((9, 12))),
        "discrete": 1.0 - np.eye(7),
        "cube": np.array([[float((a ^ b).bit_count()) for a in range(8)] for b in range(8)]),
        "twins": apart(np.repeat(cloud.random((4, 2)), 2, axis=0)),
        "two parts": halves,
        "one point": np.zeros((1, 1)),
    }


def worst_ratio(channel, scaled):
    """max of ln C[x, y] − ln C[z, y] − ε·d(x, z) over related pairs and outputs in use."""
    used = channel.max(axis=0) > 0
    assert (channel[:, used] > 0).all() or not np.isfinite(scaled).all()
    related = np.isfinite(scaled)
    worst = -np.inf
    for column in channel[:, used].T:
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.log(column)[:, None] - np.log(column) - scaled
        worst = max(worst, float(np.nanmax(np.where(related, excess, -np.inf))))
    return worst


def check(found: Approximation, scaled, costs, gap=1e-6):
    assert found.finished
    assert found.channel.shape == costs.shape
    assert (found.channel >= 0).all()
    np.testing.assert_allclose(found.channel.sum(axis=1), 1, rtol=0, atol=1e-14)
    assert worst_ratio(found.channel, scaled) <= 1e-12
    assert found.loss == pytest.approx((costs * found.channel).sum(), rel=1e-12, abs=1e-300)
    assert found.bound == pytest.approx(found.multipliers.sum(), rel=1e-9, abs=1e-12)
    assert found.bound <= found.loss + 1e-12 * abs(found.loss)
    assert found.loss - found.bound <= gap * abs(found.loss) + 1e-14


def check_flows(found: Approximation, scaled, costs):
    """The dual solution is feasible: what the flows leave of costs − λ is not negative."""
    left = costs - found.multipliers[:, None]
    f = found.flows
    assert (f.amounts >= 0).all()
    rise = np.exp(scaled[f.above, f.below])
    np.subtract.at(left, (f.below, f.outputs), f.amounts * rise)
    np.add.at(left, (f.above, f.outputs), f.amounts)
    assert left.min() >= -1e-11 * np.abs(costs).max()


def costs_of(kind, distance, seed):
    draw, n = rng(seed), len(distance)
    finite = np.where(np.isfinite(distance), distance, 3.0)
    if kind == "metric":
        return draw.dirichlet(np.ones(n))[:, None] * finite
    if kind == "fewer outputs":
        return draw.random((n, 3))
    if kind == "more outputs":
        return draw.random((n, n + 3))
    prior = draw.dirichlet(np.ones(n)) * (np.arange(n) % 3 > 0)  # some secrets never happen
    return prior[:, None] * draw.random((n, n)) if n > 1 else draw.random((1, 1))


def a_prior(rng, n, zeros=False):
    weights = rng.integers(0 if zeros else 1, 9, n)
    weights[0] += 1
    return [Fraction(int(w), int(weights.sum())) for w in weights]


def a_loss(rng, actions, space):
    table = [
        [Fraction(int(v), 3) for v in row] for row in rng.integers(0, 9, (actions, len(space)))
    ]
    return loss.matrix([f"w{k}" for k in range(actions)], space.labels, table)


RATIONAL = ("ln(101/100)", "ln(3/2)", "ln 2", "6*ln(10)", "ln 1000", "21*ln(10)", "72*ln(2)")
IRRATIONAL = ("1/100", "1/3", 1, 2, 3, 10, 50)


def a_problem(seed, n):
    """A space, a level, a prior and a loss, of all scales."""
    draw = rng([n, seed])
    far = int(draw.choice([2, 8, 38]))
    if seed % 2:
        labels = draw.choice(far + n, n, replace=False).tolist()
        space = line(labels)
    else:
        table = np.triu(draw.integers(1, far + 1, (n, n)), 1)
        space = from_table(range(n), (table + table.T).tolist(), close=True)
    eps = (*RATIONAL, *IRRATIONAL)[int(draw.integers(len(RATIONAL) + len(IRRATIONAL)))]
    prior = a_prior(draw, n, zeros=seed % 7 == 3)
    question = "metric" if seed % 3 else a_loss(draw, int(draw.integers(2, 5)), space)
    return space, eps, prior, question
