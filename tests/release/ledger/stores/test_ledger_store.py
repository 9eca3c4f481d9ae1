"""Many at once, and killed at any moment: never above the budget, nothing granted is forgotten."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from contextlib import suppress

import pytest

from dprivacy.errors import AlreadyReleased, BudgetExceeded, Malformed
from dprivacy.mechanisms import randomised_response
from dprivacy.numbers.levels import Level
from dprivacy.release import Ledger, Plan, sanitise
from support.programs import run_program
from support.release_tables import LETTERS

RR = randomised_response(["a", "b", "c"], eps="ln 2")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def storm(where, processes, spends):
    """What was granted and refused in all, by level."""
    told = {"where": where, "processes": processes, "spends": spends, "account": "storm"}
    done = run_program("ledger_storm", json.dumps(told, default=str), seconds=3600)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == processes
    return (Counter(eps for line in lines for eps in line[key]) for key in ("granted", "refused"))


def assert_the_budget_holds(where, processes, spends, limit):
    with Ledger(**where) as ledger:
        ledger.budget("storm", limit)
        granted, refused = storm(where, processes, spends)
        total = sum((n * Level(eps) for eps, n in granted.items()), Level(0))
        assert ledger.spent("storm").eps == total
        assert total <= Level(limit)
        assert granted.total() + refused.total() == processes * spends
        assert refused
        for eps in refused:  # whatever was refused would still not fit
            assert total + Level(eps) > Level(limit)
        verdict = ledger.verify()
        assert verdict, verdict.explain()
        assert verdict.entries == 2 + 2 * granted.total()  # each is spent, and settled


@needs_fork
def test_processes_share_a_budget(where):
    assert_the_budget_holds(where, 8, 12, "30")


@needs_fork
@pytest.mark.slow
def test_thirty_two_processes_share_a_budget(where):
    """16,000 spends, of which about half fit."""
    assert_the_budget_holds(where, 32, 500, "4000 ln 2")


@needs_fork
def test_processes_that_all_make_the_ledger(where, tmp_path):
    """Nobody made it before: one of them does, and the others find it made."""
    granted, refused = storm({**where, "open": True}, 6, 2)
    assert granted.total() == 12
    assert not refused
    with Ledger(**where) as ledger:
        verdict = ledger.verify()
        assert verdict, verdict.explain()
        assert verdict.entries == 1 + 2 * 12


def test_threads_share_a_budget(where):
    granted = []
    with Ledger(**where) as ledger:
        ledger.budget("storm", "20 ln 2")

        def work():
            for _ in range(5):
                with suppress(BudgetExceeded):
                    granted.append(ledger.spend({"h": RR}, account="storm").sequence)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(granted) == list(range(3, 23))
        assert bool(ledger.verify())


@needs_fork
def test_a_forked_process_opens_its_own(where):
    with Ledger(**where, open=True) as ledger:
        child = os.fork()
        if not child:
            try:
                ledger.spend({"h": RR})
                os._exit(1)
            except Malformed as refused:
                os._exit(0 if "was opened in process" in str(refused) else 2)
        assert os.waitpid(child, 0)[1] == 0
        ledger.spend({"h": RR})


KILLED = """
    import os, signal, sys, json
    import pyarrow as pa
    from dprivacy.release import sanitise
    from dprivacy.sampling import CategoricalSampler

    def die(self, *rest):
        os.kill(os.getpid(), signal.SIGKILL)

    CategoricalSampler.draw = die
    where, plan = map(json.loads, sys.argv[1:])
    from dprivacy.release import Ledger
    sanitise(pa.table({"h": ["a", "b", "c", "a"]}), plan, ledger=Ledger(**where))
"""


def test_killed_between_spending_and_sampling(where):
    import pyarrow as pa

    Ledger(**where, open=True).close()
    plan = {"columns": {"h": LETTERS}}
    told = [json.dumps(thing, default=str) for thing in (where, plan)]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), *told], check=False, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    with Ledger(**where) as ledger:
        assert ledger.spent().eps == Level("ln 2")
        assert bool(ledger.verify())
        with pytest.raises(AlreadyReleased):
            sanitise(pa.table({"h": ["a", "b", "c", "a"]}), Plan.read(plan), ledger=ledger)


def output_of(sequence):
    return hashlib.sha256(str(sequence).encode()).hexdigest()


def spend_until_killed(where, rng):
    """A child that spends, settles and reports each receipt; killed some way into one.

    The receipts that were reported.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with Ledger(**where) as ledger:
            while True:
                receipt = ledger.spend({"h": RR})
                ledger.settle(receipt, output_of(receipt.sequence))
                os.write(writer, f"{receipt.sequence}\n".encode())
    os.close(writer)
    with os.fdopen(reader) as told:
        lines = [told.readline() for _ in range(rng.randrange(1, 10))]
        sum(range(rng.randrange(500_000)))  # some way into the next one
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [int(line) for line in [*lines, *told.read().splitlines()]]


@needs_fork
@pytest.mark.parametrize("rounds", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_killed_at_any_moment(where, rounds):
    """What was granted is there afterwards, the chain is whole, and the next one can spend."""
    rng = random.Random(5)
    Ledger(**where, open=True).close()
    reported = []
    for _ in range(rounds):
        reported += spend_until_killed(where, rng)
    assert reported
    with Ledger(**where) as ledger:
        verdict = ledger.verify()
        assert verdict, verdict.explain()
        kinds = Counter(entry.body["kind"] for entry in ledger._pages.store.entries())
        outputs = dict(ledger._pages.store.every_output())
        assert ledger.spent().eps == kinds["spend"] * Level("ln 2")
        assert outputs == {sequence: output_of(sequence) for sequence in outputs}
        assert set(reported) <= set(outputs)
        assert len(set(reported)) == len(reported)
        # A child may be killed after either commit and before its report, once each.
        assert len(outputs) == kinds["settle"] <= kinds["spend"] <= len(reported) + rounds
        assert ledger.spend({"h": RR}).sequence == verdict.entries + 1


@pytest.mark.service("postgres")
def test_a_connection_that_was_cut_while_nobody_used_it_is_made_again(postgres, tmp_path):
    import psycopg

    where = {"place": postgres, "key": tmp_path / "key", "schema": "idle"}
    with Ledger(**where, open=True) as ledger, psycopg.connect(postgres, autocommit=True) as other:
        for use in (
            lambda: ledger.is_per_person("survey"),
            lambda: ledger.budget("survey", 2),
            lambda: ledger.spend({"h": RR}, account="survey"),
            ledger.verify,
        ):
            other.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                "WHERE application_name = 'dprivacy'"
            )
            use()
        assert ledger.spent("survey").eps == Level("ln 2")
