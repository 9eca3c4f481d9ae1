"""Cards of columns: what a person edits while the page still works on an earlier edit is kept."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from nicegui import Client, core
from nicegui.page import page

from dprivacy.web.pages.column_cards import ColumnCards
from dprivacy.web.pages.plan_form import ColumnForm


def test_an_edit_outlives_an_earlier_one_that_is_still_worked_on(monkeypatch):
    form = ColumnForm("mood", kind="ordered", values="bad\ngood\nfair")

    async def edits():
        monkeypatch.setattr(core, "loop", asyncio.get_running_loop())
        outlooks = [asyncio.Event(), asyncio.Event()]
        waiting = iter(outlooks)
        with Client(page("/cards")):
            cards = ColumnCards([form], lambda: next(waiting).wait())
            (card,) = cards.drawn
            _, good, fair = card.list.lines
            first = asyncio.create_task(card.list.raise_(fair))
            await asyncio.sleep(0)
            second = asyncio.create_task(card.list.write(good, SimpleNamespace(args="very good")))
            await asyncio.sleep(0)
            outlooks[0].set()
            await first
            for _ in range(9):  # what the fields tell each other is done by tasks of the page
                await asyncio.sleep(0)
            kept = cards.forms[0].values
            outlooks[1].set()
            await second
        return kept, card

    values, card = asyncio.run(edits())
    assert values == card.values.value == "bad\nfair\nvery good"
    line = list(list(card.list.place)[2])
    assert [part.props["defaultValue"] for part in line if "defaultValue" in part.props] == [
        "very good"
    ]
    assert "Remove very good" in [part.props.get("aria-label") for part in line]
