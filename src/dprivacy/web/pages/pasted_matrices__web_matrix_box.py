"""A box for one matrix: an example to begin with, text to paste, or a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import ui

from dprivacy.errors import Malformed
from dprivacy.web.pages.pasted_matrices__web_matrices import EXAMPLES
from dprivacy.web.shell.controls__web_choices import Choice
from dprivacy.web.shell.controls__web_controls import chooser
from dprivacy.web.shell.desk import Drawer
from dprivacy.web.shell.page_frame__web_frame import text

_MOST = 4 << 20


def matrix_box(
    title: str,
    value: str,
    drawer: Drawer,
    *,
    rows: int,
    refuse: Callable[[BaseException], None],
    began: Callable[[str], Any] = lambda metric: None,
) -> ui.textarea:
    """The box; `began` is told the metric that goes with an example."""
    text("h2", title)
    examples = {name: words for name, (words, _, _) in EXAMPLES.items()}
    begin = Choice("Begin with an example", {"": "(my own)", **examples})
    box = ui.textarea(f"{title}: true values down, released values across", value=value)
    box.props(f"outlined rows={rows} debounce=500 spellcheck=false").classes("dp-mono")

    def start() -> None:
        if begin.value:
            _, metric, box.value = EXAMPLES[begin.value]
            began(metric)

    async def taken(path: Path) -> None:
        try:
            box.value = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            refuse(Malformed("this file is not UTF-8 text; save it as UTF-8"))
        finally:
            path.unlink(missing_ok=True)

    begin.on_change(start)
    with ui.element("div").classes("dp-row"):
        chooser(
            f"{title}: choose a file",
            taken,
            drawer,
            endings=(".csv", ".tsv", ".txt", ".json"),
            most=_MOST,
            refused=lambda words: refuse(Malformed(words)),
        )
    return box
