"""Accounts: a closed list, on which a mistyped name escapes no budget."""

import re

import pytest

from dprivacy.errors import BudgetExceeded, NotApplicable, UnknownName
from dprivacy.mechanisms import planar_laplace, randomised_response
from dprivacy.release import Ledger

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
