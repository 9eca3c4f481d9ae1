"""Reports a CPU-second that a collector stores, synced, for one and for many reports a request.

The load comes from this process over a few connections; what is counted is the time that the
collector's own process took, on whichever core. Beside it, what the disk allows: commits of one row
a second.

    python bench/bench_collecting.py [reports] [postgresql://user@host/database]
"""

import asyncio
import os
import resource
import secrets
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from dprivacy.collecting import SCHEMA, Collection, new_book
from dprivacy.mechanisms import projective_response
from dprivacy.store import stored_text
from support.collector_process import CollectorProcess, asked

REPORTS = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
URL = sys.argv[2] if len(sys.argv) > 2 else None
CONNECTIONS = 64
TICKS = os.sysconf("SC_CLK_TCK")


def spent(pid: int) -> float:
    """Processor time of a process, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(pid: int) -> float:
    """MiB in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def requests(wire, many: int, each: int):
    outputs, slots = wire.hash, wire.slots
    for _ in range(many):
        ids = secrets.token_bytes(16 * each).hex()
        drawn = secrets.token_bytes(4 * each)
        reports = ",".join(
            f'["{ids[32 * i : 32 * i + 32]}",{int.from_bytes(drawn[4 * i : 4 * i + 4]) % slots}]'
            for i in range(each)
        )
        body = f'{{"mechanism":"{outputs}","reports":[{reports}]}}'.encode()
        yield b"POST /v1/reports HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%s" % (
            len(body),
            body,
        )


async def load(host: str, port: int, sent) -> None:
    waiting = iter(sent)

    async def worker() -> None:
        reader, writer = await asyncio.open_connection(host, port)
        for request in waiting:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
        writer.close()

    await asyncio.gather(*(worker() for _ in range(CONNECTIONS)))


def measured(server: CollectorProcess, wire, many: int, each: int) -> None:
    host, port = server.host.split(":")
    sent = requests(wire, many, each)
    if many * each <= 10**6:
        sent = list(sent)  # made before the clock runs
    pid = server.process.pid
    used, began = spent(pid), time.perf_counter()
    asyncio.run(load(host, int(port), sent))
    used, took = spent(pid) - used, time.perf_counter() - began
    total = many * each
    print(
        f"{each:>5} a request: {total / used:>9,.0f} reports a CPU-second, {total / took:>8,.0f} a "
        "second "
        f"({total:,} reports, {resident(pid):,.0f} MiB resident)",
        flush=True,
    )


def bare_commits(folder: str) -> float:
    """Commits of one row a second, synced alike."""
    connection = sqlite3.connect(f"{folder}/bare.db", isolation_level=None)
    for line in (
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=FULL",
        "CREATE TABLE t (n INTEGER)",
    ):
        connection.execute(line)
    began = time.perf_counter()
    for _ in range(200):
        connection.execute("INSERT INTO t VALUES (1)")
    took = time.perf_counter() - began
    connection.close()
    return 200 / took


def main() -> None:
    mechanism = projective_response(range(1024), eps=1, q=4)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{mechanism}; {bare_commits(folder):,.0f} commits of one row a second on this disk")
        place = URL or f"{folder}/book.db"
        asked_ = Collection.of(stored_text(mechanism), question="Which?")
        schema = SCHEMA if URL is None else f"bench_{secrets.token_hex(6)}"
        book = new_book(place, asked_, schema=schema)
        wire = book.collection.wire
        book.release()
        server = CollectorProcess(place, schema=schema)
        try:
            measured(server, wire, REPORTS, 1)
            measured(server, wire, REPORTS // 20, 100)
            measured(server, wire, REPORTS // 20, 1000)
            print(asked(server.host, "/v1/estimate")[1][:60])
        finally:
            server.stop()


main()
