"""Refusals on the page name fields and buttons, not the keys of a plan file."""

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

import pyarrow as pa

from dprivacy.errors import DPrivacyError
from dprivacy.release import Plan, sanitise
from dprivacy.web.shell.page_refusals import on_the_page

YES = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 2"}


@pytest.mark.parametrize(
    ("plan", "rows", "said"),
    [
        ({"columns": {"tea": {**YES, "values": ["yes"]}}}, None, "add them to its list"),
        ({"columns": {}}, None, "press “Add a column”"),
        ({"columns": {"tea": YES}, "drop": ["who"]}, [None], "under “A missing value means”"),
        (
            {"columns": {"tea": YES}, "unit": "who", "rows_per_person": 1},
            ["yes", "no"],
            "“Most rows of one person”",
        ),
    ],
)
def test_what_the_library_says_of_keys_is_said_of_fields(plan, rows, said):
    def released():
        read = Plan.read(plan)
        sanitise(pa.table({"tea": pa.array(rows, pa.string()), "who": ["a"] * len(rows)}), read)

    with pytest.raises(DPrivacyError) as refused:
        released()
    told = on_the_page(str(refused.value))
    assert said in told
    assert " = " not in told


def test_crossed_columns_that_cannot_be_sorted_name_their_tick():
    plain = {key: YES[key] for key in ("type", "values")}
    joint = {"both": {"columns": ["tea", "cake"], "epsilon": "ln 2"}}
    plan = Plan.read({"columns": {"tea": plain, "cake": plain}, "joint": joint})
    with pytest.raises(DPrivacyError) as refused:
        sanitise(pa.table({"tea": ["yes"], "cake": ["no"]}), plan, shuffle=True, delta="1e-6")
    told = on_the_page(str(refused.value))
    assert "take away their ticks “It will be crossed with others”" in told
    assert "shuffling" not in told
