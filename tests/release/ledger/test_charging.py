"""Places, curves, documents and matches are charged before anything is drawn."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dprivacy.curves import protect_curves
from dprivacy.errors import AlreadyReleased, BadFile, BudgetExceeded, Malformed
from dprivacy.geo import protect_place_file, protect_places
from dprivacy.numbers import ln
from dprivacy.release import Ledger, card_path, charged, per_unit, protect_text
from dprivacy.release.plans.release_card import card_text, read_card
from support.command_runs import command

PLACES = "id,lat,lon\n1,40.7123,-74.0123\n2,40.72,-74.0\n"
DAYS = "h0,h1,h2,h3\n0.5,0.25,1,0\n1,2.5,0.125,0.5\n"
RATINGS = "user,item,rating\nann,m1,5\nann,m2,3\nbob,m1,1\nbob,m3,4\ncleo,m2,2\ncleo,m3,5\n"
PLACE = ("--radius", "200 m", "--epsilon", "ln 2", "--region", "40.7,-74,50 km")
VERBS = {
    "geo": (("p.csv", PLACES), PLACE, "out.csv", "places"),
    "curves": (("d.csv", DAYS), ("--epsilon", "1", "--grid", "0.01"), "out.csv", "curves"),
    "text": (("t.txt", "the cat sat on the mat"), ("--epsilon", "10"), "out.txt", "document"),
    "match": (
        ("r.csv", RATINGS),
        ("--epsilon", "ln 3", "--bits", "8", "-k", "2"),
        "out.csv",
        "ratings",
    ),
}


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Ledger("l.db", open=True).close()
    return tmp_path


def run(*words: str) -> tuple[int, str]:
    done = command(*words)
    return done.code, done.out + done.err


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_spends_once_and_refuses_the_second_copy(verb, here):
    (name, content), options, output, column = VERBS[verb]
    Path(name).write_text(content)
    release = (verb, name, *options, "-o", output, "--ledger", "l.db")
    code, said = run(*release)
    assert code == 0, said
    with Ledger("l.db") as ledger:
        once = ledger.spent(column=column)
        assert not once.is_zero
    Path(output).unlink()
    card_path(output).unlink(missing_ok=True)
    code, said = run(*release)
    assert code != 0
    assert "released before" in said
    assert not Path(output).exists()
    code, said = run(*release, "--again", "a second season")
    assert code == 0, said
    with Ledger("l.db") as ledger:
        assert ledger.spent(column=column) == once + once
        assert ledger.verify()


@pytest.mark.parametrize("verb", list(VERBS))
def test_a_budget_refuses_before_anything_is_written(verb, here):
    (name, content), options, output, column = VERBS[verb]
    Path(name).write_text(content)
    with Ledger("l.db") as ledger:
        ledger.budget("everyone", "1/1000", column=column)
    code, said = run(verb, name, *options, "-o", output, "--ledger", "l.db")
    assert code != 0
    assert "budget" in said
    assert not Path(output).exists()


IN_HAND = {
    "places": lambda book: protect_places([40.71], [-74.0], eps="ln 2", ledger=book),
    "curves": lambda book: protect_curves([[0.5, 0.25, 1, 0]], eps=1, grid="0.01", ledger=book),
    "document": lambda book: protect_text("the cat sat on the mat", eps=10, ledger=book),
}


@pytest.mark.parametrize("column", list(IN_HAND))
def test_what_is_in_hand_is_paid_for_before_it_is_saved(column, here):
    """A failure in between is told in words; the entry stays, and saving again costs nothing."""
    with Ledger("l.db") as ledger:
        released = IN_HAND[column](ledger)
        paid = ledger.spent(column=column)
        assert not paid.is_zero
        ending = "txt" if column == "document" else "csv"
        with pytest.raises(BadFile, match=r"cannot be written to .*choose a folder"):
            released.save(here / "nowhere" / f"out.{ending}")
        assert ledger.spent(column=column) == paid
        released.save(here / f"out.{ending}")
        assert ledger.spent(column=column) == paid
        assert ledger.verify([card_path(here / f"out.{ending}")])
        with pytest.raises(AlreadyReleased, match="released before"):
            IN_HAND[column](ledger)


def test_without_a_ledger_again_means_nothing(here):
    with pytest.raises(Malformed, match="remark in a ledger"):
        protect_places([40.7], [-74.0], again="why not")
    Path("p.csv").write_text(PLACES)
    protect_place_file("p.csv", "out.csv", again="a card would remember")


def test_places_cost_their_level_per_kilometre(here):
    Path("p.csv").write_text(PLACES)
    with Ledger("l.db") as ledger:
        protect_place_file("p.csv", "out.csv", radius="200 m", eps="ln 2", ledger=ledger)
        assert ledger.spent(column="places").eps == 5 * ln(2)
        protect_place_file(
            "p.csv",
            "two.csv",
            person="id",
            reports=5,
            eps="ln 2",
            ledger=ledger.account("people"),
            again="shared out",
            # A person's five reports have a fifth of the level each, and cost all of it together.
        )
        assert ledger.spent("people", column="places").eps == 5 * ln(2)


def test_what_is_refused_is_taken_back(here):
    Path("p.csv").write_text("id,lat,lon\n1,40.7,-74.0\n2,95,-74.0\n")
    with Ledger("l.db") as ledger:
        with pytest.raises(Malformed):
            protect_place_file("p.csv", "out.csv", ledger=ledger)
        assert ledger.spent(column="places").is_zero
        assert ledger.verify()
        charge = per_unit("x", "x", "per x", "ln 2")
        with pytest.raises(Malformed, match="came"), charged(ledger, charge, b"secret"):
            raise Malformed("nothing came")
        assert ledger.spent(column="x").is_zero
        with charged(ledger, charge, b"secret") as receipt:
            assert receipt.sequence > 1
        with pytest.raises(AlreadyReleased), charged(ledger, charge, b"secret"):
            pass


def test_per_person(here):
    Path("p.csv").write_text(PLACES)
    Path("r.csv").write_text(RATINGS)
    with Ledger("l.db") as ledger:
        ledger.budget("people", "ln 4", column="places", per="person")
        account = ledger.account("people")
        with pytest.raises(Malformed, match="nothing says whose the places are"):
            protect_place_file("p.csv", "out.csv", ledger=account)
        options = {"person": "id", "radius": "1 km", "eps": "ln 2"}
        protect_place_file("p.csv", "out.csv", ledger=account, **options)
        assert ledger.spent("people", column="places", person=1).eps == ln(2)
        protect_place_file("p.csv", "b.csv", ledger=account, again="more", **options)
        with pytest.raises(BudgetExceeded):
            protect_place_file("p.csv", "c.csv", ledger=account, again="more", **options)
        assert not Path("c.csv").exists()


def test_all_reports_of_a_person_are_charged(here):
    rows = "".join(f"ann,40.7{k:03d},-74.0\n" for k in range(20))
    Path("p.csv").write_text(f"who,lat,lon\n{rows}")
    with Ledger("l.db") as ledger:
        ledger.budget("people", "10 ln 2", column="places", per="person")
        options = {"radius": "1 km", "ledger": ledger.account("people"), "person": "who"}
        with pytest.raises(BudgetExceeded, match=re.escape("it would be ln(1048576)")):
            protect_place_file("p.csv", "out.csv", eps="ln 2", **options)  # 20 · ln 2
        with pytest.raises(BudgetExceeded, match="more than 19 reports"):
            protect_place_file("p.csv", "out.csv", eps="ln 2", reports=19, **options)
        protect_place_file("p.csv", "out.csv", eps="10 ln 2", reports=20, **options)
        assert ledger.spent("people", column="places", person="ann").eps == 10 * ln(2)
        key = {
            "permanent_key": b"k" * 32,
            "cell": "10 km",
            "again": "permanent: one cell, one report",
        }
        with pytest.raises(BudgetExceeded, match=r"it would be ln\(2048\)"):
            protect_place_file("p.csv", "b.csv", eps="ln 2", **options, **key)


HOMES = "home,time,kwh\n" + "".join(
    f"{home},2026-03-{day:02d} {hour:02d}:00,0.5\n"
    for home in ("7", "7.0", "8")
    for day in (range(1, 15) if home != "7.0" else range(15, 29))
    for hour in range(0, 24, 6)
)


def test_all_days_of_a_household_are_charged(here):
    """28 days under two spellings of one household; the command charges each of them 28 times."""
    Path("d.csv").write_text(HOMES)
    with Ledger("l.db") as ledger:
        ledger.budget("homes", 30, column="curves", per="person", unit="household")
    release = ("curves", "d.csv", "--long", "home,time,kwh", "--per-day", "4", "--grid", "0.1",
               "--ledger", "l.db", "--account", "homes")  # fmt: skip
    code, said = run(*release, "--epsilon", "2", "-o", "out.csv")
    assert code == 1
    assert "is 30; 0 is spent, and with this release it would be 56" in said
    code, said = run(*release, "--epsilon", "1", "--rows-per-person", "27", "-o", "out.csv")
    assert "more rows (reports, curves) than rows_per_person = 27" in said
    assert code == 1
    code, said = run(*release, "--epsilon", "1", "--rows-per-person", "30", "-o", "out.csv")
    assert code == 0, said
    assert "A person has up to 30 curves: together the factor is at most" in said
    with Ledger("l.db") as ledger:
        for home in (7, "8"):
            assert ledger.spent("homes", column="curves", person=home).eps == 30
        assert "homes, for each household (2 people;" in ledger.report().explain()


def test_documents_and_matches_are_charged_to_persons(here):
    Path("r.csv").write_text(RATINGS)
    with Ledger("l.db") as ledger:
        ledger.budget("people", 100, column="document", per="person")
        ledger.budget("people", 100, column="ratings")
        account = ledger.account("people")
        protect_text("the old bridge", eps=8, person="ann", ledger=account)
        protect_text("the new bridge", eps=8, person="ann ", ledger=account)
        assert ledger.spent("people", column="document", person="ann").eps == 16
        with pytest.raises(Malformed, match="nothing says whose the document are"):
            protect_text("another one", eps=8, ledger=account)
    (name, _), options, output, _ = VERBS["match"]
    code, said = run(
        "match", name, *options, "-o", output, "--ledger", "l.db", "--account", "people"
    )
    assert code == 0, said
    Path("twice.csv").write_text(RATINGS + RATINGS.splitlines()[1].replace(",", " ,", 1) + "\n")
    code, said = run("match", "twice.csv", *options, "-o", "twice.out.csv")
    assert code == 1
    assert "rows_per_person = 1" in said


@pytest.mark.parametrize("verb", ["geo", "curves"])
def test_the_card_carries_a_receipt_that_is_verified(verb, here):
    (name, content), options, output, _ = VERBS[verb]
    Path(name).write_text(content)
    assert run(verb, name, *options, "-o", output, "--ledger", "l.db")[0] == 0
    path = card_path(output)
    card = read_card(path)
    assert card.receipt["sequence"] == 2
    code, said = run("ledger", "verify", str(path), "--ledger", "l.db")
    assert code == 0, said
    assert "and 1 card." in said
    path.write_text(card_text(replace(card, receipt={**card.receipt, "head": "0" * 64})))
    assert run("ledger", "verify", str(path), "--ledger", "l.db")[0] == 3
    path.write_text(card_text(replace(card, receipt={})))
    assert "without a ledger" in run("ledger", "verify", str(path), "--ledger", "l.db")[1]
    path.write_text("[" * 100_000)
    assert "card.json: not JSON" in run("ledger", "verify", str(path), "--ledger", "l.db")[1]
