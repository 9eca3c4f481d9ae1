"""The room Protect: describe columns, move one slider, read one sentence; then protect a table."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nicegui import run, ui

from dprivacy.errors import DPrivacyError
from dprivacy.release import BoardSheet, report
from dprivacy.web.board.crossed_columns import crossed_words
from dprivacy.web.board.kept_drafts import forget_draft, read_draft, write_draft
from dprivacy.web.board.outlook_panel import show_outlook
from dprivacy.web.board.plan_outlook import Outlooks, usual_delta
from dprivacy.web.board.sheet_buttons import sheet_buttons
from dprivacy.web.pages.column_cards import ColumnCards
from dprivacy.web.pages.plan_form import (
    FIRST,
    ColumnForm,
    Whole,
    common_level,
    confirmed,
    declared_by,
    forms_of,
    plan_mapping,
    plan_text,
    read_plan,
    under_slider,
)
from dprivacy.web.pages.table_job import TableJob, described_words
from dprivacy.web.shell.controls import (
    Answers,
    Choice,
    chooser,
    level_control,
    save_button,
)
from dprivacy.web.shell.desk import read_text
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import small, text, whole

USUAL = {"eps": "ln(3/2)", "of": "", "rows": "1000", "sorted": "", "plan": ""}
_LIMITS = {
    "of": lambda given: "row" if given == "row" else "",
    "rows": lambda given: str(whole(given, 1, 10**9, 1000)),
    "sorted": lambda given: "yes" if given == "yes" else "",
}
_OF = {"": "one answer", "row": "the whole row, which the columns share"}
_MOST_PLAN = 1 << 20
_MOST_CODEBOOK = 64 << 20
_CODEBOOKS = (".json", ".csv", ".tsv", ".xml", ".xlsx", ".xls", ".ods", ".sav", ".zsav", ".dta")


def described_in(state: Mapping[str, str]) -> tuple[list[ColumnForm], Whole]:
    """The columns that an address describes; the example where it has none that can be read."""
    if not state["plan"]:
        return list(FIRST), Whole()
    try:
        raw = read_plan(state["plan"])
        whose = Whole.of(raw).under_slider(state["eps"])
        return under_slider(forms_of(raw), state["eps"]), whose
    except DPrivacyError:
        return list(FIRST), Whole()


class ProtectRoom(OpenRoom):
    """The room, open: the columns that a plan is made of, and a table to protect by it."""

    name = "protect"
    title = "Protect what people tell you"
    lead = (
        "Describe what you ask: names and possible answers, no data. Move the slider and read what a "
        "guesser would gain. Then, if you like, protect a table that lies on this machine."
    )
    usual = USUAL
    limits = _LIMITS

    def build(self) -> None:
        """Lay out the panels."""
        self.outlooks = Outlooks()
        self.before: tuple[Any, ...] | None = None
        first, whose = described_in(self.state)
        self.whose = whose
        if whose.shared:
            self.state["of"] = "row"
        with ui.element("div").classes("dp-stack"):
            with self.panel("1. How much may leak", "dp-1"):
                self._level_panel()
            with self.panel("2. What you ask", "dp-3"):
                self._columns_panel(first, whose)
        with ui.element("div").classes("dp-stack"):
            with self.panel("What that means", "dp-2"):
                self.answers = Answers(self.drawer)
                sheet_buttons(self._sheet)
            with self.panel("3. Protect a table", "dp-4"):
                self._table_panel()

    def _level_panel(self) -> None:
        self.of = Choice("The slider is for", _OF, self.state["of"])
        self.set_level = level_control(
            self.state["eps"],
            self._leveled,
            unit="one step apart",
            of_row=lambda: self.of.value == "row",
        )
        self.of.on_change(self._other_measure)
        self.rows = ui.number("Rows you expect", value=int(self.state["rows"]), min=1, precision=0)
        self.rows.props("outlined dense debounce=500").on_value_change(self.changed)
        self.sorted = ui.checkbox(
            "Release the rows sorted, without order and names", value=bool(self.state["sorted"])
        )
        self.sorted.on_value_change(self.changed)

    def _columns_panel(self, first: list[ColumnForm], whose: Whole) -> None:
        small("Open a column to change it.")
        self.title_field = ui.input("Title, as it stands on the sheet", value=whose.title)
        self.title_field.props("outlined dense debounce=500").on_value_change(self._titled)
        self.noted = ui.element("div").classes("dp-stack").props('aria-live="polite"')
        self.sure = ui.button("I compared all lists: take them as declared", icon="check")
        self.sure.props("outline").on_click(self._take_as_declared)
        self.cards = ColumnCards(first, self._edited, shared=self.of.value == "row")
        self.crossed = text("p", "", "dp-note dp-said").props("role=status")
        with ui.expansion("When a person has several rows"):
            self._person_fields(whose)
        with side_by_side():
            chooser("Open a plan", self._opened, self, (".toml",), _MOST_PLAN)
            most = min(self.largest, _MOST_CODEBOOK)
            chooser("Open a codebook", self._codebook, self, _CODEBOOKS, most)
            save_button("Save the plan", lambda: plan_text(self.mapping()), "plan.toml")
            self.share_button()
            self.forget = ui.button("Forget my draft", icon="delete", on_click=self._forget_draft)
            self.forget.props("flat")
            self.forget.visible = False

    def _person_fields(self, whose: Whole) -> None:
        small(
            "Name the column that identifies a person; it is not released. What a person's rows tell "
            "adds up, so a level counts once for every row that a person may have."
        )
        self.unit = ui.input("Column that identifies a person", value=_unit_shown(whose))
        self.unit.props('outlined dense debounce=500 hint="empty: every row is another person"')
        self.most = ui.number("Most rows of one person", value=whose.most, min=1, precision=0)
        self.most.props("outlined dense debounce=500")
        for field in (self.unit, self.most):
            field.on_value_change(self._edited)

    def _table_panel(self) -> None:
        text(
            "p",
            "The table is read on this machine and goes nowhere. You get back a protected copy and its "
            "card, which says what was done; whoever has both can correct for the noise.",
        )
        small(
            f"CSV and other text, spreadsheets or Parquet, up to {self.largest >> 20} MiB; dprivacy "
            "sanitise takes larger ones."
        )
        self.job = TableJob(
            self.drawer,
            self.largest,
            plan=self.mapping,
            described=self._described,
            counted=self._counted,
            unordered=lambda: usual_delta(int(self.state["rows"])) if self.sorted.value else None,
        )
        self.job.untouched = not self.state["plan"]

    def whole_table(self) -> Whole:
        """What the fields say of the table as a whole."""
        named = str(self.unit.value or "").strip() or "row"
        most = int(self.most.value or 1) if named != "row" else 1
        return replace(self.whose, unit=named, most=most, shared=self.of.value == "row")

    def mapping(self) -> dict[str, Any]:
        """The plan that the cards and the slider describe."""
        return plan_mapping(self.cards.forms, self.state["eps"], self.whole_table())

    def _sheet(self, archive: bool) -> BoardSheet:
        """The sheet of what the cards describe now."""
        return report(self.mapping(), rows=int(self.state["rows"]), archive=archive)

    def settings(self) -> dict[str, str]:
        """The settings for a link; what was read off a table never goes into one."""
        settings = {key: self.state[key] for key in ("eps", "of", "rows", "sorted")}
        plain = Whole(shared=self.of.value == "row")
        untouched = self.cards.forms == list(FIRST) and self.whole_table() == plain
        if self.job.from_data or untouched:
            return settings
        try:
            return {**settings, "plan": plan_text(self.mapping())}
        except DPrivacyError:
            return settings

    async def changed(self) -> None:
        """Say anew what the plan means."""
        self.state["rows"] = str(int(self.rows.value or 1))
        self.state["sorted"] = "yes" if self.sorted.value else ""
        self.follow()
        forms, level, whose = list(self.cards.forms), self.state["eps"], self.whole_table()
        rows, unordered = int(self.state["rows"]), bool(self.state["sorted"])
        before, self.before = self.before, (forms, level, whose, rows, unordered)
        if before not in (None, self.before):  # at first the room is only opening
            self.job.relent()
        self._remember()
        self.sure.visible = any(form.waits for form in self.cards.forms)
        self.crossed.text = self._crossed_words()
        await self.answers.ask(
            lambda: self.outlooks.ask(plan_mapping(forms, level, whose), rows, unordered=unordered),
            show_outlook,
        )

    def _crossed_words(self) -> str:
        names = [form.name.strip() for form in self.cards.forms if form.is_crossed]
        try:
            return crossed_words(self.mapping(), names) if names else ""
        except DPrivacyError:  # which the answer says
            return ""

    async def arrived(self) -> None:
        """Bring back the table of this tab, or the draft of this browser."""
        asked, before = dict(self.state), self.kept_for_tab()
        if before and asked in (USUAL, {**USUAL, **before["settings"]}):
            self._take(before["forms"], before["whole"], before["settings"])
            self.job.from_data, self.job.untouched = before["from_data"], False
            name, output = (before[key] for key in ("name", "output"))
            made = self.drawer.place(output) if output else None
            if before["codebook"]:
                self.job.codebook = self.drawer.place(before["codebook"])
            self.job.bring_back(self.drawer.place(name), made, **before["written"])
            await self.changed()
        elif asked == USUAL:
            draft = {**USUAL, **(await read_draft(self.name))}
            if draft["plan"] and self.job.path is None:  # whoever was quicker means the table
                forms, whose = described_in(draft)
                self._take(forms, whose, draft)
                await self.changed()

    def _take(self, forms: list[ColumnForm], whose: Whole, settings: Mapping[str, str]) -> None:
        """Show what was described before."""
        self.cards.replace(forms)
        self._take_whole(whose)
        self.state["eps"] = settings["eps"]
        self.set_level(settings["eps"])
        self.rows.value = whole(settings["rows"], 1, 10**9, 1000)
        self.sorted.value = bool(settings["sorted"])

    def _remember(self) -> None:
        """What was declared in this browser, and what came from a table in this process alone."""
        settings = self.settings()
        if settings.get("plan"):
            write_draft(self.name, settings)
            self.forget.visible = True
        if self.job.path is not None:
            self.keep_for_tab(
                forms=list(self.cards.forms),
                whole=self.whole_table(),
                settings=settings,
                from_data=self.job.from_data,
                written=self.job.reading.said(),
                name=self.job.path.name,
                codebook=self.job.codebook.name if self.job.codebook is not None else "",
                output=self.job.output.name if self.job.output is not None else "",
            )

    def _forget_draft(self) -> None:
        forget_draft(self.name)
        self.forget.visible = False
        ui.notify("This browser keeps nothing of it any more.")

    def _counted(self, rows: int) -> None:
        """Take the rows of a table that was read or released, and remember what was made."""
        self.rows.set_value(rows)
        self._remember()

    async def _leveled(self, level: str) -> None:
        self.state["eps"] = level
        await self.changed()

    async def _titled(self) -> None:
        title = " ".join(str(self.title_field.value or "").split())
        self.whose = replace(self.whose, title=title)
        await self.changed()

    async def _edited(self) -> None:
        self.job.untouched = False
        await self.changed()

    async def _described(self, forms: list[ColumnForm]) -> None:
        self.cards.replace(forms)
        await self.changed()

    async def _take_as_declared(self) -> None:
        self.job.said.clear()
        self.job.result.clear()
        self.cards.update(confirmed(self.cards.forms), shared=self.cards.shared)
        await self.changed()

    def _take_whole(self, whose: Whole) -> None:
        self.whose = whose
        self.title_field.value = whose.title
        self.unit.value, self.most.value = _unit_shown(whose), whose.most
        self._measure("row" if whose.shared else "")

    def _measure(self, of: str) -> None:
        """Let the slider be for one answer, or for the whole row."""
        self.of.value = self.state["of"] = of
        self.cards.shared = of == "row"

    async def _other_measure(self) -> None:
        self._measure(self.of.value)
        self.cards.update(self.cards.forms, shared=self.cards.shared)
        self.set_level("ln 8" if self.of.value == "row" else USUAL["eps"])
        await self.changed()

    async def _codebook(self, path: Path) -> None:
        """Take the columns that a codebook declares; of the table, once there is one."""
        self.job.codebook = path
        if self.job.path is not None:
            await self.job.describe()
            return
        found = await run.io_bound(declared_by, path, None)
        if found is None or self.job.codebook is not path:  # None: the server was stopped meanwhile
            return
        self.job.from_data = False
        self.job.untouched = True  # so that a table is compared with the codebook, once it is there
        await self._described(found.forms)
        self.noted.clear()
        with self.noted:
            text("p", described_words(found, codebook=True), "dp-note dp-said")

    async def _opened(self, path: Path) -> None:
        """Take the columns of a plan file, with its level on the slider where most columns have it."""
        raw = read_plan(read_text(path))
        self.job.untouched = self.job.from_data = False
        forms, whose = forms_of(raw), Whole.of(raw)
        self._take_whole(whose)
        level = str(raw["row"]) if whose.shared else common_level(forms, *whose.tables.values())
        if level is not None:
            self.state["eps"] = level
            self.set_level(level)
        self.whose = whose.under_slider(self.state["eps"])
        await self._described(under_slider(forms, self.state["eps"]))


def _unit_shown(whole: Whole) -> str:
    return "" if whole.unit == "row" else whole.unit
