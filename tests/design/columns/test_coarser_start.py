"""Starts from coarser problems: what is spread is private, and the search needs fewer rounds."""

import numpy as np
import pytest

from dprivacy.design.columns import generation_rounds
from dprivacy.design.columns.coarser_start import coarser
from dprivacy.design.columns.column_pool import first_columns, first_trees, posed
from dprivacy.design.columns.generation import column_generation
from dprivacy.design.trees.spanning_trees import stars
from support.design_spaces import apart, check, check_flows, rng


def town(n, seed=0):
    """ε·d and costs of places around a few centres, to the metre; some of them are next door."""
    draw = rng(seed)
    centres = draw.normal(0, 300, (6, 2))
    places = np.round(centres[draw.integers(0, 6, n)] + draw.normal(0, 120, (n, 2)))
    distance = apart(places)
    weight = draw.pareto(1.5, n) + 0.1
    return np.log(4) / 200 * distance, (weight / weight.sum())[:, None] * distance


def test_what_is_spread_is_private_and_keeps_its_sums():
    scaled, costs = town(180)
    kept = np.unique(scaled.argmin(axis=1))  # one place for each class at distance 0
    problem = posed(scaled[np.ix_(kept, kept)], costs[np.ix_(kept, kept)], None)
    part = coarser(problem)
    assert 20 < len(part.kept) <= 0.3 * len(kept)
    assert part.problem.costs.shape == (len(part.outputs), len(part.kept))
    assert (part.outputs[part.answer[part.outputs]] == part.outputs).all()
    peaks = stars(part.problem.lengths, np.arange(len(part.kept)))
    trees = first_trees(part.problem, peaks, None)
    columns, weights = first_columns(part.problem, peaks, trees, None)
    spread = part.spread_trees(problem, trees)
    owners, rays, mixed = part.spread_columns(problem, columns, weights)
    assert len(spread.parents) == len(problem.costs)
    assert len(owners) == len(rays) == len(mixed)
    for logs in (spread.potentials, np.log(rays)):
        for height in logs:
            assert (height[:, None] - height <= problem.lengths + 1e-12).all()
    for y, parents in enumerate(spread.parents):
        x = np.nonzero(parents >= 0)[0]
        rise = spread.potentials[y, x] - spread.potentials[y, parents[x]]
        np.testing.assert_allclose(
            rise, spread.signs[y, x] * problem.lengths[x, parents[x]], atol=1e-12
        )
    multipliers = rng(1).random(len(part.kept))
    shared = part.spread_multipliers(problem, multipliers)
    np.testing.assert_allclose(np.bincount(part.place, shared), multipliers)


def test_few_secrets_or_none_nearer_than_others_have_no_coarser_problem():
    assert coarser(posed(*town(40), None)) is None
    alike = 1.0 - np.eye(160)
    assert coarser(posed(alike, alike / 160, None)) is None
    scaled, costs = town(160)
    assert coarser(posed(scaled + 1e-3, costs, None), within=0.5) is not None
    assert coarser(posed(9 * scaled + 1e-3, costs, None), within=0.5) is None


def test_a_town_takes_few_rounds(monkeypatch):
    """By measure about 12 rounds; without the coarser problem the 18 allowed leave a gap of a tenth."""
    pytest.importorskip("numba")
    monkeypatch.setattr(generation_rounds, "_ROUNDS", 18)
    scaled, costs = town(160)
    found = column_generation(scaled, costs, gap=2.5e-2)
    check(found, scaled, costs, 2.5e-2)
    check_flows(found, scaled, costs)


def test_no_time_for_the_coarser_problem():
    scaled, costs = town(160)
    found = column_generation(scaled, costs, seconds=0.0)
    assert not found.finished
    np.testing.assert_allclose(found.channel.sum(axis=1), 1, rtol=0, atol=1e-14)
    assert found.bound <= found.loss
