"""The room Collect: what a collection says while it runs, what fakes could have done, and its end."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from nicegui import run, ui

from dprivacy.collecting import SCHEMA, Book
from dprivacy.model import shown
from dprivacy.release import Card
from dprivacy.web.pages.live_collection import Look, invented, opened, promised, released, snippet
from dprivacy.web.shell.controls import (
    Answers,
    details,
    figure,
    formula,
    hand_over,
    refusal,
    table,
)
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import small, text

_EVERY = 3.0  # seconds between two looks at a book
_MOST_BARS = 30
_NOT_DEFENDED = (
    "Every report can be honest, so that a single fake one cannot be told from it; and whoever sends "
    "many counts many times, since nobody is identified. What stands beside the estimates says how "
    "much that can matter. A counter that honest reports leave so with a chance of at most one in a "
    "billion proves that some were invented; fakes that are spread over many reports leave no trace. "
    "Nothing is trimmed, which would bias honest collections. The network knows where something came "
    "from, and when; ε does not cover that. Whoever serves the question can serve another page."
)


class CollectRoom(OpenRoom):
    """The room, open: the book that it looks at, and the release that it becomes."""

    name = "collect"
    title = "What do the answers say so far?"
    lead = (
        "A collector counts reports that were noisy before they left people's devices. Look into its "
        "book while it runs: estimates with errors, and what invented reports could have done. At the "
        "end it becomes a table with a card."
    )
    usual: ClassVar[dict[str, str]] = {}  # where a book lies is in no link

    def build(self) -> None:
        """Lay out the panels."""
        self.book: Book | None = None
        self.seen: Look | None = None
        self.turn = asyncio.Lock()  # a book is used by one at a time
        ui.context.client.on_delete(self._leave)
        with ui.element("div").classes("dp-stack"):
            with self.panel("1. The collection", "dp-1"):
                self._book_panel()
            with self.panel("2. Close it", "dp-3"):
                self._end_panel()
        with ui.element("div").classes("dp-stack"), self.panel("What it says so far", "dp-2"):
            self._estimates_panel()
        ui.timer(_EVERY, self._again)

    def _book_panel(self) -> None:
        self.place = ui.input("Its book").props("outlined dense spellcheck=false autocomplete=off")
        self.place.classes("dp-mono").props(
            'hint="a file on this machine, or postgresql://user@host/database"'
        )
        with ui.expansion("In PostgreSQL"):
            self.schema = ui.input("Schema", value=SCHEMA).props("outlined dense")
        with side_by_side():
            ui.button("Look into it", icon="visibility", on_click=self._named)
            demo = ui.button("Try an invented collection", icon="science", on_click=self._invented)
            demo.props("flat")
        self.status = Answers(self.drawer)
        small(
            "Where the book lies is in no link. Only a database that you name here is asked, and no "
            "other host."
        )

    def _estimates_panel(self) -> None:
        self.answers = Answers(self.drawer)
        with self.answers.area:
            text("p", "Name a book, or try an invented collection.")
        details("What is not defended", _NOT_DEFENDED)
        formula(
            "C[x, y] is the chance of the report y when the answer is x, and m_y of n reports were y. "
            "On average m = c·C for the true counts c, so that m·C⁻¹ estimates them: right on average, "
            "and noise may take it below 0.",
            "Reports that are sets: with p = P(x in the set) and q = P(another answer in it), the "
            "estimate is (s_z − n·q)/(p − q), where s_z sets hold z.",
            "One fake report then adds up to (1 − q)/(p − q) to a count, and moves two apart by "
            "1/(p − q).",
        )

    def _end_panel(self) -> None:
        text(
            "p",
            "When a collection is closed, its noisy answers become a table with a card, sorted: when "
            "each came is not known any more. No device can send to it afterwards.",
        )
        self.ledger = ui.input("Ledger that was charged").props("outlined dense spellcheck=false")
        self.ledger.classes("dp-mono")
        self.close = ui.button("Close the collection", icon="lock", on_click=self._ask)
        with ui.element("div").classes("dp-note dp-stack") as self.sure:
            text("p", "Nothing is taken afterwards, and that cannot be undone. Close it?")
            with side_by_side():
                ui.button("Yes, close it", icon="lock", on_click=self._close)
                ui.button("No, go on", on_click=self._fit).props("flat")
        self.result = ui.element("div").classes("dp-stack").props('aria-live="polite"')
        self._fit()

    def _fit(self) -> None:
        """Show what can be done with the book as it is."""
        self.sure.visible = False
        self.close.visible = self.book is not None
        self.ledger.visible = self.book is not None and bool(self.book.collection.ledger)
        closed = self.seen is not None and self.seen.closed
        self.close.text = "Make the table and its card" if closed else "Close the collection"

    async def _named(self) -> None:
        place, schema = str(self.place.value or ""), str(self.schema.value or "")
        await self._open(lambda: opened(place, schema))

    async def _invented(self) -> None:
        await self._open(lambda: invented(self.drawer))

    async def _open(self, find: Callable[[], Book]) -> None:
        await self._leave()
        self.result.clear()
        self.answers.area.clear()
        await self.status.ask(find, self._ready)
        await self.changed()

    async def _leave(self) -> None:
        """Let go of the book, once nobody looks into it."""
        book, self.book, self.seen = self.book, None, None
        if book is not None:
            async with self.turn:
                book.release()

    def _ready(self, book: Book) -> str:
        self.book = book
        asked = shown(book.collection.question)
        text("h3", asked)
        text("p", promised(book))
        with ui.expansion("Send to it from a page of your own"):
            text("div", snippet(book), "dp-formula dp-mono")
        return asked

    async def changed(self) -> None:
        """Look into the book."""
        book = self.book
        if book is not None:
            async with self.turn:
                await self.answers.ask(lambda: Look.at(book), self._show)
        self._fit()

    async def _again(self) -> None:
        """Look again, and show what is new; a book that cannot be read now may be later."""
        book, before = self.book, self.seen
        if book is None or before is None or before.closed or self.turn.locked():
            return
        async with self.turn:
            try:
                found = await run.io_bound(Look.since, before, book)
            except Exception as reason:
                self.answers.refuse(reason)
                self.seen = replace(before, n=-1)
                return
        if found is not None and found != before and self.book is book:
            self.answers.area.clear()
            with self.answers.area:
                self._show(found)
            if found.closed:  # by somebody else
                self._fit()

    def _show(self, found: Look) -> str:
        self.seen = found
        text("p", found.headline(), "dp-headline")
        if not found.n:
            small("This page looks again every few seconds.")
            return found.headline()
        rows = found.rows()
        table(
            "Estimated numbers of people, with the error that the noise leaves",
            ["answer", "people", "± s.e.", "95 % interval"],
            rows,
        )
        if len(rows) <= _MOST_BARS:
            figure(found.bars(), "Estimated counts with 95 % intervals.", height=320)
        text("h3", "If some reports were invented")
        for words in (found.told["fake"], *found.leads()):
            text("p", words or "")
        if found.told["honest"]:
            text("p", found.told["manipulation"], "dp-said")
        else:
            refusal(found.told["manipulation"])
        return found.headline()

    async def _ask(self) -> None:
        if self.seen is not None and self.seen.closed:
            await self._close()
        else:
            self.sure.visible = True

    async def _close(self) -> None:
        book, ledger = self.book, str(self.ledger.value or "")
        if book is None:
            return
        self._fit()
        self.result.clear()
        try:
            async with self.turn:
                found = await run.io_bound(released, book, self.drawer, ledger)
        except Exception as reason:
            with self.result:
                refusal(self.drawer.told(reason))
            return
        if found is not None:
            with self.result:
                self._hand_over(*found)
            await self.changed()

    def _hand_over(self, card: Card, output: Path) -> None:
        text("p", f"Done: {card.count:,} noisy answers are released.", "dp-headline")
        text("p", "\n".join(card.explain().splitlines()[:2]), "dp-said")
        hand_over(output, self.status)
        details("The whole card in words", card.explain())
        small("With both files, the room Receive gives corrected counts, and answers SQL.")
