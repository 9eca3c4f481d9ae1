"""Errors in closed form against inverses of the channels, and their shape."""

import math

import numpy as np
import pytest

from dprivacy.mechanisms import coded_laplace, geometric, randomised_response
from dprivacy.release.budgets.error_curves import (
    ErrorCurve,
    block_square,
    coded_total,
    geometric_total,
    line_variance,
    response_total,
)
from dprivacy.spaces import discrete, line


def total(matrix, shares=None):
    """Σ_x Var of the corrected counts of one person, by the inverse."""
    k = len(matrix)
    inverse = np.linalg.inv(matrix)
    shares = np.full(k, 1 / k) if shares is None else shares
    return float(((shares @ matrix) * (inverse**2).sum(axis=1)).sum() - 1)


LEVELS = (0.05, 0.3, 1.0, 2.2, 5.0)


@pytest.mark.parametrize("k", [2, 3, 5, 9, 31])
@pytest.mark.parametrize("level", LEVELS)
def test_a_response_whatever_the_shares(k, level):
    matrix = randomised_response(discrete(range(k)), eps=level).channel.matrix.floats
    for seed in range(3):
        shares = np.random.default_rng(seed).dirichlet(np.ones(k))
        assert response_total(k, level).real == pytest.approx(total(matrix, shares), rel=1e-9)


@pytest.mark.parametrize("k", [2, 3, 5, 9, 31])
@pytest.mark.parametrize("level", LEVELS)
def test_geometric_noise_at_equal_shares(k, level):
    matrix = geometric(line(k), eps=level / (k - 1)).channel.matrix.floats
    assert geometric_total(k, level).real == pytest.approx(total(matrix), rel=1e-8)


@pytest.mark.parametrize(("k", "a"), [(5, 0.5), (11, 0.8), (2, 0.3)])
def test_the_mean_under_geometric_noise_is_bounded(k, a):
    matrix = geometric(line(k), eps=-math.log(a)).channel.matrix.floats
    scores = np.linalg.solve(matrix, np.arange(k))
    variances = matrix @ scores**2 - np.arange(k) ** 2
    ends = np.array([(a**x + a ** (k - 1 - x)) / (1 + a) for x in range(k)])
    assert variances == pytest.approx(a * (2 - ends) / (1 - a) ** 2)
    bound = line_variance(k - 1, -math.log(a) * (k - 1)).real * (k - 1) ** 2
    assert variances.max() <= bound
    assert scores[0] == pytest.approx(-a / (1 - a))


@pytest.mark.parametrize(
    "function",
    [
        lambda level: response_total(2, level),
        lambda level: response_total(100, level),
        lambda level: geometric_total(3, level),
        lambda level: geometric_total(60, level),
        lambda level: line_variance(100, level),
    ],
)
def test_errors_are_convex_and_fall(function):
    found = np.array([function(level).real for level in np.linspace(0.02, 20, 1000)])
    assert (np.diff(found) < 0).all()
    assert (np.diff(found, 2) >= -1e-9 * found[1:-1]).all()


def test_slopes_are_derivatives():
    curve = ErrorCurve("c", lambda level: response_total(5, level) / 5, importance=2.0)
    x, k = math.exp(0.7), 5
    exact = -2 * (k - 1) * x * (x + k - 1) / (x - 1) ** 3
    assert curve.slope(0.7) == pytest.approx(2 * exact / 5, rel=1e-12)


def test_blocks_are_responses_of_their_own():
    found = block_square(response_total, [1, 3, 5])(math.log(3)).real
    table = np.zeros((9, 9))
    table[0, 0] = 1
    for block in (slice(1, 4), slice(4, 9)):
        k = block.stop - block.start
        table[block, block] = (1 + 2 * np.eye(k)) / (k + 2)
    assert found == pytest.approx(total(table) / 9)


@pytest.mark.parametrize(("k", "ratio"), [(3, 4.8), (5, 28), (10, 255)])
def test_a_response_beats_geometric_noise_for_shares(k, ratio):
    level = math.log(9)
    assert geometric_total(k, level).real / response_total(k, level).real == pytest.approx(
        ratio, rel=0.02
    )


@pytest.mark.parametrize(("classes", "codes"), [(2, 1), (3, 2), (4, 1), (12, 3)])
@pytest.mark.parametrize("level", LEVELS)
def test_classes_with_codes_beside_them(classes, codes, level):
    widest = max(classes - 1, 1.5)  # two classes have codes at one and a half
    made = coded_laplace(
        0, classes - 1, codes=[f"c{k}" for k in range(codes)], eps=level / widest, grid=1
    )
    assert coded_total(classes, codes, level).real == pytest.approx(
        total(made.channel.matrix.floats), rel=1e-8
    )


@pytest.mark.parametrize(("classes", "codes"), [(2, 1), (3, 2), (12, 1), (40, 5)])
def test_their_error_falls_and_is_convex(classes, codes):
    found = np.array([coded_total(classes, codes, x).real for x in np.linspace(0.05, 8, 400)])
    assert (np.diff(found) < 0).all()
    assert (np.diff(found, 2) > 0).all()
