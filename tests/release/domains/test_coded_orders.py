"""Classes in order with codes beside them: distances and channel by hand, cells, refusals, a budget."""

from fractions import Fraction as Q

import pyarrow as pa
import pytest

from dprivacy.errors import BadPlan, UnknownCategory
from dprivacy.numbers import ln
from dprivacy.release import Plan, joint_guarantee, sanitise
from dprivacy.release.plans.card_plan import plan_on
from support.release_tables import plan_of

SCHOOL = {
    "type": "ordered",
    "values": ["1", "2", "3", "4", "5"],
    "codes": ["N", "6"],
    "epsilon": "1/4 ln 16",
}


def column(**changes):
    return plan_of({**SCHOOL, **changes}).columns[0]


def test_codes_hang_on_the_middle_and_cost_the_row_nothing():
    space = column().space
    assert list(space.labels) == ["1", "2", "3", "4", "5", "N", "6"]
    middle = 2
    for x in range(5):
        assert [space.distance(str(x + 1), str(z + 1)) for z in range(5)] == [
            abs(x - z) for z in range(5)
        ]
        assert [space.distance(str(x + 1), code) for code in ("N", "6")] == [
            2 + abs(x - middle),
            2 + abs(x - middle),
        ]
    assert space.distance("N", "6") == 2
    assert space.diameter == 4
    assert joint_guarantee(plan_of(SCHOOL)).total == ln(16)


def test_the_channel_by_hand():
    """e^ε = 2: the class is drawn with odds 4, and a class is clamped noise with ratio 1/2."""
    channel = column().channel
    own, other = Q(4, 6), Q(1, 6)

    def noise(x, y):
        inside = Q(1, 2) ** abs(x - y) * Q(1, 3)
        return inside * 2 if y in (0, 4) else inside

    for x in range(5):
        for y in range(5):
            assert channel[str(x + 1), str(y + 1)] == own * noise(x, y)
        assert channel[str(x + 1), "N"] == channel[str(x + 1), "6"] == other
    for code in ("N", "6"):
        assert [channel[code, str(y + 1)] for y in range(5)] == [
            other * noise(2, y) for y in range(5)
        ]
        assert channel[code, code] == own
    assert channel["N", "6"] == other


def test_a_missing_cell_may_be_one_more_code():
    with_none = column(nulls="category")
    assert list(with_none.values)[-1] is None
    assert with_none.space.distance(None, "3") == 2
    table = pa.table({"h": ["1", None, "N", "5"]})
    released = sanitise(table, plan_of({**SCHOOL, "nulls": "category"}))
    assert set(released.data["h"].to_pylist()) <= {*SCHOOL["values"], *SCHOOL["codes"], None}
    with pytest.raises(UnknownCategory):
        sanitise(pa.table({"h": ["1", "7"]}), plan_of(SCHOOL))


def test_whole_numbers_and_the_plan_on_the_card():
    plan = plan_of({**SCHOOL, "values": [1, 2, 3], "codes": [9]})
    card = sanitise(pa.table({"h": [1, 2, 9, 3]}), plan).card
    again = plan_on(card.plan).columns[0]
    assert again.channel == plan.columns[0].channel
    assert card.outputs("h") == (1, 2, 3, 9)
    assert "a code (9), and which code, is protected by a factor of at most 2" in card.explain()


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"values": ["1"]}, "should list the classes in order"),
        ({"codes": []}, "at least one code"),
        ({"codes": "N"}, "lists texts"),
        ({"codes": [" "]}, "an empty cell is a missing value"),
        ({"codes": ["5"]}, "listed twice"),
        ({"codes": ["N", "N"]}, "listed twice"),
        ({"codes": [6]}, "all texts or all whole numbers"),
        ({"blocks": [["N"], ["1", "2", "3", "4", "5", "6"]]}, "leave blocks out, or list the codes"),
        ({"mechanism": "geometric"}, "leave mechanism out"),
        ({"delta": "1/100"}, "leave delta out"),
        ({"nulls": {"replace": "7"}}, "which is not a value"),
        ({"columns": ["a", "b"]}, "one column"),
    ],
)  # fmt: skip
def test_what_is_refused(changes, fault):
    with pytest.raises(BadPlan, match=fault):
        column(**changes)


def test_it_shares_the_budget_of_a_row():
    spec = {key: value for key, value in SCHOOL.items() if key != "epsilon"}
    tea = {"type": "categories", "values": ["yes", "no"]}
    plan = Plan.read({"row": "ln 9", "columns": {"school": spec, "tea": tea}})
    assert joint_guarantee(plan).total <= ln(9)
    assert joint_guarantee(plan).total > ln("8.8")
