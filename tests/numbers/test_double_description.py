"""Cones by double description: known ones, their duals, and both ways of starting."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import TooLarge
from dprivacy.numbers import extreme_rays, solutions, spanned


def test_an_orthant_and_its_dual() -> None:
    found = solutions([(1, 0, 0), (0, 1, 0), (0, 0, 1)], 3)
    assert found.lines == ()
    assert set(found.rays) == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
    assert set(spanned([(1, 0, 0), (0, 1, 0), (0, 0, 1)])) == set(found.rays)


def test_a_half_space_keeps_its_lines() -> None:
    found = solutions([(0, 1)], 2)
    assert (len(found.lines), found.rays) == (1, ((0, 1),))


def test_a_square_cone_has_four_sides() -> None:
    corners = [(1, 1, 1), (1, -1, 1), (-1, 1, 1), (-1, -1, 1)]
    assert set(spanned(corners)) == {(1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)}


@settings(max_examples=50)
@given(st.lists(st.tuples(*[st.integers(0, 5)] * 3).filter(any), min_size=1, max_size=6))
def test_there_and_back(generators) -> None:
    back = solutions(spanned(generators), 3)
    assert back.lines == ()
    extreme = set(back.rays)
    primitive = {tuple(v // np.gcd.reduce(g) for v in g) for g in generators}
    assert {tuple(int(v) for v in ray) for ray in extreme} <= {
        tuple(int(v) for v in g) for g in primitive
    }
    for g in generators:  # every generator satisfies every inequality
        assert all(sum(x * y for x, y in zip(f, g, strict=True)) >= 0 for f in spanned(generators))


def test_too_many_corners() -> None:
    square = [(1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)]
    assert len(solutions(square, 3, most=4).rays) == 4
    with pytest.raises(TooLarge, match="corners"):
        solutions(square, 3, most=3)


@settings(max_examples=50)
@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3), max_size=5))
def test_the_orthant_cut_is_the_cone_of_all_inequalities(inequalities) -> None:
    units = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    whole = solutions([*units, *inequalities], 3)
    assert whole.lines == ()
    assert sorted(extreme_rays(inequalities, 3)) == sorted(whole.rays)


def test_many_dimensions_must_be_forced() -> None:
    with pytest.raises(TooLarge, match="in 12 dimensions"):
        extreme_rays([], 12)
    assert len(extreme_rays([], 12, force=True)) == 12
