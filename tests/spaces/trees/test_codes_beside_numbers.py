"""Codes beside numbers: the metric by its definition, and the pairs that imply all others."""

import itertools
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber, DPrivacyError, DuplicateLabel
from dprivacy.spaces import anchored, line
from dprivacy.spaces.needed_pairs import irredundant_pairs

CASES = [
    (range(5), ["N"], 2, 3),
    (["0", "1/2", "7"], ["N", None, "999"], "1/2", "1/3"),
    ([4, 0, 9], ["a", "b"], 9, 100),
]


def apart(x, z, codes, m, a):
    """The definition, from numbers and codes alone."""
    if x == z:
        return 0
    beside = [one in codes for one in (x, z)]
    if all(beside):
        return a
    if any(beside):
        return a + abs(Q(z if beside[0] else x) - m)
    return abs(Q(x) - Q(z))


@pytest.mark.parametrize(("points", "codes", "m", "a"), CASES)
def test_distances_are_those_of_the_definition(points, codes, m, a):
    space = anchored(points, codes, anchor=m, code_distance=a)
    assert space.exact
    assert space.labels == (*points, *codes)
    for x, z in itertools.product(space.labels, repeat=2):
        assert space.distance(x, z) == apart(x, z, codes, Q(m), Q(a))


@pytest.mark.parametrize(("points", "codes", "m", "a"), CASES)
def test_it_is_a_metric_whose_edges_imply_all_pairs(points, codes, m, a):
    space = anchored(points, codes, anchor=m, code_distance=a)
    n, d = len(space), space.distances
    for i, j, k in itertools.product(range(n), repeat=3):
        assert d[i, j] <= d[i, k] + d[k, j]
    searched = {tuple(pair) for pair in irredundant_pairs(d).tolist()}
    assert searched == {tuple(pair) for pair in space.known_edges.tolist()}


def test_the_line_stays_a_line():
    space = anchored(range(6), ["N"], anchor=0, code_distance=1)
    assert space.restrict(list(range(6))) == line(6)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"points": [0, 1], "codes": ["N"], "anchor": 5, "code_distance": 1}, BadNumber),
        ({"points": [0, 1], "codes": ["N"], "anchor": 0, "code_distance": 0}, BadNumber),
        ({"points": [0, "0.0"], "codes": ["N"], "anchor": 0, "code_distance": 1}, DuplicateLabel),
        ({"points": [0, 1], "codes": [1], "anchor": 0, "code_distance": 1}, DuplicateLabel),
        ({"points": [0, 1], "codes": [], "anchor": 0, "code_distance": 1}, DPrivacyError),
        ({"points": ["x"], "codes": ["N"], "anchor": 0, "code_distance": 1}, DPrivacyError),
    ],
)
def test_what_does_not_fit_is_refused(given, error):
    with pytest.raises(error):
        anchored(**given)
