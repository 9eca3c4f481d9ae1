"""Columns that are drawn together: the plan, the exact channel, its margins and what it costs."""

import math
from fractions import Fraction as Q
from itertools import product

import pytest

from dprivacy.errors import BadPlan, TooLarge
from dprivacy.mechanisms import randomised_response
from dprivacy.numbers import ln
from dprivacy.release import Plan, answer_figures, joint_guarantee, row_figures
from dprivacy.release.budgets.error_curves import ErrorCurve, response_total
from dprivacy.release.budgets.level_split import split_level
from dprivacy.release.joints.joint_settings import margin
from dprivacy.release.plans.card_plan import plan_on
from dprivacy.spaces import discrete


def values(k):
    return {"type": "categories", "values": [f"v{i}" for i in range(k)]}


def together(*sizes, **more):
    columns = {f"c{i}": values(k) for i, k in enumerate(sizes)}
    return {"columns": columns, "joint": {"all": {"columns": list(columns), **more}}}


def test_one_response_on_all_combinations():
    plan = Plan.read(together(2, 3, epsilon="ln 9"))
    (column,) = plan.columns
    assert column.channel.rows == tuple(product(["v0", "v1"], ["v0", "v1", "v2"]))
    assert {column.channel[x, x] for x in column.channel.rows} == {Q(9, 14)}
    assert plan.protected == ("c0", "c1")
    assert joint_guarantee(plan).total == ln(9)
    assert "also of each single answer" in joint_guarantee(plan).explain()


@pytest.mark.parametrize("sizes", [(2, 2), (2, 4), (3, 4), (2, 2, 2)])
def test_a_margin_is_a_response_with_a_smaller_factor(sizes):
    combinations = list(product(*map(range, sizes)))
    channel = randomised_response(discrete(combinations), eps="ln 9").channel
    for place, k in enumerate(sizes):
        found = margin(channel, (place,))
        m = math.prod(sizes) // k
        factor = Q(9 + m - 1, m)
        assert found == randomised_response(discrete(range(k)), eps=ln(factor)).channel
    # by summing over everything else, whatever the others are
    for x, y in product(combinations, repeat=2):
        mass = sum(channel[x, z] for z in combinations if z[0] == y[0])
        assert margin(channel, (0,))[x[0], y[0]] == mass


@pytest.mark.parametrize(
    ("sizes", "separate", "one_draw"),
    [
        ((2, 2), 5.25, 0.94),
        ((2, 4), 15.4, 2.63),
        ((3, 4), 30.3, 4.81),
        ((4, 9), 182, 28.4),
        ((2, 2, 2), 94, 2.63),
    ],
)
def test_what_one_draw_gains_for_the_table(sizes, separate, one_draw):
    curves = [
        ErrorCurve(str(i), lambda x, k=k: response_total(k, x) / k) for i, k in enumerate(sizes)
    ]
    levels = split_level(curves, math.log(9), "least squares")
    totals = [response_total(k, x).real for k, x in zip(sizes, levels, strict=True)]
    assert math.prod(1 + t for t in totals) - 1 == pytest.approx(separate, rel=0.005)
    assert response_total(math.prod(sizes), math.log(9)).real == pytest.approx(one_draw, rel=0.005)


def test_each_answer_by_its_margin_and_the_factor_of_all():
    first, second = answer_figures(together(2, 3, epsilon="ln 9"))
    assert (first.name, first.values, first.kept) == ("c0", 2, Q(11, 14))
    assert second.seen == Q(10, 14)
    assert first.factor == second.factor == 9
    assert row_figures(together(2, 3, epsilon="ln 9")).factor == 9


def test_a_budget_is_shared_with_other_columns():
    data = together(2, 2)
    data["columns"]["tea"] = values(3)
    plan = Plan.read({**data, "row": "ln 9"})
    assert [column.name for column in plan.columns] == ["all", "tea"]
    assert ln(8) < joint_guarantee(plan).total <= ln(9)
    assert Plan.read(plan.raw).raw == plan.raw


def test_lists_from_the_data_must_be_confirmed():
    data = together(2, 2, epsilon=1)
    data["columns"]["c1"]["source"] = "data"
    assert Plan.read(data).unconfirmed() == ["all"]


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        ({}, "joint needs"),
        ({"all": {"columns": ["c0"], "epsilon": 1}}, "two different columns or more"),
        ({"all": {"columns": ["c0", "c0"], "epsilon": 1}}, "two different columns or more"),
        ({"all": {"columns": ["c0", "tea"], "epsilon": 1}}, "tea is not among"),
        ({"c1": {"columns": ["c0", "c1"], "epsilon": 1}}, "has the name of a column"),
        ({"all": {"columns": ["c0", "c1"], "delta": 1}}, "unknown settings delta"),
        ({"all": {"columns": ["c0", "c1"]}}, "epsilon is missing"),
        ({"a": {"columns": ["c0", "c1"]}, "b": {"columns": ["c1", "c0"]}}, "in two joints"),
    ],
)
def test_refusals(joint, words):
    with pytest.raises(BadPlan, match=words):
        Plan.read({**together(2, 2), "joint": joint})


@pytest.mark.parametrize(
    ("member", "words"),
    [
        ({**values(2), "epsilon": "ln 2"}, "the level is that of the joint"),
        ({**values(2), "mechanism": "exponential"}, "all combinations are alike"),
        ({"type": "bits", "bits": 2}, "are categories or ordered"),
    ],
)
def test_members_that_cannot_be(member, words):
    data = together(2, 2, epsilon=1)
    data["columns"]["c1"] = member
    with pytest.raises(BadPlan, match=words):
        Plan.read(data)


def test_too_many_combinations():
    with pytest.raises(BadPlan, match="10,000 combinations are more than the 1,024"):
        Plan.read(together(100, 100, epsilon=1))
    members = {"a": values(900), "b": values(900)}
    with pytest.raises(TooLarge, match="too many values"):
        plan_on({"columns": {"all": {"type": "joint", "epsilon": 1, "members": members}}})
