"""ε by distance: known numbers, the truth of small tables, levels alone, and what is refused."""

import itertools
from fractions import Fraction as Q

import pytest

from dprivacy.errors import NotApplicable
from dprivacy.mechanisms import geometric, laplace
from dprivacy.numbers import ln
from dprivacy.spaces import line
from dprivacy.verify import shuffled, shuffled_distances
from support.shuffled_truth import exact_delta

STEP = ln(Q(4, 3))


@pytest.mark.parametrize(
    ("n", "delta", "told"),
    [
        (10**4, "1e-6", {1: 0.14504, 2: 0.25671, 19: 0.76113}),
        pytest.param(10**6, "1e-9", {1: 0.01595, 2: 0.02764, 19: 0.08890}, marks=pytest.mark.slow),
    ],
)
def test_known_numbers(n, delta, told):
    found = shuffled_distances(geometric(line(20), eps=STEP), n, delta=delta, distances=told)
    for row, (distance, eps) in zip(found.rows, told.items(), strict=True):
        assert row.distance == distance
        assert eps * 0.9997 <= float(row.eps) <= eps * 1.0001
        assert float(row.local) == pytest.approx(float(STEP) * distance, rel=1e-3)
    assert float(found.share) == pytest.approx(0.06436, abs=5e-6)
    assert found.slope == pytest.approx(float(found.rows[0].eps))
    assert str(found).count("at distance") == len(told)


@pytest.mark.parametrize(
    ("distance", "told"), [(1, 0.02078), (2, 0.04187), (5, 0.09517), (19, 0.15622)]
)
def test_levels_alone(distance, told):
    """The same steps, with nothing known but the level: a range of 1,900 grid points."""
    rough = laplace(0, 19, eps=STEP, grid="1/100")
    assert rough.channel is None
    found = shuffled_distances(rough, 10**6, delta="1e-9", distances=[distance])
    assert told * 0.999 <= float(found.rows[0].eps) <= told * 1.0005


def test_each_distance_is_true():
    mechanism, n, delta = geometric(line(3), eps="ln 2"), 5, Q(1, 20)
    rows = [[Q(value) for value in row] for row in mechanism.channel.matrix.rows()]
    for row in shuffled_distances(mechanism, n, delta=delta).rows:
        a = row.eps.exp()
        pairs = [p for p in itertools.permutations(range(3), 2) if abs(p[0] - p[1]) == row.distance]
        assert max(exact_delta(rows, n, a, pair) for pair in pairs) <= delta


def test_the_farthest_is_what_shuffled_says():
    mechanism = geometric(line(5), eps="ln 2")
    found = shuffled_distances(mechanism.channel, 300, line(5), delta="1e-5")
    assert found.rows[-1].eps == shuffled(mechanism, 300, delta="1e-5").eps
    assert [row.eps for row in found.rows] == sorted(row.eps for row in found.rows)


def test_what_is_refused():
    with pytest.raises(NotApplicable, match="give its space"):
        shuffled_distances(geometric(line(3), eps=1).channel, 10, delta="1e-3")
    with pytest.raises(NotApplicable, match="no two values"):
        shuffled_distances(geometric(line(3), eps="ln 2"), 10, delta="1e-3", distances=[7])
    with pytest.raises(NotApplicable, match="needs distances"):
        shuffled_distances(laplace(0, 2000, eps="1/1000", grid=1), 10, delta="1e-3")
