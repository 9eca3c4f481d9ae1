"""Group commit: who is told what, when storing works and when it does not."""

import asyncio
import secrets
import threading

import pytest

from dprivacy.collecting import group_commit
from dprivacy.collecting.group_commit import GroupCommit
from dprivacy.collecting.report_wire import Sent
from dprivacy.errors import NotApplicable, NotStored
from support.patience import PATIENCE


class FakeBook:
    """Remembers commits, and fails as it is told."""

    def __init__(self):
        self.commits, self.fails, self.gate = [], None, threading.Event()
        self.asked = threading.Event()
        self.gate.set()
        self.days, self.closed = [], False

    def add(self, ids, reports, day):
        self.asked.set()
        assert self.gate.wait(PATIENCE)
        if self.fails is not None:
            raise self.fails
        self.commits.append(list(zip(ids, reports, strict=True)))
        self.days.append(day)
        return [report != "seen" for report in reports]

    def release(self):
        self.closed = True


def sent(*reports):
    return Sent([secrets.token_bytes(16) for _ in reports], list(reports))


def run(work):
    book = FakeBook()

    async def main():
        commits = GroupCommit(book, day=lambda: 7)
        try:
            return await work(book, commits)
        finally:
            book.gate.set()
            await commits.finish()

    found = asyncio.run(main())
    assert book.closed
    return book, found


def test_requests_that_come_together_are_stored_together():
    async def work(book, commits):
        return await asyncio.gather(*(commits.add(sent(i, "seen")) for i in range(20)))

    book, told = run(work)
    assert told == [1] * 20
    assert len(book.commits) == 1
    assert book.days == [7]


def test_nobody_is_answered_before_it_is_stored():
    async def work(book, commits):
        book.gate.clear()
        waiting = asyncio.create_task(commits.add(sent(1)))
        assert await asyncio.to_thread(book.asked.wait, PATIENCE)  # it is at the gate
        for _ in range(20):
            await asyncio.sleep(0)
        assert not waiting.done()
        assert book.commits == []
        book.gate.set()
        return await waiting

    assert run(work)[1] == 1


@pytest.mark.parametrize("reason", [NotStored("the disk is full"), NotApplicable("closed")])
def test_everybody_hears_of_a_failure_and_the_next_commit_works(reason):
    async def work(book, commits):
        book.fails = reason
        told = await asyncio.gather(
            *(commits.add(sent(i)) for i in range(3)), return_exceptions=True
        )
        assert told == [reason] * 3
        book.fails = None
        return await commits.add(sent(1))

    assert run(work)[1] == 1


def test_an_unforeseen_failure_is_not_taken_for_success():
    async def work(book, commits):
        book.fails = ZeroDivisionError("with a secret in it")
        with pytest.raises(NotStored, match=r"^storing failed \(ZeroDivisionError\)$"):
            await commits.add(sent(1))

    run(work)


def test_too_many_are_sent_away(monkeypatch):
    monkeypatch.setattr(group_commit, "_MOST_WAITING", 10)

    async def work(book, commits):
        book.gate.clear()
        first = asyncio.create_task(commits.add(sent(*range(8))))
        await asyncio.sleep(0)
        with pytest.raises(NotStored, match="8 reports are waiting"):
            await commits.add(sent(1, 2, 3))
        book.gate.set()
        assert await first == 8
        return await commits.add(sent(1, 2, 3))

    assert run(work)[1] == 3


def test_one_who_leaves_takes_nobody_along():
    async def work(book, commits):
        book.gate.clear()
        leaving = asyncio.create_task(commits.add(sent(1)))
        staying = asyncio.create_task(commits.add(sent(2)))
        await asyncio.sleep(0)
        leaving.cancel()
        book.gate.set()
        return await staying

    book, told = run(work)
    assert told == 1
    assert [report for _, report in book.commits[0]] == [1, 2]
