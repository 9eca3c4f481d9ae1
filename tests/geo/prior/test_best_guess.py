"""The best guess: against a search of all places, at the border, and where no public place is."""

from dataclasses import replace

import numpy as np
import pytest

from dprivacy.geo import as_region
from dprivacy.geo.prior import best_guess
from dprivacy.geo.prior.best_guess import BestGuess, distances, medians
from dprivacy.geo.prior.public_places import PublicPlaces

RATE = np.log(4) / 200


@pytest.fixture
def rng():
    return np.random.default_rng(25)


@pytest.fixture
def shops(rng):
    counts = rng.integers(1, 9, 60)
    points = rng.normal(0, 300, (60, 2)).clip(-900, 900)
    return PublicPlaces(as_region("40.73, -73.99, 1 km"), points, counts)


def test_no_point_of_a_fine_lattice_is_better(shops, rng):
    guess = BestGuess(shops, RATE, 200.0)
    step = 0.15 / RATE  # noisy points on the lattice that guesses are made for
    noisy = np.rint(rng.normal(0, 500, (40, 2)) / step) * step
    found = guess.guesses(noisy)
    belief = shops.weights * np.exp(-RATE * np.linalg.norm(noisy[:, None] - shops.points, axis=2))
    belief /= belief.sum(axis=1, keepdims=True)
    sides = np.arange(-1000, 1001, 20.0)
    lattice = np.concatenate([np.stack(np.meshgrid(sides, sides), -1).reshape(-1, 2), shops.points])
    table = np.linalg.norm(lattice[:, None] - shops.points, axis=2)
    best = (belief @ table.T).min(axis=1)
    ours = (belief * np.linalg.norm(found[:, None] - shops.points, axis=2)).sum(axis=1)
    assert (ours <= best * 1.002).all()
    assert (ours < best).sum() > 20  # between the points of the lattice


def test_medians_by_hand():
    corners = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    belief = np.array([[1, 1, 1, 1], [9, 1, 1, 1], [1, 1, 0, 0]]) / 4
    found = medians(belief, corners, 1e-6)
    assert found[0] == pytest.approx([5, 5])
    assert found[1] == pytest.approx([0, 0])  # a point that holds the majority
    assert found[2, 1] == pytest.approx(0)
    assert distances(corners[:1], corners).ravel() == pytest.approx([0, 10, 10, 200**0.5])


def test_where_no_public_place_is_the_noisy_point_is_its_own_best_guess():
    shop = PublicPlaces(as_region("40.73, -73.99, 20 km"), np.zeros((1, 2)), np.array([1]), 0.05)
    far = np.array([[9000.0, 0.0], [0.0, -15000.0]])
    kept = BestGuess(shop, RATE, 200.0).guesses(far)
    assert np.abs(kept - far).max() < 0.1 / RATE  # and rounded to its lattice
    drawn = BestGuess(replace(shop, elsewhere=0.0), RATE, 200.0).guesses(far)
    assert np.abs(drawn).max() < 1
    near = BestGuess(shop, RATE, 200.0).guesses(np.array([[300.0, 0.0]]))
    assert np.abs(near).max() < 30


def test_guesses_stay_in_the_region(shops, rng):
    noisy = rng.normal(0, 3000, (300, 2))
    assert np.abs(BestGuess(shops, RATE, 200.0).guesses(noisy)).max() < 1000


def test_a_prior_of_very_many_places_is_taken_in_squares(shops, rng, monkeypatch):
    noisy = rng.normal(0, 400, (100, 2))
    fine = BestGuess(shops, RATE, 200.0).guesses(noisy)
    monkeypatch.setattr(best_guess, "_MOST_POINTS", 10)
    coarse = BestGuess(shops, RATE, 200.0).guesses(noisy)
    away = np.linalg.norm(fine - coarse, axis=1)
    assert 0 < away.mean() < 0.25 / RATE
