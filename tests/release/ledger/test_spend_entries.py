"""A run spends once, whatever happens to the connection: no double charge, and no free output."""

from contextlib import suppress
from itertools import count

import pyarrow as pa
import pytest

from dprivacy.errors import (
    AlreadyReleased,
    BadFile,
    DPrivacyError,
    LedgerInterrupted,
    NotApplicable,
    Unfinished,
    UnknownCategory,
)
from dprivacy.mechanisms import randomised_response
from dprivacy.numbers import ln
from dprivacy.release import Ledger, sanitise, sanitise_file
from dprivacy.release.ledger.stores import sqlite_store
from support.broken_ledgers import Faults, WoundedConnection, cutting_proxy
from support.release_tables import left_over, plan_of

RR = randomised_response(["a", "b", "c"], eps="ln 2")
PLAN = plan_of()
KINDS = [(when, lasting) for when in ("before", "after", "midway") for lasting in (False, True)]
STEPS = [pytest.param(11, id="some"), pytest.param(1, id="every", marks=pytest.mark.slow)]


@pytest.fixture
def faults():
    return Faults()


@pytest.fixture
def wounded(where, faults, monkeypatch):
    """What opens a ledger whose connection fails as the faults say."""
    if "schema" not in where:
        monkeypatch.setattr(sqlite_store, "_PATIENCE", 5.0)
        real = sqlite_store.sqlite3.connect
        monkeypatch.setattr(
            sqlite_store.sqlite3,
            "connect",
            lambda *given, **how: WoundedConnection(real(*given, **how), faults),
        )
        yield where
    else:
        with cutting_proxy(where["place"], faults) as url:
            yield {**where, "place": url}


class Trials:
    """Releases under a connection that fails, each of a table of its own."""

    def __init__(self, wounded, faults, folder):
        self.wounded, self.faults, self.folder = wounded, faults, folder
        self.numbers, self.cards, self.charged, self.refused = count(), [], 0, 0
        with Ledger(**wounded) as ledger:
            ledger.budget("everyone", 10_000)

    def table(self, letters="abc"):
        number = next(self.numbers)
        return number, [letters[(number >> k) % len(letters)] for k in range(12)]

    def every(self, step, trial):
        """Let every statement of a trial fail in every way; the number of statements."""
        for when, lasting in KINDS:
            for at in count(1, step):
                with Ledger(**self.wounded) as ledger:
                    self.faults.arm(at, when, lasting=lasting)
                    fired = trial(ledger)
                    self.faults.heal()
                    assert ledger.spent().eps == self.charged * ln(2), (when, lasting, at)
                if not fired:
                    break
        with Ledger(**self.wounded) as ledger:
            verdict = ledger.verify(self.cards)
            assert verdict, verdict.explain()
        return at

    def in_hand(self, ledger):
        """A table in hand, released and saved; after an error it is tried once more."""
        number, letters = self.table()
        output = self.folder / f"{number}.csv"

        def release():
            sanitise(pa.table({"h": letters}), PLAN, ledger=ledger, output=output)

        try:
            release()
        except LedgerInterrupted:
            fired = True
            self.faults.heal()
            assert not output.exists()
            with suppress(AlreadyReleased):
                release()
        else:
            fired = self.faults.fired
        self.charged += 1  # with an output, or without
        self.refused += not output.exists()
        self.cards += [self.folder / f"{number}.csv.card.json"] * output.exists()
        return fired

    def file_job(self, ledger):
        """A file, released; after an error the job is resumed."""
        number, letters = self.table()
        source, output = self.folder / f"in{number}.csv", self.folder / f"out{number}.csv"
        source.write_text("h\n" + "".join(f"{letter}\n" for letter in letters))
        try:
            sanitise_file(source, PLAN, output, ledger=ledger)
            fired = self.faults.fired
        except Unfinished:
            fired = True
            assert not output.exists()
            self.faults.heal()
            sanitise_file(source, PLAN, output, ledger=ledger, resume=True)
        self.charged += 1
        self.cards.append(self.folder / f"out{number}.csv.card.json")
        return fired

    def refused_table(self, ledger):
        """A table that does not fit the plan: what it cost is taken back, unless the ledger is gone."""
        _, letters = self.table("abd")
        try:
            sanitise(pa.table({"h": ["d", *letters]}), PLAN, ledger=ledger)
        except (UnknownCategory, LedgerInterrupted):
            fired, down = self.faults.fired, self.faults.is_down
            self.faults.heal()
            if down:
                extra = ledger.spent().eps - self.charged * ln(2)
                assert extra in (0, ln(2))
                self.charged += extra > 0
        return fired


@pytest.fixture
def trials(wounded, faults, tmp_path):
    return Trials(wounded, faults, tmp_path)


@pytest.mark.parametrize("step", STEPS)
def test_a_table_in_hand_is_charged_once(trials, step):
    assert trials.every(step, trials.in_hand) > 20
    assert len(trials.cards) > trials.refused > 0


@pytest.mark.parametrize("step", STEPS)
def test_a_file_job_is_charged_once_and_has_its_output(trials, step):
    assert trials.every(step, trials.file_job) > 20
    assert not left_over(trials.folder)


@pytest.mark.parametrize("step", STEPS)
def test_what_is_refused_is_taken_back_once(trials, step):
    assert trials.every(step, trials.refused_table) > 20


def test_a_lost_answer_is_no_second_charge(wounded, faults):
    """Whichever statement it was, and whether or not it was the COMMIT."""
    with Ledger(**wounded, open=True) as ledger:
        for at in count(1):
            faults.arm(at, "after", lasting=False)
            receipt = ledger.spend({"h": RR})
            fired = faults.fired
            faults.heal()
            assert ledger.spent().eps == at * ln(2)
            assert receipt.spent == {"h": "ln(2) ≈ 0.6931 between the closest of 3 values"}
            assert ledger.verify([receipt])
            if not fired:
                break
    assert at > 8


@pytest.mark.service("postgres")
def test_a_commit_that_arrives_late_is_waited_for(postgres, faults, tmp_path):
    """The client has come back and asks, and what it had sent before is still under way."""
    told = {"key": tmp_path / "key", "schema": "late"}
    with cutting_proxy(postgres, faults) as url, Ledger(url, **told, open=True) as ledger:
        for at in count(1):
            faults.arm(at, "late", lasting=False)
            receipt = ledger.spend({"h": RR})
            fired = faults.fired
            faults.heal()
            assert ledger.spent().eps == at * ln(2)
            assert ledger.verify([receipt])
            if not fired:
                break
    assert at > 8


def test_a_run_spends_once(book):
    given = book.spend({"h": RR}, run=b"run 1", note="first")
    again = book.spend({"h": RR}, run=b"run 1", note="asked again")
    assert again == given
    assert again.spent == given.spent
    assert book.spent().eps == ln(2)
    with pytest.raises(NotApplicable, match="in entry 2, and on something else"):
        book.spend({"g": RR}, run=b"run 1")
    assert book.spend({"h": RR}).head != book.spend({"h": RR}).head
    assert book.spent().eps == 3 * ln(2)
    book.cancel(given, because="nothing came out")
    assert book.spend({"h": RR}, run=b"run 1").sequence > given.sequence
    assert book.verify()


def test_a_run_of_people_is_told_again_what_it_cost(book):
    told = {"account": "panel", "permanent": {"h": b"m"}, "answered": {"h": [("ann", 0)]}}
    book.budget("panel", 5, per="person")
    plan = plan_of(unit="who")
    first = book.spend(plan, people=["ann"], run=b"1", **told)
    second = book.spend(plan, people=["ann"], run=b"2", **told)
    assert first.spent != second.spent == {"h": "permanent answers that were paid for before"}
    for run, receipt in ((b"1", first), (b"2", second)):
        again = book.spend(plan, people=["ann"], run=run, **told)
        assert again == book.receipt(run) == receipt
        assert again.spent == receipt.spent


@pytest.mark.service("postgres")
def test_a_connection_that_breaks_unnoticed_is_not_taken_for_a_commit(postgres, tmp_path):
    where = {"place": postgres, "key": tmp_path / "key", "schema": "unnoticed"}
    with Ledger(**where, open=True) as ledger:
        store = ledger._pages.store
        with pytest.raises(BadFile, match="the connection was lost"), store.transaction(write=True):
            store._connection.pgconn.finish()
        assert ledger.spend({"h": RR}).sequence == 2  # by a new connection
    with pytest.raises(DPrivacyError):
        ledger.spend({"h": RR})  # closed on purpose
