"""``dprivacy ledger``, as a person types it."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.ledger import ledger as command
from dprivacy.errors import BadLevel, DPrivacyError, Malformed
from dprivacy.mechanisms import randomised_response
from dprivacy.release import Ledger, Plan
from dprivacy.release.plans.release_card import card_text
from support.release_tables import LETTERS, with_card

PLAN = Plan.read({"columns": {"h": LETTERS}})


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a folder of its own; its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DPRIVACY_LEDGER", raising=False)

    def start(*words):
        done = CliRunner().invoke(command, words)
        if isinstance(done.exception, DPrivacyError):  # what `main` prints, with exit code 1
            raise done.exception
        return done.exit_code, done.output

    return start


def test_the_whole_way(run, tmp_path):
    code, text = run("budget", "survey", "ln 8", "--ledger", "l.db")
    assert code == 0
    assert "Entry 2" in text
    with Ledger("l.db") as ledger:
        _, card = with_card(pa.table({"h": ["a", "b", "c"]}), PLAN, ledger=ledger.account("survey"))
    Path("out.csv.card.json").write_text(card_text(card))
    code, text = run("show", "--ledger", "l.db")
    assert code == 0
    assert "survey" in text
    assert "33%  ln(2) ≈ 0.6931 of ln(8) ≈ 2.079" in text
    code, text = run("verify", "out.csv.card.json", "--ledger", "l.db")
    assert code == 0
    assert "3 entries and 1 card." in text
    (tmp_path / "l.db").unlink()
    (tmp_path / "l.db.key").unlink()
    run("budget", "survey", "ln 8", "--ledger", "l.db")
    code, text = run("verify", "out.csv.card.json", "--ledger", "l.db")
    assert code == 3
    assert "another ledger" in text


def test_json(run):
    run("budget", "survey", "2", "--ledger", "l.db", "--delta", "1/100", "--column", "h")
    told = json.loads(run("show", "--json", "--ledger", "l.db")[1])
    assert told["lines"][1]["column"] == "h"
    assert told["lines"][1]["budget"]["delta"] == "1/100"
    told = json.loads(run("verify", "--json", "--ledger", "l.db")[1])
    assert told["holds"] is True
    assert told["findings"] == []


def test_parts_and_people(run):
    run("budget", "survey", "ln 8", "--ledger", "l.db")
    assert run("parts", "survey", "north", "south", "--ledger", "l.db")[0] == 0
    run("budget", "users", "1", "--per", "person", "--ledger", "l.db")
    assert "users, for each person (0 people" in run("show", "--ledger", "l.db")[1]
    with Ledger("l.db") as ledger:
        rr = randomised_response(["a", "b"], eps="ln 2")
        ledger.spend({"h": rr}, account="survey", part="north")
        ledger.spend({"h": rr}, account="users", people=["ann"])
    assert "users, for each person (1 person;" in run("show", "--ledger", "l.db")[1]


def test_a_picture(run, tmp_path):
    pytest.importorskip("dprivacy.viz")
    pytest.importorskip("matplotlib")
    run("budget", "survey", "ln 8", "--ledger", "l.db")
    with Ledger("l.db") as ledger:
        ledger.spend(PLAN, account="survey")
    assert run("show", "--ledger", "l.db", "--picture", "spent.svg")[0] == 0
    assert "survey" in (tmp_path / "spent.svg").read_text()


def test_the_environment_says_where(run, monkeypatch):
    monkeypatch.setenv("DPRIVACY_LEDGER", "elsewhere.db")
    assert run("budget", "survey", "1")[0] == 0
    assert run("verify")[0] == 0


@pytest.mark.parametrize("verb", [["show"], ["verify"], ["parts", "a", "b"]])
def test_looking_makes_no_ledger(run, tmp_path, verb):
    with pytest.raises(Malformed, match="the ledger does not exist"):
        run(*verb, "--ledger", "l.db")
    assert not list(tmp_path.iterdir())


def test_refusals(run):
    with pytest.raises(BadLevel, match="much"):
        run("budget", "survey", "much", "--ledger", "l.db")
    assert run("budget", "survey", "1")[0] == 2
    assert run("budget", "survey", "1", "--per", "house", "--ledger", "l.db")[0] == 2


def test_an_account_by_renyi_charges(run):
    code, text = run(
        *("open", "survey", "3", "--delta", "1e-6", "--by", "renyi", "--order", "9"),
        *("--ledger", "l.db"),
    )
    assert code == 0
    assert "Entry 2" in text
    with Ledger("l.db") as ledger:
        for _ in range(50):
            ledger.spend({"h": randomised_response(["y", "n"], eps="ln(21/20)")}, account="survey")
    code, text = run("show", "--ledger", "l.db")
    assert "survey, for each row, by Rényi charges of order 9" in text
    assert "adding levels up says" in text
    assert run("verify", "--ledger", "l.db")[0] == 0
    with pytest.raises(Malformed, match="an order that is fixed now"):
        run("open", "other", "3", "--delta", "1e-6", "--by", "renyi", "--ledger", "l.db")


def test_a_schedule(run):
    Path("plan.toml").write_text(
        '[columns.h]\ntype = "categories"\nvalues = ["a", "b"]\nepsilon = "1/10"\n'
    )
    run("open", "panel", "3", "--delta", "1e-6", "--by", "schedule", "--ledger", "l.db")
    code, text = run(
        *("schedule", "panel", "--plan", "plan.toml", "--times", "46", "--ledger", "l.db")
    )
    assert code == 0
    assert "Together the 46 releases are (ε, δ)-private with ε = 2.99639" in text
    code, text = run("show", "--ledger", "l.db")
    assert "by schedule, 46 releases to come" in text
    told = json.loads(run("show", "--json", "--ledger", "l.db")[1])
    assert told["rules"] == {"panel": "by schedule, 46 releases to come"}
    with pytest.raises(DPrivacyError, match="no δ is left"):
        run("schedule", "panel", "-p", "plan.toml", "--ledger", "l.db")
