"""Protecting a table that was chosen: described if need be, sanitised with progress, handed back."""

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nicegui import run, ui

from dprivacy.errors import AlreadyReleased, BadPlan, DPrivacyError, UnclearTable
from dprivacy.release import TABLE_ENDINGS, Card, Plan, card_path, report, sanitise_file
from dprivacy.web.board.sheet_buttons import sheet_buttons
from dprivacy.web.pages.plan_form import ColumnForm, Description, declared_by, proposed
from dprivacy.web.pages.table_reading import TableReading
from dprivacy.web.shell.controls import chooser, details, hand_over, refusal
from dprivacy.web.shell.desk import Drawer, warnings_heard
from dprivacy.web.shell.page_frame import small, text
from dprivacy.web.shell.page_refusals import on_the_page

Described = Callable[[list[ColumnForm]], Awaitable[None]]


def protect_table(
    source: Path,
    raw: Any,
    drawer: Drawer,
    *,
    again: str | None,
    progress: Callable[[int, int | None], None],
    delta: str | None = None,
    **written: Any,  # how the table is, under the names of sanitise_file
) -> tuple[Card, list[str], Path]:
    """Sanitise a table of the drawer; the card, warnings in words, and where the copy lies.

    It is charged to the ledger that the environment names, as on the command line. With a δ its rows
    come out sorted.
    """
    plan = Plan.read(raw)
    if again is None:
        drawer.desk.require_new(source)
    ending = ".parquet" if source.suffix.lower() == ".parquet" else ".csv"
    stem = Path(source.name.removesuffix(".gz")).stem
    output = drawer.place(f"{stem}-protected{ending}")
    with warnings_heard() as heard:
        released = sanitise_file(
            source,
            plan,
            output,
            replace=True,
            discard=True,
            ledger=os.environ.get("DPRIVACY_LEDGER") or None,
            again=again,
            progress=progress,
            shuffle=delta is not None,
            delta=delta,
            **written,
        )
    drawer.desk.released(source)
    return released.card, list(heard), output


class _Stopped(DPrivacyError):
    """Somebody pressed the button; what was written so far is removed, and nothing is charged."""


class _Watch:
    """Is told how far a job is, by the thread that does it, and keeps the last of it for the page."""

    done: tuple[int, int | None] | None = None
    part: float | None = None
    stopped = False

    def __call__(self, rows: int, total: int | None) -> None:
        """Take the rows that are done, and those in all; end the job where somebody stopped it."""
        self.done = rows, total
        if self.stopped:
            raise _Stopped("Stopped. Nothing was written, and the table is as it was")

    def stop(self) -> None:
        """End the job as soon as it says again how far it is."""
        self.stopped = True

    def share(self, part: float | None) -> None:
        """Take how much is done, from 0 to 1."""
        self.part = part


_FROM_TABLE = (
    "{} columns are described from the table. Lists of values that occur in it are marked: that "
    "somebody has a value can itself be a secret. Compare each list with the questionnaire, add what "
    "is missing, and confirm it."
)
_FROM_CODEBOOK = "{} columns are described by the codebook; nothing was taken from the data."


def described_words(found: Description, *, codebook: bool) -> str:
    """Where the columns come from, and which of them are left out and why."""
    told = (_FROM_CODEBOOK if codebook else _FROM_TABLE).format(len(found.forms))
    if not found.left_out:
        return told
    lines = [f"{name}: {on_the_page(reason)}" for name, reason in found.left_out.items()]
    return "\n".join([f"{told} These are left out until you decide:", *lines])


class TableJob:
    """The part of the room Protect that works on a table."""

    def __init__(
        self,
        drawer: Drawer,
        largest: int,
        *,
        plan: Callable[[], Any],
        described: Described,
        counted: Callable[[int], Any],
        unordered: Callable[[], str | None],
    ) -> None:
        self.drawer, self.plan, self.described = drawer, plan, described
        self.counted, self.unordered = counted, unordered
        self.path: Path | None = None
        self.output: Path | None = None
        self.codebook: Path | None = None
        self.from_data = False
        self.untouched = True
        self.refused = False
        self.asked: object = None  # the last description that was wanted
        self.stopping: Callable[[], Any] = lambda: None
        with ui.element("div").classes("dp-row"):
            chooser("Choose a table", self.take, self, TABLE_ENDINGS, largest)
            self.describe_button = ui.button("Describe the columns from it", icon="list")
            self.describe_button.props("outline").on_click(self.describe)
            self.forget_button = ui.button("Forget it", icon="delete", on_click=self.forget)
            self.forget_button.props("flat")
        self.reading = TableReading()
        self.said = ui.element("div").classes("dp-stack").props('aria-live="polite"')
        self.reason = ui.input("Why is it protected once more?").props("outlined dense")
        self.go = ui.button("Protect it", icon="shield", on_click=self.start)
        self.bar = ui.linear_progress(show_value=False).props('aria-label="progress"')
        self.moving = text("p", "", "dp-small").props("role=status")
        self.stop = ui.button("Stop", icon="stop", on_click=self._stop)
        self.stop.props("outline")
        self.result = ui.element("div").classes("dp-stack").props('aria-live="polite"')
        self.reason.visible = self.bar.visible = self.stop.visible = False
        self._fit()

    def _fit(self) -> None:
        for part in (self.describe_button, self.forget_button, self.go, self.reading.panel):
            part.visible = self.path is not None

    def _stop(self) -> None:
        self.stopping()

    def relent(self) -> None:
        """Take a refusal away: what it was about has changed."""
        if self.refused:
            self.refused = False
            self.result.clear()

    def refuse(self, reason: BaseException) -> None:
        """Say why something cannot be done."""
        self.refused = True
        self.result.clear()
        with self.result:
            if isinstance(reason, UnclearTable):
                refusal(self.reading.asked(reason))
            else:
                refusal(self.drawer.told(reason))

    async def take(self, path: Path) -> None:
        """Take a table; an example that nobody changed gives way to the table's own columns."""
        if self.path is not None and self.path != path:
            self.path.unlink(missing_ok=True)
        self.path, self.output = path, None
        self.reading.clear()
        self._ready()
        if self.untouched:
            await self.describe()

    def bring_back(self, path: Path, output: Path | None, **written: Any) -> None:
        """Have a table again that was here before the page was reloaded, and what was made of it."""
        self.path = path
        self.reading.say(written)
        self._ready()
        if output is not None and output.exists():
            self.output = output
            with self.result:
                self._hand_over(output)

    def _ready(self) -> None:
        assert self.path is not None
        self._fit()
        self.reason.visible = False
        self.result.clear()
        self.said.clear()
        with self.said:
            text("p", f"{self.path.name}, {_size(self.path)}, is ready on this machine.")

    async def describe(self) -> None:
        """Propose columns from the table, and say that their values wait to be confirmed."""
        if self.path is None:
            return
        asked, codebook = self.path, self.codebook
        with self._watched() as moved:
            self.asked = moved
            try:
                if codebook is None:
                    found = await run.io_bound(proposed, asked, **self.reading.said())
                else:
                    found = await run.io_bound(declared_by, codebook, asked, **self.reading.said())
            except Exception as reason:
                if self.asked is moved and self.path == asked:
                    self.refuse(reason)
                return
        if found is None or moved.stopped or self.asked is not moved or self.path != asked:
            return
        self.from_data = True
        self.result.clear()
        await self.described(found.forms)
        if found.rows is not None:
            self.counted(found.rows)
        self.said.clear()
        with self.said:
            text("p", described_words(found, codebook=codebook is not None), "dp-note dp-said")

    def forget(self) -> None:
        """Remove the table and everything made from it."""
        self.path = self.output = self.codebook = None
        self.drawer.clear()
        self.said.clear()
        self.result.clear()
        self.reason.visible = False
        self._fit()
        with self.said:
            text("p", "The table is removed.")

    async def start(self) -> None:
        """Sanitise the table with what the cards say now."""
        if self.path is None:
            return
        self.refused = False
        self.result.clear()
        again = str(self.reason.value or "").strip() or None
        try:
            raw = self.plan()
            _require_confirmed(raw)
            with self._watched() as moved:
                found = await run.io_bound(
                    protect_table,
                    self.path,
                    raw,
                    self.drawer,
                    again=again,
                    progress=moved,
                    delta=self.unordered(),
                    **self.reading.said(),
                )
        except Exception as reason:
            self.reason.visible = self.reason.visible or isinstance(reason, AlreadyReleased)
            self.refuse(reason)
            return
        if found is not None:
            self.reason.value = ""
            self.reason.visible = False
            self.output = found[2]
            self.counted(found[0].count)
            with self.result:
                self._show(*found)

    @contextmanager
    def _watched(self) -> Iterator["_Watch"]:
        """A bar that moves while rows are done; what is given back is told how many."""
        moved = _Watch()

        def look() -> None:
            if moved.done:
                rows, total = moved.done
                self.moving.text = f"{rows:,} rows" + (f" of {total:,}" if total else "")
            if moved.part is not None:
                self.bar.props(remove="indeterminate")
                self.bar.value = moved.part

        def stop() -> None:
            moved.stop()
            self.moving.text = "Stopping …"

        self.go.disable()
        self.bar.props("indeterminate")
        self.bar.visible = self.stop.visible = True
        self.stopping = stop
        timer = ui.timer(0.2, look)
        try:
            yield moved
        finally:
            timer.cancel()
            self.moving.text = ""
            self.bar.visible = self.stop.visible = False
            self.go.enable()

    def _show(self, card: Card, heard: list[str], output: Path) -> None:
        text("p", f"Done: {card.count:,} rows are protected.", "dp-headline")
        for words in heard:
            text("p", f"Warning: {on_the_page(words)}", "dp-note")
        text("p", card.explain().splitlines()[1] if not card.void else card.explain(), "dp-said")
        if card.shuffled and not card.void:
            text("p", card.shuffled["sentence"], "dp-said")
        self._hand_over(output)
        details("The whole card in words", card.explain())

    def _hand_over(self, output: Path) -> None:
        """Buttons for what was made."""
        hand_over(output, self)
        sheet_buttons(lambda archive: report(card_path(output), archive=archive))
        small("With both files, the room Receive gives corrected counts.")


def _require_confirmed(raw: Any) -> None:
    """Refuse, in the page's own words, lists that were taken from the table and wait for a look."""
    waiting = Plan.read(raw).unconfirmed()
    if waiting:
        raise BadPlan(
            f"the possible answers to {', '.join(waiting)} were taken from the data, and that somebody "
            "has a value can itself be a secret; open each column that is to be confirmed, tick what "
            "the questionnaire has and remove the rest, or press “I compared all lists: take them as "
            "declared”"
        )


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 2**20:.1f} MiB" if size >= 2**20 else f"{max(size / 1024, 0.1):.1f} KiB"
