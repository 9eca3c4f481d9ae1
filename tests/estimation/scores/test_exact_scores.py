"""Exact scores: lists by hand, every closed form against the channel, and rounded channels."""

from fractions import Fraction as Q

import pytest

from dprivacy.estimation.scores.exact_scores import exact_scores
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import as_channel


def test_lists_by_hand():
    squares = [Q(x * x) for x in range(5)]
    found = exact_scores(geometric(5, eps="ln 2").channel, [[Q(x) for x in range(5)], squares])
    assert found == [[-1, 1, 2, 3, 5], [-1, -3, 0, 5, 23]]


@pytest.mark.parametrize("n", [2, 3, 51])
def test_nothing_is_left_over(n):
    f = [Q(x * x % 7, 3) for x in range(n)]
    for mechanism in (
        geometric(n, eps="1/3 ln 2"),
        geometric(n, eps="ln 5"),
        randomised_response(range(n), eps="ln 3"),
    ):
        found = exact_scores(mechanism.channel, [f])
        if found is None:  # e^(−ε) is not rational, and the channel was rounded
            assert mechanism.channel.matrix.den > 10**9
            continue
        for row, value in zip(mechanism.channel.matrix.rows(), f, strict=True):
            assert sum(c * g for c, g in zip(row, found[0], strict=True)) == value


def test_channels_without_a_closed_form():
    dense = as_channel([["1/2", "1/4", "1/4"], ["1/8", "1/2", "3/8"], ["1/8", "1/8", "3/4"]])
    assert exact_scores(dense, [[Q(1), Q(2), Q(3)]]) is None
    assert exact_scores(as_channel([["1/2", "1/2"], ["1/2", "1/2"]]), [[Q(1), Q(0)]]) is None
    assert exact_scores(as_channel([[0.5, 0.5], [0.25, 0.75]]), [[Q(1), Q(0)]]) is None


def test_rounded_channels_are_left_to_floats():
    assert exact_scores(geometric(9, eps="1/10").channel, [[Q(x) for x in range(9)]]) is None
