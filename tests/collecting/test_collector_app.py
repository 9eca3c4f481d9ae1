"""The application: what is counted, and a thousand requests of every kind that are not."""

import asyncio
import json
import secrets

import pytest

from dprivacy.collecting.books.sqlite_book import SQLiteBook
from dprivacy.collecting.collector_app import Collector
from dprivacy.collecting.group_commit import GroupCommit
from dprivacy.collecting.report_wire import LARGEST
from support.collections_asked import asked

MANY = 1000


class Asked:
    """The application with a book of its own; requests by `post` and `get`."""

    def __init__(self, folder, kind="projective", **options):
        self.book = SQLiteBook(folder / "book.db", asked(kind))
        self.wire = self.book.collection.wire
        self.commits = GroupCommit(self.book)
        self.app = Collector(self.commits, **options)

    async def request(self, method, path, *pieces):
        messages = [
            {"type": "http.request", "body": piece, "more_body": at + 1 < len(pieces)}
            for at, piece in enumerate(pieces or [b""])
        ]
        told = []

        async def receive():
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message):
            told.append(message)

        await self.app({"type": "http", "method": method, "path": path}, receive, send)
        if not told:
            return None
        headers = dict(told[0]["headers"])
        content = told[1]["body"]
        assert headers[b"content-length"] == b"%d" % len(content)
        return told[0]["status"], content, headers

    async def post(self, *pieces):
        status, content, _ = await self.request("POST", "/v1/reports", *pieces)
        return status, json.loads(content)

    def body(self, *reports):
        return json.dumps({"mechanism": self.wire.hash, "reports": list(reports)}).encode()


def run(folder, work, **options):
    async def main():
        made = Asked(folder, **options)
        try:
            return await work(made)
        finally:
            await made.commits.finish()

    return asyncio.run(main())


def one():
    return [secrets.token_hex(16), secrets.randbelow(7)]


def test_reports_are_counted_once(tmp_path):
    async def work(made):
        body = made.body(one(), one())
        assert await made.post(body) == (200, {"counted": 2, "repeated": 0})
        assert await made.post(body[:50], body[50:]) == (200, {"counted": 0, "repeated": 2})
        return made.book.tally().n

    assert run(tmp_path, work) == 2


def changed(make):
    """Bodies made from a good one."""
    return lambda made: make(json.loads(made.body(one())), made)


def told(data):
    return json.dumps(data).encode()


KINDS = {
    "nothing": lambda made: b"",
    "noise": lambda made: secrets.token_bytes(200),
    "cut off": lambda made: made.body(one())[: -1 - secrets.randbelow(90)],
    "repeated key": lambda made: made.body(one())[:-1] + b', "reports": []}',
    "another key": changed(lambda data, made: told({**data, secrets.token_hex(3): 1})),
    "a missing key": changed(lambda data, made: told({"reports": data["reports"]})),
    "another mechanism": changed(
        lambda data, made: told({**data, "mechanism": secrets.token_hex(32)})
    ),
    "no reports": changed(lambda data, made: told({**data, "reports": []})),
    "too many": lambda made: told({"mechanism": made.wire.hash, "reports": [["", 0]] * 1001}),
    "a short id": lambda made: made.body([secrets.token_hex(15), 0]),
    "a long id": lambda made: made.body([secrets.token_hex(17), 0]),
    "a spaced id": lambda made: made.body([secrets.token_hex(15) + "  ", 0]),
    "a number as id": lambda made: made.body([secrets.randbits(128), 0]),
    "a number outside": lambda made: made.body([secrets.token_hex(16), 7 + secrets.randbits(70)]),
    "a negative number": lambda made: made.body([secrets.token_hex(16), -1 - secrets.randbits(70)]),
    "a fraction": lambda made: made.body([secrets.token_hex(16), secrets.randbits(20) / 7]),
    "a truth value": lambda made: made.body([secrets.token_hex(16), True]),
    "a text": lambda made: made.body([secrets.token_hex(16), "tea"]),
    "a true answer": lambda made: made.body([secrets.token_hex(16), ["tea"]]),
    "one bad of many": lambda made: made.body(
        *(one() for _ in range(20)), [secrets.token_hex(16), 7]
    ),
    "nested": lambda made: b"[" * (20_000 + secrets.randbelow(9)),
    "not a number": lambda made: made.body(one()).replace(b"]]", b".0e9]]"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_malformed_requests_are_refused_and_nothing_is_counted(tmp_path, kind):
    async def work(made):
        seen = set()
        for _ in range(MANY):
            status, said = await made.post(KINDS[kind](made))
            seen.add((status, *said))
        return seen, made.book.counted()

    assert run(tmp_path, work) == ({(422, "refused")}, {})


@pytest.mark.parametrize("pieces", [1, 4])
def test_a_thousand_requests_that_are_too_long(tmp_path, pieces):
    async def work(made):
        whole = made.body(one()) + b" " * LARGEST
        step = -(-len(whole) // pieces)
        parts = [whole[at : at + step] for at in range(0, len(whole), step)]
        seen = {(await made.post(*parts))[0] for _ in range(MANY)}
        _, said = await made.post(*parts)
        assert said["refused"].startswith("a request should be at most 65,536 bytes")
        return seen, made.book.counted()

    assert run(tmp_path, work) == ({413}, {})


def test_a_request_as_long_as_may_be_is_taken(tmp_path):
    async def work(made):
        body = made.body(one())
        return await made.post(body + b" " * (LARGEST - len(body)))

    assert run(tmp_path, work)[0] == 200


def test_a_sender_that_leaves_is_not_counted(tmp_path):
    async def work(made):
        messages = [{"type": "http.request", "body": made.body(one())[:9], "more_body": True}]

        async def receive():
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message):
            raise AssertionError(message)

        await made.app({"type": "http", "method": "POST", "path": "/v1/reports"}, receive, send)
        return made.book.counted()

    assert run(tmp_path, work) == {}


def test_a_closed_collection_says_so(tmp_path):
    async def work(made):
        made.book.close_collection()
        return await made.post(made.body(one()))

    status, said = run(tmp_path, work)
    assert status == 410
    assert said == {"refused": "this collection is closed and takes no more reports"}


def test_one_that_lost_its_book_sends_devices_on_to_the_other(tmp_path, caplog):
    """With 503, after which a device sends again, and not with 410, after which it gives up."""

    async def work(made):
        other = SQLiteBook(tmp_path / "book.db")
        body = made.body(one())
        told = await made.post(body), await made.post(body)
        sent = made.wire.request(body)
        assert other.add(sent.ids, sent.reports, 20_000) == [True]
        other.release()
        return told

    first, second = run(tmp_path, work)
    assert first == second
    assert first[0] == 503
    assert str(tmp_path) not in first[1]["refused"]  # what everybody hears names no file
    (said,) = caplog.messages  # what the operator hears, once
    assert "another collector has opened this book" in said


def test_estimates_are_made_at_most_once_a_second(tmp_path):
    async def work(made):
        first = await made.request("GET", "/v1/estimate")
        await made.post(made.body(*(one() for _ in range(50))))
        second = await made.request("GET", "/v1/estimate")
        made.app._good_until = 0.0
        third = await made.request("GET", "/v1/estimate")
        return [json.loads(content)["n"] for _, content, _ in (first, second, third)]

    assert run(tmp_path, work) == [0, 0, 50]


@pytest.mark.parametrize("change", ["DROP TABLE counts", "UPDATE counts SET n = -1"])
def test_a_book_that_cannot_be_read_has_no_estimates_and_names_no_file(tmp_path, change):
    async def work(made):
        await made.post(made.body(one()))
        made.book._connection.execute(change)
        return await made.request("GET", "/v1/estimate")

    status, content, _ = run(tmp_path, work)
    assert (status, json.loads(content)) == (
        503,
        {"refused": "the estimates cannot be made now; ask again later"},
    )


def test_estimates_can_be_hidden(tmp_path):
    async def work(made):
        paths = ("/v1/estimate", "/estimates", "/v1/mechanism")
        return [(await made.request("GET", path))[0] for path in paths]

    assert run(tmp_path, work, estimates=False) == [404, 404, 200]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/v1/reports", 404),
        ("GET", "/../errors.py", 404),
        ("GET", "/client/../report_wire.py", 404),
        ("PUT", "/v1/reports", 405),
        ("DELETE", "/", 405),
        ("POST", "/", 405),
        ("OPTIONS", "/v1/reports", 204),
    ],
)
def test_other_requests(tmp_path, method, path, status):
    async def work(made):
        return await made.request(method, path)

    found = run(tmp_path, work)
    assert found[0] == status
    assert found[2][b"access-control-allow-origin"] == b"*"
