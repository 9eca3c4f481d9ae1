"""Planar noise on a grid: its law, where it puts places, and what it refuses."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import stats

from dprivacy.errors import BadLevel, BadNumber, DPrivacyError, InsecureSeedWarning, Malformed
from dprivacy.mechanisms import planar_laplace
from dprivacy.numbers import Level, root
from dprivacy.sampling import KeyedSource, PlanarNoise


def drawn(n, seed, **given):
    with pytest.warns(InsecureSeedWarning):
        return planar_laplace(**given).randomise(np.zeros((n, 2)), insecure_seed=seed)


@pytest.mark.statement("T", "Def 9.4.1")
@pytest.mark.parametrize("eps", ["ln 2", "1/2"])
def test_the_law_is_in_proportion_to_the_exponential_of_the_distance(eps):
    noise = drawn(120_000, 4, eps=eps)
    reach = np.arange(-120, 121)
    weights = np.exp(-float(Level(eps)) * np.hypot(*np.meshgrid(reach, reach)))
    law = weights / weights.sum()
    near = [(i, j) for i in range(-4, 5) for j in range(-4, 5)]
    i, j = noise.astype(int).T
    observed = [((i == a) & (j == b)).sum() for a, b in near]
    expected = [law[a + 120, b + 120] * len(noise) for a, b in near]
    observed.append(len(noise) - sum(observed))
    expected.append(len(noise) - sum(expected))
    assert stats.chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.statement("T", "Def 9.4.1")
def test_on_a_fine_grid_the_radius_is_gamma_and_the_direction_uniform():
    noise = drawn(60_000, 5, eps=1, grid="1/256")
    radius = np.hypot(*noise.T)
    assert stats.kstest(radius, stats.gamma(2).cdf).pvalue > 1e-3
    angle = np.arctan2(noise[:, 1], noise[:, 0])
    assert stats.kstest(angle, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > 1e-3


def test_places_are_moved_to_the_grid_first():
    """The same words, the same cell: the same output to the last bit."""
    mechanism = planar_laplace(eps=1, grid="1/4")
    places = np.array([[0.1, 0.9], [-3.1, 7.77], [1e6, -1e6]])
    key = bytes(16)
    noisy = mechanism.using(KeyedSource(key)).randomise(places)
    noise = PlanarNoise(Level(Q(1, 4))).draw(3, KeyedSource(key))
    assert (noisy == (np.rint(places * 4) + noise) / 4).all()
    moved = mechanism.using(KeyedSource(key)).randomise(places + 0.02)
    assert moved.tobytes() == noisy.tobytes()


def test_how_far_snapping_moves_is_stated():
    mechanism = planar_laplace(eps=1, grid="1/4")
    assert mechanism.snapping == root(2) / 4
    rng = np.random.default_rng(0)
    for _ in range(300):
        x, z = rng.uniform(-2, 2, (2, 2))
        snapped = np.rint(np.array([x, z]) * 4) / 4
        apart = math.dist(*snapped)
        assert apart <= math.dist(x, z) + float(mechanism.snapping) + 1e-12


def test_shapes_and_kinds():
    mechanism = planar_laplace(eps=1)
    assert mechanism.randomise([(1, 2), (3, 4)]).shape == (2, 2)
    assert mechanism.randomise(np.zeros((0, 2))).shape == (0, 2)
    assert mechanism.randomise(np.zeros((5, 2), dtype=np.int16)).dtype == np.float64
    for wrong in ([1, 2], [[1], [2]], [[1, 2, 3]], [[[1, 2]]], 5, [[1], [1, 2]]):
        with pytest.raises(Malformed):
            mechanism.randomise(wrong)


@pytest.mark.parametrize("bad", [math.nan, math.inf, None])
def test_broken_places_are_named_by_row(bad):
    with pytest.raises(BadNumber, match="row 1 holds a number that is not finite"):
        planar_laplace(eps=1).randomise([[0, 0], [1, bad], [bad, 1]])


@pytest.mark.parametrize("far", [1e17, 1e308, -1.7e308])
def test_places_beyond_the_grid(far):
    with pytest.raises(BadNumber, match="too far"):
        planar_laplace(eps=1, grid="1/8").randomise([[0, far]])
    with pytest.raises(Malformed, match="fit a double"):
        planar_laplace(eps=1).randomise([[10**400, 0]])


@pytest.mark.parametrize(
    "grid", [0, -1, math.nan, math.inf, True, "ln 2", "sqrt(2)", None, 10**400, Q(1, 10**400)]
)
def test_grids_that_are_refused(grid):
    with pytest.raises(DPrivacyError):
        planar_laplace(eps=1, grid=grid)


def test_levels_out_of_reach_of_the_sampler():
    with pytest.raises(BadLevel):
        planar_laplace(eps=Q(1, 10**20)).randomise([[0, 0]])


@pytest.mark.parametrize("grid", [0, -1, "-1/2"])
def test_a_step_that_is_not_positive_is_not_blamed_on_the_level(grid):
    with pytest.raises(BadNumber, match=f"grid should be greater than 0, not {grid}"):
        planar_laplace(eps=1, grid=grid)
