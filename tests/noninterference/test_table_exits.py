"""Tables: nothing but the released cells depends on what is protected or dropped, on any way out."""

import pytest
from hypothesis import Phase, find, given, settings

from support.leaky_exits import LEAKY
from support.neighbour_tables import KINDS, Survey, neighbours
from support.noninterference import differences, what_leaves
from support.table_exits import TABLE_EXITS

QUICK = (Phase.reuse, Phase.generate)  # to make a failure smaller would take minutes
PLAN = {
    "columns": {"word": KINDS["word"][0], "age": KINDS["age"][0]},
    "drop": ["name"],
    "pass_through": ["town", "who"],
    "unit": "who",
}
SMALL = {
    "word": ["a", "bb"] * 10,
    "age": [3, 5, 7, 9] * 5,
    "name": ["n"] * 20,
    "town": ["Ulm"] * 20,
    "who": list(range(20)),
}


def unchanged(way, folder, pairs):
    """Try so many pairs on a way out."""

    @settings(max_examples=pairs, phases=QUICK)
    @given(neighbours())
    def one(pair):
        assert differences(way, *pair, folder) == []

    one()


@pytest.mark.parametrize("way", TABLE_EXITS, ids=str)
def test_neighbours_leave_the_same(way, tmp_path):
    unchanged(way, tmp_path / "place", 30)


@pytest.mark.slow
@pytest.mark.parametrize("way", TABLE_EXITS, ids=str)
def test_a_thousand_neighbours_leave_the_same(way, tmp_path):
    unchanged(way, tmp_path / "place", 1000)


@pytest.mark.parametrize("way", TABLE_EXITS, ids=str)
def test_other_noise_leaves_otherwise(way, tmp_path):
    """What is compared holds a release, and not the refusal of one."""
    survey = Survey(SMALL, PLAN)
    one = what_leaves(way, survey, tmp_path / "place")
    assert one != what_leaves(
        way, survey, tmp_path / "place", key=b"another key, of 32 bytes or more"
    )
    assert one.get("code", 0) == 0


def test_columns_drawn_together_are_among_the_neighbours():
    """The neighbours that are tried have plans with and without them, each many times."""
    joint = []

    @settings(max_examples=60, phases=(Phase.generate,), derandomize=True, database=None)
    @given(neighbours())
    def one(pair):
        joint.append(any(column.members for column in pair[0].plan.columns))

    one()
    assert 5 <= sum(joint) <= 55


@pytest.mark.parametrize("way", LEAKY, ids=str)
def test_broken_twins_are_caught(way, tmp_path):
    """Hypothesis finds neighbours that tell a broken twin from what it should be."""
    first = settings(max_examples=500, phases=QUICK, database=None)
    find(neighbours(), lambda p: differences(way, *p, tmp_path / "place") != [], settings=first)
