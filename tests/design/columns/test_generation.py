"""Column generation against HiGHS on every kind of space; its columns, bounds and ways to stop."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, eye, kron

from dprivacy.design.columns.generation import column_generation
from dprivacy.design.columns.generation_rounds import planted_again
from dprivacy.design.master.master_program import balanced, mixture
from dprivacy.design.trees.spanning_trees import Trees, price, shortened, stars
from dprivacy.design.trees.tree_flows import lifted
from dprivacy.errors import MissingExtra
from support.design_spaces import (
    apart,
    check,
    check_flows,
    costs_of,
    lattice,
    rng,
    spaces,
    worst_ratio,
)


def by_highs(scaled, costs):
    """The least loss, by a linear program with every pair of secrets."""
    n, m = costs.shape
    x, z = np.nonzero(np.isfinite(scaled) & ~np.eye(n, dtype=bool))
    up = np.exp(scaled[x, z] / 2)
    at = np.arange(len(x))
    pairs = csr_matrix(
        (np.concatenate([1 / up, -up]), (np.tile(at, 2), np.concatenate([x, z]))),
        shape=(len(x), n),
    )
    solved = linprog(
        costs.ravel(),
        A_ub=kron(pairs, eye(m)),
        b_ub=np.zeros(len(x) * m),
        A_eq=kron(eye(n), np.ones((1, m))),
        b_eq=np.ones(n),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert solved.status == 0
    return solved.fun


@pytest.mark.parametrize("eps", [0.01, 0.3, np.log(2), 3.0])
@pytest.mark.parametrize("name", spaces())
def test_loss_is_that_of_highs(name, eps):
    distance = spaces()[name]
    for seed, kind in enumerate(("metric", "fewer outputs", "more outputs", "zero priors")):
        scaled, costs = eps * distance, costs_of(kind, distance, seed)
        found = column_generation(scaled, costs, compiled=False)
        check(found, scaled, costs)
        check_flows(found, scaled, costs)
        assert found.loss == pytest.approx(by_highs(scaled, costs), rel=2e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["L2 grid", "discrete", "cloud", "two parts", "twins"])
def test_compiled_and_plain_agree(name):
    pytest.importorskip("numba")
    distance = spaces(5)[name]
    costs = costs_of("metric", distance, 1)
    plain = column_generation(0.7 * distance, costs, gap=1e-8, compiled=False)
    quick = column_generation(0.7 * distance, costs, gap=1e-8, compiled=True)
    check(plain, 0.7 * distance, costs, 1e-8)
    check(quick, 0.7 * distance, costs, 1e-8)
    assert plain.loss == pytest.approx(quick.loss, rel=1e-8)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_walk_ends_at_the_cheapest_ray(compiled):
    """Against the linear program min r·z over private z with 1·z = 1, one output at a time."""
    if compiled:
        pytest.importorskip("numba")
    for seed in range(6):
        distance = apart(2 * rng(seed).random((8, 2)))
        lengths = shortened(distance)
        prices = rng(seed).normal(size=(5, 8))
        trees = stars(lengths, np.arange(5))
        found = price(lengths, prices, trees, pivots=10_000, compiled=compiled)
        for y in range(5):
            x, z = np.nonzero(~np.eye(8, dtype=bool))
            pairs = np.zeros((len(x), 8))
            pairs[np.arange(len(x)), x] = 1
            pairs[np.arange(len(x)), z] -= np.exp(lengths[x, z])
            solved = linprog(prices[y], pairs, np.zeros(len(x)), np.ones((1, 8)), [1.0])
            assert found.ratios[y] == pytest.approx(solved.fun, rel=1e-7, abs=1e-9)
        rays = trees.rays()
        ratio = (prices * rays).sum(axis=1) / rays.sum(axis=1)
        np.testing.assert_allclose(ratio, found.ratios, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_leaf_that_is_as_high_from_two_places_keeps_the_best_one(compiled):
    """From the other place the flows of the tree would miss what the ray itself proves."""
    if compiled:
        pytest.importorskip("numba")
    line = np.log(2) * np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    costs = np.array([[0.0, 0.0, 4.0]])
    heights = np.array([[0.0, -line[0, 1], -line[0, 2]]])
    trees = Trees(np.array([[-1, 0, 1]]), np.full((1, 3), -1), heights)
    found = price(line, costs, trees, pivots=100, compiled=compiled)
    assert found.pivots[0] == 0
    assert found.ratios[0] == pytest.approx(4 / 7)
    feasible, _ = lifted(line, costs, np.zeros(3), trees.parents, trees.signs, compiled=compiled)
    np.testing.assert_allclose(feasible, 4 / 7)


@pytest.mark.parametrize("name", [n for n in spaces() if n not in {"twins", "two parts"}])
def test_shorter_distances_are_a_metric_below_the_true_ones(name):
    """No way round is shorter, not even by rounding: points hang from where they are highest."""
    distance = spaces(3)[name]
    lengths = shortened(distance)
    ways_round = (lengths[:, :, None] + lengths[None, :, :]).min(axis=1)
    assert (lengths <= ways_round).all()
    off = ~np.eye(len(distance), dtype=bool)
    assert (lengths[off] <= distance[off] * (1 - 0.49e-9)).all()
    assert (lengths[off] >= distance[off] * (1 - 1e-9)).all()


@pytest.mark.parametrize("low", [0.0, 0.6, 0.95])
def test_a_walk_on_the_core_ends_where_a_walk_of_all_points_does(low):
    """From peaks, and from wherever the last prices led; with few or many points that want to rise."""
    lengths = shortened(0.7 * apart(lattice(7)))
    n = len(lengths)
    whole, core = stars(lengths, np.arange(n)), stars(lengths, np.arange(n))
    for seed in range(3):
        reduced = rng(seed).random((n, n)) - (1 - low) * rng(9 + seed).random(n)
        every = price(lengths, reduced, whole, pivots=10**6, compiled=False)
        some = price(lengths, reduced, core, pivots=10**6)
        np.testing.assert_allclose(some.ratios, every.ratios, rtol=0, atol=1e-9)
        slack = lengths - core.potentials[:, :, None] + core.potentials[:, None, :]
        assert slack.min() >= -1e-12
        assert ((core.parents < 0).sum(axis=1) == 1).all()
        rays = core.rays()
        np.testing.assert_allclose((reduced * rays).mean(axis=1), some.ratios, rtol=0, atol=1e-8)


def towns(seed, reach):
    """Eight towns of eight places, and ε·d between them, which is up to `reach`."""
    draw = rng(seed)
    places = np.repeat(draw.random((8, 2)), 8, axis=0) + 0.01 * draw.normal(size=(64, 2))
    distance = apart(places)
    return distance * (reach / distance.max())


@pytest.mark.parametrize("reach", [15.0, 40.0, 120.0, 290.0])
def test_a_walk_from_town_to_town_ends_where_a_walk_of_all_places_does(reach):
    """What is far below the top when a walk begins may be near it when it ends."""
    pytest.importorskip("numba")
    for seed in range(3):
        lengths = shortened(towns(seed, reach))
        whole, core = stars(lengths, np.arange(64)), stars(lengths, np.arange(64))
        for _ in range(2):
            reduced = lengths / reach - 2 * rng(seed).random(64) ** 4
            every = price(lengths, reduced, whole, pivots=10**5, compiled=False)
            some = price(lengths, reduced, core, pivots=10**5)
            assert some.pivots.max() < 10**4
            np.testing.assert_allclose(some.ratios, every.ratios, rtol=0, atol=1e-8)
            np.testing.assert_allclose(
                (reduced * core.rays()).mean(axis=1), some.ratios, rtol=0, atol=1e-8
            )


def test_a_list_of_places_in_many_towns_is_solved():
    """A search whose walks lost sight of other towns never came near the optimum."""
    pytest.importorskip("numba")
    scaled = towns(0, 250.0)
    costs = costs_of("metric", scaled, 0)
    found = column_generation(scaled, costs, gap=1e-5, seconds=600)
    check(found, scaled, costs, 1e-5)


@pytest.mark.parametrize(("n", "seed"), [(24, 1), (40, 0)])
def test_likely_places_count_from_afar(n, seed):
    """Some are 10^12 times as likely as others: e^−20 of them is more than all of the others."""
    pytest.importorskip("numba")
    distance, likely = apart(rng(seed).random((n, 2))), 10.0 ** rng(seed).uniform(-12, 0, n)
    for reach in (100.0, 220.0):
        scaled = distance * (reach / distance.max())
        for unlike in (scaled, 1.0 - np.eye(n)):
            costs = (likely / likely.sum())[:, None] * unlike
            found = column_generation(scaled, costs, compiled=True)
            check(found, scaled, costs)
            check_flows(found, scaled, costs)


def test_a_tree_that_is_cut_short_still_bounds():
    """Lifted multipliers are feasible whatever the trees: their sum never exceeds the optimum."""
    distance = apart(lattice(3))
    costs = costs_of("metric", distance, 3)
    best = by_highs(distance, costs)
    lengths = shortened(distance)
    draw = rng(0)
    for pivots in (0, 1, 5, 1_000):
        trees = stars(lengths, np.arange(9))
        at = draw.random(9) * costs.max()
        price(lengths, costs.T - at, trees, pivots=pivots, compiled=False)
        feasible, flows = lifted(distance, costs.T, at, trees.parents, trees.signs, compiled=False)
        assert feasible.sum() <= best + 1e-12
        assert (flows >= 0).all()


@pytest.mark.parametrize("diameter", [30.0, 50.0, 200.0, 2_000.0])
def test_steep_columns_keep_all_their_digits(diameter):
    distance = apart(lattice(4))
    scaled = distance * (diameter / distance.max())
    costs = costs_of("metric", distance, 2)
    found = column_generation(scaled, costs)
    check(found, scaled, costs)
    check_flows(found, np.minimum(scaled, 700), costs)


def test_tiny_levels():
    distance = apart(lattice(3))
    costs = costs_of("metric", distance, 2)
    found = column_generation(1e-6 * distance, costs)
    assert found.loss == pytest.approx(costs.sum(axis=0).min(), rel=1e-5)
    check(found, 1e-6 * distance, costs)


def test_constant_and_negative_costs():
    distance = spaces()["line"]
    even = column_generation(distance, np.ones((8, 4)))
    assert even.finished
    assert even.loss == pytest.approx(8, rel=1e-12)
    gains = -costs_of("metric", distance, 0)
    found = column_generation(distance, gains)
    check(found, distance, gains)
    assert found.loss == pytest.approx(by_highs(distance, gains), rel=2e-6)


def test_geometric_on_a_line():
    """Truncated geometric is optimal for the absolute loss under the uniform prior (T Thm 6.4)."""
    n, a = 6, 0.5
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    geometric = a**distance * np.where(np.isin(np.arange(n), (0, n - 1)), 1.0, 1 - a) / (1 + a)
    loss = min_remapped(geometric, distance / n)
    found = column_generation(np.log(2) * distance, distance / n, gap=1e-9)
    assert found.loss == pytest.approx(loss, rel=1e-8)


def min_remapped(channel, costs):
    return float((channel.T @ costs).min(axis=1).sum())


def test_warm_start_is_quicker_and_right():
    distance = apart(lattice(5))
    costs = costs_of("metric", distance, 4)
    cold = column_generation(0.7 * distance, costs)
    again = column_generation(0.7 * distance, costs, start=cold)
    check(again, 0.7 * distance, costs)
    assert again.rounds < cold.rounds
    for eps in (0.6, 0.8):
        near = column_generation(eps * distance, costs, start=cold)
        check(near, eps * distance, costs)
        assert near.loss == pytest.approx(column_generation(eps * distance, costs).loss, rel=2e-6)


def test_warm_start_with_parts_and_twins():
    for name in ("two parts", "twins"):
        distance = spaces()[name]
        costs = costs_of("metric", distance, 4)
        cold = column_generation(distance, costs)
        again = column_generation(1.1 * distance, costs, start=cold)
        check(again, 1.1 * distance, costs)
        assert again.loss == pytest.approx(by_highs(1.1 * distance, costs), rel=2e-6)


def test_an_interrupt_returns_the_best_so_far():
    distance = apart(lattice(4))
    costs = costs_of("metric", distance, 4)
    told = []

    def stop(loss, bound, seconds):
        told.append((loss, bound, seconds))
        if len(told) == 4:
            raise KeyboardInterrupt

    found = column_generation(0.7 * distance, costs, progress=stop)
    assert not found.finished
    assert worst_ratio(found.channel, 0.7 * distance) <= 1e-12
    assert found.loss <= told[0][0] * (1 + 1e-12)
    assert found.bound <= by_highs(0.7 * distance, costs) <= found.loss
    assert all(later[0] <= sooner[0] for sooner, later in pairwise(told))
    assert all(later[1] >= sooner[1] for sooner, later in pairwise(told))


def test_an_interrupt_ends_all_parts():
    scaled, calls = spaces()["two parts"], []
    costs = costs_of("metric", scaled, 4)

    def stop(*_):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt

    found = column_generation(scaled, costs, progress=stop)
    assert len(calls) == 2  # one round for each part
    np.testing.assert_allclose(found.channel.sum(axis=1), 1, rtol=0, atol=1e-14)
    assert found.bound <= by_highs(scaled, costs) + 1e-12


def test_pairs_without_a_constraint_of_their_own():
    """A path given by its edges alone is the line: what is between them is implied."""
    line = spaces()["line"]
    edges = np.where(line <= 1, line, np.inf)
    costs = costs_of("metric", line, 4)
    found = column_generation(0.7 * edges, costs)
    check(found, 0.7 * edges, costs)
    assert found.loss == pytest.approx(by_highs(0.7 * line, costs), rel=2e-6)


def test_compiling_needs_numba(monkeypatch):
    monkeypatch.setattr("dprivacy.design.columns.arithmetic_device.find_spec", lambda name: None)
    distance = spaces()["L2 grid"]
    costs = costs_of("metric", distance, 0)
    assert column_generation(distance, costs).finished
    with pytest.raises(MissingExtra, match=r"dprivacy\[fast\]"):
        column_generation(distance, costs, compiled=True)


def test_nowhere_to_keep_machine_code(monkeypatch):
    numba = pytest.importorskip("numba")
    from dprivacy.design.trees.compiled_trees import compiled

    made = numba.njit

    def njit(*, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return made(**options)

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled(twice)(2.0) == 4.0


def twice(x):
    return 2.0 * x


def test_no_time_at_all_still_gives_a_channel():
    distance = apart(lattice(4))
    costs = costs_of("metric", distance, 4)
    found = column_generation(0.7 * distance, costs, seconds=0.0)
    assert not found.finished
    np.testing.assert_allclose(found.channel.sum(axis=1), 1, rtol=0, atol=1e-14)
    assert found.bound <= by_highs(0.7 * distance, costs) <= found.loss


def test_what_is_stopped_early_is_no_worse_than_the_exponential_mechanism():
    """On a dense list a constant answer costs three times as much."""
    distance = apart(rng(4).normal(0, 6, (160, 2)))
    costs = costs_of("metric", distance, 4)
    weights = np.exp(-0.5 * distance)
    mechanism = weights / weights.sum(axis=1, keepdims=True)
    found = column_generation(distance, costs, seconds=0.0)
    assert found.loss <= (costs * mechanism).sum() * (1 + 1e-9)
    assert 3 * found.loss < costs.sum(axis=0).min()


@pytest.mark.parametrize("compiled", [False, True])
def test_walks_whose_turn_comes_too_late_stay_where_they_are(compiled):
    if compiled:
        pytest.importorskip("numba")
    lengths = shortened(apart(lattice(4)))
    trees = stars(lengths, np.arange(16))
    before = trees.copy()
    prices = rng(0).normal(size=(16, 16))
    late = price(lengths, prices, trees, pivots=100, until=0.0, compiled=compiled)
    assert np.isnan(late.ratios).all()
    assert not late.pivots.any()
    np.testing.assert_array_equal(trees.parents, before.parents)
    assert price(lengths, prices, trees, pivots=100, compiled=compiled).pivots.any()


def test_unreachable_gap_ends():
    distance = spaces()["discrete"]
    costs = costs_of("more outputs", distance, 0)
    found = column_generation(0.5 * distance, costs, gap=0.0)
    best = by_highs(0.5 * distance, costs)
    assert found.loss == pytest.approx(best, rel=1e-6)
    assert found.bound <= best + 1e-9


def test_master_mixes_like_highs():
    draw = rng(7)
    A, q = np.asfortranarray(draw.random((6, 40))), draw.random(40)
    exact = linprog(q, A_eq=A, b_eq=np.ones(6))
    found = mixture(A, q, 1e-9, np.ones(40), np.zeros(6))
    assert found.sound
    assert q @ found.weights == pytest.approx(exact.fun, rel=1e-7)
    assert found.multipliers.sum() == pytest.approx(exact.fun, rel=1e-7)
    even = balanced(A, found.weights)
    np.testing.assert_allclose(A @ even, 1, rtol=0, atol=1e-13)


@pytest.mark.slow
def test_city_of_a_hundred_places():
    points = lattice(10)
    weight = np.full(100, 0.05)
    for centre, width, height in (((0.25, 0.3), 0.12, 1), ((0.7, 0.6), 0.18, 0.6)):
        weight += height * np.exp(-((points / 9 - centre) ** 2).sum(axis=1) / (2 * width**2))
    distance = apart(points)
    costs = (weight / weight.sum())[:, None] * distance
    found = column_generation(np.log(2) * distance, costs)
    check(found, np.log(2) * distance, costs)
    check_flows(found, np.log(2) * distance, costs)


def test_trees_led_astray_are_planted_again() -> None:
    # Places that are far apart: the first multipliers are off by orders of magnitude.
    draw = np.random.default_rng(5)
    places = draw.integers(0, 40_000, (60, 2)).astype(float)
    far = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    lengths = np.log(4) / 200 * np.minimum(far, 40_000)
    costs = far / len(far) / far.max()
    fresh = stars(lengths, np.arange(60))
    astray = fresh.copy()
    wild = draw.normal(0, 1e4, 60)
    price(lengths, costs - wild, astray, pivots=90, compiled=False)
    calm = costs - 0.5 * costs.mean() / 60
    better = planted_again(astray, fresh, calm)
    least = [(calm * trees.rays()).sum(axis=1) for trees in (astray, fresh, better)]
    assert (least[0] > least[1]).any()
    np.testing.assert_array_equal(least[2], np.minimum(least[0], least[1]))
    again = price(lengths, calm, better.copy(), pivots=10_000, compiled=False)
    before = price(lengths, calm, astray.copy(), pivots=10_000, compiled=False)
    assert (again.ratios <= before.ratios + 1e-12).all()
    assert again.pivots.sum() < before.pivots.sum() / 2
