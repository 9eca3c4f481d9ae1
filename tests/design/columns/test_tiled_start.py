"""Starts from tiles: every secret and output is one tile's own, and the search needs few rounds."""

import numpy as np
import pytest

from dprivacy.design.columns import generation_rounds
from dprivacy.design.columns.arithmetic_device import machine
from dprivacy.design.columns.column_pool import first_columns, first_trees, posed
from dprivacy.design.columns.generation import column_generation
from dprivacy.design.columns.spread_answers import spread_columns, spread_trees
from dprivacy.design.columns.tiled_start import tiles
from dprivacy.design.trees.spanning_trees import stars
from support.design_spaces import apart, check, check_flows, rng


def region(n, reach, seed=0):
    """ε·d, up to `reach`, and costs of places in a dozen towns of a region, some of them alone."""
    draw = rng(seed)
    places = draw.random((12, 2))[draw.integers(0, 12, n)] + 0.02 * draw.normal(size=(n, 2))
    places[: n // 10] = draw.random((n // 10, 2))
    distance = apart(places)
    weight = draw.pareto(1.5, n) + 0.1
    return distance * (reach / distance.max()), (weight / weight.sum())[:, None] * distance


def test_every_secret_and_every_output_is_one_tiles_own():
    scaled, costs = region(200, 200.0)
    outputs = rng(1).permutation(200)[:150]
    problem = posed(scaled, costs[:, outputs], None)
    cut = tiles(problem)
    assert len(cut) > 3
    own = np.concatenate([tile.members[: tile.own] for tile in cut])
    assert sorted(own) == list(range(200))
    owned = np.concatenate([tile.outputs[: tile.owned] for tile in cut])
    assert sorted(owned) == list(range(150))
    for tile in cut:
        assert set(problem.costs[:, tile.members].argmin(axis=0)) <= set(tile.outputs)
        part = problem.costs[np.ix_(tile.outputs, tile.members)]
        np.testing.assert_allclose(tile.problem.costs * tile.problem.scale, part)


def test_what_is_spread_is_private():
    problem = posed(*region(160, 100.0), None)
    for tile in tiles(problem):
        n = len(tile.members)
        peaks = stars(tile.problem.lengths, np.arange(n))
        trees = first_trees(tile.problem, peaks, None)
        columns, weights = first_columns(tile.problem, peaks, trees, None)
        spread = spread_trees(problem.lengths, tile.members, trees)
        owners, rays, mixed = spread_columns(
            problem.lengths, tile.members, tile.outputs, columns, weights
        )
        assert set(owners) <= set(tile.outputs)
        sums = (mixed[:, None] * rays).sum(axis=0)[tile.members]
        np.testing.assert_allclose(sums, sums.mean(), rtol=1e-2)  # those of slight weight are left
        for logs in (spread.potentials, np.log(rays)):
            for height in logs:
                assert (height[:, None] - height <= problem.lengths + 1e-12).all()
        x = tile.members
        np.testing.assert_allclose(np.diff(spread.potentials[:, x]), np.diff(trees.potentials))


def test_a_tile_looks_beyond_its_own_secrets_to_those_that_are_near():
    problem = posed(*region(200, 200.0), None)
    for tile in tiles(problem):
        far = problem.lengths[:, tile.members[: tile.own]].min(axis=1)
        assert sorted(tile.members) == np.nonzero(far < 3.0)[0].tolist()
        assert sorted(np.nonzero(far == 0)[0]) == sorted(tile.members[: tile.own])


def test_few_secrets_or_nothing_apart_make_no_tiles():
    assert tiles(posed(*region(60, 50.0), None)) == []
    alike = 1.0 - np.eye(160)
    assert tiles(posed(alike, alike / 160, None)) == []


def test_secrets_that_are_alone_make_no_tiles():
    """Tiles of towns 6/ε apart took twice as long as they saved."""
    grid = np.array([(i, j) for i in range(16) for j in range(10)])
    distance = apart(grid + 0.1 * rng(0).normal(size=(160, 2)))
    assert tiles(posed(6 * distance, distance / 160, None)) == []
    assert tiles(posed(3 * distance, distance / 160, None))


def test_a_search_out_of_time_mixes_no_columns_of_tiles(monkeypatch):
    """A limit of a second became fifty for 1,200 places."""
    monkeypatch.setattr(generation_rounds.Box, "mixture", None)
    scaled, costs = region(200, 200.0)
    told = []

    def late(*at):
        told.append(at)
        return len(told) > 5

    found, _ = generation_rounds.search(
        posed(scaled, costs, None),
        gap=1e-6,
        start=None,
        machine=machine(costs.size, None, "cpu"),
        until=np.inf,
        tell=late,
        interrupted=lambda: None,
    )
    assert not found.finished


def test_a_region_takes_few_rounds(monkeypatch):
    """By measure 4 rounds; without tiles, the 8 that are allowed leave a gap of 0.017."""
    pytest.importorskip("numba")
    monkeypatch.setattr(generation_rounds, "_ROUNDS", 8)
    scaled, costs = region(200, 200.0)
    found = column_generation(scaled, costs, gap=1e-2)
    check(found, scaled, costs, 1e-2)
    check_flows(found, np.minimum(scaled, 700), costs)


def test_most_tiles_may_have_no_output_of_their_own():
    scaled, costs = region(200, 200.0)
    costs = costs[:, :3]
    assert sum(tile.owned == 0 for tile in tiles(posed(scaled, costs, None))) > 1
    found = column_generation(scaled, costs, gap=1e-3)
    check(found, scaled, costs, 1e-3)


def test_no_tile_is_solved_where_the_first_answer_is_optimal(monkeypatch):
    monkeypatch.setattr(generation_rounds, "_tiled", None)
    scaled, costs = region(200, 200.0)
    costs[1:] = 0.0  # everybody is at one place
    found = column_generation(scaled, costs, gap=1e-3)
    assert found.finished
    assert found.loss < 1e-9


def test_tiles_say_how_far_the_whole_search_is_and_can_be_interrupted():
    scaled, costs = region(200, 200.0)
    told = []

    def stop(*at):
        told.append(at[:2])
        if len(told) == 3:
            raise KeyboardInterrupt

    found = column_generation(scaled, costs, progress=stop)
    assert not found.finished
    assert told == [(pytest.approx(found.loss), pytest.approx(found.bound))] * 3
    assert found.loss <= 1.001 * column_generation(scaled, costs, seconds=0.0).loss
    np.testing.assert_allclose(found.channel.sum(axis=1), 1, rtol=0, atol=1e-14)
