"""``dprivacy collect``: from labels to a release, as a person at a terminal does it."""

import json
import secrets
import signal
import subprocess
import sys

import pytest

from dprivacy.collecting import Collection, new_book, open_book
from dprivacy.mechanisms import projective_response
from dprivacy.store import load, save, stored_text
from support.collections_asked import on_the_wire
from support.collector_process import asked, body, posted
from support.command_runs import command
from support.patience import PATIENCE

pytest.importorskip("uvicorn", reason="a collector needs the extra [collect]")


def dprivacy(*words, code=0):
    done = command(*words)
    assert done.code == code, done.err
    return done


class Serving:
    """``dprivacy collect serve`` in the background."""

    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dprivacy", "collect", "serve", *arguments, "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.question = self.process.stdout.readline().strip()
        address = self.process.stdout.readline()
        assert "http://127.0.0.1:" in address, self.process.stderr.read()
        self.host = address.rpartition("http://")[2].strip().rstrip("/")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return errors


def test_from_labels_to_a_release(tmp_path):
    made = dprivacy(
        "collect",
        "new",
        "tea,coffee,milk",
        "--epsilon",
        "ln 3",
        "--n",
        "1000",
        "-o",
        tmp_path / "m.json",
    )
    assert "Wrote" in made.out
    serving = Serving(
        tmp_path, "m.json", "--book", "b.db", "--question", "Which drink?", "--name", "drink"
    )
    assert serving.question == "Which drink?"
    book = open_book(str(tmp_path / "b.db"), reading=True)
    wire = book.collection.wire
    book.release()
    mechanism = load(tmp_path / "m.json")
    truth = ["tea"] * 600 + ["milk"] * 300
    reports = [[secrets.token_hex(16), y] for y in on_the_wire(mechanism, truth)]
    assert posted(serving.host, body(wire, reports)) == (200, {"counted": 900, "repeated": 0})
    assert json.loads(asked(serving.host, "/v1/estimate")[1])["n"] == 900
    looked = dprivacy("collect", "estimate", tmp_path / "b.db")  # while it runs
    assert "Estimate(inverse, n = 900, 3 labels)" in looked.out
    assert "One fake report adds up to" in looked.out
    assert serving.stop() == ""
    again = Serving(tmp_path, "--book", "b.db")
    assert posted(again.host, body(wire, reports)) == (200, {"counted": 0, "repeated": 900})
    closed = dprivacy("collect", "close", tmp_path / "b.db", "-o", tmp_path / "drinks.csv")
    assert "Which drink? (noise drawn on people's own devices): 900 rows" in closed.out
    assert posted(again.host, body(wire, [[secrets.token_hex(16), 0]]))[0] == 410
    assert again.stop() == "b.db: the collection is closed and takes no more reports\n"
    estimated = dprivacy("estimate", tmp_path / "drinks.csv", "--json")
    assert json.loads(estimated.out)["drink"]["n"] == 900
    assert (
        "drink"
        in dprivacy(
            "query", tmp_path / "drinks.csv", "SELECT drink, count(*) FROM data GROUP BY drink"
        ).out
    )
    proved = dprivacy("verify", tmp_path / "drinks.csv.card.json", tmp_path / "drinks.csv")
    assert proved.out.startswith("Yes: the card says what follows from its plan")


def test_a_collection_that_cannot_be_released_says_so_when_it_begins(tmp_path):
    save(projective_response([True, False], eps="ln 3"), tmp_path / "m.json")
    serving = Serving(tmp_path, "m.json", "--book", "b.db", "--question", "Yes?")
    told = [serving.process.stdout.readline() for _ in range(2)]
    assert told[1].startswith("Note: estimates are all that this collection can give. ")
    assert asked(serving.host, "/")[0] == 200
    assert serving.stop() == ""


def test_reports_are_estimated_without_naming_the_column(tmp_path):
    mechanism = projective_response(["a", "b", "c", "d"], eps="ln 3")
    asked_ = Collection.of(stored_text(mechanism), question="Which?", name="letter")
    book = new_book(str(tmp_path / "b.db"), asked_)
    told = on_the_wire(mechanism, ["a"] * 300)
    book.add([secrets.token_bytes(16) for _ in told], told, 20_000)
    book.release()
    dprivacy("collect", "close", tmp_path / "b.db", "-o", tmp_path / "out.csv")
    estimated = dprivacy("estimate", tmp_path / "out.csv", "--json")
    assert json.loads(estimated.out)["letter"]["n"] == 300


def test_a_plan_lists_candidates(tmp_path):
    (tmp_path / "labels.txt").write_text("\n".join(f"page {i}" for i in range(300)))
    told = dprivacy("collect", "plan", tmp_path / "labels.txt", "--epsilon", "1", "--n", "5000")
    assert "For 300 labels at ε = 1 and 5,000 people: projective response" in told.out


def test_manipulation_has_its_exit_code(tmp_path):
    mechanism = projective_response(["a", "b", "c", "d"], eps="ln 3")
    book = new_book(str(tmp_path / "b.db"), Collection.of(stored_text(mechanism), question="?"))
    book.add([secrets.token_bytes(16) for _ in range(500)], [0] * 500, 20_000)
    book.release()
    told = dprivacy("collect", "estimate", tmp_path / "b.db", code=3)
    assert "Reports were invented" in told.out


def test_mistakes_are_said(tmp_path):
    save(projective_response(["a", "b", "c", "d"], eps="ln 3"), tmp_path / "m.json")
    told = dprivacy("collect", "serve", "--book", tmp_path / "b.db", "--question", "?", code=2)
    assert "a new collection needs the FILE of a mechanism and a --question" in told.err
    told = dprivacy("collect", "serve", tmp_path / "m.json", "--book", tmp_path / "b.db", code=2)
    assert "a new collection needs the FILE of a mechanism and a --question" in told.err
    told = dprivacy("collect", "estimate", tmp_path / "m.json", code=1)
    assert "is not the book of a collection" in told.err


def test_a_book_that_asks_something_else_is_not_continued(tmp_path):
    first, other = (projective_response(["a", "b", "c"], eps=eps) for eps in ("ln 3", "ln 4"))
    save(other, tmp_path / "other.json")
    place = tmp_path / "b.db"
    new_book(str(place), Collection.of(stored_text(first), question="Which?")).release()
    told = dprivacy("collect", "serve", tmp_path / "other.json", "--book", place, code=1)
    assert "was begun with another mechanism" in told.err
    told = dprivacy("collect", "serve", "--book", place, "--question", "Who?", code=1)
    assert "asks 'Which?'" in told.err


def test_a_book_that_cannot_be_made_is_not_charged(tmp_path):
    save(projective_response(["a", "b", "c"], eps="ln 3"), tmp_path / "m.json")
    ledger, place = tmp_path / "ledger.db", tmp_path / "nowhere" / "b.db"
    dprivacy("ledger", "budget", "everyone", "ln 4", "--ledger", ledger, "--unit", "row")
    before = dprivacy("ledger", "show", "--ledger", ledger).out
    serve = ("collect", "serve", tmp_path / "m.json", "--book", place, "--question", "Which?")
    told = dprivacy(*serve, "--ledger", ledger, code=1)
    assert "its folder is missing" in told.err
    assert dprivacy("ledger", "show", "--ledger", ledger).out == before


def test_a_budget_that_is_too_small_begins_no_book(tmp_path):
    save(projective_response(["a", "b", "c"], eps="ln 3"), tmp_path / "m.json")
    ledger, place = tmp_path / "ledger.db", tmp_path / "b.db"
    dprivacy("ledger", "budget", "staff", "ln 2", "--ledger", ledger, "--unit", "row")
    serve = ("collect", "serve", tmp_path / "m.json", "--book", place, "--question", "Which?")
    told = dprivacy(*serve, "--ledger", ledger, "--account", "staff", code=1)
    assert "ln(3)" in told.err
    assert not place.exists()
