"""Schedules: paid for at once, ticked off one by one, and nothing else is released."""

import pyarrow as pa
import pytest

from dprivacy.errors import BadNumber, BudgetExceeded, NotApplicable, UnknownCategory
from dprivacy.mechanisms import randomised_response
from dprivacy.model import parallel
from dprivacy.numbers import Level
from dprivacy.release import Ledger, Plan, sanitise
from dprivacy.release.ledger.accounts.declared_schedule import composed
from dprivacy.release.plans.stored_plans import plan_hash
from dprivacy.verify import compose, delta_at
from support.release_tables import BLOCKS, LETTERS, NUMBERS, PLACE

WAVE = {"columns": {"h": {**LETTERS, "epsilon": "1/10"}}}
OTHER = {"columns": {"h": {**LETTERS, "epsilon": "1/9"}}}
STRONG = randomised_response(["a", "b"], eps=1)


def table(*values):
    return pa.table({"h": list(values)})


@pytest.fixture
def panel(where):
    with Ledger(**where) as ledger:
        ledger.open_account("panel", 3, delta="1e-6", by="schedule")
        yield ledger


def test_a_schedule_is_paid_for_at_once_and_ticked_off(panel):
    panel.schedule("panel", WAVE, times=40)
    found = compose([randomised_response(["a", "b", "c"], eps="1/10")], delta="1e-6", times=40)
    assert panel.spent("panel").eps == found.eps < Level(4)
    account = panel.account("panel")
    for wave in range(40):
        sanitise(table("a", "b", "abc"[wave % 3], *"ab" * wave), WAVE, ledger=account)
    assert panel.spent("panel").eps == found.eps
    with pytest.raises(NotApplicable, match="all releases of this plan are made"):
        sanitise(table("c"), WAVE, ledger=account)
    assert bool(panel.verify())


def test_what_was_not_declared_is_refused(panel):
    """An adaptive spender: the next level is chosen after seeing a release."""
    account = panel.account("panel")
    with pytest.raises(NotApplicable, match=r"this plan was not \(0 releases of other plans"):
        sanitise(table("a"), WAVE, ledger=account)
    panel.schedule("panel", WAVE, times=3)
    sanitise(table("a"), WAVE, ledger=account)
    with pytest.raises(
        NotApplicable, match=r"this plan was not \(2 releases of other plans to come"
    ):
        sanitise(table("b"), OTHER, ledger=account)
    declared = plan_hash(Plan.read(WAVE).raw)
    for told in ("", declared):  # nor does the hash of a plan stand for the plan
        with pytest.raises(NotApplicable, match="takes releases of plans"):
            panel.spend({"h": STRONG}, account="panel", plan=told)


def test_a_refused_release_is_still_to_come(panel):
    panel.schedule("panel", WAVE)
    with pytest.raises(UnknownCategory):
        sanitise(table("x"), WAVE, ledger=panel.account("panel"))
    assert "by schedule, 1 release to come" in panel.report().explain()
    sanitise(table("a"), WAVE, ledger=panel.account("panel"))
    assert "by schedule, 0 releases to come" in panel.report().explain()
    assert bool(panel.verify())


def test_the_same_source_may_come_again(panel):
    panel.schedule("panel", WAVE, times=5)
    sanitise(table("a", "b"), WAVE, ledger=panel.account("panel"))
    sanitise(table("a", "b"), WAVE, ledger=panel.account("panel"))  # both were paid for
    assert panel.spent("panel").eps < 3


def test_schedules_add_up_and_take_their_share_of_delta(panel):
    for _ in range(2):
        panel.schedule("panel", WAVE, delta="5e-7", times=10)
    once = compose([randomised_response(["a", "b", "c"], eps="1/10")], delta="5e-7", times=10)
    assert panel.spent("panel").eps == once.eps * 2
    with pytest.raises(BudgetExceeded, match="no δ is left"):
        panel.schedule("panel", WAVE)
    with pytest.raises(BudgetExceeded):
        panel.schedule("panel", WAVE, delta="1e-9")
    assert "by schedule, 20 releases to come" in panel.report().explain()
    assert bool(panel.verify())


def test_a_schedule_past_the_budget_is_refused_and_leaves_nothing(panel):
    with pytest.raises(BudgetExceeded, match="the budget of account 'panel' is 3 with δ"):
        panel.schedule("panel", WAVE, times=90)
    assert panel.spent("panel").is_zero
    panel.schedule("panel", WAVE, times=60)


def test_the_report_and_the_receipt_say_what_was_saved(panel):
    receipt = panel.schedule("panel", WAVE, times=46)
    (words,) = receipt.spent.values()
    assert words.startswith("Together the 46 releases are (ε, δ)-private with ε = 2.")
    text = panel.report().explain()
    assert "adding levels up says" in text
    assert "schedule 3" in text
    assert "with levels added up" in text


@pytest.mark.parametrize(
    "columns",
    [
        {"h": LETTERS},
        {"h": LETTERS, "n": {**NUMBERS, "high": 2}},
        {"h": {**LETTERS, "epsilon": "ln 3"}},
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_what_is_composed_bounds_the_exact_law_of_whole_records(columns, times):
    plan = Plan.read({"columns": columns})
    found = composed(plan, times, Level("1/100").rational)
    every = [column.mechanism.channel for column in plan.columns]
    whole = parallel(*every) if len(every) > 1 else every[0]
    joint = whole
    for _ in range(times - 1):
        joint = joint & whole
    assert delta_at(joint, eps=found.eps) <= Level("1/100").rational
    assert found.eps <= found.added


def test_rows_of_a_person_are_releases_of_their_own():
    once = Plan.read({"columns": {"h": LETTERS}, "unit": "who"})
    thrice = Plan.read({"columns": {"h": LETTERS}, "unit": "who", "rows_per_person": 3})
    delta = Level("1e-6").rational
    assert composed(thrice, 4, delta).eps == composed(once, 12, delta).eps


def test_blocks_are_published_and_their_levels_composed():
    plan = Plan.read({"columns": {"status": BLOCKS}})
    delta = Level("1e-6").rational
    assert composed(plan, 30, delta).eps == compose(["ln 3"], delta=delta, times=30).eps


@pytest.mark.parametrize(
    ("plan", "options", "error", "words"),
    [
        (WAVE, {"times": 0}, BadNumber, "at least once, not 0"),
        (WAVE, {"times": 2.0}, BadNumber, "not 2.0"),
        (WAVE, {"delta": 0}, BudgetExceeded, "no δ is left"),
        ({"columns": {"where": PLACE}}, {}, NotApplicable, "'where' have no bound"),
        (
            {**WAVE, "unit": "who"},
            {},
            NotApplicable,
            "protects each row, and the plan's unit is 'who'",
        ),
    ],
)
def test_schedules_that_are_refused(panel, plan, options, error, words):
    with pytest.raises(error, match=words):
        panel.schedule("panel", plan, **options)


def test_other_accounts_take_no_schedules(panel):
    panel.budget("survey", 3, delta="1e-6")
    with pytest.raises(NotApplicable, match="kept by sum, and takes releases as they come"):
        panel.schedule("survey", WAVE)


def test_schedules_are_for_everybody(panel):
    panel.schedule("panel", WAVE, times=2)
    panel.parts("panel", ["north", "south"])
    with pytest.raises(NotApplicable, match="for everybody in it; leave the part out"):
        sanitise(table("a"), WAVE, ledger=panel.account("panel", part="north"))
