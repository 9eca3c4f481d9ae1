"""Break points in δ: at one level, at every level, and the three kinds of walk against each other."""

from fractions import Fraction as Q
from itertools import islice, pairwise

import pytest

from dprivacy.numbers import Root, extreme_rays, ln, roots_above
from dprivacy.polytope import Curve, count_extreme_points, delta_breaks
from dprivacy.polytope.slack.every_level import (
    _samples,
    cell_around,
    cell_at,
    cell_at_root,
    every_cell,
)
from dprivacy.polytope.slack.ordered_rings import AtEvery, SampleIsRoot
from support.slack_polytope import inequalities


def flat_levels(cell, a):
    return [level.at(a) for level in cell.levels]


@pytest.mark.parametrize("a", ["1", "6/5", "2", "17/7", "9"])
def test_counts_are_those_of_each_delta_alone(a):
    """At each break point and half-way between: another walk, on the polytope of that δ."""
    a = Q(a)
    cell = cell_at(3, 3, a)
    levels = flat_levels(cell, a)
    assert [count_extreme_points(3, eps=ln(a), delta=d) for d in levels] == list(cell.at)
    middles = [(p + q) / 2 for p, q in pairwise(levels)]
    assert [count_extreme_points(3, eps=ln(a), delta=d) for d in middles] == list(cell.between)


def test_levels_are_those_of_the_lifted_polytope_by_double_description():
    """2×3: δ as one more column of the inequalities; vertices lie at δ = 0 and δ = 1 only."""
    n, m = 2, 3
    rows = []
    for with_one, without in zip(inequalities(n, m, 2, 1), inequalities(n, m, 2, 0), strict=True):
        rows.append([*without[:-1], with_one[-1] - without[-1], without[-1]])
    rows.append([0] * (n * m) + [-1, 1])  # δ ≤ 1
    rays = extreme_rays(rows, n * m + 2)
    assert {Q(ray[-2], ray[-1]) for ray in rays} == {0, 1}


@pytest.mark.parametrize("sample", ["8/7", "5/2", "40"])
@pytest.mark.parametrize(("n", "m"), [(3, 3), pytest.param(3, 4, marks=pytest.mark.slow)])
def test_polynomials_specialise_to_numbers(n, m, sample):
    """The cell around a sample, at the sample and at another a of the cell."""
    sample = Q(sample)
    cell = cell_around(n, m, sample)
    inside = [sample, *(b for b in (sample * 999 / 1000,) if cell.low.above(b) < 0)]
    for a in inside:
        at = cell_at(n, m, a)
        assert flat_levels(at, a) == flat_levels(cell, a)
        assert (at.at, at.between) == (cell.at, cell.between)


def test_a_number_field_is_what_rationals_are_beside_it():
    """At the golden ratio, 3×3: the same counts, and δ = a/(2a + 1) = 2 − a there."""
    (golden,) = roots_above([(-1, -1, 1)])
    cell, beside = cell_at_root(3, 3, golden), cell_at(3, 3, Q(13, 8))
    assert (cell.at, cell.between) == (beside.at, beside.between)
    assert cell.levels[1].meets(Curve((2, -1), (1,)), golden)
    assert not cell.levels[1].meets(Curve((1,), (3,)), golden)
    assert cell_at_root(3, 3, Root((-2, 1), Q(2), Q(2))).at == cell_at(3, 3, Q(2)).at


def test_samples_between_two_numbers_that_are_very_near():
    near = Q(3, 2) + Q(1, 10**40)
    low, high = (Root((-v.numerator, v.denominator), v, v) for v in (Q(3, 2), near))
    found = list(islice(_samples(low, high), 5))
    assert all(Q(3, 2) < sample < near for sample in found)
    assert len(set(found)) == 5


def test_a_sample_at_a_root_is_told():
    ring = AtEvery(Q(2))
    top, _ = ring.factor
    with pytest.raises(SampleIsRoot):
        ring.sign(top - 2)
    assert ring.sign(top - 1) == 1
    assert ring.asked == {(-1, 1)}
    assert ring.range() == (None, None)  # 1 is where a begins


@pytest.mark.parametrize(
    ("n", "at", "between"),
    [
        (3, (33, 285, 285, 27), (393, 393, 327)),
        pytest.param(4, (117, 1731, 2163, 81), (2955, 3171, 2703), marks=pytest.mark.slow),
    ],
)
def test_three_outputs_have_two_break_points_at_every_level(n, at, between):
    zero, cell = every_cell(n, 3)
    assert (zero.where, cell.where) == ("a = 1", "a > 1")
    assert [str(level) for level in cell.levels] == ["0", "a/(2a + 1)", "1/2", "1"]
    assert (cell.at, cell.between) == (at, between)


def test_at_level_zero():
    zero = delta_breaks(3).cells[0]
    assert (zero.at, zero.between) == ((3, 81, 27), (93, 123))


def test_three_by_four_at_one_level():
    (cell,) = delta_breaks(3, eps="ln(17/7)", outputs=4).cells
    assert len(cell.levels) == 13
    a = Q(17, 7)
    named = [(a**2 - a) / (2 * a**2 + 2 * a + 2), (a - 1) / (3 * a - 1), (a - 1) / (2 * a)]
    named += [a**2 / (2 * a**2 + 2 * a + 1), a / (2 * a + 1), Q(1, 2)]
    assert set(named) < set(flat_levels(cell, a))
    assert (cell.between[0], cell.at[-2], cell.between[-1]) == (10576, 6304, 7264)
    three = delta_breaks(3, eps="ln 2", outputs=4).cells[0]
    assert Q(2, 5) in flat_levels(three, Q(2))
