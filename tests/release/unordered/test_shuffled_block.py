"""What a card says of a shuffled release, against `shuffled` and the words of both guarantees."""

import dataclasses
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadFile, NotApplicable
from dprivacy.numbers import Level
from dprivacy.release import Plan
from dprivacy.release.unordered import shuffled_block
from dprivacy.release.unordered.card_words import require_block, words_beside
from dprivacy.release.unordered.shuffled_block import shuffled_table, small
from dprivacy.verify import shuffled, shuffled_columns, shuffled_distances
from support.release_tables import BITS, LETTERS, PLACE, plan_of

TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
DELTA = Q(1, 10**6)


def factor(level):
    return Level(level).exp()


def test_one_column_is_what_shuffled_proves():
    plan = plan_of(TEA)
    found, truth = (
        shuffled_table(plan, 1000, delta=DELTA),
        shuffled(plan.columns[0].mechanism, 1000, delta=DELTA),
    )
    block = found.to_dict()
    assert truth.eps.exp() <= factor(block["eps"]) <= 1 + (truth.eps.exp() - 1) * Q(10001, 10000)
    assert factor(block["lower_bound"]) <= truth.attacked.exp()
    assert (block["n"], block["smallest_group"], block["delta"]) == (1000, 1000, "1/1000000")
    assert block["pair"] in (["yes", "no"], ["no", "yes"])


def test_the_pair_of_one_column_are_two_of_its_values_however_many_there_are():
    values = [f"v{k}" for k in range(9)]
    plan = plan_of({"type": "categories", "values": values, "epsilon": "ln 3"})
    first, second = shuffled_table(plan, 100, delta=DELTA).to_dict()["pair"]
    assert {first, second} < set(values)


def test_several_columns_are_a_product():
    plan = Plan.read({"columns": {"tea": TEA, "h": LETTERS}})
    found = shuffled_table(plan, 1000, delta=DELTA)
    truth = shuffled_columns([c.mechanism for c in plan.columns], 1000, delta=DELTA)
    assert found.proof.eps == truth.eps
    assert found.local == Level("ln 6")


def test_a_row_hides_in_the_smallest_group():
    """The number of rows of the table is not what counts."""
    plan = plan_of(TEA, pass_through=["town"])
    whole = shuffled_table(plan, 1000, delta=DELTA)
    group = shuffled_table(plan, 1000, delta=DELTA, smallest=100)
    assert group.proof == shuffled(plan.columns[0].mechanism, 100, delta=DELTA)
    assert group.eps > whole.eps
    assert "the same town; the smallest such group has 100 of the 1,000 rows" in group.explain()


def test_several_rows_of_a_person_count():
    plan = plan_of(TEA, unit="who", drop=["who"], rows_per_person=3)
    found = shuffled_table(plan, 10_000, delta=DELTA)
    alone = shuffled_table(plan_of(TEA), 10_000, delta=DELTA)
    assert found.eps > 3 * alone.eps
    assert "at most 3 rows a person" in found.explain()
    assert "a factor 27" in found.explain()


def test_both_guarantees_in_words():
    seasons = {**TEA, "values": ["spring", "summer", "autumn", "winter"]}
    words = shuffled_table(plan_of(seasons), 100_000, delta=Q(1, 10**9)).explain()
    assert words == (
        "Whoever sees only this table: the odds between any two records of one person change by at "
        "most a factor 1.018, except with δ = 10⁻⁹. Whoever also sees who sent which row: a factor 3. "
        "This needs: rows sorted and no identifiers (checked on the file by verify), one row a person "
        "(stated by the plan), a public number of rows, and nothing else released of these rows."
    )


def test_both_guarantees_as_chances():
    seasons = {**TEA, "values": ["spring", "summer", "autumn", "winter"]}
    found = shuffled_table(plan_of(seasons), 100_000, delta=Q(1, 10**9))
    after = math.ceil(10_000 / (1 + math.exp(-float(found.proof.eps)))) / 100
    assert f"50 %, and sees only the table, ends at {after} % for one of them" in found.in_odds()
    assert found.in_odds().endswith("whoever also sees which row is this person's, at 75 %.")


def test_where_nothing_is_gained_the_words_say_so():
    found = shuffled_table(plan_of(TEA), 2, delta=Q(1, 10**9))
    assert not found.gains
    assert "adds nothing that can be proved, since 2 rows are too few" in found.explain()
    assert "a factor 3" in found.explain()
    assert found.in_odds() == found.explain()


def test_distances_without_a_bound_are_refused():
    with pytest.raises(NotApplicable, match="declare a range of values"):
        shuffled_table(plan_of(PLACE), 1000, delta=DELTA)


@pytest.mark.parametrize(
    "spec",
    [
        BITS,
        {"type": "numbers", "low": 0, "high": 200, "grid": 1, "epsilon": "1/100"},
        {"type": "numbers", "low": 0, "high": 10**6, "grid": 1, "epsilon": "1/1000000"},
    ],
)
def test_every_type_of_column_with_a_bound_gains(spec):
    found = shuffled_table(plan_of(spec), 100_000, delta=DELTA)
    assert found.gains
    assert found.eps < found.local / 10


def test_a_level_alone_is_never_less_than_the_channel(monkeypatch):
    """Columns of many values are taken by their level."""
    monkeypatch.setattr(shuffled_block, "_ANY", 3)
    plan = plan_of({"type": "numbers", "low": 0, "high": 3, "grid": 1, "epsilon": "1/7"})
    found = shuffled_table(plan, 1000, delta=DELTA)
    exact = shuffled_columns([plan.columns[0].mechanism], 1000, delta=DELTA)
    assert found.proof.eps == shuffled(Level("3/7"), 1000, delta=DELTA).eps
    assert exact.eps <= found.proof.eps <= found.local


def test_a_row_that_one_value_never_gives_has_no_level():
    known = shuffled_table(plan_of(TEA), 1000, delta=DELTA)
    proof = dataclasses.replace(known.proof, eps=math.inf, method="none", pair=None, attacked=None)
    found = dataclasses.replace(known, proof=proof)
    assert found.to_dict()["eps"] == "inf"
    assert "since an output that another value never gives is likelier than δ" in found.explain()


@pytest.mark.parametrize(
    ("delta", "words"),
    [(Q(1, 10**9), "10⁻⁹"), (Q(1, 10**12), "10⁻¹²"), (Q(1, 200), "1/200"), (Q(1, 10), "1/10")],
)
def test_small_chances_in_words(delta, words):
    assert small(delta) == words


def test_levels_beyond_all_doubles_are_stated():
    found = shuffled_table(plan_of({**LETTERS, "epsilon": 800}), 100, delta=Q(1, 10**6))
    assert not found.gains
    assert found.to_dict()["eps"].startswith("799.99")


def test_nearer_values_are_told_apart_less():
    steps = plan_of({"type": "ordered", "values": list(range(5)), "epsilon": "ln(4/3)"})
    found = shuffled_table(steps, 1000, delta=DELTA)
    near = found.to_dict()["per_distance"]
    assert [d for d, _ in near] == ["1", "2", "4"]
    levels = [factor(eps) for _, eps in near]
    assert levels == sorted(levels)
    assert levels[-1] == factor(found.to_dict()["eps"])
    truth = shuffled_distances(steps.columns[0].mechanism, 1000, delta=DELTA, distances=[1, 2])
    for row, level in zip(truth.rows, levels, strict=False):
        assert row.eps.exp() <= level <= 1 + (row.eps.exp() - 1) * Q(10001, 10000)
    text = "\n".join(words_beside(found.to_dict()))
    assert text.startswith("Without order, between values at a distance of 1: ln(")


def test_a_wide_range_of_numbers_is_told_at_parts_of_it():
    plan = plan_of({"type": "numbers", "low": 0, "high": 2000, "grid": 1, "epsilon": "1/1000"})
    found = shuffled_table(plan, 10_000, delta=DELTA)
    assert [d for d, _ in found.to_dict()["per_distance"]] == ["20", "200", "2000"]


@pytest.mark.parametrize("more", [{"pass_through": ["town"]}, {}])
def test_where_values_are_at_one_distance_or_people_have_several_rows_nothing_is_told(more):
    assert "per_distance" not in shuffled_table(plan_of(TEA, **more), 100, delta=DELTA).to_dict()
    several = plan_of(
        {"type": "ordered", "values": [1, 2, 3], "epsilon": 1},
        unit="who",
        drop=["who"],
        rows_per_person=2,
    )
    assert "per_distance" not in shuffled_table(several, 100, delta=DELTA).to_dict()


def test_a_column_of_many_values_is_said_to_be_taken_by_its_level():
    hours = {"type": "ordered", "values": list(range(50)), "epsilon": "1/50"}
    block = shuffled_table(Plan.read({"columns": {"h": hours}}), 1000, delta=DELTA).to_dict()
    assert block["by_level"] == ["h"]
    (words,) = words_beside(block)
    assert "computed from the level of h alone" in words
    few = {"type": "ordered", "values": [1, 2, 3], "epsilon": 1}
    assert "by_level" not in shuffled_table(plan_of(few), 1000, delta=DELTA).to_dict()


@pytest.mark.parametrize(
    "bad", [{"by_level": [1]}, {"per_distance": [1]}, {"per_distance": [["1"]]}, {"by_level": "h"}]
)
def test_a_block_with_something_else_is_refused(bad):
    block = shuffled_table(plan_of(TEA), 100, delta=DELTA).to_dict()
    require_block(block, "card")
    with pytest.raises(BadFile, match="card"):
        require_block({**block, **bad}, "card")
