"""Group commit: what arrives together is stored together, and answered when it is on disk."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dprivacy.collecting.books.collection_book import Book
from dprivacy.collecting.report_wire import Sent
from dprivacy.errors import DPrivacyError, NotStored

_TOGETHER = 0.005  # seconds that the first of a commit waits for others
_ENOUGH = 64  # requests that do not wait
_MOST_WAITING = 100_000  # reports, beyond which others are sent away
_DAY = 86_400
_LOG = logging.getLogger("dprivacy.collecting")
Found = TypeVar("Found")


def today() -> int:
    """The day, counted in UTC; no finer time is kept anywhere."""
    return int(time.time()) // _DAY


class GroupCommit:
    """The one that writes into a book, by a thread of its own.

    Parameters
    ----------
    book
        Where reports are counted.
    day
        Says which day it is.
    """

    def __init__(self, book: Book, day: Callable[[], int] = today) -> None:
        self.book, self._day = book, day
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dprivacy-book")
        self._waiting: list[tuple[Sent, asyncio.Future[int]]] = []
        self._reports = 0
        self._writer: asyncio.Task[None] | None = None
        self._trouble = ""

    async def add(self, sent: Sent) -> int:
        """Count the reports of a request; how many were new, once they are on disk."""
        if self._reports + len(sent.ids) > _MOST_WAITING:
            raise NotStored(
                f"{self._reports:,} reports are waiting to be stored; send these again later"
            )
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append((sent, done))
        self._reports += len(sent.ids)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        return await done

    async def ask(self, question: Callable[[Book], Found]) -> Found:
        """Ask the book something, by the thread that uses it."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, question, self.book)

    async def _write(self) -> None:
        while self._waiting:
            if len(self._waiting) < _ENOUGH:
                await asyncio.sleep(_TOGETHER)
            group, self._waiting = self._waiting, []
            ids = [ident for sent, _ in group for ident in sent.ids]
            reports = [report for sent, _ in group for report in sent.reports]
            try:
                new = await self.ask(lambda book: book.add(ids, reports, self._day()))  # noqa: B023
            except DPrivacyError as reason:
                self._fail(group, reason)
            except Exception as reason:  # nobody is told that what failed was stored
                self._fail(group, NotStored(f"storing failed ({type(reason).__name__})"))
            else:
                self._note("")
                at = 0
                for sent, done in group:
                    if not done.done():
                        done.set_result(sum(new[at : at + len(sent.ids)]))
                    at += len(sent.ids)
            self._reports -= len(ids)
        self._writer = None

    def _fail(self, group: list[tuple[Sent, asyncio.Future[int]]], reason: DPrivacyError) -> None:
        for _, done in group:
            if not done.done():
                done.set_exception(reason)
        self._note(str(reason))

    def _note(self, trouble: str) -> None:
        """Say once, to whoever runs the collector, what is wrong, and once that it is over."""
        if trouble != self._trouble:
            _LOG.error("%s", trouble or "reports are stored again")
        self._trouble = trouble

    async def finish(self) -> None:
        """Wait for what is being stored, and close the book."""
        if self._writer is not None:
            await self._writer
        await self.ask(lambda book: book.release())
        self._thread.shutdown()
