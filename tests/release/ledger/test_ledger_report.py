"""The report says what was published as it is, in the words of the card."""

import pyarrow as pa
import pytest

from dprivacy.errors import PrivacyLeakWarning, UnknownCategory
from dprivacy.geo import protect_place_file
from dprivacy.model import Guarantee
from dprivacy.numbers import ln
from dprivacy.release import Ledger, Plan, protect_text, sanitise
from dprivacy.spaces import from_table
from support.release_tables import LETTERS

BLOCKS = {**LETTERS, "blocks": [["a", "b"], ["c"]]}
PLAN = {"columns": {"h": BLOCKS}, "pass_through": ["year"], "unit": "who"}
NAMED = "Published as they are, hence not protected: {}."


def rows(*values):
    return pa.table({"h": list(values), "year": [1] * len(values), "who": list(range(len(values)))})


def protect(table, **options):
    with pytest.warns(PrivacyLeakWarning, match="which block a value is in"):
        return sanitise(table, PLAN, **options)


def told(ledger, account):
    """The lines of one account."""
    parts = ledger.report().explain().split("\n\n")
    return next(part for part in parts if part.startswith(account))


def test_blocks_and_columns_that_pass_are_named_as_on_the_card(book):
    book.budget("panel", "ln 8", unit="person")
    account = book.account("panel")
    released = protect(rows("a", "b", "c"), ledger=account)
    sentence = NAMED.format("year, the block of h")
    assert sentence in released.explain()
    # The ledger sorts what several releases have published.
    assert NAMED.format("the block of h, year") in told(book, "panel")
    assert "records alike there  █" in told(book, "panel")
    assert "any two records" not in told(book, "panel")
    assert book.report().to_dict()["published"] == {"panel": ["the block of h", "year"]}
    assert bool(book.verify())


def test_other_accounts_speak_of_any_two_records(book):
    book.spend(Plan.read(PLAN), account="panel")
    book.spend(Plan.read({"columns": {"h": LETTERS}}), account="survey")
    assert "any two records  " in told(book, "survey")
    assert "Published" not in told(book, "survey")


def test_a_release_that_was_taken_back_published_nothing(book):
    book.budget("panel", "ln 8", unit="person")
    with pytest.raises(UnknownCategory):
        protect(rows("a", "x"), ledger=book.account("panel"))
    assert "Published" not in told(book, "panel")
    book.spend(Plan.read(PLAN), account="panel")
    book.cancel(book.spend(Plan.read(PLAN), account="panel"), because="a test")
    assert "Published" in told(book, "panel")
    assert bool(book.verify())


def test_values_infinitely_far_apart_are_blocks(book):
    table = [[0, 1, "inf"], [1, 0, "inf"], ["inf", "inf", 0]]
    apart = from_table(["a", "b", "c"], table, extended=True)
    book.spend({"h": Guarantee(ln(2), apart, because="a test")}, account="survey")
    assert NAMED.format("the block of h") in told(book, "survey")


def test_what_people_of_an_account_published(book):
    book.budget("users", "ln 8", per="person")
    protect(rows("a", "b"), ledger=book.account("users"))
    assert NAMED.format("the block of h, year") in told(book, "users")


def test_permanent_answers_show_when_they_change(book):
    plan = {"columns": {"h": LETTERS}, "unit": "who"}
    table = rows("a", "b").drop(["year"])
    sanitise(table, plan, ledger=book.account("panel"), permanent_key=b"k" * 32)
    assert NAMED.format("whether and when h of a person changes") in told(book, "panel")


def test_kept_columns_and_numbers_of_words(tmp_path):
    (tmp_path / "p.csv").write_text("id,lat,lon,month\n1,40.7123,-74.0123,5\n")
    with Ledger(tmp_path / "l.db", open=True) as ledger:
        out = tmp_path / "out.csv"
        options = {"person": "id", "keep": ["month"], "ledger": ledger.account("walkers")}
        protect_place_file(tmp_path / "p.csv", out, **options)
        assert NAMED.format("month") in told(ledger, "walkers")
        protect_text("the old bridge", eps=8, ledger=ledger.account("one"))
        protect_text(
            "the old bridge", eps=8, length=9, ledger=ledger.account("two"), again="filled"
        )
        assert NAMED.format("the number of words") in told(ledger, "one")
        assert "Published" not in told(ledger, "two")
