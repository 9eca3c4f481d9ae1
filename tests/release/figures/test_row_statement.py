"""What a row tells: factor, word and sentences, against brute force and known tables."""

import itertools
import math
from fractions import Fraction as Q

import pandas as pd
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.release import Card, Plan, StatedGuarantee, row_figures, sanitise


def response(k, factor, **more):
    return {"type": "categories", "values": list(range(k)), "epsilon": f"ln({factor})", **more}


def plan_of(*specs, **top):
    return Plan.read({"columns": {f"c{i}": spec for i, spec in enumerate(specs)}, **top})


def brute(plan, one, other):
    channels = [column.channel for column in plan.columns]
    total = Q(0)
    for row in itertools.product(*(channel.columns for channel in channels)):
        both = [
            math.prod(c[x, y] for c, x, y in zip(channels, record, row, strict=True))
            for record in (one, other)
        ]
        total += max(both)
    return total / 2


FACTORS = ((2, "1.44"), (2, "1.44"), (3, "1.57"), (4, "1.66"), (4, "1.66"))
FIVE = [response(k, factor) for k, factor in FACTORS]


def test_the_sound_row():
    plan = plan_of(*FIVE)
    found = row_figures(plan)
    assert found.right == brute(plan, [0] * 5, [1] * 5)
    assert found.word == "limited"
    assert found.factor == Q("1.44") ** 2 * Q("1.57") * Q("1.66") ** 2
    assert found.explain().splitlines() == [
        "LIMITED. One person's row tells something, within a limit that means something.",
        "Whoever sees a person's row can multiply their odds between any two sets of answers by at "
        "most 8.98, whatever they know already.",
        "Someone who wavers between two quite different sets of answers is right 50 times in 100 by "
        "tossing a coin, and 67 times in 100 with the person's row (90 times in 100 for the most "
        "telling rows).",
    ]


def test_the_meaningless_row():
    numbers = {"type": "numbers", "low": 0, "high": 100, "grid": 1, "epsilon": "4/100"}
    found = row_figures(
        plan_of(*(response(k, 3) for k in (2, 5, 3, 9, 4, 9, 2, 4)), *[numbers] * 4)
    )
    assert found.word == "next to none"
    assert found.headline.startswith("NEXT TO NONE. The whole row is not protected")
    assert "58.4 thousand million. That is more than there are people on Earth" in found.limit
    assert "99.9 times in 100 with the person's row." in found.test
    assert 0.9985 < found.right < 0.9987


def test_published_columns_and_blocks():
    grouped = response(9, 2, blocks=[[0], [1], [2, 3, 4, 5, 6, 7, 8]])
    plan = plan_of(grouped, response(2, 2), response(4, "2.25"), pass_through=["town"])
    found = row_figures(plan)
    assert found.right == brute(plan, [2, 0, 0], [3, 1, 1])
    assert found.factor == 9
    assert found.headline == (
        "PARTLY PUBLISHED. Town and the block of c0 can be read off every row as it is. The rest: "
        "limited."
    )
    assert "any two sets of answers that agree in what is published as it is" in found.limit


@pytest.mark.parametrize(
    ("factor", "at", "beyond"),
    [("1.5", "strong", "limited"), ("3", "limited", "weak"), ("9", "weak", "next to none")],
)
def test_words_change_exactly_at_the_limits(factor, at, beyond):
    assert row_figures(plan_of(response(2, factor))).word == at
    more = str(Q(factor) + Q(1, 10**12))
    assert row_figures(plan_of(response(2, more))).word == beyond


def test_many_weak_columns_say_what_most_rows_tell():
    found = row_figures(plan_of(*[response(2, "1.1")] * 100))
    assert found.word == "limited"
    assert found.limit.endswith(
        "by at most 13,781, whatever they know already. Only 1 row in 1,000 reaches beyond 31."
    )
    assert "69 times in 100" in found.test


def test_rows_of_a_person_count_together():
    one, three = (
        row_figures(plan_of(response(2, 2), rows_per_person=k, unit="who")) for k in (1, 3)
    )
    assert three.right == row_figures(plan_of(*[response(2, 2)] * 3)).right > one.right
    assert "a person's 3 rows" in three.limit


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "ordered", "values": ["a", "b", "c", "d"], "epsilon": "ln 2"},
        {
            "type": "ordered",
            "values": ["a", "b", "c"],
            "epsilon": "ln 2",
            "mechanism": "exponential",
        },
        {"type": "tree", "tree": {"x": ["a", "b"], "y": ["c"]}, "epsilon": "ln 2"},
        {"type": "numbers", "low": 0, "high": 6, "grid": 1, "epsilon": "ln 1.5"},
        {"type": "graph", "edges": [["a", "b"], ["b", "c", "2"]], "epsilon": "1/2"},
    ],
)
def test_of_one_column_no_pair_of_values_is_told_apart_better(spec):
    plan = plan_of(spec)
    values = plan.columns[0].channel.rows
    worst = max(brute(plan, [x], [z]) for x, z in itertools.combinations(values, 2))
    assert row_figures(plan).right == worst


def test_two_columns_whose_worst_pair_is_no_single_one_are_bounded():
    table = [[0, 1, 2], [1, 0, 2], [2, 2, 0]]
    spec = {"type": "distances", "values": list("abc"), "distances": table, "epsilon": "ln 2"}
    plan = plan_of(spec, spec)
    pairs = list(itertools.permutations("abc", 2))
    worst = max(brute(plan, [x, u], [z, v]) for (x, z) in pairs for (u, v) in pairs)
    assert worst <= row_figures(plan).right < worst + Q(1, 50)


def test_levels_of_columns_without_a_list_bound_them():
    place = {"type": "place", "columns": ["x", "y"], "grid": 1, "epsilon": 1}
    found = row_figures({"columns": {"where": place}})
    assert found.right == 1
    assert (
        found.limit
        == "Nothing limits what a person's row may tell: where can differ without limit."
    )
    bits = {"type": "bits", "bits": 4, "epsilon": "ln 2"}
    assert row_figures(plan_of(bits)).right == Q(16, 17)


def test_cards_say_the_same_as_their_plans():
    plan = plan_of(response(2, 3))
    card = sanitise(pd.DataFrame({"c0": [0, 1] * 5}), plan).card
    assert row_figures(card).explain() == row_figures(plan).explain()


def test_cards_of_places_have_no_row():
    card = Card.of("places", StatedGuarantee("1"), count=1, secure=True)
    with pytest.raises(NotApplicable, match="a card of places"):
        row_figures(card)
