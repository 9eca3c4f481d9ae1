"""The joint guarantee: levels add up, and no sentence says less than it should."""

import math
import random
import re
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.numbers.enclosures import exp_bounds
from dprivacy.numbers.levels import Level, ln
from dprivacy.release import Plan, forecast, joint_guarantee, received, sanitise
from dprivacy.verify import smallest_eps
from support import release_tables as specs
from support.release_tables import plan_of


def printed_factor(sentence):
    """The factor in the first sentence, as a number no smaller than what is printed."""
    found = re.search(r"at most (e\^([\d,]+)|[\d,.]*\d)", sentence)
    assert found, sentence
    if found[2]:
        return math.inf, int(found[2].replace(",", ""))
    return Fraction(found[1].replace(",", "")), None


@pytest.mark.statement("T", "Lem 3.2")
def test_levels_add_up_over_columns_and_rows():
    plan = Plan.read({
        "columns": {
            "h": specs.LETTERS,
            "n": {"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 3"},
            "t": {**specs.TREE, "mechanism": "randomised_response"},
        },
        "rows_per_person": 2,
    })  # fmt: skip
    joint = joint_guarantee(plan)
    widest = [ln(2), ln(3) * 2, plan.column("t").mechanism.guarantee.eps]  # a response: the closest
    assert joint.total == sum(widest, Level(0)) * 2


@pytest.mark.statement("T", "Lem 3.2")
def test_the_sum_is_the_level_of_both_columns_seen_together():
    """Two columns side by side: the product channel needs the sum, on its farthest pair."""
    plan = Plan.read({"columns": {"h": specs.LETTERS, "g": {**specs.CODES, "epsilon": "ln 3"}}})
    first, second = (column.mechanism.channel for column in plan.columns)
    joint = np.kron(first.matrix.floats, second.matrix.floats)
    most = max(
        math.log(joint[i, k] / joint[j, k]) for i in range(9) for j in range(9) for k in range(9)
    )
    assert most == pytest.approx(float(joint_guarantee(plan).total))
    assert smallest_eps(first, plan.columns[0].space) == ln(2)


def test_irrational_and_rational_levels_mix():
    plan = Plan.read(
        {"columns": {"h": specs.LETTERS, "n": {**specs.NUMBERS, "epsilon": "0.1"}, "b": specs.BITS}}
    )
    assert float(joint_guarantee(plan).total) == pytest.approx(math.log(2) + 1 + 4 * math.log(2))


LEVELS = st.sampled_from(["ln 2", "ln 3", "1/7", "0.3", "2", "ln(9/8)", "1/1000", "9"])
SPECS = st.sampled_from(
    [specs.LETTERS, specs.CODES, specs.NUMBERS, specs.BITS, specs.TREE, specs.TABLE, specs.BLOCKS]
)


@settings(max_examples=60)
@given(st.lists(st.tuples(SPECS, LEVELS), min_size=1, max_size=3), st.integers(1, 5))
def test_the_printed_factor_never_understates(columns, rows):
    plan = Plan.read({
        "columns": {f"c{k}": {**s, "epsilon": eps} for k, (s, eps) in enumerate(columns)},
        "rows_per_person": rows,
    })  # fmt: skip
    joint = joint_guarantee(plan)
    assert joint.total is not None
    factor, power = printed_factor(joint.explain())
    if power is None:
        assert factor >= exp_bounds(*joint.total.bounds(128), 128)[0]
        assert factor <= exp_bounds(*joint.total.bounds(128), 128)[1] * Fraction(102, 100)
    else:
        assert power >= joint.total
    widest = sum(_widest(column) for column in plan.columns) * rows
    assert float(joint.total) >= widest * (1 - 1e-12)


def _widest(column):
    """The largest log-ratio within reach, from the channel itself."""
    mechanism = column.mechanism
    channel = mechanism.channel.matrix.floats
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(channel[:, None, :] / channel[None, :, :])
    return float(np.max(ratios[np.isfinite(ratios)], initial=0.0))


class TestWords:
    def test_per_row(self):
        text = joint_guarantee(plan_of()).explain()
        assert (
            "between any two possible records of one person by a factor of at most 2, whatever"
            in text
        )
        assert "published" not in text

    def test_per_person(self):
        text = joint_guarantee(plan_of(rows_per_person=3)).explain()
        assert "of one person by a factor of at most 8" in text
        assert "A person may have 3 rows, so the level of each column counts 3 times." in text

    def test_what_passes_through(self):
        joint = joint_guarantee(plan_of(pass_through=["region", "year"]))
        assert "alike in the published columns, by a factor of at most 2" in joint.explain()
        assert "not protected: region, year." in joint.explain()
        assert joint.to_dict()["not_protected"] == ["region", "year"]

    def test_blocks(self):
        text = joint_guarantee(plan_of(specs.BLOCKS)).explain()
        assert "alike in the published columns, by a factor of at most 3" in text
        assert "not protected: the block of h." in text
        assert "by any factor" in text

    def test_slack_speaks_of_sets(self):
        spec = {**specs.LETTERS, "delta": "1/10"}
        joint = joint_guarantee(plan_of(spec, rows_per_person=2))
        assert joint.delta == Fraction(1, 5)
        text = joint.explain()
        assert "any set of released tables is at most 4 times as likely" in text
        assert "plus 1/5" in text
        assert "multiply their odds between any two records" not in text

    def test_slack_is_at_most_one(self):
        spec = {**specs.LETTERS, "delta": "1/2"}
        assert joint_guarantee(plan_of(spec, rows_per_person=5)).delta == 1

    def test_slack_on_numbers(self):
        joint = joint_guarantee(plan_of({**specs.NUMBERS, "delta": "1/100"}))
        assert joint.delta == Fraction(1, 100)
        assert "plus 1/100" in joint.explain()

    def test_grids_say_that_values_are_moved(self):
        assert (
            "up to one step of the grid farther apart"
            in joint_guarantee(plan_of(specs.NUMBERS)).explain()
        )
        place = joint_guarantee(plan_of(specs.PLACE))
        assert "up to √2 steps of the grid farther apart" in place.explain()
        assert place.total is None
        assert "any two records" not in place.explain()

    def test_as_plain_data(self):
        data = joint_guarantee(plan_of(pass_through=["r"], rows_per_person=2)).to_dict()
        assert data["total"] == "ln(4)"
        assert data["rows_per_person"] == 2
        assert data["columns"]["h"]["eps"] == "ln(2)"
        assert data["sentence"].count("\n") == 3


BOUNDED = {"columns": {"h": {**specs.NUMBERS, "epsilon": "1/2"}}}
RULE = (
    "Column h: values below 0 are released as if they were 0, values above 10 as if they were 10;"
)


class TestBounds:
    """What lies beyond the bounds is moved to them; the rule is said, and no count of true values."""

    def test_the_plan_and_the_card_say_the_rule(self):
        assert RULE in forecast(BOUNDED, rows=10).explain()
        released = sanitise(pa.table({"h": [-3, 5, 40]}), BOUNDED)
        assert RULE in released.explain()

    def test_a_column_without_bounds_says_none(self):
        assert "as if they were" not in joint_guarantee({"columns": {"h": specs.PLACE}}).explain()

    def test_nothing_that_is_said_depends_on_how_many_there_were(self):
        inside, outside = (
            sanitise(pa.table({"h": values}), BOUNDED) for values in ([4, 5, 6], [4, 5, 99])
        )
        assert inside.card == outside.card

    def test_the_share_beyond_a_bound_comes_from_the_release(self):
        """Corrected, the released cells at a bound hold those at it and those beyond it."""
        true = [5] * 7000 + [10] * 1000 + [11, 500] * 1000
        released = sanitise(pa.table({"h": random.sample(true, len(true))}), BOUNDED)
        found = received(released).estimate("h")
        assert abs(found.counts[10] - 3000) < 5 * found.errors()[10] < 1500


def test_cells_that_are_reports_are_told_in_words_and_not_in_the_sentence():
    spec = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 3"}
    found = joint_guarantee({"columns": {"h": {**spec, "mechanism": "subset_response"}}})
    assert (
        "Column h: a cell is a report and no value (the positions of the set's labels, from 0, rising)"
        "; it is read through the card."
    ) in found.explain()
    assert "report" not in found.sentence()


def test_a_column_says_its_factor_before_its_level():
    found = joint_guarantee(plan_of(specs.LETTERS)).explain().splitlines()[1]
    assert found == (
        "Column h: anyone who sees the output can multiply their odds between any two values by at "
        "most 2 (ε = ln(2) ≈ 0.6931 per unit of distance)."
    )
    two = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    assert (
        "between 'yes' and 'no' by at most 3 (ε = ln(3)" in joint_guarantee(plan_of(two)).explain()
    )


def test_what_several_columns_say_alike_is_said_once():
    numbers = specs.NUMBERS
    text = joint_guarantee({"columns": {"age": numbers, "pay": numbers}}).explain()
    assert text.count("released as if they were") == 1
    assert (
        "\nColumns age, pay: values beyond the range are released as if they were its ends" in text
    )
