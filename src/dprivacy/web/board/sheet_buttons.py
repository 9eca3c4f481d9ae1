"""Buttons for the sheet of a board: to look at and print it, to save it, and the archive one."""

import json
from collections.abc import Callable
from functools import partial

from nicegui import run, ui

from dprivacy.errors import DPrivacyError
from dprivacy.release import BoardSheet
from dprivacy.web.shell.page_refusals import on_the_page

_OPEN = "window.open(URL.createObjectURL(new Blob([%s], {type: 'text/html'})))"


def sheet_buttons(sheet: Callable[[bool], BoardSheet]) -> None:
    """Three buttons; `sheet` makes the sheet, or with True the one for the archive."""

    async def made(archive: bool) -> BoardSheet | None:
        try:
            found = await run.io_bound(sheet, archive)
        except DPrivacyError as reason:
            ui.notify(on_the_page(str(reason)), type="negative")
            return None
        return found if isinstance(found, BoardSheet) else None

    async def look() -> None:
        found = await made(False)
        if found is not None:
            ui.run_javascript(_OPEN % json.dumps(found.html).replace("<", "\\u003c"))

    async def save(archive: bool) -> None:
        found = await made(archive)
        if found is not None:
            ui.download.content(found.html, "archive-sheet.html" if archive else "sheet.html")

    with ui.element("div").classes("dp-row"):
        ui.button("Look at the sheet for the board", icon="description", on_click=look)
        for label, archive in (("Save the sheet", False), ("Save the archive sheet", True)):
            button = ui.button(label, icon="download", on_click=partial(save, archive))
            button.props("outline")
