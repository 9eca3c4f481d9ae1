"""The columns a search begins with: the exponential mechanism, private, with rows that sum to 1."""

import numpy as np
import pytest

from dprivacy.design.columns.column_pool import exponential, first_columns, first_trees, posed
from dprivacy.design.problems.problem_symmetry import find_symmetry
from dprivacy.design.trees.spanning_trees import stars
from support.design_spaces import apart, costs_of, lattice, rng, spaces, worst_ratio


def begun(problem):
    peaks = stars(problem.lengths, np.arange(len(problem.scaled)))
    return first_columns(problem, peaks, first_trees(problem, peaks, None), None)


@pytest.mark.parametrize("kind", ["metric", "fewer outputs", "more outputs"])
@pytest.mark.parametrize("name", ["line", "cycle", "plane", "cloud", "discrete", "cube"])
def test_the_first_weights_are_those_of_a_private_channel(name, kind):
    distance = spaces(2)[name]
    costs = costs_of(kind, distance, 3)
    problem = posed(0.7 * distance, costs, None)
    columns, weights = begun(problem)
    assert np.abs(columns.A @ weights - 1).max() < 1e-14
    z = exponential(problem)
    assert worst_ratio(z.T, 0.7 * distance) <= 1e-12
    np.testing.assert_allclose(z.sum(axis=0), 1)
    assert columns.q @ weights == pytest.approx((problem.costs * z).sum())


def test_it_is_the_same_with_symmetries():
    distance = apart(lattice(4))
    costs = distance / 16
    group = find_symmetry(distance, costs)
    assert len(group.representatives) < 16
    few, all_ = posed(distance, costs, group), posed(distance, costs, None)
    columns, weights = begun(few)
    assert np.abs(columns.A @ weights - 1).max() < 1e-14
    np.testing.assert_allclose(group.images(exponential(few)), exponential(all_))
    whole, even = begun(all_)
    assert columns.q @ weights == pytest.approx(whole.q @ even)


def test_far_from_every_output_it_is_still_a_channel():
    """Places 10⁴/ε away: the tables end at 300, where floats still have room."""
    draw = rng(0)
    places = np.concatenate([draw.random((5, 2)), 1e4 + draw.random((5, 2))])
    distance = apart(places)
    problem = posed(distance, distance[:, :5] / 10, None)
    z = exponential(problem)
    assert (z > 0).all()
    np.testing.assert_allclose(z.sum(axis=0), 1)
