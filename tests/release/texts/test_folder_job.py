"""Folders of texts: the same names, one card, and jobs that go on where they stopped."""

import pytest

from dprivacy.errors import (
    AlreadyReleased,
    BadFile,
    BadPlan,
    NotApplicable,
    OutputExists,
    Unfinished,
)
from dprivacy.numbers import as_level
from dprivacy.release import Ledger, card_path, prove_card, read_card, sanitise_folder
from dprivacy.release.jobs import job_start
from dprivacy.release.texts import folder_job
from dprivacy.text import small_embedding
from support.programs import run_program
from support.release_tables import Stopped

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
PLAN = {
    "columns": {"text": {"type": "text", "epsilon": 2, "length": 3}},
    "pass_through": ["file"],
}


@pytest.fixture
def notes(tmp_path, monkeypatch):
    monkeypatch.setattr(folder_job, "_CHUNK", 2)
    monkeypatch.setattr(job_start, "run_key", lambda seed: bytes(range(32)))
    folder = tmp_path / "in"
    for k in range(5):
        path = folder / f"{'ab'[k % 2]}" / f"{k}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("the king " * k)
    return folder


def budgeted(folder):
    ledger = Ledger(folder / "ledger.db")
    ledger.budget("everyone", 100)
    return ledger


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.txt")}


@pytest.mark.parametrize("kind", ["file", "file inside", "folder", "pattern"])
def test_a_link_and_what_lies_elsewhere_are_refused(notes, tmp_path, kind):
    """A stranger's text would be published, or a text of the folder would have noise twice."""
    strange = tmp_path / "strange"
    strange.mkdir()
    (strange / "9.txt").write_text("a stranger")
    pattern = {"folder": "*/*.txt", "pattern": "../strange/*.txt"}.get(kind, "**/*.txt")
    if kind == "folder":
        (notes / "c").symlink_to(strange)
    elif kind != "pattern":
        (notes / "z.txt").symlink_to(strange / "9.txt" if kind == "file" else notes / "a" / "0.txt")
    with pytest.raises(BadFile, match="should lie in the folder itself, and is a link"):
        sanitise_folder(notes, PLAN, tmp_path / "out", pattern=pattern)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "strange"]


def test_the_folder_itself_may_be_a_link(notes, tmp_path):
    (tmp_path / "link").symlink_to(notes)
    sanitise_folder(tmp_path / "link", PLAN, tmp_path / "out")
    assert set(contents(tmp_path / "out")) == set(contents(notes))


def test_the_same_names_one_card_and_every_text_of_the_same_length(notes, tmp_path):
    sanitise_folder(notes, PLAN, tmp_path / "out")
    found = contents(tmp_path / "out")
    assert set(found) == set(contents(notes))
    assert {len(text.split()) for text in found.values()} == {3}
    card = card_path(tmp_path / "out")
    assert read_card(card).count == 5
    assert prove_card(card, file=tmp_path / "out").holds
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_job_that_stopped_goes_on_with_its_noise_and_is_charged_once(notes, tmp_path, at):
    sanitise_folder(notes, PLAN, tmp_path / "whole")
    read, seen = folder_job.read_document, []

    def stops(path, **how):
        seen.append(path)
        if len(seen) == 2 * at - 1:
            raise Stopped
        return read(path, **how)

    with budgeted(tmp_path) as ledger:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(folder_job, "read_document", stops)
            with pytest.raises(Stopped):
                sanitise_folder(notes, PLAN, tmp_path / "out", ledger=ledger)
        assert not (tmp_path / "out").exists()
        with pytest.raises(Unfinished, match="--resume"):
            sanitise_folder(notes, PLAN, tmp_path / "out", ledger=ledger)
        sanitise_folder(notes, PLAN, tmp_path / "out", ledger=ledger, resume=True)
        left = as_level(100) - 3 * as_level(2) * small_embedding().diameter
        assert abs(float(ledger.left("everyone").eps) - float(left)) < 0.01  # charged once
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


@pytest.mark.parametrize("change", ["a text", "another text", "the encoding"])
def test_a_job_does_not_go_on_when_something_changed(notes, tmp_path, change, monkeypatch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder_job, "_complete", lambda *_: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            sanitise_folder(notes, PLAN, tmp_path / "out")
    how = {"resume": True}
    if change == "a text":
        (notes / "a" / "2.txt").write_text("the queen")
    elif change == "another text":
        (notes / "a" / "9.txt").write_text("more")
    else:
        how["encoding"] = "latin-1"
    with pytest.raises(Unfinished, match=r"another one|something else"):
        sanitise_folder(notes, PLAN, tmp_path / "out", **how)
    monkeypatch.setattr(job_start, "run_key", lambda seed: bytes(32))
    sanitise_folder(notes, PLAN, tmp_path / "out", discard=True)
    assert (tmp_path / "out").is_dir()


def test_what_is_refused(notes, tmp_path):
    with pytest.raises(NotApplicable, match="the plan has others"):
        sanitise_folder(notes, {"columns": PLAN["columns"]}, tmp_path / "out")
    with pytest.raises(BadFile, match="is not a folder"):
        sanitise_folder(notes / "a" / "0.txt", PLAN, tmp_path / "out")
    with pytest.raises(BadFile, match="holds no file like"):
        sanitise_folder(notes, PLAN, tmp_path / "out", pattern="*.md")
    with pytest.raises(BadFile, match="lies in the folder that is read"):
        sanitise_folder(notes, PLAN, notes / "out")
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputExists, match="another name"):
        sanitise_folder(notes, PLAN, tmp_path / "out")
    much = {"text": {**PLAN["columns"]["text"], "epsilon": 60}}
    with pytest.raises(BadPlan, match="most words stay"):
        sanitise_folder(notes, {**PLAN, "columns": much}, tmp_path / "else")
    (notes / "b" / "_hidden.txt").write_text("x")
    with pytest.raises(BadFile, match="rename it"):
        sanitise_folder(notes, PLAN, tmp_path / "else")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_a_text_that_cannot_be_read_leaves_nothing_behind_and_costs_nothing(notes, tmp_path):
    (notes / "b" / "1.txt").write_bytes(b"caf\xe9\n")
    with budgeted(tmp_path) as ledger:
        with pytest.raises(BadFile, match=r"1\.txt: byte 3, in line 1, is not UTF-8.*--encoding"):
            sanitise_folder(notes, PLAN, tmp_path / "out", ledger=ledger)
        assert ledger.left("everyone").eps == 100
        sanitise_folder(notes, PLAN, tmp_path / "out", encoding="latin-1", ledger=ledger)
    assert (tmp_path / "out").is_dir()


def test_a_folder_that_was_released_is_noticed(notes, tmp_path, monkeypatch):
    monkeypatch.setattr(job_start, "run_key", lambda seed: bytes(32))
    sanitise_folder(notes, PLAN, tmp_path / "out")
    monkeypatch.setattr(job_start, "run_key", lambda seed: bytes(range(32)))
    with pytest.raises(AlreadyReleased, match=r"_card\.json is its card"):
        sanitise_folder(notes, PLAN, tmp_path / "again")
    sanitise_folder(notes, PLAN, tmp_path / "again", again="a test")


def killed(folder, first, step):
    """Run the program that kills jobs; how often one died."""
    done = run_program("crash_folders", folder, first, step)
    *complaints, last = done.stdout.splitlines() or [""]
    assert not complaints, "\n".join(complaints[:20])
    assert done.returncode == 0, done.stderr[-2000:]
    return int(last.split()[1])


def test_killed_at_some_calls_of_the_system(tmp_path):
    assert killed(tmp_path, 11, 66) >= 5


@pytest.mark.slow
def test_killed_at_every_call_of_the_system(tmp_path):
    assert killed(tmp_path, 2, 1) >= 300
