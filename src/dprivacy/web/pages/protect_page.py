"""The room Protect: describe columns, move one slider, read one sentence; then protect a table."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nicegui import ui

from dprivacy.errors import DPrivacyError
from dprivacy.viz import bars_spec
from dprivacy.web.pages.column_cards import ColumnCards
from dprivacy.web.pages.plan_form import (
    FIRST,
    ColumnForm,
    Guess,
    Outlook,
    Whole,
    common_level,
    confirmed,
    forms_of,
    outlook,
    plan_mapping,
    plan_text,
    read_plan,
    under_slider,
    usual_delta,
)
from dprivacy.web.pages.table_job import TableJob
from dprivacy.web.shell.controls import (
    Answers,
    chooser,
    details,
    figure,
    formula,
    level_control,
    save_button,
    table,
)
from dprivacy.web.shell.desk import read_text
from dprivacy.web.shell.number_words import percent
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import small, text, whole

USUAL = {"eps": "ln 3", "rows": "1000", "sorted": "", "plan": ""}
_LIMITS = {
    "rows": lambda given: str(whole(given, 1, 10**9, 1000)),
    "sorted": lambda given: "yes" if given == "yes" else "",
}
_MOST_PLAN = 1 << 20


def described_in(state: Mapping[str, str]) -> tuple[list[ColumnForm], Whole]:
    """The columns that an address describes; the example where it has none that can be read."""
    if not state["plan"]:
        return list(FIRST), Whole()
    try:
        raw = read_plan(state["plan"])
        return under_slider(forms_of(raw), state["eps"]), Whole.of(raw)
    except DPrivacyError:
        return list(FIRST), Whole()


def most_exposed(found: Outlook) -> Guess | None:
    """The column whose released value helps a guesser most."""
    return max(found.guesses, key=lambda guess: guess.after - guess.before, default=None)


def headline(found: Outlook) -> str:
    """What a guesser gains, in one line."""
    worst = most_exposed(found)
    if worst is None:
        return "No column here can be guessed value by value"
    return f"{worst.column}: a guesser goes from {percent(worst.before)} to {percent(worst.after)}"


def in_words(found: Outlook) -> str:
    """The same for people who decide, with its assumption."""
    worst = most_exposed(found)
    if worst is None:
        return found.ahead.guarantee.explain()
    return (
        f"Before, with all {worst.values} values equally likely, the best guess of a person's "
        f"{worst.column} is right {percent(worst.before)} of the time. With the "
        f"released value it is right {percent(worst.after)} of the time, for someone who knows nothing "
        "else about the person. Had the value been released as it is, it would be 100 %."
    )


def worth(found: Outlook) -> list[list[str]]:
    """For each column what a guesser gains and what estimates are worth, as texts."""
    guesses = {guess.column: guess for guess in found.guesses}
    rows = []
    for column in found.ahead.columns:
        guess = guesses.get(column.name)
        error = column.share_error
        rows.append(
            [
                column.name,
                "–" if guess is None else percent(guess.before),
                "–" if guess is None else percent(guess.after),
                "–" if column.kept is None else percent(column.kept[0]),
                "–" if error is None else f"± {100 * error:.1f} points",
            ]
        )
    return rows


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
        first, whose = described_in(self.state)
        self.plan_title = whose.title
        with ui.element("div").classes("dp-stack"):
            with self.panel("1. How much may leak", "dp-1"):
                self._level_panel()
            with self.panel("2. What you ask", "dp-3"):
                self._columns_panel(first, whose)
        with ui.element("div").classes("dp-stack"):
            with self.panel("What that means", "dp-2"):
                self.answers = Answers(self.drawer)
            with self.panel("3. Protect a table", "dp-4"):
                self._table_panel()

    def _level_panel(self) -> None:
        self.set_level = level_control(self.state["eps"], self._leveled, unit="one step apart")
        self.rows = ui.number("Rows you expect", value=int(self.state["rows"]), min=1, precision=0)
        self.rows.props("outlined dense debounce=500").on_value_change(self.changed)
        self.sorted = ui.checkbox(
            "Release the rows sorted, without order and names", value=bool(self.state["sorted"])
        )
        self.sorted.on_value_change(self.changed)

    def _columns_panel(self, first: list[ColumnForm], whose: Whole) -> None:
        small("Open a column to change it.")
        self.sure = ui.button("I compared all lists: take them as declared", icon="check")
        self.sure.props("outline").on_click(self._take_as_declared)
        self.cards = ColumnCards(first, self._edited)
        with ui.expansion("When a person has several rows"):
            self._person_fields(whose)
        with side_by_side():
            chooser("Open a plan", self._opened, self, (".toml",), _MOST_PLAN)
            save_button("Save the plan", lambda: plan_text(self.mapping()), "plan.toml")
            self.share_button()

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
            level=lambda: self.state["eps"],
            described=self._described,
            counted=self.rows.set_value,
            unordered=lambda: usual_delta(int(self.state["rows"])) if self.sorted.value else None,
        )
        self.job.untouched = not self.state["plan"]

    def whole_table(self) -> Whole:
        """What the fields say of the table as a whole."""
        named = str(self.unit.value or "").strip() or "row"
        return Whole(self.plan_title, named, int(self.most.value or 1) if named != "row" else 1)

    def mapping(self) -> dict[str, Any]:
        """The plan that the cards and the slider describe."""
        return plan_mapping(self.cards.forms, self.state["eps"], self.whole_table())

    def settings(self) -> dict[str, str]:
        """The settings for a link; what was read off a table never goes into one."""
        settings = {key: self.state[key] for key in ("eps", "rows", "sorted")}
        untouched = self.cards.forms == list(FIRST) and self.whole_table() == Whole()
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
        self.sure.visible = any(form.source == "data" for form in self.cards.forms)
        forms, level, whose = list(self.cards.forms), self.state["eps"], self.whole_table()
        rows, unordered = int(self.state["rows"]), bool(self.state["sorted"])
        await self.answers.ask(
            lambda: outlook(plan_mapping(forms, level, whose), rows, unordered=unordered), _show
        )

    async def _leveled(self, level: str) -> None:
        self.state["eps"] = level
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
        await self._described(confirmed(self.cards.forms))

    async def _opened(self, path: Path) -> None:
        """Take the columns of a plan file, with its level on the slider where most columns have it."""
        raw = read_plan(read_text(path))
        self.job.untouched = self.job.from_data = False
        forms, whose = forms_of(raw), Whole.of(raw)
        self.plan_title = whose.title
        self.unit.value, self.most.value = _unit_shown(whose), whose.most
        level = common_level(forms)
        if level is not None:
            self.state["eps"] = level
            self.set_level(level)
        await self._described(under_slider(forms, self.state["eps"]))


def _unit_shown(whole: Whole) -> str:
    return "" if whole.unit == "row" else whole.unit


def whole_row(found: Outlook) -> str:
    """What holds for all columns together; empty where one column says it all."""
    joint = found.ahead.guarantee
    if joint.total is None or (len(found.plan.columns) == 1 and not joint.warning):
        return ""
    sentence = joint.explain().splitlines()[0]
    return f"All columns together: {sentence[0].lower()}{sentence[1:]}"


def _show(found: Outlook) -> str:
    text("p", headline(found), "dp-headline")
    text("p", in_words(found))
    _draw_guesses(found)
    table(
        f"What it means for each column, with {found.ahead.rows:,} rows",
        [
            "column",
            "guessed before",
            "guessed after",
            "values kept, at least",
            "error of a corrected share",
        ],
        worth(found),
    )
    for told in found.ahead.alternatives:
        if told.worthwhile:
            text("p", told.sentence(), "dp-note")
    together = whole_row(found)
    if together:
        text("p", together, "dp-note" if found.ahead.guarantee.warning else "")
    if found.unordered:
        text("p", found.unordered, "dp-said")
    waiting = found.plan.unconfirmed()
    if waiting:
        text("p", f"{len(waiting)} lists of values wait to be confirmed.", "dp-note")
    details("What is promised, exactly", found.ahead.guarantee.explain())
    formula(
        "A released value y has probability C[x, y] when the truth is x, and "
        "C[x, y] ≤ e^(ε·d(x, z))·C[z, y] for all x, z.",
        "Before: max_x π(x). After: Σ_y max_x π(x)·C[x, y]. Here π is uniform.",
        "Levels add up over columns: between two records that differ in several columns "
        "the odds change by at most e^(Σ ε_c·d_c).",
        "One step: between categories, between neighbouring classes, a tenth of the range "
        "of numbers.",
    )
    return headline(found)


def _draw_guesses(found: Outlook) -> None:
    if not found.guesses:
        return
    spec = bars_spec(
        {
            "before": {guess.column: 100 * guess.before for guess in found.guesses},
            "after the released value is seen": {
                guess.column: 100 * guess.after for guess in found.guesses
            },
        },
        y="guesses that are right (%)",
    )
    spec["layout"]["yaxis"]["range"] = [0, 100]
    spec["layout"]["legend"] = {"orientation": "h", "y": 1.18}
    figure(spec, headline(found), height=300)
