"""The collector as a process: killed under load, on a full disk, with its database gone."""

import socket
import uuid
from contextlib import suppress

import pytest

from dprivacy.collecting import new_book, open_book, serve_collection
from dprivacy.errors import NotApplicable
from support.collections_asked import asked
from support.collector_process import CollectorProcess, asked as got, body, new_id, posted
from support.collector_storm import Storm
from support.patience import PATIENCE

pytest.importorskip("uvicorn", reason="a collector needs the extra [collect]")


@pytest.fixture(scope="module")
def database():
    from support.postgres_server import postgres_server

    with postgres_server() as url:
        yield url


def made(place, schema=""):
    more = {"schema": schema} if schema else {}
    book = new_book(str(place), asked("projective"), **more)
    book.release()
    return book.collection.wire


def counted(place):
    book = open_book(str(place), reading=True)
    try:
        return book.tally()
    finally:
        book.release()


@pytest.mark.parametrize("kills", [2, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_under_load_nothing_is_lost_and_nothing_counts_twice(tmp_path, kills):
    made(tmp_path / "book.db")
    storm = Storm(tmp_path / "book.db", kills=kills)
    assert (storm.lost, storm.doubled) == ({}, {})
    assert len(storm.heard) >= kills


@pytest.mark.service("postgres")
@pytest.mark.parametrize("kills", [2, pytest.param(200, marks=pytest.mark.slow)])
def test_the_same_in_postgresql(database, kills):
    schema = f"c{uuid.uuid4().hex}"
    made(database, schema)
    storm = Storm(database, schema, kills=kills)
    assert (storm.lost, storm.doubled) == ({}, {})
    assert len(storm.heard) >= kills


def test_a_full_disk_is_answered_with_503_and_nothing_is_lost(tmp_path):
    place = tmp_path / "book.db"
    wire = made(place)
    server = CollectorProcess(place, largest=300_000)
    heard, refused = [], []
    while len(refused) < 3:
        reports = [[new_id(), 0] for _ in range(500)]
        status, told = posted(server.host, body(wire, reports))
        (heard if status == 200 else refused).append(reports)
        assert status in (200, 503), told
        if status == 503:
            assert told["refused"].startswith("the reports could not be stored; send the same")
    assert got(server.host, "/v1/mechanism")[0] == 200  # it goes on
    assert "the disk refuses to store reports" in server.stop()
    assert counted(place).n == 500 * len(heard)
    server = CollectorProcess(place)  # there is room again
    for reports in [*refused, *heard]:
        status, told = posted(server.host, body(wire, reports))
        assert (status, told["counted"] + told["repeated"]) == (200, 500)
    server.stop()
    assert counted(place).counters == {0: 500 * (len(heard) + len(refused))}


@pytest.mark.service("postgres")
def test_a_database_that_is_gone_is_answered_with_503_and_nothing_is_lost(database):
    import psycopg

    schema, name = f"c{uuid.uuid4().hex}", f"gone_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(database, autocommit=True) as root:
        root.execute(f"CREATE DATABASE {name}")
        place = database.replace("/postgres?", f"/{name}?")
        wire = made(place, schema)
        server = CollectorProcess(place, schema=schema)
        first, second = body(wire, [[new_id(), 0]]), body(wire, [[new_id(), 1]])
        assert posted(server.host, first) == (200, {"counted": 1, "repeated": 0})
        root.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        root.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )
        for _ in range(3):
            status, told = posted(server.host, second)
            assert status == 503, told
            assert told["refused"].startswith("the reports could not be stored; send the same")
        root.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert posted(server.host, second) == (200, {"counted": 1, "repeated": 0})
        assert posted(server.host, first) == (200, {"counted": 0, "repeated": 1})
        server.stop()
        book = open_book(place, schema=schema)
        assert book.tally().counters == {0: 1, 1: 1}
        book.release()


def raw(host, told):
    """What a server answers to bytes that need not be HTTP."""
    name, port = host.split(":")
    with socket.create_connection((name, int(port)), timeout=PATIENCE) as line:
        line.sendall(told)
        line.shutdown(socket.SHUT_WR)
        heard = b""
        while piece := line.recv(65536):
            heard += piece
    return heard


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    place = tmp_path_factory.mktemp("book") / "book.db"
    wire = made(place)
    server = CollectorProcess(place)
    yield server, wire, place
    assert server.stop() == ""


@pytest.mark.parametrize(
    "told",
    [
        b"\0\1\2\3\r\n\r\n",
        b"POST /v1/reports HTTP/9.9\r\n\r\n",
        b"POST /v1/reports HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST /v1/reports HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n{}",
        b"POST /v1/reports HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_not_http_is_refused_and_counts_nothing(running, told):
    server, _, place = running
    heard = raw(server.host, told)
    assert heard == b"" or b" 400 " in heard.split(b"\r\n")[0], heard[:200]
    assert counted(place).n == 0


@pytest.mark.parametrize(
    "told",
    [
        b"GET /",
        b"POST /v1/reports HTTP/1.1\r\nhost: x\r\na: ",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 9,
    ],
)
def test_a_head_without_end_is_cut_off(running, told):
    server, _, _ = running
    name, port = server.host.split(":")
    with socket.create_connection((name, int(port)), timeout=PATIENCE) as line:
        line.sendall(told)
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            line.sendall(b"b" * (1 << 30))


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    place = tmp_path_factory.mktemp("book") / "book.db"
    made(place)
    server = CollectorProcess(place, slowest=0.1)
    yield server
    assert server.stop() == ""


WHOLE = b"GET /v1/mechanism HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"GET /v1/mech",
        b"POST /v1/reports HTTP/1.1\r\nhost: x\r\na: b\r\n",
        b"POST /v1/reports HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{",
        b"POST /v1/reports HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}",
        WHOLE + b"GET /v1/mech",
    ],
)
def test_who_does_not_finish_a_request_is_not_waited_for(impatient, told):
    """Else some thousand connections that say nothing would keep everybody else out."""
    name, port = impatient.host.split(":")
    with socket.create_connection((name, int(port)), timeout=PATIENCE) as line:
        line.sendall(told)
        with suppress(ConnectionResetError):
            while line.recv(65536):
                pass


def test_a_request_for_a_websocket_is_answered_as_any_other(running):
    server, _, _ = running
    asks = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"
    name, port = server.host.split(":")
    with socket.create_connection((name, int(port)), timeout=PATIENCE) as line:
        line.sendall(asks)
        assert line.recv(12) == b"HTTP/1.1 200"


def test_a_report_that_is_cut_off_counts_nothing(running):
    server, wire, place = running
    whole = body(wire, [[new_id(), 0]])
    head = b"POST /v1/reports HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(whole)
    raw(server.host, head + whole[:-1])
    assert counted(place).n == 0


def test_no_request_leaves_a_trace_of_who_sent_it(running):
    server, wire, place = running
    sent = body(wire, [[new_id(), 0]])
    told = {"host": "canary.example", "user-agent": "canary", "cookie": "canary=1"}
    told["x-forwarded-for"] = "203.0.113.77"
    assert posted(server.host, sent, told)[0] == 200
    written = b"".join(path.read_bytes() for path in place.parent.iterdir())
    assert b"canary" not in written
    assert b"203.0.113" not in written
    assert b"127.0.0.1" not in written


def test_a_port_that_is_taken(tmp_path):
    book = new_book(str(tmp_path / "book.db"), asked("projective"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        with pytest.raises(NotApplicable, match=f"port {port} of this machine is taken"):
            serve_collection(book, port=port)
    book.release()
