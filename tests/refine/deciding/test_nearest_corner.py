"""The nearest corner and its prices."""

import numpy as np
import pytest

from dprivacy.refine.deciding.nearest_corner import nearest_corner


class TestCorner:
    def test_distance_and_prices_agree(self) -> None:
        a = np.array([[0.75, 0.25], [0.25, 0.75]])
        found = nearest_corner(a, np.array([[0.9, 0.1], [0.1, 0.9]]))
        assert found.distance == pytest.approx(0.6)
        gap = (found.prices * np.array([[0.9, 0.1], [0.1, 0.9]])).sum()
        gap -= (found.prices.T @ a).max(axis=0).sum()
        assert gap == pytest.approx(found.distance)

    def test_too_large_to_try(self) -> None:
        assert nearest_corner(np.full((200, 200), 1 / 200), np.full((200, 200), 1 / 200)) is None
