"""Categories, lines and quantised reals."""

import math
from decimal import Decimal
from fractions import Fraction as Q
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import DuplicateLabel, Malformed, MixedArithmetic, TooLarge
from dprivacy.numbers import root
from dprivacy.spaces import discrete, line, quantised


@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_discrete(n):
    space = discrete(f"c{i}" for i in range(n))
    for x in space.labels:
        for z in space.labels:
            d = space.distance(x, z)
            assert d == (x != z)
            assert type(d) is Q
    assert len(space) == n
    assert space.exact
    assert space.diameter == (1 if n > 1 else 0)
    assert space.separation == (1 if n > 1 else math.inf)
    assert space.uniform_distance == (1 if n > 1 else None)


def test_discrete_refuses():
    with pytest.raises(Malformed, match="'tea'"):
        discrete("tea")
    with pytest.raises(DuplicateLabel):
        discrete(["tea", "tea"])
    with pytest.raises(Malformed, match="at least one"):
        discrete([])
    with pytest.raises(TooLarge, match="20,001"):
        discrete(range(20_001))


@pytest.mark.parametrize("n", [1, 2, 5, np.int64(4)])
def test_line_of_n_points(n):
    space = line(n)
    assert space.labels == tuple(range(n))
    for x in range(n):
        for z in range(n):
            assert space.distance(x, z) == abs(x - z)
    assert space.diameter == n - 1
    assert space.exact


@given(st.lists(st.fractions(-100, 100, max_denominator=50), min_size=1, max_size=7, unique=True))
def test_line_through_rationals(values):
    space = line(values)
    for x in values:
        for z in values:
            assert space.distance(x, z) == abs(x - z)
    ascending = sorted(values)
    assert {frozenset(p) for p in space.pairs()} == {frozenset(p) for p in pairwise(ascending)}


@given(st.lists(st.floats(-1e100, 1e100), min_size=2, max_size=7, unique=True))
def test_line_through_floats(values):
    space = line(values)
    assert not space.exact
    for x in values:
        for z in values:
            assert space.distance(x, z) == abs(x - z)
    assert len(space.pairs()) == len(values) - 1


def test_line_through_texts_and_decimals_keeps_the_labels():
    space = line(["0.1", "1/3", "-2e-1"])
    assert space.labels == ("0.1", "1/3", "-2e-1")
    assert space.distance("0.1", "1/3") == Q(7, 30)
    assert space.distance("-2e-1", "0.1") == Q(3, 10)
    assert line([Decimal("0.1"), Decimal("0.3")]).diameter == Q(1, 5)


def test_line_through_huge_numbers_does_not_overflow():
    space = line([-(2**62), 2**62, 0, 2**70])
    assert space.distance(-(2**62), 2**62) == 2**63
    assert space.distance(0, 2**70) == 2**70
    assert space.pairs() == [(-(2**62), 0), (2**62, 0), (2**62, 2**70)]


def test_line_mixing_exact_and_float():
    with pytest.raises(MixedArithmetic, match=r"1/3.*0\.5"):
        line([0.5, Q(1, 3)])
    with pytest.raises(MixedArithmetic):
        line([0.25, "0.1"])
    assert line([0, 0.5, 1]).distance(0, 0.5) == 0.5


@pytest.mark.parametrize(
    ("points", "why"),
    [
        (0, "at least 1 is needed, not 0"),
        (-3, "at least 1 is needed, not -3"),
        (True, "list of labels"),
        (3.0, "list of labels"),
        ("123", "single text"),
        ([], "at least one"),
        (["a", "b"], "point 'a': 'a' is not a number"),
        ([1, None], "point None"),
        ([0.5, math.inf], "finite"),
        (["1/2", "0.5"], "'1/2' and '0.5' are the same point"),
        ([0.5, "1/2"], "same point"),
        ([[1], [2]], "cannot be a label"),
        ([math.nan], "NaN"),
    ],
)
def test_line_refuses(points, why):
    with pytest.raises(Malformed, match=why):
        line(points)


def test_line_refuses_repeats_and_what_does_not_fit():
    with pytest.raises(DuplicateLabel):
        line([1, 2, 1])
    with pytest.raises(TooLarge, match="1,000,000,000"):
        line(10**9)


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [
        (0, 1, "0.25"),
        ("-1/2", "1/2", "1/10"),
        (0, 0, 1),
        (0.5, 2.5, 0.5),
        (Q(1, 3), Q(4, 3), Q(1, 6)),
    ],
)
def test_quantised(low, high, step):
    space = quantised(low, high, step)
    first, last, width = (Q(v) for v in (low, high, step))
    expected = []
    while first <= last:
        expected.append(first)
        first += width
    assert list(space.labels) == expected
    assert space.diameter == last - Q(low)
    assert all(type(label) is Q for label in space.labels)
    for x in expected:
        assert space.distance(x, expected[0]) == x - expected[0]


def test_quantised_labels_answer_to_integers_and_floats():
    space = quantised(0, 1, "0.25")
    assert space.distance(0, 0.75) == Q(3, 4)
    assert space.distance(Q(1, 2), 1) == Q(1, 2)


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [(0, 1, 0), (0, 1, -1), (1, 0, 1), (0, 1, "0.3"), (0, 1, 0.1), (0, 1, root(2)), ("ln 2", 1, 1)],
)
def test_quantised_refuses(low, high, step):
    with pytest.raises(Malformed, match=r"whole number of steps|rational|greater than 0"):
        quantised(low, high, step)


def test_quantised_refuses_what_does_not_fit_before_building_it():
    with pytest.raises(TooLarge, match="points"):
        quantised(0, 10**12, "0.001")
