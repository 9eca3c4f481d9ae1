"""File jobs that stop half-way: nothing torn, nothing drawn twice, nothing lost, and a way on."""

import fcntl
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import DPrivacyError, Malformed, MissingExtra, Unfinished
from dprivacy.release import Plan, card_path, received, sanitise_file
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.files import row_chunks, table_files as files
from dprivacy.release.files.own_files import Workplace
from dprivacy.release.jobs import (
    job_resume as resuming,
    job_start as jobs,
    output_writer as writing,
)
from dprivacy.release.jobs.job_journal import Journal
from dprivacy.sampling import best_stream
from support.programs import run_program
from support.release_tables import (
    LETTERS,
    Stopped,
    left_over,
    seed_is_noticed,
    stopped_after,
)

KEY = hashlib.sha256(b"a key").digest()
ROWS = 2000
NUMBERS = {"type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1/4"}
SPEC = {"columns": {"h": LETTERS, "n": NUMBERS}, "pass_through": ["x"]}
PLAN = Plan.read(SPEC)
ENDINGS = pytest.mark.parametrize("ending", ["csv", "parquet"])


@pytest.fixture
def memory(tmp_path):
    """A folder in memory where there is one: a killed process needs no disk to lose its work."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="dprivacy-test-"))
    yield folder
    shutil.rmtree(folder)


def killed(folder, *arguments):
    """Run the program that kills jobs; how often one died, and was resumed."""
    done = run_program("crash_jobs", folder, *arguments)
    *complaints, last = done.stdout.splitlines() or [""]
    assert not complaints, "\n".join(complaints[:20])
    assert done.returncode == 0, done.stderr[-2000:]
    words = last.split()
    return int(words[1]), int(words[3])


class TestKilled:
    """In the fast suite about 80 deaths in all, in the slow one more than 1,500."""

    @pytest.mark.parametrize(
        ("ending", "step"), [("csv", 9), ("parquet", 31), ("worded jsonl", 23)]
    )
    def test_at_calls_of_the_system(self, memory, ending, step):
        deaths, resumed = killed(memory, ending, "calls", 7, 2, step)
        assert min(deaths, resumed) >= 7

    @ENDINGS
    def test_at_named_points(self, memory, ending):
        deaths, resumed = killed(memory, ending, "points", 11)
        assert min(deaths, resumed) >= 16

    @pytest.mark.slow
    @pytest.mark.parametrize("ending", ["csv", "parquet", "worded jsonl", "worded csv"])
    def test_at_every_call_of_the_system(self, memory, ending):
        deaths, resumed = killed(memory, ending, "calls", 13, 2, 1)
        assert min(deaths, resumed) >= 90

    @pytest.mark.slow
    @ENDINGS
    def test_at_many_random_steps(self, memory, ending):
        deaths, _ = killed(memory, ending, "random", 17, 500)
        assert deaths >= 500


class Job:
    """One table, one plan, one output, in many small chunks."""

    def __init__(self, folder, ending):
        self.folder, self.ending = folder, ending
        rng = np.random.default_rng(2)
        self.table = pa.table({
            "h": np.array(["a", "b", "c"])[rng.integers(0, 3, ROWS)],
            "n": rng.integers(0, 11, ROWS),
            "x": np.arange(ROWS),
        })  # fmt: skip
        self.source, self.output = folder / f"in.{ending}", folder / f"out.{ending}"
        self.write_source(self.table)
        self.journal = Workplace(self.output).journal
        self.part = Workplace(self.output).output_part

    def write_source(self, table):
        if self.ending == "csv":
            pacsv.write_csv(table, self.source)
        else:
            pq.write_table(table, self.source)

    def run(self, output=None, plan=PLAN, **options):
        return sanitise_file(self.source, plan, output or self.output, **options).card

    def stop(self, after=1200, **options):
        stopped_after(after, self.run, **options)

    def whole(self, key, monkeypatch, **options):
        """What an undisturbed run with a key writes."""
        with monkeypatch.context() as patch:
            patch.setattr(jobs, "run_key", lambda _seed: key)
            other = self.folder / "whole" / self.output.name
            other.parent.mkdir(exist_ok=True)
            self.run(other, replace=True, **options)
            return other.read_bytes()

    def key(self):
        return bytes.fromhex(json.loads(self.journal.read_text().split("\t")[0])["key"])

    def refused(self, match, kind=Unfinished, **options):
        with pytest.raises(kind, match=match) as refusal:
            self.run(resume=True, **options)
        assert "\n" not in str(refusal.value)
        assert self.journal.exists()
        return str(refusal.value)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(files, "_BLOCK", 1 << 12)
    monkeypatch.setattr(row_chunks, "CHUNK", 250)
    monkeypatch.setattr(row_chunks, "GROUP", 500)
    monkeypatch.setattr(writing, "CHECKPOINT", 1 << 11)


@pytest.fixture(params=["csv", "parquet"])
def job(request, tmp_path, small):
    return Job(tmp_path, request.param)


class TestResume:
    def test_it_goes_on_with_the_noise_it_began_with(self, job, monkeypatch):
        job.stop()
        key = job.key()
        assert len(key) == 32
        assert not job.output.exists()
        card = job.run(resume=True)
        assert job.output.read_bytes() == job.whole(key, monkeypatch)
        assert card.count == ROWS
        assert card.secure
        assert received(job.output).estimate("h").n == ROWS
        assert left_over(job.folder) == []

    def test_two_runs_have_two_keys(self, job):
        job.stop()
        first = job.key()
        job.stop(discard=True)
        assert job.key() != first

    def test_it_is_not_done_unasked(self, job):
        job.stop()
        with pytest.raises(
            Unfinished, match=r"stopped before it was done; pass --resume .*--discard"
        ):
            job.run()
        with pytest.raises(Unfinished, match="draws new noise, and spends again"):
            job.run(replace=True)
        with pytest.raises(Malformed, match=r"--resume.* keeps the noise.*choose one of them"):
            job.run(resume=True, discard=True)
        assert job.run(resume=True).count == ROWS

    def test_discard_starts_anew(self, job, monkeypatch):
        job.stop()
        key = job.key()
        job.run(discard=True)
        assert job.output.read_bytes() != job.whole(key, monkeypatch)
        assert left_over(job.folder) == []

    def test_there_may_be_nothing_to_resume(self, job):
        assert job.run(resume=True).count == ROWS
        before = job.output.read_bytes()
        with pytest.raises(Malformed, match="exists, and no job for it is left to resume"):
            job.run(resume=True)
        assert job.run(discard=True, replace=True, again="a test").count == ROWS
        assert job.output.read_bytes() != before

    def test_replacing_is_remembered(self, job):
        job.output.write_text("old")
        job.stop(replace=True)
        assert job.output.read_text() == "old"
        job.run(resume=True)
        assert job.output.read_bytes() != b"old"

    def test_an_output_that_came_in_between_is_kept(self, job):
        job.stop()
        job.output.write_text("somebody's")
        with pytest.raises(
            Malformed, match="already exists; choose another name, or pass --replace"
        ):
            job.run(resume=True)
        assert job.output.read_text() == "somebody's"
        job.output.unlink()
        assert job.run(resume=True).count == ROWS

    def test_a_csv_file_is_continued_and_not_drawn_again(self, tmp_path, small, monkeypatch):
        job = Job(tmp_path, "csv")
        job.stop(after=1500)
        drawn = []
        real = ChunkStreams.start
        monkeypatch.setattr(
            ChunkStreams, "start", lambda self, chunk: (drawn.append(chunk), real(self, chunk))
        )
        job.run(resume=True)
        assert drawn
        assert min(drawn) > 1

    @pytest.mark.parametrize("damage", ["cut", "lost", "changed", "longer"])
    def test_the_part_may_be_damaged(self, job, monkeypatch, damage):
        job.stop()
        key, part = job.key(), job.part.read_bytes()
        if damage == "lost":
            job.part.unlink()
        elif damage == "cut":
            os.truncate(job.part, len(part) // 3)
        elif damage == "changed":
            job.part.write_bytes(b"?" + part[1:])
        else:
            job.part.write_bytes(part + b"torn")
        job.run(resume=True)
        assert job.output.read_bytes() == job.whole(key, monkeypatch)

    def test_the_rows_of_each_person_are_counted_over_the_whole_table(self, tmp_path, small):
        job = Job(tmp_path, "csv")
        who = [f"p{k}" for k in range(ROWS - 1)] + ["p0"]
        job.write_source(job.table.append_column("who", pa.array(who)))
        plan = Plan.read({**SPEC, "unit": "who"})
        job.stop(plan=plan)
        with pytest.raises(Malformed, match="more rows than rows_per_person"):
            job.run(plan=plan, resume=True)
        assert left_over(tmp_path) == []
        assert not job.output.exists()

    def test_permanent_answers(self, job):
        people = job.table.append_column("who", pa.array([f"p{k}" for k in range(ROWS)]))
        job.write_source(people.drop_columns(["n"]))
        plan = Plan.read({"columns": {"h": LETTERS}, "pass_through": ["x"], "unit": "who"})
        job.stop(plan=plan, permanent_key=b"k" * 32)
        job.refused("the permanent key is another one", plan=plan, permanent_key=b"q" * 32)
        job.refused("the permanent key is another one", plan=plan)
        job.run(plan=plan, resume=True, permanent_key=b"k" * 32)
        other = job.folder / f"again.{job.ending}"
        job.run(other, plan=plan, permanent_key=b"k" * 32)
        assert other.read_bytes() == job.output.read_bytes()

    def test_seeds(self, job):
        with seed_is_noticed():
            job.stop(insecure_seed=4)
        job.refused("insecure_seed is another one")
        with seed_is_noticed():
            job.refused("insecure_seed is another one", insecure_seed=5)
            card = job.run(resume=True, insecure_seed=4)
            job.run(job.folder / f"again.{job.ending}", insecure_seed=4, again="a test")
        assert not card.secure
        assert (job.folder / f"again.{job.ending}").read_bytes() == job.output.read_bytes()

    def test_a_refused_table_leaves_nothing(self, job):
        bad = job.table.set_column(0, "h", pa.array(["a"] * (ROWS - 1) + ["?"]))
        job.write_source(bad)
        with pytest.raises(DPrivacyError, match=f"row {ROWS - 1}"):
            job.run()
        assert left_over(job.folder) == []


class TestChanges:
    """What changed is named, and the job is kept for whoever puts it back."""

    def test_the_source(self, job):
        before = job.source.read_bytes()
        job.stop()
        job.write_source(job.table.slice(1))
        job.refused("the source .* is another one")
        job.source.write_bytes(before[:-9] + bytes([before[-9] ^ 1]) + before[-8:])
        job.refused(r"another one.*Put that back and pass --resume, or pass --discard")
        job.source.write_bytes(before)
        assert job.run(resume=True).count == ROWS

    @pytest.mark.parametrize(
        ("change", "match"),
        [
            ({"columns": {"h": {**LETTERS, "epsilon": "ln 3"}, "n": NUMBERS}}, "the column 'h'$"),
            ({"columns": {"h": LETTERS, "n": {**NUMBERS, "high": 20}}}, "the column 'n'$"),
            ({"columns": {"n": NUMBERS, "h": LETTERS}}, "the order of its columns$"),
            ({"title": "another"}, "title$"),
            ({"rows_per_person": 2}, "rows_per_person$"),
            ({"table": {"encoding": "cp1250"}}, "how the table is written$"),
            ({"columns": {"h": LETTERS}, "drop": ["n"]}, "drop; .*'n'; .*order of its columns$"),
        ],
    )
    def test_the_plan(self, job, change, match):
        job.stop()
        text = job.refused("the plan says something else of", plan=Plan.read({**SPEC, **change}))
        found = text.split("cannot go on: ")[1].split(". Put")[0]
        assert re.search(match, found), found
        assert job.run(resume=True).count == ROWS

    def test_a_library(self, job, monkeypatch):
        job.stop()
        with monkeypatch.context() as patch:
            patch.setattr(resuming, "__version__", "1.0")
            job.refused("dprivacy is 1.0 and was")
        assert job.run(resume=True).count == ROWS

    @pytest.mark.parametrize(
        ("kind", "change", "words"),
        [
            ("parquet", (ChunkStreams, "start", lambda self, chunk: None), "come out the same"),
            ("csv", (row_chunks, "CHUNK", 150), "come in the same chunks"),
        ],
    )
    def test_other_noise_or_chunks(self, tmp_path, small, monkeypatch, kind, change, words):
        job = Job(tmp_path, kind)
        job.stop()
        with monkeypatch.context() as patch:
            patch.setattr(*change)
            job.refused(f"does not {words} again; pass --discard")
        assert job.run(resume=True).count == ROWS


class TestKey:
    def test_it_is_destroyed(self, job, monkeypatch):
        """Overwritten on the disk before the journal is removed, and nowhere else."""
        monkeypatch.setattr(jobs, "run_key", lambda _seed: KEY)
        keep, real = [], os.fsync

        def watch(handle):
            real(handle)
            if job.journal.exists():
                keep.append(job.journal.read_bytes())

        monkeypatch.setattr(os, "fsync", watch)
        job.run()
        assert KEY.hex().encode() in keep[0]
        assert set(keep[-1]) == {0}
        for path in job.folder.iterdir():
            assert KEY.hex().encode() not in path.read_bytes()
            assert KEY not in path.read_bytes()

    def test_it_is_destroyed_with_a_discarded_job(self, job, monkeypatch):
        job.stop()
        key = job.key()
        os.link(job.journal, job.folder / "kept")
        (job.folder / "kept").unlink()  # a second name would be refused
        job.run(discard=True)
        assert all(key.hex().encode() not in p.read_bytes() for p in job.folder.iterdir())

    def test_the_journal_says_nothing_of_the_table(self, tmp_path, small):
        job = Job(tmp_path, "csv")
        job.write_source(
            job.table.append_column("note", pa.array([f"CANARY{k}" for k in range(ROWS)]))
        )
        job.stop(plan=Plan.read({**SPEC, "drop": ["note"]}))
        text = job.journal.read_text()
        assert "CANARY" not in text
        assert hashlib.sha256(job.source.read_bytes()).hexdigest() not in text

    def test_the_stream_is_named_and_kept(self, tmp_path, small, monkeypatch):
        job = Job(tmp_path, "csv")
        with monkeypatch.context() as patch:
            patch.setattr(jobs, "best_stream", lambda: "shake-256 1")
            job.stop()
            shaken = job.whole(job.key(), monkeypatch)
        assert json.loads(job.journal.read_text().split("\t")[0])["stream"] == "shake-256 1"
        key = job.key()
        job.run(resume=True)  # where the faster stream can be had by now
        assert job.output.read_bytes() == shaken
        assert job.whole(key, monkeypatch) != shaken

    def test_a_stream_that_cannot_be_had_is_waited_for(self, job, monkeypatch):
        job.stop()
        key = job.key()
        with monkeypatch.context() as patch:
            for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
                patch.delitem(sys.modules, name)
            patch.setitem(sys.modules, "cryptography", None)
            job.refused("needs cryptography; install it", MissingExtra)
        job.run(resume=True)
        assert job.output.read_bytes() == job.whole(key, monkeypatch)

    def test_streams_of_chunks(self):
        streams, seen = ChunkStreams(KEY, best_stream()), set()
        seen.add(streams.words(4).tobytes())
        for chunk in range(50):
            streams.start(chunk)
            seen.add(streams.words(4).tobytes())
        assert len(seen) == 51
        streams.start(7)
        assert streams.words(4).tobytes() in seen
        assert KEY.hex() not in repr(streams)


class TestJournal:
    @pytest.mark.parametrize("ending", ["csv"])
    def test_cut_off_anywhere(self, tmp_path, small, ending, monkeypatch):
        """A line that is cut off is as good as none; only the first one cannot be done without."""
        job = Job(tmp_path, ending)
        job.stop()
        key, whole = job.key(), job.journal.read_bytes()
        first = whole.index(b"\n") + 1
        wanted = job.whole(key, monkeypatch)
        saved = job.part.read_bytes()
        for length in [
            1,
            first - 1,
            first,
            first + 1,
            len(whole) - 1,
            *range(first, len(whole), 37),
        ]:
            job.journal.write_bytes(whole[:length])
            job.part.write_bytes(saved)
            job.part.chmod(0o600)
            job.journal.chmod(0o600)
            if length < first:
                job.refused("journal is damaged", Malformed)
                continue
            job.run(resume=True)
            assert job.output.read_bytes() == wanted
            job.output.unlink()
            (tmp_path / "out.csv.card.json").unlink()

    def test_a_changed_line_is_refused_and_can_be_discarded(self, job):
        job.stop()
        whole = job.journal.read_bytes()
        job.journal.write_bytes(whole.replace(b'"rows"', b'"rowz"', 1))
        job.refused("the journal is damaged .*pass --discard", Malformed)
        assert job.run(discard=True).count == ROWS

    def test_an_overwritten_journal_is_none(self, job):
        job.stop()
        job.journal.write_bytes(bytes(300))
        assert job.run().count == ROWS
        assert left_over(job.folder) == []

    def test_an_emptied_journal_is_damaged(self, job):
        job.stop()
        job.journal.write_bytes(b"")
        job.refused("the journal is damaged .it is empty.; pass --discard", Malformed)
        assert job.run(discard=True).count == ROWS

    def test_one_that_was_overwritten_before_its_output_came(self, job):
        """Only what lies there, and fits its card, was complete."""
        job.stop()
        job.journal.write_bytes(bytes(300))
        assert job.run(resume=True).count == ROWS
        assert left_over(job.folder) == []

    @pytest.mark.parametrize("damaged", ["output_part", "card_part"])
    @pytest.mark.parametrize("damage", ["cut", "changed"])
    def test_what_waits_to_be_put_in_place_may_be_damaged(self, job, monkeypatch, damaged, damage):
        with monkeypatch.context() as patch:
            patch.setattr(resuming, "put_in_place", lambda *_: (_ for _ in ()).throw(Stopped))
            with pytest.raises(Stopped):
                job.run()
        key, part = job.key(), getattr(Workplace(job.output), damaged)
        whole = part.read_bytes()
        part.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"?" + whole[1:])
        card = job.run(resume=True)
        assert job.output.read_bytes() == job.whole(key, monkeypatch)
        assert card.output["sha256"] == hashlib.sha256(job.output.read_bytes()).hexdigest()
        assert left_over(job.folder) == []

    @pytest.mark.parametrize(
        ("what", "how"),
        [
            *itertools.product(
                ("journal", "output_part", "lock"), ("symlink", "hard link", "readable")
            ),
            ("card_part", "symlink"),
        ],
    )
    def test_what_others_may_have_put_there(self, job, what, how):
        """Names can be guessed; a file of somebody else's is neither read nor written."""
        place = getattr(Workplace(job.output), what)
        victim = job.folder / "victim"
        victim.write_text("precious")
        victim.chmod(0o600)
        if how == "symlink":
            place.symlink_to(victim)
        elif how == "hard link":
            os.link(victim, place)
        else:
            place.write_text("precious")
            place.chmod(0o644)
        if what in ("output_part", "card_part"):  # left-overs without a journal are removed
            assert job.run().count == ROWS
        else:
            with pytest.raises(Malformed, match="is not a file that this user made"):
                job.run()
            assert not job.output.exists()
        assert victim.read_text() == "precious"

    def test_parts_that_others_have_put_there_meanwhile(self, job):
        job.stop()
        victim = job.folder / "victim"
        victim.write_text("precious")
        job.part.unlink()
        job.part.symlink_to(victim)
        with pytest.raises(Malformed, match="is not a file that this user made"):
            job.run(resume=True)
        assert victim.read_text() == "precious"


class TestLock:
    def test_one_job_at_a_time(self, job):
        lock = Workplace(job.output).lock
        with lock.open("w") as held:
            lock.chmod(0o600)
            fcntl.flock(held, fcntl.LOCK_EX)
            for options in ({}, {"resume": True}, {"discard": True}):
                with pytest.raises(Unfinished, match="another job is writing it now"):
                    job.run(**options)
        assert lock.exists()
        assert job.run().count == ROWS  # a lock that nobody holds is no obstacle
        assert left_over(job.folder) == []

    def test_the_second_of_two_threads(self, job):
        heard = []

        def second(_done, _total):
            if not heard:
                with pytest.raises(Unfinished, match="another job is writing it now"):
                    job.run()
                heard.append(True)

        job.run(progress=second)
        assert heard

    def test_other_outputs_are_other_jobs(self, job):
        other = job.folder / f"other.{job.ending}"
        runs = []

        def second(_done, _total):
            if not runs:
                runs.append(job.run(other).count)

        job.run(progress=second)
        assert runs == [ROWS]


def run_code(code, folder):
    """Run some code in a fresh process; what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


BEGIN = f"""
    import os, resource, signal, sys, warnings
    from pathlib import Path
    import pyarrow.compute, pyarrow.csv, pyarrow.parquet
    from dprivacy.errors import DPrivacyError
    from dprivacy.release import Plan, sanitise_file
    from dprivacy.release.files import row_chunks, table_files as files
    from dprivacy.release.jobs import job_start as jobs, output_writer as writing
    files._BLOCK, writing.CHECKPOINT = 1 << 12, 1 << 11
    row_chunks.CHUNK, row_chunks.GROUP = 250, 500
    jobs.run_key = lambda seed: {KEY!r}
    plan = Plan.read({SPEC!r})

    def attempt(**options):
        try:
            sanitise_file(source, plan, output, **options)
            print("done")
        except DPrivacyError as refusal:
            print(type(refusal).__name__, refusal)
"""


class TestDisk:
    """Full, read-only, closed: the old output stays, the sentence says what to do, resume works."""

    @pytest.fixture
    def tiny(self, tmp_path):
        """A real file system with room for 96 KiB."""
        folder = tmp_path / "tiny"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", str(folder)]
        if os.geteuid() or not shutil.which("mount") or subprocess.run(
            command, capture_output=True, check=False
        ).returncode:  # fmt: skip
            pytest.skip("only root can mount a small file system")
        yield folder
        subprocess.run(["umount", str(folder)], check=True)

    def test_a_full_disk(self, job, tiny, monkeypatch):
        output = tiny / job.output.name
        output.write_text("old")
        (tiny / "filler").write_bytes(bytes(72 << 10))
        with pytest.raises(Unfinished, match=r"No space left on device.*make room.*pass --resume"):
            job.run(output, replace=True)
        assert output.read_text() == "old"
        assert Workplace(output).journal.exists()
        with pytest.raises(Unfinished, match="No space left on device"):
            job.run(output, resume=True)
        (tiny / "filler").unlink()
        key = bytes.fromhex(json.loads(Workplace(output).journal.read_text().split("\t")[0])["key"])
        job.run(output, resume=True)
        assert output.read_bytes() == job.whole(key, monkeypatch)

    def test_a_disk_without_room_for_a_journal(self, job, tiny):
        output = tiny / job.output.name
        output.write_text("old")
        (tiny / "filler").write_bytes(bytes(92 << 10))
        with pytest.raises(DPrivacyError, match="No space left on device"):
            job.run(output, replace=True)
        assert sorted(p.name for p in tiny.iterdir()) == ["filler", output.name]
        assert output.read_text() == "old"

    def test_every_call_may_fail(self, tmp_path, small, monkeypatch):
        """Whichever write, sync, rename or removal fails: an error in words, and resume completes."""
        job = Job(tmp_path, "csv")
        wanted = job.whole(KEY, monkeypatch)
        monkeypatch.setattr(jobs, "run_key", lambda _seed: KEY)
        at, failed = 1, True
        while failed:
            with monkeypatch.context() as patch:
                failed = _fail_at(patch, at)
                with suppress(DPrivacyError):
                    job.run()
                    assert failed[0] < at, "an error of the system went unnoticed"
            if not job.output.exists() or job.journal.exists():
                job.run(resume=True)
            assert job.output.read_bytes() == wanted
            assert left_over(tmp_path) == []
            job.output.unlink()
            (tmp_path / "out.csv.card.json").unlink()
            failed, at = failed[0] >= at, at + 1
        assert at > 30

    def test_every_call_may_fail_on_resuming(self, job, monkeypatch):
        wanted = job.whole(KEY, monkeypatch)
        monkeypatch.setattr(jobs, "run_key", lambda _seed: KEY)
        for at in (*range(1, 12), 15, 20, 30):
            job.stop()
            with monkeypatch.context() as patch:
                count = _fail_at(patch, at)
                with suppress(DPrivacyError):
                    job.run(resume=True)
                    assert count[0] < at, "an error of the system went unnoticed"
            if not job.output.exists() or job.journal.exists():
                job.run(resume=True)
            assert job.output.read_bytes() == wanted
            assert left_over(job.folder) == []
            job.output.unlink()
            card_path(job.output).unlink()

    @pytest.mark.parametrize("options", [{}, {"resume": True}, {"discard": True}])
    def test_a_journal_of_somebody_else(self, job, monkeypatch, options):
        """Root may open anything; for others the system says no."""
        job.stop()
        real = os.open

        def closed(path, *arguments, **named):
            if Path(path) == job.journal:
                raise PermissionError(13, os.strerror(13))
            return real(path, *arguments, **named)

        monkeypatch.setattr(os, "open", closed)
        with pytest.raises(Malformed, match=r"cannot be written to \(Permission denied\)"):
            job.run(**options)

    @ENDINGS
    def test_a_file_size_limit(self, tmp_path, small, ending, monkeypatch):
        """A real limit of the system, where no small disk can be had."""
        job = Job(tmp_path, ending)
        job.output.write_text("old")
        code = f"""
            source, output = {str(job.source)!r}, {str(job.output)!r}
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, limits[1]))
            attempt(replace=True)
            print(Path(output).read_text())
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            attempt(resume=True)
        """
        first, old, last = run_code(
            textwrap.dedent(BEGIN) + textwrap.dedent(code), tmp_path
        ).splitlines()
        assert first.startswith("Unfinished")
        assert "cannot be written (File too large)" in first
        assert (old, last) == ("old", "done")
        assert job.output.read_bytes() == job.whole(KEY, monkeypatch)

    @ENDINGS
    def test_a_folder_that_may_not_be_written(self, small, ending, monkeypatch):
        """From the beginning, and in the middle of a job; as somebody who is not root."""
        with tempfile.TemporaryDirectory() as name:
            os.chmod(name, 0o755)
            job = Job(Path(name), ending)
            place = Path(name) / "place"
            place.mkdir()
            (place / job.output.name).write_text("old")
            job.source.chmod(0o644)
            code = f"""
                source, output = {str(job.source)!r}, {str(place / job.output.name)!r}
                folder = Path({str(place)!r})
                if os.geteuid() == 0:
                    for path in (folder, *folder.iterdir()):
                        os.chown(path, 65534, 65534)
                    os.setgid(65534)
                    os.setuid(65534)
                folder.chmod(0o500)
                attempt(replace=True)
                folder.chmod(0o700)
                attempt(replace=True, progress=lambda *_: folder.chmod(0o500))
                print(Path(output).read_text())
                attempt(resume=True)
                folder.chmod(0o700)
                attempt(resume=True)
            """
            told = run_code(textwrap.dedent(BEGIN) + textwrap.dedent(code), "/").splitlines()
            assert told[0].startswith("BadFile")
            assert "cannot be written to (Permission denied); choose a folder" in told[0]
            assert told[1].startswith("Unfinished")
            assert "Permission denied); put that right" in told[1]
            assert told[2] == "old"
            assert told[3].startswith("Unfinished")
            assert told[4] == "done"
            found = (place / job.output.name).read_bytes()
            assert found == job.whole(KEY, monkeypatch)

    def test_a_source_that_may_not_be_read(self, job):
        if os.geteuid() == 0:
            pytest.skip("root may read everything")
        job.source.chmod(0)
        with pytest.raises(Malformed, match="cannot be read"):
            job.run()
        assert left_over(job.folder) == []


def _fail_at(patch, at):
    """Let the `at`-th call of the system fail; a list that counts them."""
    count = [0]

    def wrap(name):
        real = getattr(os, name)

        def called(*arguments, **options):
            count[0] += 1
            if count[0] == at:
                raise OSError(5, os.strerror(5))
            return real(*arguments, **options)

        patch.setattr(os, name, called)

    for name in ("write", "fsync", "replace", "ftruncate"):
        wrap(name)
    return count


def test_a_journal_is_all_there_or_not_at_all(tmp_path, small, monkeypatch):
    job = Job(tmp_path, "csv")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            job.run()
    assert Journal.find(Workplace(job.output)) is None
    assert job.run().count == ROWS
    assert left_over(tmp_path) == []


@ENDINGS
@pytest.mark.parametrize(
    "family", ["projective_response", "hashed_response", "subset_response", "unary_response"]
)
def test_reports_are_not_drawn_again_when_a_job_goes_on(family, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(row_chunks, "CHUNK", 64)
    monkeypatch.setattr(writing, "CHECKPOINT", 1 << 10)
    source = tmp_path / "in.csv"
    source.write_text("h\n" + "a\nb\nc\nb\nc\n" * 100)
    plan = Plan.read({"columns": {"h": {**LETTERS, "mechanism": family}}})
    monkeypatch.setattr(jobs, "run_key", lambda seed: KEY)
    whole, parts = tmp_path / f"whole.{ending}", tmp_path / f"parts.{ending}"
    sanitise_file(source, plan, whole)

    def run(**options):
        return sanitise_file(source, plan, parts, again="a test", **options)

    stopped_after(200, run)
    run(resume=True)
    assert parts.read_bytes() == whole.read_bytes()
