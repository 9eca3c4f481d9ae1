"""What multipliers give up: enough for every ray, and less than the same everywhere."""

import numpy as np

from dprivacy.design.columns.local_shares import given_up
from support.design_spaces import apart, lattice, rng


def test_it_is_enough_for_every_ray_and_less_than_an_even_share():
    rays = np.exp(-apart(lattice(8)))
    rays /= rays.mean(axis=1, keepdims=True)
    for seed in range(5):
        short = rng(seed).normal(-0.5, 1, 64)
        share = given_up(short, rays)
        assert (share >= 0).all()
        assert (rays @ share >= short - 1e-12).all()
        assert (
            share.sum() < short.max()
        )  # an even share is short.max() / 64 each, as rays have mean 1


def test_nothing_is_given_up_for_nothing():
    assert not given_up(np.array([-1.0, 0.0]), np.ones((2, 5))).any()
