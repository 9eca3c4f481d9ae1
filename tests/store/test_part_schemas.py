"""Schemas of what is written inside other files: it fits them, and broken forms of it do not."""

import copy
import json
import sqlite3
from contextlib import closing

import jsonschema
import pandas
import pytest

import dprivacy as dp
from dprivacy.collecting import Collection
from dprivacy.collecting.books.collection_book import FORMAT, collection_in, facts_of
from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.release import Ledger, received, sanitise, sanitise_file, write_answer
from dprivacy.release.jobs import job_journal, output_writer
from dprivacy.release.jobs.job_journal import Journal, parse
from dprivacy.release.ledger.stores import ledger_store
from dprivacy.store import schema, stored_text
from dprivacy.store.file_schemas import PARTS
from support.release_tables import plan_of

TABLE = pandas.DataFrame({"h": ["a", "b", "c"] * 40, "town": ["Ulm", "Bonn"] * 60})
PLAN = plan_of(pass_through=["town"])


def checker(name):
    return jsonschema.Draft202012Validator(schema(name))


def broken(data):
    """A mapping with one entry out, one more, and each entry of another kind."""
    yield {**data, "more": 1}
    for key, value in data.items():
        yield {other: data[other] for other in data if other != key}
        for change in (None, -1, True, 7, "\x00", [7], {"x": None}):
            if type(change) is not type(value):
                yield {**copy.deepcopy(data), key: change}


def ledger_entries(folder):
    """Entries of every kind that there is."""
    path = folder / "ledger.db"
    with Ledger(path) as ledger:
        ledger.budget("survey", "ln 2000")
        ledger.budget("walkers", 2, column="where", per="person")
        ledger.open_account("readers", 9, delta="1/100", unordered=True)
        ledger.open_account("panel", 9, delta="1/100", by="schedule")
        ledger.schedule("panel", PLAN, times=2)
        ledger.parts("readers", ["north", "south"])
        sanitise(TABLE, PLAN, ledger=ledger.account("panel"))
        found = sanitise(TABLE, PLAN, ledger=ledger.account("survey"), again="for readers")
        found.save(folder / "out.csv")
        ledger.spend({"where": dp.planar_laplace(eps="1/2")}, account="walkers", people=["ann"])
        receipt = ledger.spend({"h": dp.randomised_response(range(2), eps=1)}, account="survey")
        ledger.cancel(receipt, because="a test")
    with closing(sqlite3.connect(path)) as base:
        return [json.loads(text) for (text,) in base.execute("SELECT body FROM entries")]


def journal_lines(folder):
    """The records of a job with a ledger, as they lay there before it was done."""
    TABLE.to_csv(folder / "in.csv", index=False)
    real, kept = Journal.append, []

    def last(journal, record):
        real(journal, record)
        kept.append(journal.place.journal.read_bytes())

    with pytest.MonkeyPatch.context() as patch, Ledger(folder / "jobs.db", open=True) as ledger:
        patch.setattr(Journal, "append", last)
        patch.setattr(output_writer, "CHECKPOINT", 1)
        sanitise_file(folder / "in.csv", PLAN, folder / "done.csv", ledger=ledger)
    return [json.loads(line.rpartition(b"\t")[0]) for line in kept[-1].splitlines()]


def asked(*_):
    for mechanism in (
        dp.randomised_response(["yes", "no"], eps="ln 3"),
        dp.mechanisms.subset_response(list("abcdef"), eps=1),
    ):
        made = Collection.of(stored_text(mechanism), question="Do you smoke?", name="smokes")
        for collection in (made, made.charged("survey")):
            yield json.loads(facts_of(collection)["collection"])


def answers(folder):
    release = received(sanitise(TABLE, PLAN))
    for k, answer in enumerate(
        (release.total(by="h"), release.total(by=["town", "h"]), release.estimate("h"))
    ):
        write_answer(answer, folder / f"{k}.json")
        yield json.loads((folder / f"{k}.json").read_text(encoding="utf-8"))


MADE = {"ledger": ledger_entries, "journal": journal_lines, "collection": asked, "answer": answers}


@pytest.mark.parametrize("name", PARTS)
def test_what_is_written_fits_and_what_is_broken_does_not(name, tmp_path):
    check = checker(name)
    check.check_schema(check.schema)
    assert check.schema["title"] == f"dprivacy {name}, version {PARTS[name]}"
    found = list(MADE[name](tmp_path))
    for data in found:
        check.validate(data)
    refused = sum(not check.is_valid(other) for data in found for other in broken(data))
    assert refused > 20


def test_every_kind_of_entry_and_record_occurs(tmp_path):
    kinds = {entry["kind"] for entry in ledger_entries(tmp_path)}
    assert kinds == {"open", "budget", "parts", "schedule", "spend", "cancel", "settle"}
    records = {record["kind"] for record in journal_lines(tmp_path)}
    assert records == {"run", "spent", "checkpoint", "commit"}


def test_the_versions_are_those_that_are_written():
    assert f"dprivacy ledger {PARTS['ledger']}" == ledger_store.FORMAT
    assert PARTS["journal"] == job_journal.VERSION
    assert f"dprivacy collection {PARTS['collection']}" == FORMAT


def test_what_the_schema_of_a_collection_refuses_is_refused_by_the_book():
    check, refused = checker("collection"), 0
    for data in asked():
        for other in broken(data):
            if not check.is_valid(other):
                refused += 1
                facts = {"format": FORMAT, "collection": json.dumps(other), "closed": ""}
                with pytest.raises(DPrivacyError):
                    collection_in(facts, "the book")
    assert refused > 20


def test_what_the_schema_of_a_journal_refuses_is_refused_by_its_reader(tmp_path):
    check, refused = checker("journal"), 0
    run, *others = journal_lines(tmp_path)
    for record in (run, *others):
        for other in broken(record):
            if not check.is_valid(other):
                refused += 1
                lines = [other] if record is run else [run, other]
                with pytest.raises(BadFile):
                    parse(sealed([json.dumps(each).encode() for each in lines]), tmp_path)
    assert refused > 20


def sealed(texts):
    """Lines of a journal with their checksums, and a last one that says that they were not cut off."""
    done, tag = b"", b""
    for text in texts:
        tag = job_journal._checksum(text, tag)
        done += b"%s\t%s\n" % (text, tag.hex().encode())
    return done
