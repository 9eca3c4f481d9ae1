"""Repair of a nearly exact post-processing."""

from fractions import Fraction as Q

import numpy as np

from dprivacy.numbers.matrices import Mat
from dprivacy.refine.deciding.channel_pairs import integer_rows
from dprivacy.refine.deciding.exact_repair import repaired_near
from support.refine_witnesses import stochastic


class TestRepair:
    def test_noise_is_taken_off_exactly(self) -> None:
        rng = np.random.default_rng(1)
        a, r = stochastic(rng, 4, 8), stochastic(rng, 8, 5)
        b = a @ r
        noisy = np.maximum(r.floats + rng.normal(0, 1e-9, r.shape), 0)
        found = repaired_near(*integer_rows(a, b), noisy / noisy.sum(axis=1, keepdims=True))
        assert a @ found == b

    def test_nothing_to_repair_with(self) -> None:
        a = Mat.of([[Q(1, 2), Q(1, 2)], [Q(1, 4), Q(3, 4)]])
        b = Mat.of([[1, 0], [0, 1]])
        assert repaired_near(a, b, np.eye(2)) is None
