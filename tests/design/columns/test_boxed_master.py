"""The master program in a box: multipliers stay near those known until the rows can be met."""

import numpy as np

from dprivacy.design.columns.arithmetic_device import Machine
from dprivacy.design.columns.boxed_master import Box
from support.design_spaces import rng


def test_multipliers_stay_in_the_box_while_rows_cannot_be_met():
    draw = rng(0)
    A, q = np.asfortranarray(draw.random((8, 5)) + 2 * np.eye(8, 5)), draw.random(5)
    known = np.full(8, 0.1)
    box = Box(closed=True)
    found = box.mixture(Machine(compiled=False), A, q, 1e-6, np.ones(5), known)
    assert found.sound
    assert len(found.weights) == 5
    assert (np.abs(found.multipliers - known) <= 0.5 * 1.3 * known + 1e-9).all()
    assert box.closed


def test_it_opens_when_rows_are_met_inside():
    n = 6
    A, known = np.asfortranarray(np.hstack([np.eye(n), np.ones((n, 1))])), np.ones(n)
    box = Box(closed=True)
    found = box.mixture(
        Machine(compiled=False), A, np.r_[known, n + 1.0], 1e-8, np.ones(n + 1), known
    )
    np.testing.assert_allclose(A @ found.weights, 1, atol=1e-3)
    assert not box.closed
