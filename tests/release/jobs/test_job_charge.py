"""File jobs and the ledger: spent before anything is drawn, once a run, and taken back on refusal."""

import json
import os

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.tables import sanitise
from dprivacy.errors import AlreadyReleased, BudgetExceeded, DPrivacyError, Malformed, Unfinished
from dprivacy.numbers import ln
from dprivacy.release import Ledger, sanitise_file
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.files import row_chunks, table_files as files
from dprivacy.release.jobs import job_charge as charge, output_writer as writing
from dprivacy.release.jobs.source_marks import Origin
from support.programs import run_program
from support.release_tables import LETTERS, Stopped, left_over, plan_of, stopped_after


class Jobs:
    def __init__(self, folder):
        self.folder = folder
        self.source, self.output = folder / "in.csv", folder / "out.csv"
        self.source.write_text("h\n" + "a\nb\nc\n" * 1000)
        self.ledger = Ledger(folder / "ledger.db")
        self.ledger.budget("everyone", "ln 8")  # three releases at ln 2 each

    def run(self, output=None, **options):
        options = {"ledger": self.ledger, **options}
        return sanitise_file(self.source, plan_of(), output or self.output, **options).card

    def stop(self, after=1500, **options):
        stopped_after(after, self.run, **options)

    @property
    def left(self):
        return self.ledger.left("everyone").eps


@pytest.fixture
def job(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_BLOCK", 1 << 10)
    monkeypatch.setattr(row_chunks, "CHUNK", 100)
    monkeypatch.setattr(writing, "CHECKPOINT", 1 << 11)
    made = Jobs(tmp_path)
    yield made
    made.ledger.close()


def test_a_release_is_charged_and_carries_its_receipt(job):
    card = job.run()
    assert job.left == ln(4)
    assert card.receipt["ledger"] == job.ledger.id
    assert job.ledger.verify([job.folder / "out.csv.card.json"])


def test_by_path_and_by_account(job):
    job.run(ledger=job.folder / "ledger.db")
    assert job.left == ln(4)
    job.ledger.budget("survey", "ln 2")
    job.run(job.folder / "b.csv", ledger=job.ledger.account("survey"), again="a test")
    assert job.ledger.left("survey").words() == "0"


def test_nothing_is_drawn_before_it_is_spent(job, monkeypatch):
    def drawn(self, chunk):
        raise AssertionError("drawn")

    monkeypatch.setattr(ChunkStreams, "start", drawn)
    job.ledger.budget("everyone", "ln(3/2)")
    with pytest.raises(BudgetExceeded):
        job.run()
    assert left_over(job.folder) == []
    assert not job.output.exists()


def test_the_same_file_again(job):
    job.run()
    with pytest.raises(AlreadyReleased, match=r"the file \(entry 3\)"):
        job.run(job.folder / "b.csv")
    assert left_over(job.folder) == []
    job.run(job.folder / "b.csv", again="the first copy was lost")
    assert job.left == ln(2)


def test_a_resumed_job_spends_once(job):
    job.stop()
    assert job.left == ln(4)
    job.stop(resume=True, after=2500)
    with pytest.raises(Unfinished, match="the ledger is another one, or missing"):
        job.run(resume=True, ledger=None)  # which is to note what comes out
    card = job.run(resume=True)
    assert job.left == ln(4)
    assert card.receipt["sequence"] == 3
    assert job.ledger.verify([job.folder / "out.csv.card.json"])


def test_a_job_goes_on_with_the_account_it_was_charged_to(job):
    job.ledger.budget("survey", "ln 8")
    job.ledger.parts("survey", ["north", "south"])
    job.stop(ledger=job.ledger.account("survey", part="north"))
    for other in (job.ledger, job.ledger.account("survey", part="south")):
        with pytest.raises(
            Unfinished, match="account of the ledger, or the part of it, is another"
        ):
            job.run(resume=True, ledger=other)
    job.run(resume=True, ledger=job.ledger.account("survey", part="north"))
    assert job.ledger.left("survey").eps == ln(4)
    assert job.left == ln(8)


def test_a_crash_between_spending_and_noting_it(job, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(charge, "Spent", lambda _receipt: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            job.run()
    assert job.left == ln(4)
    with pytest.raises(Unfinished, match="the ledger is another one, or missing"):
        job.run(resume=True, ledger=None)
    card = job.run(resume=True)
    assert job.left == ln(4)
    assert job.ledger.verify([job.folder / "out.csv.card.json"])
    assert card.receipt["sequence"] == 3


def test_a_crash_before_spending(job, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(charge, "spend_release", lambda *_, **__: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            job.run()
    assert job.left == ln(8)
    job.run(resume=True)
    assert job.left == ln(4)


def test_discarding_spends_again(job):
    job.stop()
    with pytest.raises(AlreadyReleased):
        job.run(discard=True)
    job.run(discard=True, again="a crash")
    assert job.left == ln(2)


def test_a_refused_table_is_not_paid_for(job):
    job.source.write_text("h\n" + "a\nb\nc\n" * 1000 + "?\n")
    with pytest.raises(DPrivacyError, match="row 3000"):
        job.run()
    assert job.left == ln(8)
    assert left_over(job.folder) == []
    job.source.write_text("h\n" + "a\nb\nc\n" * 1000)
    job.run()
    assert job.left == ln(4)
    assert job.ledger.verify([job.folder / "out.csv.card.json"])


def test_each_person_is_charged(job):
    job.ledger.budget("people", "ln 2", per="person")
    account = job.ledger.account("people")
    with pytest.raises(Malformed, match="the plan does not say whose a row is"):
        job.run(ledger=account)
    plan = plan_of(LETTERS, unit="who")

    def release(name, people):
        (job.folder / name).write_text(
            "who,h\n" + "".join(f"{who},{'abc'[k % 3]}\n" for k, who in enumerate(people))
        )
        sanitise_file(job.folder / name, plan, job.folder / f"out_{name}", ledger=account)

    release("one.csv", ["ann", "bob", "cleo"])
    release("two.csv", ["dan", "eve"])
    with pytest.raises(BudgetExceeded):
        release("three.csv", ["fay", "bob"])
    assert job.ledger.spent("people", person="fay").words() == "0"
    assert left_over(job.folder) == []


def test_permanent_answers_cost_once(job):
    job.source.write_text("who,h\n" + "".join(f"p{k},{'abc'[k % 3]}\n" for k in range(300)))
    plan = plan_of(LETTERS, unit="who")
    job.ledger.budget("panel", "ln 8", unit="person")
    account = job.ledger.account("panel")
    for name in ("one.csv", "two.csv"):
        sanitise_file(job.source, plan, job.folder / name, ledger=account, permanent_key=b"k" * 32)
    assert job.ledger.left("panel").eps == ln(4)
    assert (job.folder / "one.csv").read_bytes() == (job.folder / "two.csv").read_bytes()


def test_a_file_with_another_value_of_somebody_is_refused_by_its_row(job):
    job.ledger.budget("panel", "ln 8", unit="person")
    options = {"ledger": job.ledger.account("panel"), "permanent_key": b"k" * 32}
    plan = plan_of(LETTERS, unit="who")
    for name, values in (("one.csv", "abc"), ("two.csv", "bca")):
        (job.folder / name).write_text("who,h\n" + "".join(f"p{ord(v)},{v}\n" for v in values))
        sanitise_file(job.folder / name, plan, job.folder / f"out_{name}", **options)
    assert job.ledger.left("panel").eps == ln(4)
    job.source.write_text("who,h\np97,a\np98,c\n")
    with pytest.raises(Malformed, match=r"column 'h', row 1: .* values_per_person = 1"):
        sanitise_file(job.source, plan, job.folder / "three.csv", **options)
    assert job.ledger.left("panel").eps == ln(4)
    assert not (job.folder / "three.csv").exists()


def test_without_a_ledger_a_card_remembers(job, monkeypatch):
    job.run(ledger=None)
    with pytest.raises(AlreadyReleased, match=r"in\.csv was released before, and .*out\.csv\.card"):
        job.run(job.folder / "b.csv", ledger=None)
    job.stop(ledger=None, again="for a test", replace=True)
    monkeypatch.setattr(Origin, "require_new", lambda *_: 1 / 0)
    assert job.run(ledger=None, resume=True).count == 3000  # a job that goes on is no second one


def test_on_the_command_line(job):
    """--ledger, --account, --again, --discard and --resume, as they are typed."""
    (job.folder / "plan.toml").write_text(
        '[columns.h]\ntype = "categories"\nvalues = ["a", "b", "c"]\nepsilon = "ln 2"\n'
    )
    job.ledger.budget("survey", "ln 8")
    paths = [str(job.source), "-p", str(job.folder / "plan.toml"), "-o", str(job.output)]
    ledger = ["--ledger", str(job.folder / "ledger.db"), "--account", "survey"]

    def typed(*options):
        return CliRunner().invoke(sanitise, [*paths, *options], catch_exceptions=True)

    job.stop(ledger=job.ledger.account("survey"))
    assert isinstance(typed().exception, Unfinished)
    assert isinstance(typed("--discard", *ledger).exception, AlreadyReleased)
    job.stop(ledger=job.ledger.account("survey"), again="a test")
    done = typed("--resume", *ledger)
    assert done.exit_code == 0, done.exception
    assert "out.csv and" in done.output
    assert job.ledger.left("survey").eps == ln(2)
    done = typed("--replace", "--again", "lost", "--json", *ledger)
    assert json.loads(done.output)["receipt"]["ledger"] == job.ledger.id
    assert job.ledger.left("survey").eps == 0
    assert isinstance(typed("--replace", "--again", "x", *ledger).exception, BudgetExceeded)
    assert isinstance(typed("--engine", "spark", "--resume").exception, Malformed)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(
    ("step", "deaths"), [(13, 8), pytest.param(1, 100, marks=pytest.mark.slow)]
)
def test_a_job_that_is_killed_is_charged_once(tmp_path, step, deaths):
    """At any statement of the ledger or call of the system, before it, after it and half-way."""
    done = run_program("crash_charges", tmp_path, step)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("deaths "), done.stdout
    assert int(done.stdout.split()[1]) >= deaths
