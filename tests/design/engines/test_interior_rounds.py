"""The structured interior point against HiGHS, on the spaces that are hard for walks over trees."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, kron

from dprivacy.design.engines.interior_rounds import interior_point
from dprivacy.design.problems.approximation import Approximation
from dprivacy.spaces import discrete, grid, hamming_cube, line, points


def highs(scaled, costs):
    n, m = costs.shape
    i, j = np.nonzero(np.isfinite(scaled) & ~np.eye(n, dtype=bool))
    at = np.arange(len(i))
    one = coo_matrix(
        (
            np.concatenate([np.exp(-scaled[i, j] / 2), -np.exp(scaled[i, j] / 2)]),
            (np.concatenate([at, at]), np.concatenate([i, j])),
        ),
        shape=(len(i), n),
    )
    return linprog(
        costs.T.ravel(),
        A_ub=kron(np.eye(m), one),
        b_ub=np.zeros(len(i) * m),
        A_eq=kron(np.ones((1, m)), np.eye(n)),
        b_eq=np.ones(n),
    ).fun


def question(space, eps, seed=0, m=None):
    rng = np.random.default_rng(seed)
    n = len(space)
    scaled = eps * space.distances.floats
    costs = rng.dirichlet(np.ones(n))[:, None] * rng.random((n, m or n))
    return scaled, costs


SPACES = [
    (line(12), 0.7),
    (discrete(range(12)), 0.2),
    (discrete(range(10)), 4.0),
    (hamming_cube(4), 0.3),
    (grid(4, 4), 0.05),
    (points(np.random.default_rng(3).normal(size=(14, 20))), 0.1),
]


@pytest.mark.parametrize(("space", "eps"), SPACES, ids=repr)
def test_it_finds_the_optimum(space, eps):
    scaled, costs = question(space, eps)
    found = interior_point(scaled, costs, gap=1e-8)
    assert found.finished
    assert found.loss == pytest.approx(highs(scaled, costs), rel=1e-7)
    assert found.bound <= found.loss * (1 + 1e-12)
    assert np.abs(found.channel.sum(axis=1) - 1).max() < 1e-12
    logs = np.log(found.channel)
    assert (logs[:, None, :] - logs[None, :, :] - scaled[:, :, None]).max() < 1e-9


@pytest.mark.parametrize("m", [1, 3, 20])
def test_outputs_need_not_be_secrets(m):
    scaled, costs = question(line(8), 0.5, m=m)
    found = interior_point(scaled, costs)
    assert found.loss == pytest.approx(highs(scaled, costs), rel=2e-6)


def test_known_pairs_are_enough():
    space = grid(4, 4, metric="manhattan")
    scaled, costs = question(space, 0.5, seed=4)
    few = interior_point(scaled, costs, pairs=space.edges.astype(np.int64))
    every = interior_point(scaled, costs)
    assert few.loss == pytest.approx(every.loss, rel=3e-6)


def test_secrets_with_nothing_between_them():
    scaled = np.full((4, 4), np.inf)
    scaled[:2, :2] = scaled[2:, 2:] = [[0, 1], [1, 0]]
    costs = np.random.default_rng(0).random((4, 3))
    found = interior_point(scaled, costs)
    assert found.loss == pytest.approx(highs(scaled, costs), rel=2e-6)


def test_the_bound_is_that_of_the_flows():
    scaled, costs = question(discrete(range(6)), 0.5)
    found = interior_point(scaled, costs)
    left = costs.copy()
    flows = found.flows
    for y, i, j, f in zip(flows.outputs, flows.above, flows.below, flows.amounts, strict=True):
        left[j, y] -= f * np.exp(scaled[i, j])
        left[i, y] += f
    assert left.min(axis=1).sum() == pytest.approx(found.bound, rel=1e-8)


def test_distances_beyond_the_doubles():
    scaled = 3000.0 * (1 - np.eye(3))
    costs = 1.0 - np.eye(3)
    found = interior_point(scaled, costs)
    assert np.isfinite(found.channel).all()
    assert found.loss < 1e-3


def test_it_stops_when_told():
    scaled, costs = question(grid(4, 4), 0.5)
    found = interior_point(scaled, costs, seconds=0.0)
    assert not found.finished
    assert found.rounds <= 1
    assert found.bound <= found.loss


def test_an_interruption_leaves_the_best_so_far():
    scaled, costs = question(grid(3, 3), 0.5)
    calls = []

    def stop(*told):
        calls.append(told)
        if len(calls) == 5:
            raise KeyboardInterrupt

    found = interior_point(scaled, costs, progress=stop)
    assert isinstance(found, Approximation)
    assert not found.finished
    assert found.rounds == 4
    assert found.loss < calls[0][0]
