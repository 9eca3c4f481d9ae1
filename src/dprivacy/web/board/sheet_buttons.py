"""Buttons for the sheet of a board: to look at and print it, to save it, and the archive one."""

import json
from collections.abc import Callable
from functools import partial

from nicegui import run, ui

from dprivacy.errors import DPrivacyError
from dprivacy.release import BoardSheet
from dprivacy.web.shell.page_refusals import on_the_page

# A browser opens a new tab for a click, and not for an answer that comes seconds later.
_OPEN = """() => {
    window.dprivacySheet = window.open("", "_blank");
    window.dprivacySheet?.document.write("<title>The sheet</title><p>The sheet is being made …</p>");
    emit();
}"""
_FILL = "{ const page = window.dprivacySheet.document; page.open(); page.write(%s); page.close(); }"


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
        if found is None:
            ui.run_javascript("window.dprivacySheet?.close()")
            return
        ui.run_javascript(_FILL % json.dumps(found.html).replace("<", "\\u003c"))

    async def save(archive: bool) -> None:
        found = await made(archive)
        if found is not None:
            ui.download.content(found.html, "archive-sheet.html" if archive else "sheet.html")

    with ui.element("div").classes("dp-row"):
        first = ui.button("Look at the sheet for the board", icon="description")
        first.on("click", look, js_handler=_OPEN)
        for label, archive in (("Save the sheet", False), ("Save the archive sheet", True)):
            button = ui.button(label, icon="download", on_click=partial(save, archive))
            button.props("outline")
