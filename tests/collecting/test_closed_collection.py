"""Closing: what was collected becomes a release that everything else reads."""

import secrets
from dataclasses import replace
from fractions import Fraction

import pytest

from dprivacy.collecting import Collection, charge, close_book, findings, new_book, why_no_release
from dprivacy.errors import BadPlan, BudgetExceeded, NotApplicable
from dprivacy.mechanisms import projective_response, randomised_response
from dprivacy.release import Ledger, prove_card, query, received
from dprivacy.store import stored_text
from support.collections_asked import DRINKS, MECHANISMS, asked, on_the_wire

DAY = 20_000


def filled(folder, collection, truth):
    book = new_book(str(folder / "book.db"), collection)
    wire = collection.wire
    reports = wire.read(on_the_wire(wire.mechanism, truth))
    book.add([secrets.token_bytes(16) for _ in reports], reports, DAY)
    return book


def test_a_release_is_estimated_queried_and_proved(tmp_path):
    truth = ["tea"] * 600 + ["milk"] * 300 + ["water"] * 100
    book = filled(tmp_path, asked("response", name="drink"), truth)
    counts = book.tally().observed()
    released = close_book(book)
    assert released.card.count == 1000
    out = tmp_path / "drinks.csv"
    released.save(out)
    rows = out.read_text().splitlines()
    assert rows[0].strip('"') == "drink"
    assert {label: sum(row.strip('"') == label for row in rows[1:]) for label in DRINKS} == counts
    order = [DRINKS.index(row.strip('"')) for row in rows[1:]]
    assert order == sorted(order)
    table = received(out)
    found = table.estimate("drink", estimator="inverse")
    assert abs(float(found.counts["tea"]) - 600) < 6 * found.errors()["tea"]
    told = query(table, "SELECT drink, count(*) FROM data GROUP BY drink")
    assert "tea" in told.explain()
    assert prove_card(released.card)
    assert prove_card(out.with_name("drinks.csv.card.json"), file=out)
    assert "noise drawn on people's own devices" in released.card.explain()
    book.release()


@pytest.mark.parametrize("kind", ["projective", "hashed", "subset", "unary"])
def test_reports_about_answers_are_released_too(tmp_path, kind):
    truth = ["tea"] * 1500 + ["milk"] * 500
    book = filled(tmp_path, asked(kind, name="drink"), truth)
    before = findings(book.tally()).estimate
    close_book(book).save(tmp_path / "drinks.csv")
    book.release()
    table = received(tmp_path / "drinks.csv")
    found = table.estimate("drink", estimator="inverse")
    assert {label: float(n) for label, n in found.counts.items()} == pytest.approx(
        {label: float(n) for label, n in before.counts.items()}
    )
    told = query(table, "SELECT count(*) FROM data WHERE drink = 'tea'")
    assert "±" in told.explain() or "standard error" in told.explain()
    assert prove_card(tmp_path / "drinks.csv.card.json", file=tmp_path / "drinks.csv")


def test_other_settings_than_a_plan_has_are_refused(tmp_path):
    made = projective_response(["a", "b", "c"], eps="ln 3", q=2)
    milder = replace(made, reports=made.reports.at(Fraction(2)))  # than its level allows
    book = new_book(
        str(tmp_path / "book.db"), Collection.of(stored_text(milder), question="?", name="x")
    )
    with pytest.raises(NotApplicable, match="other settings than a plan can have"):
        close_book(book)
    book.release()


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (["a", "b"], ""),
        ([1, 2, 3], ""),
        ([True, False], "all texts or all whole numbers"),
        ([(0, 0), (0, 1)], "all texts or all whole numbers"),
        (["a", 1], "all texts or all whole numbers"),
    ],
)
def test_what_cannot_be_released_is_known_before_anybody_is_asked(tmp_path, labels, reason):
    for made in (randomised_response, projective_response):
        asked_ = Collection.of(stored_text(made(labels, eps="ln 3")), question="?", name="x")
        assert reason in why_no_release(asked_)
        book = filled(tmp_path, asked_, labels)
        if reason:
            with pytest.raises(BadPlan, match=reason):
                close_book(book)
            assert not book.is_closed()
        else:
            assert why_no_release(asked_) == ""
            assert close_book(book).card.count == len(labels)
        book.release()
        (tmp_path / "book.db").unlink()


def test_closing_again_gives_the_same(tmp_path):
    book = filled(tmp_path, asked("geometric", name="level"), [0, 1, 2, 3, 4] * 20)
    first, second = close_book(book), close_book(book)
    assert first.data.equals(second.data)
    assert first.card == second.card
    book.release()


def test_nothing_was_collected(tmp_path):
    book = new_book(str(tmp_path / "book.db"), asked("response"))
    with pytest.raises(NotApplicable, match="nothing was collected"):
        close_book(book)
    assert not book.is_closed()
    book.release()


def test_sets_that_were_counted_by_label_cannot_be_released(tmp_path):
    book = filled(tmp_path, asked("wide unary"), [3] * 10)
    with pytest.raises(NotApplicable, match="counted by label, and cannot be released as a table"):
        close_book(book)
    assert not book.is_closed()
    book.release()


def test_a_ledger_is_charged_before_anybody_is_asked(tmp_path):
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.budget("students", "ln 8", unit="row")
        first = asked("response", name="drink").charged("students")
        charge(first, ledger, "students")
        charge(first, ledger, "students")  # after a crash: the same collection spends once
        assert ledger.spent("students").words().startswith("ln(3)")
        with pytest.raises(BudgetExceeded):
            charge(asked("response", name="drink").charged("students"), ledger, "students")
        book = filled(tmp_path, first, ["tea"] * 50)
        with pytest.raises(NotApplicable, match="charged to account 'students'"):
            close_book(book)
        released = close_book(book, ledger=ledger)
        released.save(tmp_path / "out.csv")
        assert ledger.verify([released.card])
        assert prove_card(tmp_path / "out.csv.card.json", file=tmp_path / "out.csv", ledger=ledger)
        book.release()


def test_another_ledger_is_refused(tmp_path):
    book = filled(tmp_path, asked("response").charged("students"), ["tea"] * 5)
    with Ledger(tmp_path / "other.db") as ledger, pytest.raises(NotApplicable, match="another"):
        close_book(book, ledger=ledger)
    book.release()


def test_marks_survive_the_book(tmp_path):
    made = Collection.of(stored_text(MECHANISMS["response"]), question="?")
    book = new_book(str(tmp_path / "book.db"), made)
    assert book.collection.mark == made.mark
    book.release()
