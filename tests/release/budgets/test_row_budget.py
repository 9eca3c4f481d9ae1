"""`row` in a plan: levels that are exact and within it, what is told on the card, and refusals."""

import pandas as pd
import pytest

from dprivacy.errors import BadFile, BadPlan, UnknownName
from dprivacy.numbers import Level, ln
from dprivacy.release import Plan, joint_guarantee, prove_card, received, sanitise
from dprivacy.release.budgets.error_curves import ErrorCurve, response_total
from dprivacy.release.plans.card_plan import plan_on
from dprivacy.release.plans.table_card import table_card


def values(k, **more):
    return {"type": "categories", "values": [f"v{i}" for i in range(k)], **more}


SIZES = {"sex": 2, "urbrur": 2, "walls": 3, "electcon": 4, "hhcivil": 4}
FIVE = {name: values(k) for name, k in SIZES.items()}
TREE = {"type": "tree", "tree": {"x": ["a", "b"], "y": ["c"]}}
LINES = {
    "age": {"type": "numbers", "low": 0, "high": 100, "grid": 1},
    "edu": {"type": "ordered", "values": ["low", "middle", "high"]},
    "day": {"type": "dates", "low": "2020-01-01", "high": "2020-12-30", "grid": "7 days"},
    "income": {"type": "numbers", "low": 0, "high": 1000, "grid": 10, "codes": ["none"]},
    "health": {"type": "ordered", "values": list("abcde"), "mechanism": "randomised_response"},
    "kind": values(9, blocks=[["v0"], ["v1", "v2"], [f"v{i}" for i in range(3, 9)]]),
    "tea": values(3, nulls="category"),
    "place": {**TREE, "mechanism": "randomised_response"},
}  # fmt: skip


TOPICS = {"money": ["money", "bank"], "post": ["letter", "box"], "law": ["court", "judge"]}


def levels(plan):
    return [column.spec["epsilon"] for column in plan.columns]


@pytest.mark.parametrize("from_file", [False, True])
def test_topics_of_texts_share_as_categories_do(from_file, tmp_path):
    """Between any two texts the level is that of their labels."""
    message = {"type": "text", "keep": "topic", "topics": TOPICS, "nulls": "empty"}
    if from_file:
        (tmp_path / "weights.csv").write_text("word,money,post,law\nbank,1,0,0\nbox,0,1,0\n")
        message = {"type": "text", "classifier": str(tmp_path / "weights.csv")}
    plan = Plan.read({"row": "ln 9", "columns": {"message": message, "tea": values(3)}})
    assert levels(plan) == levels(
        Plan.read({"row": "ln 9", "columns": {"message": values(3), "tea": values(3)}})
    )
    released = sanitise(pd.DataFrame({"message": ["the bank", "a box"], "tea": ["v0", "v1"]}), plan)
    assert joint_guarantee(plan).total <= ln(9)
    assert prove_card(released.card)


def test_the_known_split():
    plan = Plan.read({"row": "ln 9", "columns": FIVE})
    assert levels(plan) == ["ln 1.44", "ln 1.44", "ln 1.57", "ln 1.66", "ln 1.66"]
    assert joint_guarantee(plan).total <= ln(9)
    assert plan.raw["budget"] == {"row": "ln 9"}
    assert all(column.channel.exact for column in plan.columns)


def test_the_split_that_is_asked_for():
    plan = Plan.read({"row": "ln 9", "split": "evenest", "columns": FIVE})
    assert levels(plan) == ["ln 1.41", "ln 1.41", "ln 1.58", "ln 1.69", "ln 1.69"]


@pytest.mark.parametrize("row", ["ln 9", 4, "1/2", 0.3, "ln 100000"])
@pytest.mark.parametrize("columns", [FIVE, LINES, {**FIVE, **LINES}])
def test_levels_stay_within_the_row_exactly(row, columns):
    plan = Plan.read({"row": row, "columns": columns})
    assert joint_guarantee(plan).total <= Level(str(row))
    assert float(joint_guarantee(plan).total) > 0.9 * float(Level(str(row)))


def test_rows_of_a_person_share_it_as_well():
    plan = Plan.read({"row": "ln 9", "columns": FIVE, "rows_per_person": 3, "unit": "who"})
    assert ln(8) < joint_guarantee(plan).total <= ln(9)


def test_importance_and_wanted_errors_are_kept_for_readers():
    columns = {**FIVE, "sex": values(2, wanted="2 points"), "hhcivil": values(4, importance=4)}
    plan = Plan.read({"row": "ln 9", "rows": 4580, "columns": columns})
    assert plan.raw["budget"] == {
        "row": "ln 9", "rows": 4580, "importance": {"hhcivil": 4}, "wanted": {"sex": "2 points"},
    }  # fmt: skip
    assert levels(plan)[0] == "ln 2.07"
    assert all("wanted" not in column.spec for column in plan.columns)


def test_wanted_errors_are_met_and_what_is_spare_is_not_spent():
    columns = {name: {**spec, "wanted": "1 point"} for name, spec in FIVE.items()}
    plan = Plan.read({"row": "ln 100000", "rows": 4580, "columns": columns})
    assert 2488 <= joint_guarantee(plan).total.exp() < 2520


def test_a_wanted_mean_of_numbers():
    plan = Plan.read({"row": 10, "rows": 1000, "columns": {"age": {**LINES["age"], "wanted": 2}}})
    eps = float(plan.columns[0].mechanism.guarantee.eps)
    assert 2 / eps**2 / 1000 == pytest.approx(4, rel=0.05)


def test_a_plan_that_was_shared_is_read_again_as_it_is():
    plan = Plan.read({"row": "ln 9", "columns": FIVE})
    again = Plan.read(plan.raw)
    assert again.raw == plan.raw
    assert levels(again) == levels(plan)


def test_the_card_says_the_levels():
    plan = Plan.read({"row": "ln 9", "columns": {"sex": values(2), "walls": values(3)}})
    release = sanitise(pd.DataFrame({"sex": ["v0", "v1"] * 200, "walls": ["v0", "v2"] * 200}), plan)
    assert release.card.plan["budget"] == {"row": "ln 9"}
    assert release.card.plan["columns"]["sex"]["epsilon"] == plan.columns[0].spec["epsilon"]
    assert prove_card(release.card).holds
    assert received(release).estimate("sex").n == 400


def test_a_card_with_a_budget_to_be_shared_is_refused():
    plan = Plan.read({"row": "ln 9", "columns": FIVE})
    card = table_card(plan, rows=3, secure=True)
    with pytest.raises(BadFile, match="says row or joint"):
        plan_on({**card.plan, "row": "ln 9"})


def test_a_budget_that_does_not_hold_is_refused():
    raw = dict(Plan.read({"row": "ln 9", "columns": FIVE}).raw)
    with pytest.raises(BadPlan, match="come to more than its budget"):
        Plan.read({**raw, "budget": {"row": "ln 8"}})
    with pytest.raises(BadPlan, match="budget should be a table with row"):
        Plan.read({**raw, "budget": 3})


@pytest.mark.parametrize(
    ("top", "columns", "words"),
    [
        ({"row": "ln 9"}, {"a": values(2, epsilon="ln 2")}, "leave epsilon out here, or row"),
        ({"row": "ln 9"}, {"a": values(2, mechanism="unary_response")}, "change it, or give every"),
        ({"row": "ln 9"}, {"a": {"type": "text", "epsilon": 1}}, "leave epsilon out"),
        ({"row": "ln 9"}, {"a": {"type": "bits", "bits": 3}}, "is shared by categories"),
        ({"row": "ln 9"}, {"a": TREE}, "is shared by categories"),
        ({"row": "ln 9"}, {"a": {"type": "text", "length": 3}}, "and topics of texts"),
        ({"row": "ln 9"}, {"a": values(2, importance=0)}, "importance should be a number above 0"),
        ({"row": "ln 9", "rows": 9}, {"a": values(2, wanted="2 %")}, 'such as "2 points"'),
        ({"row": "ln 9", "rows": 9}, {"a": {**LINES["age"], "wanted": "2 points"}}, "in units of the"),
        ({"row": "ln 9"}, {"a": values(2, wanted="2 points")}, "depend on the number of rows"),
        ({"row": "ln 9", "rows": 0}, {"a": values(2)}, "rows should be a whole number"),
        ({"row": "nine"}, {"a": values(2)}, "the plan: row: "),
        ({"row": 0}, {"a": values(2)}, "the plan: row: "),
        ({"row": 1e-9}, {"a": values(2)}, "at which nothing can be estimated"),
        ({"row": 10**6}, {"a": values(2)}, "which protects nothing"),
        ({}, {"a": values(2, epsilon="ln 2", importance=2)}, "importance goes with a budget"),
        ({"split": "evenest"}, {"a": values(2, epsilon="ln 2")}, "split goes with a budget"),
        ({}, {"a": values(2)}, "or a budget for the whole row at the top"),
    ],
)  # fmt: skip
def test_refusals(top, columns, words):
    with pytest.raises(BadPlan, match=words):
        Plan.read({**top, "columns": columns})


def test_an_unknown_split_is_named():
    with pytest.raises(UnknownName, match="least squares"):
        Plan.read({"row": "ln 9", "split": "even", "columns": FIVE})


def test_nothing_left_for_others():
    columns = {"a": values(2, wanted="1 point"), "b": values(2)}
    level = ErrorCurve("a", lambda level: response_total(2, level) / 2).needed(1.0, rows=9000)
    with pytest.raises(BadPlan, match="the wanted errors take the whole row"):
        Plan.read({"row": level + 1e-9, "rows": 9000, "columns": columns})
