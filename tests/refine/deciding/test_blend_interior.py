"""Blending into the interior of a hull."""

import numpy as np
import pytest

from dprivacy.refine.deciding.blend_interior import blended


class TestBlend:
    def test_share_and_bound_meet(self) -> None:
        rng = np.random.default_rng(0)
        a = rng.dirichlet(np.ones(9), 5)
        b = a @ rng.dirichlet(np.ones(7), 9)
        inside = blended(a, b)
        assert inside.share < 1e-12
        assert np.abs(a @ inside.r - b).max() < 1e-13
        outside = blended(a, 0.3 * b + 0.7 * rng.dirichlet(0.3 * np.ones(7), 5))
        assert 0.9 * outside.share < outside.bound <= outside.share

    def test_the_share_is_what_has_to_be_blended_in(self) -> None:
        coin, fair = np.array([[0.75, 0.25], [0.25, 0.75]]), np.full((2, 2), 0.5)
        found = blended(coin, np.array([[1.0, 0.0], [0.0, 1.0]]) * 0.96 + 0.04 * fair)
        assert found.share == pytest.approx(1 - 0.5 / 0.96, rel=0.06)

    def test_zeros_that_no_output_respects(self) -> None:
        assert blended(np.full((2, 2), 0.5), np.eye(2)) is None
