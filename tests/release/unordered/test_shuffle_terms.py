"""The conditions of a shuffled release: each is met, or refused with the way out."""

from fractions import Fraction

import pytest

from dprivacy.errors import BadLevel, BadNumber, BadPlan, NotApplicable, PrivacyLeakWarning
from dprivacy.release import Plan
from dprivacy.release.unordered.shuffle_terms import misfits, shuffle_delta, warn_of_delta
from support.release_tables import BLOCKS, LETTERS, plan_of


def delta_of(plan=None, *, delta="1e-9", shuffle=True, permanent=False):
    return shuffle_delta(plan or plan_of(), shuffle=shuffle, delta=delta, permanent=permanent)


def test_delta_is_what_its_digits_say():
    assert delta_of(delta=1e-9) == delta_of(delta="1e-9") == Fraction(1, 10**9)
    assert delta_of(delta=None, shuffle=False) is None


@pytest.mark.parametrize("delta", [0, 1, "1"])
def test_delta_lies_between_0_and_1(delta):
    with pytest.raises(BadNumber, match="δ lies between 0 and 1"):
        delta_of(delta=delta)


@pytest.mark.parametrize("delta", [-1, 2, "much"])
def test_delta_is_a_probability(delta):
    with pytest.raises(BadLevel, match="δ should be a rational number from 0 to 1"):
        delta_of(delta=delta)


def test_shuffling_needs_a_delta_and_delta_shuffling():
    with pytest.raises(BadNumber, match=r"pass delta= \(--delta\), for n rows at most 1/n²"):
        delta_of(delta=None)
    with pytest.raises(NotApplicable, match=r"pass shuffle=True \(--shuffle\) as well"):
        delta_of(shuffle=False)


@pytest.mark.parametrize(
    ("plan", "way_out"),
    [
        (plan_of(unit="who", pass_through=["who"]), "list it in drop"),
        (plan_of(unit="h"), "list it in drop"),
        (
            plan_of({**LETTERS, "source": "data, acknowledged"}),
            "compare them with the questionnaire",
        ),
        (plan_of(BLOCKS), "release each block as a table of its own"),
    ],
)
def test_plans_that_are_refused(plan, way_out):
    (reason,) = misfits(plan)
    assert isinstance(reason, BadPlan)
    assert way_out in str(reason)
    assert str(reason).endswith("or release without shuffling")
    with pytest.raises(BadPlan, match=way_out):
        delta_of(plan)


def test_permanent_answers_are_refused():
    with pytest.raises(NotApplicable, match="leave out the permanent key"):
        delta_of(permanent=True)


def test_a_unit_that_is_left_out_is_fine():
    assert delta_of(plan_of(unit="who", drop=["who"], rows_per_person=3)) == Fraction(1, 10**9)


def test_rows_with_missing_values_are_never_dropped():
    """Their number would depend on what is missing."""
    with pytest.raises(BadPlan, match="rows are never dropped, for the number of rows"):
        Plan.read({"columns": {"h": {**LETTERS, "nulls": "drop"}}})


def test_a_delta_of_one_row_in_clear_is_warned_of():
    with pytest.warns(PrivacyLeakWarning, match="choose at most 1/n² = 1/10000"):
        warn_of_delta(Fraction(1, 100), 100)
    warn_of_delta(Fraction(1, 101), 100)


def test_a_column_named_row_says_nothing_of_whose_a_row_is():
    assert not [*misfits(plan_of(pass_through=["row"]))]
    assert [*misfits(plan_of(pass_through=["who"], unit="who"))]
