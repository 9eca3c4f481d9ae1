"""Accounts by Rényi charges: what they promise against exact laws, and what they refuse."""

import math
import random
from fractions import Fraction

import pytest

from dprivacy.errors import BadNumber, BudgetExceeded, Malformed, NotApplicable
from dprivacy.mechanisms import geometric, planar_laplace, randomised_response
from dprivacy.model import parallel
from dprivacy.numbers import Level, as_level, ln
from dprivacy.release import Ledger, Plan, per_unit
from dprivacy.release.ledger import ledger_book
from dprivacy.release.ledger.accounts.account_rule import SUM, Rule, rule_of
from dprivacy.release.ledger.amounts import amount
from dprivacy.release.ledger.charged_metric import Charge
from dprivacy.spaces import line
from dprivacy.verify import delta_at, renyi_budget, renyi_charge, renyi_eps
from dprivacy.verify.composing.renyi_charges import level_charge
from support.release_tables import BLOCKS, LETTERS, NUMBERS, PLACE

WEAK = randomised_response(["a", "b"], eps="ln(21/20)")
DELTA = "1e-6"


@pytest.fixture
def renyi(book):
    book.open_account("survey", 3, delta=DELTA, by="renyi", order=9)
    return book


@pytest.mark.statement("F", "§3")
def test_many_weak_releases_fit_and_not_one_more(where):
    fits = 159  # and 61 if levels are added up
    cost, budget = renyi_charge(WEAK, order=9), renyi_budget(3, delta=DELTA, order=9)
    assert cost * fits <= budget < cost * (fits + 1)
    with Ledger(**where) as ledger:
        ledger.open_account("survey", 3, delta=DELTA, by="renyi", order=9)
        for _ in range(fits):
            ledger.spend({"h": WEAK}, account="survey")
        with pytest.raises(BudgetExceeded, match="the budget of account 'survey' is 3 with δ = "):
            ledger.spend({"h": WEAK}, account="survey")
        assert ledger.spent("survey").eps == renyi_eps(cost * fits, delta=DELTA, order=9)
        assert ledger.spent("survey").slack == as_level(DELTA).rational
        assert bool(ledger.verify())


def test_what_is_told_bounds_the_exact_law_of_all_columns_and_releases(renyi):
    first, second = randomised_response(range(3), eps="ln 2"), geometric(line(3), eps="ln(3/2)")
    renyi.budget("survey", 20, delta="1/100")
    renyi.spend({"h": first, "n": second}, account="survey")
    renyi.spend({"h": second}, account="survey")
    told = renyi.spent("survey")
    assert told.slack  # at this budget the charges are less than the levels
    # whole records: another value in both columns, whichever
    record = parallel(first.channel & second.channel, second.channel)
    assert delta_at(record, eps=told.eps) <= told.slack
    costs = [renyi_charge(one, order=9) for one in (first, second, second)]
    assert told.eps == renyi_eps(sum(costs, Level(0)), delta="1/100", order=9)
    assert renyi_charge(record, order=9) <= sum(costs, Level(0))


def test_rows_and_values_of_a_person_multiply_the_charge(renyi):
    plan = {"columns": {"h": LETTERS}, "unit": "who", "rows_per_person": 2, "values_per_person": 3}
    renyi.open_account("people", 9, delta=DELTA, by="renyi", order=9, per="person")
    one = renyi_charge(randomised_response(["a", "b", "c"], eps="ln 2"), order=9)
    renyi.spend(Plan.read(plan), account="people", people=["ann", "bob", "ann"])
    assert charges(renyi, "people", "ann") == one * 6 == charges(renyi, "people", "bob")
    renyi.spend({"h": WEAK}, account="people", people=["ann"])
    assert charges(renyi, "people", "ann") == one * 6 + renyi_charge(WEAK, order=9)
    assert charges(renyi, "people", "bob") == one * 6
    assert renyi.left("people", person="bob").eps == 9 - renyi.spent("people", person="bob").eps
    assert bool(renyi.verify())


def charges(ledger, account, person=None):
    """The sum of Rényi charges that a ledger keeps."""
    pages = ledger._pages
    with pages.transaction(write=False):
        whose = "" if person is None else pages.person(account, person)
        return pages.balance(account, whose).spent().eps


def test_without_a_channel_the_level_is_charged(renyi):
    bits = per_unit("ratings", "bits", "per bit", "1/100", most="1/5")
    renyi.spend([bits], account="survey", rows_per_person=2)
    cost = level_charge("1/5", order=9)
    assert cost * 2 <= charges(renyi, "survey") <= cost * 2 + Level("2/1000000000")


def test_of_parts_the_largest_counts_and_what_is_taken_back_does_not(renyi):
    renyi.parts("survey", ["north", "south"])
    for part in ["north", "south"] * 70 + ["south"]:
        receipt = renyi.spend({"h": WEAK}, account="survey", part=part)
    cost = renyi_charge(WEAK, order=9)
    assert renyi.spent("survey").eps == renyi_eps(cost * 71, delta=DELTA, order=9)
    renyi.cancel(receipt, because="nothing came out")
    assert renyi.spent("survey").eps == renyi_eps(cost * 70, delta=DELTA, order=9)


def test_the_sum_of_levels_counts_where_it_is_less(renyi):
    quarter = randomised_response(["a", "b"], eps="1/4")
    for _ in range(12):  # eleven by Rényi charges alone, at the best order
        renyi.spend({"h": quarter}, account="survey")
    assert (renyi.spent("survey").eps, renyi.spent("survey").slack) == (3, 0)
    assert "adding" not in renyi.report().explain()
    with pytest.raises(BudgetExceeded):
        renyi.spend({"h": quarter}, account="survey")


def test_stopping_by_either_bound_is_safe():
    """Exact: some histories end by the sum of their levels, others by their Rényi charges."""
    rng, order, delta = random.Random(8), 4, Fraction(1, 20)
    weak, strong = ([[t, 1 - t], [1 - t, t]] for t in (Fraction(11, 20), Fraction(4, 5)))
    ways = [
        (table, renyi_charge(table, order=order), ln(table[0][0] / table[1][0]))
        for table in (weak, strong)
    ]
    limit = ln(5)
    budget = renyi_budget(limit, delta=delta, order=order)

    def histories(p, q, cost, level, depth):
        open_ = [w for w in ways if cost + w[1] <= budget or level + w[2] <= limit]
        if not open_ or not depth:
            return [(p, q)]
        table, more, step = rng.choice(open_) if p > q else open_[0]
        return [
            end
            for y in range(2)
            for end in histories(
                p * table[0][y], q * table[1][y], cost + more, level + step, depth - 1
            )
        ]

    for _ in range(5):
        whole = histories(Fraction(1), Fraction(1), Level(0), Level(0), 9)
        assert sum(max(p - 5 * q, 0) for p, q in whole) <= delta


def test_nothing_spent_is_nothing(renyi):
    assert renyi.spent("survey").is_zero
    assert renyi.left("survey").eps == 3


def test_the_report_says_what_was_saved(renyi):
    for _ in range(100):
        renyi.spend({"h": WEAK}, account="survey")
    text = renyi.report().explain()
    assert "survey, for each row, by Rényi charges of order 9" in text
    assert "of 3 with δ = 1/1000000; adding levels up says " in text
    told = renyi.report().to_dict()
    assert told["rules"] == {"survey": "by Rényi charges of order 9"}
    assert float(Level(told["lines"][0]["added"]["level"] or 0)) == pytest.approx(
        100 * math.log(1.05)
    )


def test_releases_without_a_divergence_are_refused(renyi):
    for plan, words in (
        ({"where": PLACE}, "'where' have no bound"),
        ({"status": BLOCKS}, "possible for one of 'child' and 'single' only"),
    ):
        with pytest.raises(NotApplicable, match=words):
            renyi.spend(Plan.read({"columns": plan}), account="survey")
    with pytest.raises(NotApplicable, match="no bound"):
        renyi.spend({"where": planar_laplace(eps=1)}, account="survey")
    loose = Charge("x", "line", "per unit", amount(1), amount(1, "1/10"))
    with pytest.raises(NotApplicable, match="has δ = 1/10 and no channel"):
        renyi.spend([loose], account="survey")
    assert renyi.spent("survey").is_zero


def test_numbers_are_charged_by_their_channel(renyi):
    renyi.budget("survey", 100, delta=DELTA)
    plan = Plan.read({"columns": {"n": NUMBERS}})
    renyi.spend(plan, account="survey")
    channel = plan.columns[0].mechanism.channel
    # the exact fraction is too long for a line of the ledger: billionths, rounded up
    true = renyi_charge(channel, order=9)
    assert true <= charges(renyi, "survey") <= true + Level("1/1000000000")


def test_how_it_adds_up_is_fixed_at_opening(book):
    book.budget("old", 2)
    for by, order in (("renyi", 8), ("schedule", None)):
        with pytest.raises(NotApplicable, match="'old' is kept by sum, which was fixed"):
            book.open_account("old", 2, delta=DELTA, by=by, order=order)
    book.open_account("new", 3, delta=DELTA, by="renyi", order=8)
    with pytest.raises(NotApplicable, match="'new' is kept by renyi 8"):
        book.open_account("new", 3, delta=DELTA, by="renyi", order=9)
    book.budget("new", 4, delta="1e-5")  # the limit may change
    book.open_account("new", 5, delta="1e-5", by="renyi", order=8)
    assert book.left("new").eps == 5
    book.spend({"h": WEAK}, account="counted only")
    with pytest.raises(NotApplicable, match="is kept by sum"):
        book.open_account("counted only", 3, delta=DELTA, by="renyi", order=8)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"by": "renyi", "delta": DELTA}, NotApplicable, "an order that is fixed now"),
        ({"by": "sum", "order": 3}, NotApplicable, "order belongs to an account by Rényi"),
        ({"by": "gauss"}, Malformed, "a kind of account.*gauss"),
        ({"by": "renyi", "order": 1, "delta": DELTA}, BadNumber, "whole number from 2"),
        ({"by": "renyi", "order": 9}, BadNumber, "δ must be greater than 0"),
        ({"by": "renyi", "order": 2, "delta": DELTA}, BadNumber, "leaves nothing of 3"),
        ({"by": "schedule"}, BadNumber, "gains nothing without a δ"),
        ({"by": "schedule", "delta": DELTA, "per": "person"}, NotApplicable, "open it per table"),
    ],
)
def test_accounts_that_cannot_be_opened(book, options, error, words):
    with pytest.raises(error, match=words):
        book.open_account("survey", 3, **options)


def test_a_column_has_no_budget_there(renyi):
    with pytest.raises(NotApplicable, match="kept by renyi, which bounds whole records"):
        renyi.budget("survey", 2, column="h")


def test_a_release_that_was_priced_for_another_kind_is_refused(renyi, monkeypatch):
    monkeypatch.setattr(ledger_book, "rule_at", lambda *_: SUM)
    with pytest.raises(NotApplicable, match="kept by renyi 9, and this release was priced by sum"):
        renyi.spend({"h": WEAK}, account="survey")


def test_rules_as_text():
    for rule in (SUM, Rule("renyi", 16), Rule("schedule")):
        assert Rule.read(rule.text) == rule
    assert rule_of("renyi", 16).text == "renyi 16"
