"""Guessing one answer: exact Bayes on equal chances, the limit for those who know more, kept values."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber
from dprivacy.release import Plan, answer_figures, guess_limit


def figures(spec):
    return answer_figures(Plan.read({"columns": {"c": spec}}))[0]


@pytest.mark.parametrize(("before", "after"), [("0.5", "0.75"), ("0.75", "0.9"), ("0.95", "57/58")])
def test_golden_limits_at_three(before, after):
    assert guess_limit(before, Q(3)) == Q(after)


def test_limits_at_the_ends():
    assert guess_limit(0, Q(3)) == 0
    assert guess_limit(1, Q(3)) == 1
    assert guess_limit("1/2", math.inf) == 1
    assert guess_limit(0, math.inf) == 0
    assert guess_limit("1/2", Q(3), delta="1/8") == Q(7, 8)
    assert guess_limit("1/2", Q(3), delta="1/2") == 1
    with pytest.raises(BadNumber, match="at least 1"):
        guess_limit("1/2", Q(1, 2))


def test_equal_chances_by_hand():
    spec = {"type": "ordered", "values": ["a", "b", "c"], "epsilon": "ln 2"}
    found = figures(spec)
    table = [[Q(4, 6), Q(1, 6), Q(1, 6)], [Q(1, 3)] * 3, [Q(1, 6), Q(1, 6), Q(4, 6)]]
    assert found.blind == Q(1, 3)
    assert found.seen == sum(max(column) for column in zip(*table, strict=True)) / 3
    assert found.kept == (Q(2, 3) + Q(1, 3) + Q(2, 3)) / 3
    assert found.kept_worst == Q(1, 3)
    assert found.factor == 4
    assert found.after("1/2") == Q(4, 5)


def test_published_groups_are_known_already():
    values = list(range(9))
    blocks = [[0], [1], values[2:]]
    found = figures({"type": "categories", "values": values, "epsilon": "ln 2", "blocks": blocks})
    assert found.group
    assert (found.values, found.blind, found.seen) == (7, Q(1, 7), Q(2, 8))
    assert found.kept == (2 + 7 * Q(2, 8)) / 9


def test_columns_without_a_list_have_limits_alone():
    found = figures({"type": "place", "columns": ["x", "y"], "grid": 1, "epsilon": 1})
    assert (found.values, found.blind, found.seen, found.kept) == (None, None, None, None)
    assert found.after("1/2") == 1
    assert found.columns == ("x", "y")


def test_reports_that_cannot_be_listed_are_bounded():
    values = [f"v{i}" for i in range(300)]
    spec = {
        "type": "categories",
        "values": values,
        "epsilon": "ln 9",
        "mechanism": "unary_response",
    }
    found = figures(spec)
    assert found.blind == Q(1, 300)
    assert found.seen == guess_limit(Q(1, 300), Q(9))
    assert found.kept is None
