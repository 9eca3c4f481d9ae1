"""The verb report: a page from a plan or a card, and its first lines on the screen."""

import json

import pytest

from dprivacy.store import schema
from support.command_runs import command

PLAN = """
title = "Tea"
[columns.tea]
type = "categories"
values = ["yes", "no"]
epsilon = "ln 3"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "in.csv").write_text("tea\n" + "yes\nno\n" * 20)
    return tmp_path


def test_from_a_plan(folder):
    done = command("report", "plan.toml", "--rows", "500", "-o", "sheet.html", folder=folder)
    assert done.code == 0
    assert done.out.startswith("LIMITED. One person's row tells something")
    assert done.out.endswith("Wrote sheet.html.\n")
    page = (folder / "sheet.html").read_text(encoding="utf-8")
    assert "planned for 500 rows" in page
    again = command("report", "plan.toml", "-o", "sheet.html", folder=folder)
    assert again.code != 0
    assert "sheet.html already exists" in again.err
    assert command("report", "plan.toml", "-o", "sheet.html", "--replace", folder=folder).code == 0


def test_from_standard_input_as_json(folder):
    done = command("report", "-", "-o", "sheet.html", "--json", stdin=PLAN, folder=folder)
    told = json.loads(done.out)
    assert told["band"]["word"] == "LIMITED"
    assert told["right"] == 0.75
    assert told["output"] == "sheet.html"


def test_from_a_card_for_the_archive(folder):
    made = command("sanitise", "in.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
    assert made.code == 0
    done = command("report", "out.csv.card.json", "--archive", "-o", "archive.html", folder=folder)
    assert done.code == 0
    page = (folder / "archive.html").read_text(encoding="utf-8")
    assert "archive sheet" in page
    assert "40 rows, released" in page


def test_from_a_card_as_a_codebook(folder):
    command("sanitise", "in.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
    lost = command("report", "out.csv.card.json", "--ddi", "-o", "gone/book.xml", folder=folder)
    assert "gone/book.xml: cannot be written (No such file or directory)" in lost.err
    done = command("report", "out.csv.card.json", "--ddi", "-o", "book.xml", folder=folder)
    assert (done.code, done.out) == (0, "Wrote book.xml.\n")
    assert "<fileName>out.csv</fileName>" in (folder / "book.xml").read_text(encoding="utf-8")
    found = command("inspect", "in.csv", "--codebook", "book.xml", folder=folder)
    assert found.code == 0
    both = command(
        "report", "out.csv.card.json", "--ddi", "--archive", "-o", "b.xml", folder=folder
    )
    assert both.code != 0
    assert "leave --archive and --rows out" in both.err
    assert not (folder / "b.xml").exists()


def test_a_table_is_no_plan_and_is_not_quoted(folder):
    (folder / "in.csv").write_text("name,tea\nBob Jones,yes\n")
    done = command("report", "in.csv", "-o", "sheet.html", folder=folder)
    assert done.code != 0
    assert "Bob" not in done.out + done.err
    assert not (folder / "sheet.html").exists()


def test_from_a_card_as_code_lists_of_sdmx(folder):
    command("sanitise", "in.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
    done = command("report", "out.csv.card.json", "--sdmx", "-o", "lists.xml", folder=folder)
    assert (done.code, done.out) == (0, "Wrote lists.xml.\n")
    assert "<str:Codelists>" in (folder / "lists.xml").read_text(encoding="utf-8")
    both = command("report", "out.csv.card.json", "--sdmx", "--ddi", "-o", "b.xml", folder=folder)
    assert both.code != 0
    assert not (folder / "b.xml").exists()


def test_schemas_are_printed(folder):
    done = command("schema", "card", folder=folder)
    assert json.loads(done.out) == schema("card")
    assert json.loads(command("schema", "ledger", "--json", folder=folder).out) == schema("ledger")
    wrong = command("schema", "crad", folder=folder)
    assert wrong.code == 1
    assert "did you mean 'card'" in wrong.err
