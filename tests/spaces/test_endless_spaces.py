"""Spaces too large to list, against the finite ones they contain."""

import math
from fractions import Fraction as Q
from itertools import product as cartesian

import pytest
from hypothesis import given, strategies as st

from dprivacy.spaces import hamming_cube, line
from dprivacy.spaces.endless_spaces import BitStrings, GridLine, GridVectors, MetricSpace, Vectors


def test_integers_contain_every_line():
    for x, z in cartesian(range(-3, 4), repeat=2):
        assert GridLine().distance(x, z) == line(range(-3, 4)).distance(x, z)
    assert GridLine(Q(1, 10)).distance(Q(3, 10), "1/2") == Q(1, 5)


def test_bit_strings_contain_every_cube():
    cube = hamming_cube(3)
    for x, z in cartesian(cube.labels, repeat=2):
        assert BitStrings(3).distance(x, z) == cube.distance(x, z)
    assert BitStrings(3).distance("010", "110") == 1


@pytest.mark.parametrize(("norm", "expected"), [(1, 7.0), (2, 5.0), (math.inf, 4.0)])
def test_vectors(norm, expected):
    assert Vectors(2, norm).distance([1, 1], [4, -3]) == pytest.approx(expected)


def test_they_are_all_metric_spaces():
    for space in (GridLine(), BitStrings(2), Vectors(2), GridVectors(2), line(3)):
        assert isinstance(space, MetricSpace)
    assert not isinstance("a line", MetricSpace)


NUMBER = st.floats(-1e9, 1e9)


@given(x=NUMBER, z=NUMBER, step=st.sampled_from([Q(1), Q(1, 10), Q(1, 3), Q(7, 2)]))
def test_raw_numbers_are_at_most_a_step_farther_apart_on_a_grid(x, z, step):
    raw = abs(Q(x) - Q(z))
    assert abs(GridLine(step).distance(x, z) - raw) <= step
    ends = GridLine(step, Q(0), 100 * step)
    assert ends.distance(x, z) <= min(raw + step, 100 * step)
    assert GridLine(step).distance(x, x) == 0


@given(x=st.tuples(NUMBER, NUMBER), z=st.tuples(NUMBER, NUMBER))
def test_distances_of_vectors_are_rounded_up_and_hardly(x, z):
    gaps = [abs(Q(a) - Q(b)) for a, b in zip(x, z, strict=True)]
    hardly = 1 + Q(1, 2**51)
    for norm, exact in ((1, sum(gaps)), (math.inf, max(gaps))):
        assert exact <= Q(Vectors(2, norm).distance(x, z)) <= exact * hardly
    square = sum(gap * gap for gap in gaps)
    said = Q(Vectors(2).distance(x, z))
    if square > Q(1, 10**300):
        assert square <= said**2 <= square * hardly**2
    moved = Q(GridVectors(2, step=Q(1, 4)).distance(x, z))
    assert moved <= said + Q(math.nextafter(math.sqrt(2) / 4, 1)) + said / 2**51


def test_vectors_on_a_grid_are_as_far_apart_as_the_points_they_stand_for():
    space = GridVectors(2, step=Q(1, 4))
    assert space.distance([0.1, 0], [0.15, 0]) == 0.25
    assert space.distance([0.1, 0], [0.12, 0]) == 0
    assert space.distance([0.1, 0.1], [0.75, 1.1]) == 1.25
    assert GridVectors(1, 1, Q(3)).distance([1], [2]) == 3
