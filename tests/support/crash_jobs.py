"""File jobs that are killed, over and over; run as a program, so that the tests' own process is safe.

The program imports everything once and forks a child for each job. A child dies by SIGKILL from inside:
when it reaches a named point of the job, its k-th call of the operating system (before it, or half-way
through a write), or the k-th call or return of any function in any of its threads. Another child
resumes, and may be killed as well. What must hold at every moment is checked after every death; what
does not is printed, one line each.

    python -m support.crash_jobs FOLDER FORMAT points SEED              at every named point
    python -m support.crash_jobs FOLDER FORMAT calls SEED FIRST STEP    every STEP-th call from FIRST on
    python -m support.crash_jobs FOLDER FORMAT random SEED DEATHS       at random calls and returns

FORMAT is csv, parquet or jsonl, with "sorted " before it for a release whose rows are shuffled, and
"worded " for one with a column of texts.
"""

import json
import os
import random
import shutil
import signal
import sys
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from dprivacy.release import Plan, sanitise_file
from dprivacy.release.files import row_chunks, table_files as files
from dprivacy.release.jobs import (
    job_resume as resuming,
    job_start,
    output_writer as writing,
)
from dprivacy.release.jobs.job_journal import Journal
from dprivacy.release.plans.release_card import read_card
from dprivacy.release.unordered import code_tally, row_company

KEY = bytes(37 * k % 256 for k in range(3, 35))
ROWS = 900
# Name: what is called there, and the calls of it at whose end (or, for -k, before whose k-th) to die.
POINTS = {
    "journal written": (Journal, "create", (1,)),
    "chunk written": (writing.Writing, "_write", (1, 2, 5)),
    "record of the journal written": (Journal, "append", (1, 2)),
    "output complete": (writing.Writing, "finish", (1,)),
    "card written": (resuming, "write_card", (1,)),
    "rename": (os, "replace", (-1, 1, -2, 2, -3, 3)),
    "all in place": (resuming, "put_in_place", (-1, 1)),
}
CALLS = ("open", "write", "fsync", "replace", "unlink", "ftruncate")
PLAN = Plan.read({
    "columns": {
        "h": {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 2"},
        "n": {"type": "numbers", "low": 0, "high": 50, "grid": 1, "epsilon": "1/10"},
    },
    "drop": ["who"],
    "unit": "who",
    "pass_through": ["x"],
})  # fmt: skip


SORTED = Plan.read({**PLAN.raw, "pass_through": [], "drop": ["who", "x"]})
WORDED = Plan.read({
    **PLAN.raw, "columns": {**PLAN.raw["columns"], "t": {"type": "text", "epsilon": 2, "length": 2}},
})  # fmt: skip


def write_source(folder, ending, *, worded=False):
    rng = np.random.default_rng(5)
    table = pa.table({
        "who": [f"p{k}" for k in range(ROWS)],
        "h": np.array(["a", "b", "c"])[rng.integers(0, 3, ROWS)],
        "n": rng.integers(0, 51, ROWS),
        "x": np.arange(ROWS),
    })  # fmt: skip
    if worded:
        texts = [f"the king met {'old ' * (k % 5)}friends" for k in range(ROWS)]
        table = table.append_column("t", pa.array(texts))
    source = folder / f"in.{ending}"
    if ending == "csv":
        pacsv.write_csv(table, source)
    elif ending == "jsonl":
        source.write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()))
    else:
        pq.write_table(table, source, row_group_size=300)
    return source


def small_steps():
    """Many chunks and many checkpoints in a small table; the same key in every run."""
    files._BLOCK, writing.CHECKPOINT = 1 << 11, 1 << 11
    row_chunks.CHUNK, row_chunks.GROUP = 120, 240
    code_tally.HELD = 1 << 9
    proved = row_company.shuffled_table(SORTED, ROWS, delta=Fraction(1, 10**6))
    row_company.shuffled_table = lambda *_, **__: proved  # which takes longer than a job
    job_start.run_key = lambda seed: KEY


def deadly(at, half):
    """Die at the `at`-th call: before it or, if it is a write and `half`, half-way through it."""
    count = 0

    def wrap(name):
        real = getattr(os, name)

        def called(*arguments, **options):
            nonlocal count
            count += 1
            if count == at:
                if half and name == "write":
                    real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        setattr(os, name, called)

    for name in CALLS:
        wrap(name)
    return lambda: count


def deadly_step(at):
    """Die at the `at`-th call or return of a function, whatever it is and whichever thread makes it."""
    count = 0

    def step(*_):
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    threading.setprofile(step)
    sys.setprofile(step)
    return lambda: count


def deadly_point(name, at):
    """Die at the end of the `at`-th call at a point; for a negative number, before that call."""
    owner, attribute, _ = POINTS[name]
    real, count = getattr(owner, attribute), 0

    def called(*arguments, **options):
        nonlocal count
        count += 1
        if count == -at:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = real(*arguments, **options)
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    setattr(owner, attribute, called)


def child(work):
    """Run something in a child; its process number."""
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        status = work() or 0
    except BaseException as reason:
        print(f"child: {type(reason).__name__}: {reason}", flush=True)
    os._exit(status)


def ended(process):
    """The signal that a child died of (negative), or its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


class Trials:
    def __init__(self, folder, form):
        *manner, ending = form.split()
        self.folder, self.ending = folder, ending
        self.plan, self.how = WORDED if manner == ["worded"] else PLAN, {}
        if manner == ["sorted"]:
            writing.CHECKPOINT = 1 << 8  # sorted rows take little room
            self.plan, self.how = SORTED, {"shuffle": True, "delta": "1e-6"}
        self.source = write_source(folder, ending, worded=manner == ["worded"])
        self.place = folder / "out"
        self.output = self.place / f"out.{ending}"
        self.card_path = self.place / f"out.{ending}.card.json"
        self.deaths = self.resumed = 0
        self.fresh()
        assert ended(child(self.job(resume=False))) == 0
        self.wanted = self.output.read_bytes()
        self.card = (self.card_path).read_bytes()

    def fresh(self, *, old=False):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        self.old = {}
        if old:
            self.old = {self.output: b"old output", self.card_path: b"old card"}
        for path, content in self.old.items():
            path.write_bytes(content)

    def job(self, *, resume, kill=(0, False)):
        """A job that dies at (name of a point, number), (number of a call, half of it) or (a step,)."""

        def work():
            (deadly_point if kill[0] in POINTS else deadly if len(kill) > 1 else deadly_step)(*kill)
            how = {**self.how, "resume": resume, "replace": bool(self.old)}
            sanitise_file(self.source, self.plan, self.output, **how)

        return work

    def calls(self):
        """How many calls of the system an undisturbed job makes."""
        return self._counted(lambda: deadly(0, half=False))

    def steps(self):
        """How many calls and returns of functions."""
        return self._counted(lambda: deadly_step(0))

    def _counted(self, watch):
        self.fresh()
        told = self.folder / "count"

        def work():
            count = watch()
            sanitise_file(self.source, self.plan, self.output, **self.how)
            told.write_text(str(count()))

        assert ended(child(work)) == 0
        return int(told.read_text())

    def check(self, where):
        """What must hold whenever a job is dead."""
        new = {self.output: self.wanted, self.card_path: self.card}
        for path, content in new.items():
            found = path.read_bytes() if path.exists() else None
            if found not in (content, self.old.get(path)):
                print(f"{where}: {path.name} is torn", flush=True)
        for path in self.place.iterdir():
            if path.name.startswith(".") and path.stat().st_mode & 0o077:
                print(f"{where}: others may read {path.name}", flush=True)
            if path.name.endswith("dprivacy-runs") and path.stat().st_size:
                print(f"{where}: rows in their order lie in {path.name}", flush=True)
        part = self.place / f".{self.output.name}.dprivacy-part"
        if part.exists() and not self.wanted.startswith(part.read_bytes()):
            print(f"{where}: rows on the disk have other noise", flush=True)

    def finished(self):
        """Whether the output is in place and the key is gone."""
        journal = self.place / f".{self.output.name}.dprivacy-journal"
        open_ = journal.exists() and not journal.read_bytes().startswith(b"\0")
        return not open_ and self.output.exists() and self.output.read_bytes() == self.wanted

    def trial(self, where, first, again=()):
        """A job, killed; it is resumed, and killed, until nobody kills it any more."""
        resume = False
        for kill in (*first, *again, None):
            if resume and self.finished():
                break
            if kill is None:
                code = ended(child(self.job(resume=resume)))
            else:
                code = ended(child(self.job(resume=resume, kill=kill)))
                if not resume and kill[0] in POINTS and code == 0:
                    print(f"{where}: was not reached", flush=True)
            self.resumed += resume
            self.deaths += code == -signal.SIGKILL
            if code not in (0, -signal.SIGKILL):
                print(f"{where}: exit code {code}", flush=True)
            self.check(where)
            if code == 0:
                break
            resume = True
        self.check_end(where)

    def check_end(self, where):
        if not self.output.exists() or self.output.read_bytes() != self.wanted:
            print(f"{where}: the output is not that of an undisturbed run", flush=True)
        for path in self.place.iterdir():
            data = path.read_bytes()
            if path.name.startswith(".") and data and not data.startswith((b"\0", b"\1")):
                print(f"{where}: left over: {path.name}", flush=True)
            if KEY in data or KEY.hex().encode() in data:
                print(f"{where}: the key is in {path.name}", flush=True)
        if read_card(self.card_path).count != ROWS:
            print(f"{where}: rows are lost", flush=True)


def main():
    folder, form, how, seed, *rest = sys.argv[1:]
    rng = random.Random(int(seed))
    small_steps()
    trials = Trials(Path(folder), form)
    if how == "points":
        every = [(name, at) for name, (_, _, times) in POINTS.items() for at in times]
        for k, (name, at) in enumerate(every):
            trials.fresh(old=bool(k % 2))
            trials.trial(f"{name}, {at}", [(name, at)], [rng.choice(every)] * (k % 2))
    elif how == "calls":
        # Call number at // 2, and for odd numbers half of it if it is a write.
        for at in range(int(rest[0]), 2 * trials.calls() + 2, int(rest[1])):
            trials.fresh(old=rng.random() < 0.5)
            again = [(rng.randrange(1, 40), rng.random() < 0.5)] * rng.randrange(2)
            trials.trial(f"call {at / 2}", [(at // 2, bool(at % 2))], again)
    else:
        wanted, steps = int(rest[0]), trials.steps()
        for k in range(10 * wanted):
            if trials.deaths >= wanted:
                break
            trials.fresh(old=rng.random() < 0.5)
            kills = [(rng.randrange(1, steps),) for _ in range(rng.randrange(1, 4))]
            trials.trial(f"random {k}", kills)
    print(f"deaths {trials.deaths} resumed {trials.resumed}")


if __name__ == "__main__":
    main()
