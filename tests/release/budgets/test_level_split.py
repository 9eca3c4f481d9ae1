"""How levels are shared: the known tables, optimality, and exact factors."""

import itertools
import math
import random
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadPlan
from dprivacy.release.budgets.error_curves import ErrorCurve, response_total
from dprivacy.release.budgets.level_split import exact_factors, split_level, wanted_levels

ROWS = 4580
FIVE = (2, 2, 3, 4, 4)
EIGHT = (2, 5, 3, 9, 4, 9, 2, 4)


def curves(sizes, **more):
    return [
        ErrorCurve(str(i), lambda level, k=k: response_total(k, level) / k, **more)
        for i, k in enumerate(sizes)
    ]


def errors(found, levels):
    return [round(c.error(each, rows=ROWS), 2) for c, each in zip(found, levels, strict=True)]


def together(found, levels):
    squares = [c.error(each, rows=ROWS) ** 2 for c, each in zip(found, levels, strict=True)]
    return round(math.sqrt(sum(squares) / len(squares)), 2)


@pytest.mark.parametrize(
    ("how", "levels", "told", "mean"),
    [
        ("equal", [0.4394] * 5, [3.34, 3.34, 4.43, 5.24, 5.24], 4.40),
        ("least squares", [0.3669, 0.3669, 0.4506, 0.5064, 0.5064], [4.0, 4.0, 4.31, 4.48, 4.48], 4.26),
        ("evenest", [0.3439, 0.3439, 0.4542, 0.5276, 0.5276], [4.28] * 5, 4.28),
    ],
)  # fmt: skip
def test_the_table_of_five_columns(how, levels, told, mean):
    five = curves(FIVE)
    whole = math.log(9)
    found = [whole / 5] * 5 if how == "equal" else split_level(five, whole, how)
    assert [round(each, 4) for each in found] == levels
    assert sum(found) == pytest.approx(whole, abs=1e-9)
    assert errors(five, found) == told
    assert together(five, found) == mean


def test_importance():
    five = [*curves(FIVE[:4]), *curves(FIVE[4:], importance=4.0)]
    found = split_level(five, math.log(9), "least squares")
    assert [round(each, 4) for each in found] == [0.3245, 0.3245, 0.3997, 0.45, 0.6985]
    assert errors(five, found)[-1] == 3.11


@pytest.mark.parametrize(("factor", "equal", "best"), [(9, 9.58, 8.82), (100, 4.19, 3.88)])
def test_the_table_of_eight_columns(factor, equal, best):
    eight, whole = curves(EIGHT), math.log(factor)
    assert together(eight, [whole / 8] * 8) == pytest.approx(equal, abs=0.011)
    best_split = split_level(eight, whole, "least squares")
    assert together(eight, best_split) == pytest.approx(best, abs=0.011)


def test_no_exchange_of_level_between_two_columns_helps():
    five = curves(FIVE, importance=1.0)
    found = split_level(five, math.log(9), "least squares")

    def sum_of_squares(levels):
        return sum(c.square(each).real for c, each in zip(five, levels, strict=True))

    for i, j in itertools.permutations(range(5), 2):
        moved = list(found)
        moved[i], moved[j] = moved[i] + 0.01, moved[j] - 0.01
        assert sum_of_squares(moved) > sum_of_squares(found)


def test_what_one_point_needs():
    five = curves(FIVE, wanted=1.0)
    found = wanted_levels(five, 10.0, ROWS)
    assert round(math.exp(sum(found))) == 2488
    assert errors(five, found) == [1.0] * 5
    with pytest.raises(
        BadPlan, match=r"a row factor of 2,488, and the row has 9; allow errors 4\.28 times"
    ):
        wanted_levels(five, math.log(9), ROWS)


def test_the_known_factors():
    levels = split_level(curves(FIVE), math.log(9), "least squares")
    found = exact_factors(levels, Q(9))
    assert found == [Q("1.44"), Q("1.44"), Q("1.57"), Q("1.66"), Q("1.66")]
    assert 8.97 <= math.prod(found) <= 9


@pytest.mark.parametrize("seed", range(30))
def test_the_product_is_at_most_the_whole_exactly(seed):
    drawn = random.Random(seed)
    levels = [drawn.uniform(0.001, 1) ** 2 + 1e-4 for _ in range(drawn.randrange(1, 40))]
    whole = Q(math.exp(sum(levels)))
    found = exact_factors(levels, whole)
    assert math.prod(found) <= whole
    assert all(each > 1 for each in found)
    for each, level in zip(found, levels, strict=True):
        assert abs(math.log(each) - level) <= max(0.12 * level, 2e-5)
