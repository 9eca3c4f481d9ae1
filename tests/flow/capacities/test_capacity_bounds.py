"""Bounds on what any channel leaks."""

from dprivacy.flow import leakage_bound
from dprivacy.spaces import discrete


def test_the_discrete_metric_bounds_by_e_to_the_eps():
    assert leakage_bound(discrete(["x", "y", "z"]), eps="ln 3") == 3
