"""The chain: whatever is edited, deleted, cut off or set back is found, and said where."""

import json
import random
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime

import pyarrow as pa
import pytest

from dprivacy.errors import BrokenLedger, DPrivacyError, Malformed
from dprivacy.mechanisms import randomised_response
from dprivacy.release import Ledger, Plan, read_card, sanitise
from dprivacy.release.ledger import ledger_pages
from dprivacy.release.ledger.stores.hash_chain import entry_of, read_key
from dprivacy.release.ledger.stores.ledger_store import TABLES
from support.patience import brisk
from support.release_tables import LETTERS, with_card

PLAN = Plan.read({"columns": {"h": LETTERS}})
RR = randomised_response(["a", "b", "c"], eps="ln 2")


def tables(k):
    """Different tables of three letters."""
    return pa.table({"h": [["a", "b", "c"][(k >> i) % 3] for i in range(8)]})


def filled(ledger):
    """Some of everything; the cards of what was released."""
    cards = []
    ledger.budget("survey", 50)
    ledger.parts("survey", ["north", "south"])
    for k, part in enumerate(["", "north", "south", ""]):
        account = ledger.account("survey", part=part)
        cards.append(with_card(tables(k), PLAN, ledger=account)[1])
    ledger.budget("users", 5, per="person")
    ledger.spend({"h": RR}, account="users", people=["ann", "bob"])
    ledger.cancel(ledger.spend(PLAN, account="survey", sources={"t": b"1"}), because="test")
    return cards


@pytest.fixture
def cards(book):
    return filled(book)


@pytest.fixture
def sql(where, postgres_or_none):
    """Run SQL behind the ledger's back."""

    def run(statement, *values):
        if "schema" not in where:
            with closing(sqlite3.connect(where["place"], isolation_level=None)) as connection:
                return connection.execute(statement, values).fetchall()
        import psycopg

        with psycopg.connect(where["place"], autocommit=True) as connection:
            connection.execute(f"SET search_path TO {where['schema']}")
            cursor = connection.execute(statement.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []

    return run


@pytest.fixture
def postgres_or_none(where, request):
    return request.getfixturevalue("postgres") if "schema" in where else None


def found(ledger, cards=()):
    """The entries at which something differs."""
    verdict = ledger.verify(cards)
    assert verdict.holds is (not verdict.findings)
    assert all(finding.words() in verdict.explain() for finding in verdict.findings)
    return {finding.sequence for finding in verdict.findings}


def test_nothing_differs(book, cards):
    assert found(book, cards) == set()
    told = book.verify(cards).to_dict()
    assert told["holds"] is True
    assert told["entries"] == 11
    assert told["cards"] == 4


def test_an_edited_entry_is_found(book, cards, sql):
    for sequence, text in sql("SELECT sequence, body FROM entries"):
        change = "UPDATE entries SET body = ? WHERE sequence = ?"
        sql(change, text.replace("20", "19", 1), sequence)
        assert sequence in found(book)
        sql(change, text, sequence)
    assert found(book) == set()


def test_an_entry_edited_with_its_hash_is_found(book, cards, sql):
    """Who can compute a hash still cannot make a seal, nor change what the next entry says."""
    import hashlib

    ((text,),) = sql("SELECT body FROM entries WHERE sequence = 5")
    text = text.replace("ln(2)", "ln(3/2)")
    digest = hashlib.sha256(text.encode()).hexdigest()
    sql("UPDATE entries SET body = ?, hash = ? WHERE sequence = 5", text, digest)
    assert found(book) == {5, 6}


def test_a_chain_forged_with_the_key_is_found_by_the_cards(book, cards, sql, where):
    """Even somebody who has the key cannot change what earlier cards say."""
    key = read_key(where.get("key") or where["place"].with_name("ledger.db.key"))
    rows = sql("SELECT sequence, body FROM entries ORDER BY sequence")
    previous = "0" * 64
    for sequence, text in rows:
        body = {**json.loads(text), "previous": previous}
        if sequence == 6:
            body["time"] = "1999-01-01T00:00:00Z"
        entry = entry_of(body, key)
        values = (entry.text, entry.hash, entry.seal, sequence)
        sql("UPDATE entries SET body = ?, hash = ?, seal = ? WHERE sequence = ?", *values)
        previous = entry.hash
    sql("UPDATE head SET hash = ?", previous)
    assert found(book) <= {9, 11}  # what was cancelled is quoted in the entry that cancels it
    assert {6, 7} <= found(book, cards)
    assert not {4, 5} & found(book, cards)


def test_a_deleted_entry_is_found(book, cards, sql):
    for row in sql("SELECT * FROM entries"):
        sql("DELETE FROM entries WHERE sequence = ?", row[0])
        assert found(book) & {row[0], row[0] + 1}
        sql("INSERT INTO entries VALUES (?, ?, ?, ?)", *row)
    assert found(book) == set()


def test_entries_that_change_places_are_found(book, cards, sql):
    sql("UPDATE entries SET sequence = 100 WHERE sequence = 5")
    sql("UPDATE entries SET sequence = 5 WHERE sequence = 6")
    sql("UPDATE entries SET sequence = 6 WHERE sequence = 100")
    assert {5, 6} <= found(book)


@pytest.mark.parametrize("last", [4, 7, 10])
def test_a_ledger_that_was_cut_off_is_found_by_the_cards(book, cards, sql, last):
    """Cut off with all that follows from the entries, by somebody who knows how."""
    sql("DELETE FROM entries WHERE sequence > ?", last)
    assert found(book)  # the balances are still the old ones, and the head
    ((digest,),) = sql("SELECT hash FROM entries WHERE sequence = ?", last)
    sql("UPDATE head SET sequence = ?, hash = ?", last, digest)
    gone = {card.receipt["sequence"] for card in cards if card.receipt["sequence"] > last}
    assert gone <= found(book, cards)


def test_a_ledger_that_was_set_back_is_found_by_the_cards(tmp_path):
    place, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    with Ledger(place, open=True) as ledger:
        cards = filled(ledger)
    shutil.copy(place, copy)
    with Ledger(place) as ledger:
        cards.append(with_card(tables(20), PLAN, ledger=ledger)[1])
        cards.append(with_card(tables(30), PLAN, ledger=ledger)[1])
        assert found(ledger, cards) == set()
    shutil.copy(copy, place)
    with Ledger(place) as ledger:
        assert found(ledger) == set()  # it looks like a young ledger
        verdict = ledger.verify(cards)
        assert {f.sequence for f in verdict.findings} == {12, 13}
        assert "the ledger ends with entry 11: it was cut off or set back" in verdict.explain()
        # And when it has gone on since, the numbers are there again, with other hashes.
        ledger.spend(PLAN)
        ledger.spend(PLAN)
        assert {f.sequence for f in ledger.verify(cards).findings} == {12, 13}


class Noon(datetime):
    """A clock that stands still, so that whatever happens is in the same second."""

    @classmethod
    def now(cls, tz=None):
        return cls(2026, 3, 1, 12, tzinfo=tz)


@pytest.fixture
def same_second(monkeypatch):
    monkeypatch.setattr(ledger_pages, "datetime", Noon)


def test_a_copy_that_was_spent_from_is_found_however_fast(tmp_path, same_second):
    """The same charge for the same table in the same second, in a ledger and its copy."""
    place, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    Ledger(place, open=True).close()
    shutil.copy(place, copy)
    shutil.copy(f"{place}.key", f"{copy}.key")
    released = {}
    for where in (place, copy):
        with Ledger(where) as ledger:
            released[where] = sanitise(tables(1), PLAN, ledger=ledger)
            released[where].save(tmp_path / f"{where.stem}.csv")
    mine, others = (made.card.receipt for made in released.values())
    assert (mine["ledger"], mine["sequence"]) == (others["ledger"], others["sequence"])
    assert mine["nonce"] != others["nonce"]
    for where, other in ((place, copy), (copy, place)):
        with Ledger(where) as ledger:
            assert found(ledger, [released[where].card]) == set()
            assert found(ledger, [tmp_path / f"{where.stem}.csv.card.json"]) == set()
            text = ledger.verify([tmp_path / f"{other.stem}.csv.card.json"]).explain()
            assert "entry 2: is not the entry that" in text
            assert "a copy of it was spent from" in text


def test_a_ledger_set_back_and_spent_from_again_is_found_however_fast(tmp_path, same_second):
    place, before = tmp_path / "ledger.db", tmp_path / "before.db"
    Ledger(place, open=True).close()
    shutil.copy(place, before)
    cards = []
    for _ in range(2):
        shutil.copy(before, place)
        with Ledger(place) as ledger:
            cards.append(with_card(tables(1), PLAN, ledger=ledger)[1])
            assert found(ledger, cards[-1:]) == set()
            assert found(ledger, cards) == (set() if len(cards) == 1 else {2})


def test_a_ledger_set_back_to_before_the_output_is_found(tmp_path, same_second):
    place, before = tmp_path / "ledger.db", tmp_path / "before.db"
    with Ledger(place, open=True) as ledger:
        released = sanitise(tables(1), PLAN, ledger=ledger)
        shutil.copy(place, before)
        released.save(tmp_path / "out.csv")
        assert found(ledger, [tmp_path / "out.csv.card.json"]) == set()
    shutil.copy(before, place)
    with Ledger(place) as ledger:
        assert found(ledger, [released.card]) == set()  # in hand, and nobody knows where it went
        text = ledger.verify([tmp_path / "out.csv.card.json"]).explain()
        assert "entry 2: the ledger does not know of the output" in text


def test_a_receipt_on_two_releases_is_found(book, tmp_path):
    released = sanitise(tables(1), PLAN, ledger=book)
    sanitise(tables(2), PLAN, output=tmp_path / "other.csv")
    other = replace(read_card(tmp_path / "other.csv.card.json"), receipt=released.card.receipt)
    in_hand = replace(other, output={})
    assert found(book, [released.card, released.card]) == set()
    assert found(book, [released.card, replace(in_hand, count=9)]) == {2}
    assert found(book, [other]) == {2}  # the ledger does not know of it
    released.save(tmp_path / "out.csv")
    mine = read_card(tmp_path / "out.csv.card.json")
    assert found(book, [mine, released.card, tmp_path / "out.csv.card.json"]) == set()
    text = book.verify([other]).explain()
    assert "entry 2: was used for another output than the one on the card" in text
    forged = replace(mine, receipt={**mine.receipt, "nonce": "0" * 32})
    assert (
        "entry 2: has another nonce than the card, which was changed"
        in book.verify([forged]).explain()
    )
    budget = book.budget("survey", 1)
    assert book.verify([budget])  # a receipt of another kind
    told = book.verify([replace(mine, receipt=budget.to_dict(), output={})]).explain()
    assert "spends nothing, and the card was released under it" in told


def test_an_entry_that_cannot_be_read_is_found_by_its_card_too(book, cards, sql):
    sql("UPDATE entries SET body = '[[[', hash = 'x' WHERE sequence = 4")
    text = book.verify(cards).explain()
    assert "entry 4: it cannot be read" in text
    assert "entry 4: is not the entry that the card was released under: it, or one before" in text


def test_a_second_use_behind_the_ledgers_back_is_found(book, cards, sql):
    """Who empties the table of outputs can settle twice; the entries say so."""
    receipt = book.spend(PLAN, account="survey")
    book.settle(receipt, "1" * 64)
    sql("DELETE FROM outputs WHERE sequence = ?", receipt.sequence)
    assert found(book) == {receipt.sequence}
    book.settle(receipt, "2" * 64)
    assert "entry 12 was settled or cancelled before" in book.verify().explain()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE balances SET body = replace(body, 'ln(', 'ln(1') WHERE person = ''",
        "DELETE FROM balances WHERE account = 'survey'",
        "DELETE FROM sources",
        "DELETE FROM outputs",
        "INSERT INTO outputs VALUES (5, 'x')",
        "DELETE FROM people",
        "INSERT INTO people VALUES (5, 'x')",
        "UPDATE people SET person = 'x' WHERE person = (SELECT min(person) FROM people)",
        "INSERT INTO sources VALUES ('x', 5)",
        "INSERT INTO balances VALUES ('other', '', '{}', 'x')",
        "UPDATE head SET sequence = 5",
        "UPDATE head SET hash = 'x'",
        "DELETE FROM entries",
        "UPDATE entries SET seal = 'ü' WHERE sequence = 4",
        "UPDATE entries SET body = '[[[[' WHERE sequence = 4",
        "UPDATE entries SET body = '3' WHERE sequence = 4",
    ],
)
def test_what_follows_from_the_entries_is_looked_at(book, cards, sql, change):
    sql(change)
    assert not book.verify()


def test_an_old_balance_put_back_is_found(book, sql):
    filled(book)
    old = sql("SELECT body, seal FROM balances WHERE account = 'survey'")[0]
    book.spend(PLAN, account="survey")
    sql("UPDATE balances SET body = ?, seal = ? WHERE account = 'survey'", *old)
    assert found(book) == {12}


def test_spending_notices_what_it_stands_on(book, cards, sql):
    sql("UPDATE balances SET body = replace(body, 'ln(', 'ln(1') WHERE account = 'survey'")
    with pytest.raises(BrokenLedger, match=r"account 'survey'.*verify"):
        book.spend(PLAN, account="survey")
    with pytest.raises(BrokenLedger):
        book.report()
    sql("UPDATE entries SET body = '{}' WHERE sequence = 11")
    with pytest.raises(BrokenLedger, match="entry 11"):
        book.spend(PLAN, account="fresh")


def test_cards_that_do_not_belong(book, cards, tmp_path):
    bare = with_card(tables(40), PLAN)[1]
    with Ledger(tmp_path / "other.db", open=True) as other:
        strange = with_card(tables(41), PLAN, ledger=other)[1]
    changed = replace(cards[0], plan={**cards[0].plan, "title": "another"})
    (tmp_path / "no.json").write_text("{}")
    torn = replace(cards[1], receipt={"sequence": "5"})
    told = book.verify([*cards, bare, strange, changed, torn, tmp_path / "no.json"])
    text = told.explain()
    assert "without a ledger" in text
    assert "another ledger" in text
    assert "entry 4: was made for another plan" in text
    assert "a ledger's receipt: unexpected or missing" in text
    assert "no.json: not a file of dprivacy" in text
    assert "entry 4: two cards were released under it, and differ" in text
    assert len(told.findings) == 6


def test_a_card_of_a_cancelled_entry_is_found(book):
    _, card = with_card(tables(1), PLAN, ledger=book)
    from dprivacy.release import Receipt

    book.cancel(Receipt.from_dict(card.receipt), because="a lie")
    assert "was cancelled by entry 3" in book.verify([card]).explain()


# -- files -----------------------------------------------------------------------------------


def test_both_files_are_the_owners_alone(tmp_path):
    Ledger(tmp_path / "ledger.db").close()
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, path
    assert {p.name for p in tmp_path.iterdir()} == {"ledger.db", "ledger.db.key"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p.unlink(), "missing"),
        (lambda p: p.chmod(0o644), "others may read"),
        (lambda p: p.write_text("nonsense"), "not the key"),
        (lambda p: p.write_bytes(b"\xff" * 64), "not the key"),
        (lambda p: p.write_text(f"dprivacy ledger key 1\n{'0' * 64}\n"), "another key"),
        (lambda p: (p.unlink(), p.mkdir()), "not the key"),
    ],
)
def test_a_ledger_needs_its_key(where, change, words):
    Ledger(**where).close()
    change(where.get("key") or where["place"].with_name("ledger.db.key"))
    with pytest.raises(BrokenLedger, match=words):
        Ledger(**where)


def test_what_is_no_ledger(tmp_path):
    for name, data in {"text": b"hello" * 500, "empty": b"", "folder": None}.items():
        path = tmp_path / name
        path.mkdir() if data is None else path.write_bytes(data)
        with pytest.raises((Malformed, BrokenLedger), match=name):
            Ledger(path, create=False)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(BrokenLedger, match="not a ledger"):
        Ledger(other)
    with pytest.raises(Malformed, match="folder does not exist"):
        Ledger(tmp_path / "nowhere" / "ledger.db")
    for place in ("", None, 3, "a\0b"):
        with pytest.raises(Malformed):
            Ledger(place)


def test_a_trigger_is_not_run(tmp_path):
    place = tmp_path / "ledger.db"
    Ledger(place).close()
    with closing(sqlite3.connect(place)) as connection:
        connection.execute(
            "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END"
        )
    with pytest.raises(BrokenLedger):
        Ledger(place)


def state_of(place):
    """All that a ledger says, or None where SQLite cannot read it."""
    try:
        with closing(sqlite3.connect(place)) as connection:
            return {t: sorted(connection.execute(f"SELECT * FROM {t}").fetchall()) for t in TABLES}
    except (sqlite3.Error, UnicodeDecodeError, TypeError):
        return None


def mutants(data, rng, count):
    """Changed copies of a file: bits flipped, bytes replaced, cut off, pieces moved."""
    for _ in range(count):
        changed = bytearray(data)
        kind, at = rng.randrange(5), rng.randrange(len(data))
        if kind <= 1:
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            changed[at : at + 16] = rng.randbytes(16)
        elif kind == 3:
            del changed[at:]
        else:
            other = rng.randrange(len(data))
            changed[at : at + 64] = data[other : other + 64]
        yield bytes(changed)


def assert_mutants_are_found(place, seed, count):
    with Ledger(place) as ledger:
        cards = filled(ledger)
    data, truth = place.read_bytes(), state_of(place)
    for changed in mutants(data, random.Random(seed), count):
        place.write_bytes(changed)
        try:
            with brisk(), Ledger(place, create=False) as ledger:
                verdict = ledger.verify(cards)
                ledger.report() if verdict else None
        except DPrivacyError:
            continue
        finally:
            for suffix in ("-journal", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    place.with_name(place.name + suffix).unlink()
        # Unfound is what says the same: unused bytes of a page, counters of SQLite's own.
        if verdict:
            place.write_bytes(changed)
            assert state_of(place) == truth


def test_whatever_happens_to_the_file_is_found(tmp_path):
    assert_mutants_are_found(tmp_path / "ledger.db", 1, 150)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_whatever_happens_to_the_file_is_found_a_hundred_thousand_times(tmp_path, seed):
    assert_mutants_are_found(tmp_path / "ledger.db", seed, 10_000)


def test_every_text_in_the_file_is_guarded(tmp_path):
    """Flip one character of every field of every row: each is found."""
    place = tmp_path / "ledger.db"
    with Ledger(place) as ledger:
        cards = filled(ledger)
    data = place.read_bytes()
    fields = [
        (name, row, column)
        for name, rows in state_of(place).items()
        for row in range(len(rows))
        for column in range(len(rows[row]))
    ]
    rng = random.Random(7)
    for name, row, column in rng.sample(fields, 60):
        place.write_bytes(data)
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            titles = [x[1] for x in connection.execute(f"PRAGMA table_info({name})")]
            title = titles[column]
            rowid, value = connection.execute(
                f"SELECT rowid, {title} FROM {name} ORDER BY rowid LIMIT 1 OFFSET ?", [row]
            ).fetchone()
            new = value + 1000 if isinstance(value, int) else _flipped(value, rng)
            connection.execute(f"UPDATE {name} SET {title} = ? WHERE rowid = ?", [new, rowid])
        try:
            with Ledger(place) as ledger:
                assert not ledger.verify(cards), (name, title)
        except DPrivacyError:
            pass


def _flipped(text, rng):
    at = rng.randrange(len(text)) if text else 0
    return f"{text[:at]}{'0' if text[at : at + 1] != '0' else '1'}{text[at + 1 :]}"
