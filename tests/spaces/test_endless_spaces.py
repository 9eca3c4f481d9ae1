"""Spaces too large to list, against the finite ones they contain."""

import math
from fractions import Fraction as Q
from itertools import product as cartesian

import pytest

from dprivacy.spaces import hamming_cube, line
from dprivacy.spaces.endless_spaces import BitStrings, GridLine, MetricSpace, Vectors


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
    for space in (GridLine(), BitStrings(2), Vectors(2), line(3)):
        assert isinstance(space, MetricSpace)
    assert not isinstance("a line", MetricSpace)
