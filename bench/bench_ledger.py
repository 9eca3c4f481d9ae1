"""Spends a second, beside a bare counter in the same database; what a crowd and a check cost.

The counter is the least that holds a budget: one row, read and written in one transaction that is
synced like ours. The ratio counter/ours is what exact levels, seals and the chain leave of its speed.

    python bench/bench_ledger.py [postgresql://user@host/database]
"""

import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from dprivacy.mechanisms import randomised_response
from dprivacy.release import Ledger

SPENDS = 300
CROWD = 50_000
TIMES = 3
RR = randomised_response(["a", "b", "c"], eps="ln 2")


def ours(where: dict[str, object]) -> float:
    with Ledger(**where) as ledger:
        ledger.budget("bench", 10**6)
        began = time.perf_counter()
        for _ in range(SPENDS):
            ledger.spend({"h": RR}, account="bench")
        return time.perf_counter() - began


def sqlite_counter(place: Path) -> float:
    connection = sqlite3.connect(place, isolation_level=None)
    connection.execute("PRAGMA synchronous=EXTRA")
    connection.execute("CREATE TABLE IF NOT EXISTS spent (nano INTEGER)")
    connection.execute("INSERT INTO spent VALUES (0)")
    began = time.perf_counter()
    for _ in range(SPENDS):
        connection.execute("BEGIN IMMEDIATE")
        (nano,) = connection.execute("SELECT nano FROM spent").fetchone()
        if nano < 10**15:
            connection.execute("UPDATE spent SET nano = ?", [nano + 693147181])
        connection.execute("COMMIT")
    spent = time.perf_counter() - began
    connection.close()
    return spent


def postgres_counter(url: str) -> float:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bench_spent")
        connection.execute("CREATE TABLE bench_spent (nano BIGINT)")
        connection.execute("INSERT INTO bench_spent VALUES (0)")
        began = time.perf_counter()
        for _ in range(SPENDS):
            with connection.transaction():
                (nano,) = connection.execute("SELECT nano FROM bench_spent FOR UPDATE").fetchone()
                if nano < 10**15:
                    connection.execute("UPDATE bench_spent SET nano = %s", [nano + 693147181])
        spent = time.perf_counter() - began
        connection.execute("DROP TABLE bench_spent")
    return spent


def shown(name: str, mine: list[float], plain: list[float]) -> None:
    ratio = min(plain) / min(mine)
    print(
        f"  {name:10s} ours {SPENDS / min(mine):7.0f} spends/s   counter {SPENDS / min(plain):7.0f} "
        f"spends/s   ratio counter/ours {ratio:5.2f}×"
    )


def main() -> None:
    print(f"{SPENDS} spends one after the other, synced to disk")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = [
            (ours({"place": folder / f"{k}.db"}), sqlite_counter(folder / f"counter{k}.db"))
            for k in range(TIMES)
        ]
        shown("SQLite", *map(list, zip(*pairs, strict=True)))
        for url in sys.argv[1:]:
            stamp = time.time_ns()
            pairs = [
                (
                    ours(
                        {"place": url, "key": folder / f"{k}.key", "schema": f"bench_{stamp}_{k}"}
                    ),
                    postgres_counter(url),
                )
                for k in range(TIMES)
            ]
            shown("PostgreSQL", *map(list, zip(*pairs, strict=True)))
        with Ledger(folder / "crowd.db") as ledger:
            ledger.budget("users", 10, per="person")
            began = time.perf_counter()
            ledger.spend({"h": RR}, account="users", people=range(CROWD))
            spent = time.perf_counter() - began
            began = time.perf_counter()
            assert ledger.verify()
            checked = time.perf_counter() - began
        print(f"  {CROWD:,} people charged at once: {spent:.2f} s; verified: {checked:.2f} s")


if __name__ == "__main__":
    main()
