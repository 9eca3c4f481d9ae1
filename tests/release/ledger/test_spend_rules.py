"""Accounts: a closed list, on which a mistyped name escapes no budget; and what each protects."""

import re

import pytest

from dprivacy.errors import BadNumber, BudgetExceeded, NotApplicable, UnknownName
from dprivacy.mechanisms import planar_laplace, randomised_response
from dprivacy.numbers import ln
from dprivacy.release import Ledger, Plan
from support.release_tables import LETTERS

RR = randomised_response(["a", "b", "c"], eps="ln 2")


@pytest.fixture
def closed(where):
    with Ledger(**where) as ledger:
        yield ledger


def exhaust(ledger):
    ledger.budget("survey", "ln 2")
    ledger.spend({"h": RR}, account="survey")


@pytest.mark.parametrize("account", ["Survey", "suvrey", "survey "])
def test_a_mistyped_account_is_refused_with_the_nearest_name(closed, account):
    exhaust(closed)
    closed.budget("panel", 1)
    with pytest.raises(BudgetExceeded):
        closed.spend({"h": RR}, account="survey")
    told = f"'panel', 'survey', not {account!r}; did you mean 'survey'?"
    for ask in (
        lambda: closed.spend({"h": RR}, account=account),
        lambda: closed.parts(account, ["north"]),
        lambda: closed.spent(account),
        lambda: closed.left(account),
    ):
        with pytest.raises(UnknownName, match=re.escape(told)):
            ask()
    assert closed.report().entries == 4  # the opening, two budgets, one spend
    assert bool(closed.verify())


def test_the_account_that_nobody_names_is_opened_like_any_other(closed):
    with pytest.raises(UnknownName, match="the ledger has no accounts yet"):
        closed.spend({"h": RR})
    exhaust(closed)
    with pytest.raises(UnknownName, match="should be one of 'survey', not 'everyone'"):
        closed.spend({"h": RR})
    closed.budget("everyone", "ln 2")
    assert closed.spend({"h": RR}).account == "everyone"


def test_a_column_without_a_budget_is_refused_where_records_have_none(closed):
    closed.budget("trips", 3, column="where")
    closed.spend({"where": planar_laplace(eps=1)}, account="trips")
    with pytest.raises(UnknownName, match=r"a column of account 'trips' .* did you mean 'where'"):
        closed.spend({"wehre": planar_laplace(eps=1)}, account="trips")
    closed.budget("survey", 9)
    closed.spend({"h": RR}, account="survey")  # a budget of whole records holds for every column


def test_a_ledger_made_open_counts_what_has_no_budget(where):
    with Ledger(**where, open=True) as ledger:
        exhaust(ledger)
        ledger.spend({"h": RR}, account="suvrey")
    with Ledger(**where) as ledger:  # it stays as it was made
        ledger.spend({"h": RR}, account="suvrey")
        assert str(ledger.spent("suvrey").eps) == "ln(4)"
        with pytest.raises(BudgetExceeded):
            ledger.spend({"h": RR}, account="survey")
        assert bool(ledger.verify())


def test_a_closed_list_is_not_opened_later(where):
    with Ledger(**where) as ledger:
        exhaust(ledger)
    with pytest.raises(NotApplicable, match="closed list"):
        Ledger(**where, open=True)


# -- what an account protects ----------------------------------------------------------------

ROWS = Plan.read({"columns": {"h": LETTERS}})
PERSONS = Plan.read({"columns": {"h": LETTERS}, "unit": "who", "rows_per_person": 3})


def test_rows_and_persons_are_not_added_up(closed):
    closed.budget("survey", "ln 9")
    closed.budget("panel", "ln 9", unit="person")
    closed.spend(ROWS, account="survey")
    closed.spend(PERSONS, account="panel")
    assert str(closed.spent("panel").eps) == "ln(8)"  # three rows of ln 2
    with pytest.raises(
        NotApplicable, match="'survey' protects each row, and this release is of per"
    ):
        closed.spend(PERSONS, account="survey")
    with pytest.raises(NotApplicable, match="'panel' protects each person, and this release takes"):
        closed.spend(ROWS, account="panel")
    with pytest.raises(NotApplicable, match="protects each row, not each household"):
        closed.budget("survey", "ln 9", unit="household")
    with pytest.raises(NotApplicable, match="unit is a word for the person"):
        closed.budget("users", 1, per="person", unit="row")
    closed.budget("panel", "ln 10")
    text = closed.report().explain()
    assert "panel, for each person" in text
    assert "survey, for each row" in text
    assert bool(closed.verify())


def test_an_account_without_a_budget_protects_what_it_was_first_charged_for(where):
    with Ledger(**where, open=True) as ledger:
        ledger.spend(PERSONS, account="panel")
        with pytest.raises(NotApplicable, match="'panel' protects each person"):
            ledger.spend(ROWS, account="panel")
        assert bool(ledger.verify())


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_charge_is_multiplied_by_the_rows_of_a_person(closed, times):
    closed.budget("users", "5 ln 2", per="person")
    options = {"account": "users", "rows_per_person": times}
    closed.spend({"h": RR}, people=["ann", "bob", *["ann"] * (times - 1)], **options)
    for one in ("ann", "bob"):
        assert closed.spent("users", person=one).eps == times * ln(2)
    with pytest.raises(BudgetExceeded, match=f"more rows .* than rows_per_person = {times};"):
        closed.spend({"h": RR}, people=["ann"] * (times + 1), **options)
    assert bool(closed.verify())


def test_bounds_that_are_none(closed):
    closed.budget("users", 1, per="person")
    for bound in (0, -1, True, "2"):
        with pytest.raises(BadNumber, match="rows_per_person is a whole number"):
            closed.spend({"h": RR}, people=["ann"], account="users", rows_per_person=bound)
