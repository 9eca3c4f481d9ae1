"""Where a release can say how its answers go together: known spreads, and the bootstrap."""

import math

import numpy as np
import pytest

from dprivacy.release.receiving.own_statistics import noise_total, own_statistics


def response(k, factor):
    q = 1 / (factor + k - 1)
    return np.full((k, k), q) + np.eye(k) * (factor - 1) * q


def knowing_the_rest(shares, matrix):
    """How often the first answer is guessed, knowing the others truly and seeing its cell."""
    flat = shares.reshape(len(matrix), -1)
    return sum(float((flat * matrix[:, [y]]).max(axis=0).sum()) for y in range(len(matrix)))


def total(k, factor):
    """The closed form of a response."""
    return (k - 1) * (2 * factor + k - 2) / (factor - 1) ** 2


@pytest.mark.parametrize(("k", "factor"), [(2, 3.0), (4, 1.66), (9, 1.2), (31, 9.0)])
def test_the_noise_of_a_response(k, factor):
    assert noise_total(response(k, factor)) == pytest.approx(total(k, factor), rel=1e-10)


def test_counts_that_cannot_be_corrected_have_endless_noise():
    assert noise_total(np.array([[0.5, 0.5], [0.5, 0.5]])) == math.inf


@pytest.mark.parametrize(
    ("sizes", "factors", "spread"),
    [
        ((4, 2), (3, 3), 0.06),
        ((4, 2, 9), (3, 3, 3), 0.32),
        ((2, 2, 3, 4, 4), (1.44, 1.44, 1.57, 1.66, 1.66), 45),
    ],
)
def test_known_spreads_of_the_household_survey(sizes, factors, spread):
    matrices = [response(k, f) for k, f in zip(sizes, factors, strict=True)]
    shares = 1.0 + np.arange(math.prod(sizes)).reshape(sizes) % 5
    found = own_statistics(
        matrices, shares / shares.sum(), 4580, lambda p: knowing_the_rest(p, matrices[0])
    )
    assert found.spread == pytest.approx(spread, rel=0.06)
    assert (found.shift is None) == (spread > 0.1)
    assert found.trusted == (spread < 0.1)
    assert found.explain().startswith("" if found.trusted else "This release is too noisy")


def test_a_figure_that_the_noise_makes_up_is_found_out():
    """The largest of 40 equal shares is always overestimated."""
    matrix = response(40, 60.0)
    shares = np.full(40, 1 / 40)
    found = own_statistics([matrix], shares, 800, lambda shares: float(shares.max() * 3))
    assert found.spread < 0.1
    assert found.shift > 0.02
    assert not found.trusted
    assert "percentage points away" in found.explain()
