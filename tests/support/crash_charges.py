"""File jobs that are killed at any statement of their ledger, or at any call of the system; resumed.

Run as a program, as `support.crash_jobs`, whose jobs these are. What does not hold is printed, one line
each: a job has one charge and one output, however often it died.

    python -m support.crash_charges FOLDER STEP    every STEP-th statement and call
"""

import os
import signal
import sqlite3
import sys
from functools import partial
from itertools import count
from pathlib import Path

from dprivacy.numbers import Level
from dprivacy.release import Ledger, sanitise_file
from support.broken_ledgers import Faults, WoundedConnection
from support.crash_jobs import PLAN, child, deadly, ended, small_steps, write_source


class DeadlyConnection(WoundedConnection):
    """A connection whose process dies instead of failing."""

    def execute(self, sql, values=()):
        try:
            return super().execute(sql, values)
        except sqlite3.OperationalError:
            os.kill(os.getpid(), signal.SIGKILL)


def deadly_statement(at, when):
    faults, real = Faults(), sqlite3.connect
    faults.arm(at, when, lasting=False)
    sqlite3.connect = lambda *given, **how: DeadlyConnection(real(*given, **how), faults)


class Jobs:
    def __init__(self, folder):
        self.folder, self.place = folder, folder / "ledger.db"
        self.numbers, self.cards, self.deaths = count(1), [], 0
        with Ledger(self.place) as ledger:
            ledger.budget("everyone", 10_000, unit="person")

    def trial(self, where, arm):
        """A job that dies, and is resumed; whether it died."""
        number = next(self.numbers)
        source = write_source(self.folder, "csv").rename(self.folder / f"in{number}.csv")
        source.write_text(f"{source.read_text()}p{number + 5000},a,1,1\n")  # a table of its own
        output = self.folder / f"out{number}.csv"

        def job(before):
            def work():
                before()
                sanitise_file(source, PLAN, output, ledger=self.place, resume=True)

            return ended(child(work))

        code = job(arm)
        self.deaths += code == -signal.SIGKILL
        if code not in (0, -signal.SIGKILL):
            print(f"{where}: exit code {code}", flush=True)
        journal = self.folder / f".{output.name}.dprivacy-journal"
        done = output.exists() and not journal.exists()
        if code and not done and job(lambda: None):
            print(f"{where}: cannot be resumed", flush=True)
        self.cards.append(self.folder / f"out{number}.csv.card.json")
        return code != 0

    def check(self):
        with Ledger(self.place) as ledger:
            each = Level("ln 2") + Level("1/10") * 50
            if ledger.spent().eps != len(self.cards) * each:
                print(
                    f"{ledger.spent().words()} is spent for {len(self.cards)} outputs", flush=True
                )
            verdict = ledger.verify(self.cards)
            if not verdict:
                print(verdict.explain(), flush=True)


def main():
    folder, step = Path(sys.argv[1]), int(sys.argv[2])
    small_steps()
    jobs = Jobs(folder)
    for when in ("before", "after"):
        for at in count(1, step):
            if not jobs.trial(f"{when} statement {at}", partial(deadly_statement, at, when)):
                break
    for at in count(1, step):
        if not jobs.trial(f"call {at}", partial(deadly, at, bool(at % 2))):
            break
    jobs.check()
    print(f"deaths {jobs.deaths}")


if __name__ == "__main__":
    main()
