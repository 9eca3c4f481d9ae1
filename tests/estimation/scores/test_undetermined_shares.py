"""Ranges of what is not determined: a case by hand, points where there is a score."""

import numpy as np
import pytest

from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.scores.undetermined_shares import possible_range
from dprivacy.mechanisms import randomised_response
from dprivacy.model import as_channel

C = [["4/5", "1/5"], ["1/2", "1/2"], ["1/5", "4/5"]]


@pytest.mark.parametrize(
    ("f", "low", "high"),
    [([1, 0, 0], 0.10, 0.55), ([1, 0.5, 0], 0.55, 0.55), ([0, 1, 2], 0.9, 0.9)],
)
def test_a_case_by_hand(f, low, high):
    known = Known(as_channel(C))
    released = np.array([0.3, 0.5, 0.2]) @ known.channel.matrix.floats
    found = possible_range(known.operator, np.array(f, dtype=float), released)
    assert found == pytest.approx((low, high), abs=1e-6)


def test_a_channel_with_an_inverse_leaves_a_point():
    known = Known(randomised_response(["a", "b", "c"], eps=1))
    truth = np.array([0.2, 0.3, 0.5])
    f = np.array([0.0, 1.0, 0.0])
    found = possible_range(known.operator, f, truth @ known.channel.matrix.floats)
    assert found == pytest.approx((0.3, 0.3), abs=1e-6)
