"""The room Receive: what a protected table and its card let one say of the truth."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from nicegui import ui

from dprivacy.errors import DPrivacyError
from dprivacy.release import (
    BoardSheet,
    Plan,
    QueryAnswer,
    ReceivedTable,
    card_path,
    query as ask,
    received,
    report,
    sanitise_file,
    write_demo,
)
from dprivacy.viz import bars_spec
from dprivacy.web.board.outlook_panel import show_band
from dprivacy.web.board.sheet_buttons import sheet_buttons
from dprivacy.web.received.corrected_tables import Corrected, corrected, in_table, mean_words
from dprivacy.web.shell.controls import (
    Answers,
    Choice,
    chooser,
    details,
    figure,
    formula,
    save_button,
    table,
)
from dprivacy.web.shell.desk import Drawer
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import small, text

USUAL = {"column": "", "by": "", "sql": ""}
_MOST_BARS = 30
_MOST_CARD = 64 << 20
_TABLES = (".csv", ".parquet")
CARD_ENDING = ".card.json"
_DEMO = "survey-protected.csv"


def opened(table_path: Path, card: Path) -> ReceivedTable:
    """The release of two files; the card must be the one that was written with the table."""
    beside = card_path(table_path)
    if card != beside:
        card.replace(beside)
    return received(table_path)


def with_sheet(release: ReceivedTable) -> tuple[ReceivedTable, BoardSheet | None]:
    """The release, and the sheet of its card; None where its plan cannot be made again."""
    try:
        return release, report(release.card)
    except DPrivacyError:
        return release, None


def columns_of(release: ReceivedTable) -> dict[str, str]:
    """The protected columns that can be corrected, with what they hold."""
    return {
        name: f"{name} ({entry['type']})"
        for name, entry in release.card.mechanisms.items()
        if entry["channel"] is not None or "reports" in entry
    }


def demo_release(drawer: Drawer) -> ReceivedTable:
    """The built-in survey of invented people, protected by its own plan."""
    source, plan = write_demo(drawer.folder)
    output = drawer.place(_DEMO)
    sanitise_file(source, Plan.read(plan), output, replace=True, discard=True, again="the demo")
    return received(output)


def answer_table(found: QueryAnswer) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of an answer to SQL, with errors and intervals after estimates."""
    head, *rows = found.table()
    return list(head), [list(row) for row in rows]


class ReceiveRoom(OpenRoom):
    """The room, open: a table and its card, once both are there, and what is asked of them."""

    name = "receive"
    title = "What is true behind the noise?"
    lead = (
        "A protected table and its card are all you need: counts are corrected for the noise that was "
        "added, with honest error bars. Nothing you ask can weaken the protection."
    )
    usual = USUAL

    def build(self) -> None:
        """Lay out the panels."""
        self.files: dict[str, Path] = {}
        self.release: ReceivedTable | None = None
        with self.panel("The table and its card"):
            self._files_panel()
            with ui.element("div").classes("dp-stack") as self.questions:
                self._questions_panel()
            self.questions.visible = False
        self.answer_panel("What is true")
        with self.answers.area:
            text("p", "Choose a table and its card, or try the invented survey.")

    def _files_panel(self) -> None:
        buttons = side_by_side()
        self.status = Answers(self.drawer)
        with buttons:
            chooser(
                "Choose the table", partial(self._got, "table"), self.status, _TABLES, self.largest
            )
            most = min(self.largest, _MOST_CARD)
            chooser("Choose its card", partial(self._got, "card"), self.status, (".json",), most)
            demo = ui.button("Try an invented survey", icon="science", on_click=self._invented)
            demo.props("flat")

    def _questions_panel(self) -> None:
        text("h2", "Ask")
        self.column = Choice("Column", {})
        self.by = Choice("By another column", {})
        self.sql = ui.textarea("Or SQL, on the table called data", value=self.state["sql"])
        self.sql.props("outlined rows=3 spellcheck=false").classes("dp-mono")
        with side_by_side():
            ui.button("Ask in SQL", icon="search", on_click=self._asked).props("outline")
            self.share_button()
        self.column.on_change(self.changed)
        self.by.on_change(self.changed)

    async def arrived(self) -> None:
        """Bring back the table and the card of this tab."""
        before = self.kept_for_tab() if not self.status.turn else {}
        if before:
            path = self.drawer.place(before["name"])
            await self.status.ask(lambda: with_sheet(received(path)), self._ready)
            self._keep(path)

    def _keep(self, path: Path) -> None:
        if self.release is not None:
            self.keep_for_tab(name=path.name)

    async def _got(self, what: str, path: Path) -> None:
        self.files[what] = path
        if {"table", "card"} <= set(self.files):
            table_path, card = self.files.pop("table"), self.files.pop("card")
            await self._load(lambda: opened(table_path, card))
            self._keep(table_path)
            return
        missing = (
            "the table" if what == "card" else f"its card (the file that ends in {CARD_ENDING})"
        )
        with self.status.instead():
            text("p", f"Now choose {missing}.", "dp-note")

    async def _invented(self) -> None:
        self.drawer.clear()
        await self._load(lambda: demo_release(self.drawer))
        self._keep(self.drawer.place(_DEMO))

    async def _load(self, find: Callable[[], ReceivedTable]) -> None:
        self.release = None
        self.questions.visible = False
        self.answers.instead()
        await self.status.ask(lambda: with_sheet(find()), self._ready)
        await self.changed()

    def _ready(self, found: tuple[ReceivedTable, BoardSheet | None]) -> str:
        self.release = release = found[0]
        told = found[1]
        offered = columns_of(release)
        text("p", release.card.explain().splitlines()[0])
        if told is None:
            text("p", release.card.guarantee.sentence, "dp-note dp-said")
        else:
            show_band(told.contents.band)
            sheet_buttons(lambda archive: report(release.card, archive=archive))
        details("All that the card promises", release.card.explain())
        self.column.offer(offered, self.state["column"])
        others = [*offered, *release.card.pass_through]
        self.by.offer({"": "(alone)", **{name: name for name in others}}, self.state["by"])
        if not self.sql.value and offered:
            first = in_table(release, next(iter(offered)))
            self.sql.value = f'SELECT "{first}", count(*) FROM data GROUP BY "{first}"'
        self.questions.visible = True
        return f"{release.card.count:,} rows are ready"

    async def changed(self) -> None:
        """Correct the column that is chosen, alone or by another."""
        release = self.release
        if release is None or not self.column.value:
            return
        column, by = self.column.value, self.by.value
        if by == column:
            by = ""
        self.state.update(column=column, by=by)
        self.follow()
        turn = await self.answers.ask(lambda: corrected(release, column, by), _show)
        if not by:
            await self.answers.add(turn, lambda: mean_words(release, column), _say)

    async def _asked(self) -> None:
        release, words = self.release, str(self.sql.value or "")
        if release is None:
            return
        self.state["sql"] = words
        self.follow()
        await self.answers.ask(lambda: ask(release, words), _show_answer)


def _show(found: Corrected) -> str:
    if found.doubt:
        text("p", found.doubt, "dp-note")
    table(found.caption, found.head, found.rows)
    if found.drawn and len(found.drawn) <= _MOST_BARS:
        _draw(found.drawn)
    save_button("Save this table", found.csv, "corrected.csv")
    formula(
        "Released counts are m ≈ n·p·C, where C is the channel on the card and p the true shares.",
        "p is found by the iterative Bayesian update, p_x ← Σ_y (m_y/n)·p_x·C[x, y] / Σ_z "
        "p_z·C[z, y], which climbs to the largest likelihood.",
        "Errors: the noise alone, with these rows taken as given; 95 % intervals are ± "
        "1.96 standard errors around the inverted counts.",
    )
    return found.doubt or found.caption


def _say(words: str) -> None:
    """A sentence above a table that may be long."""
    if words:
        text("p", words, "dp-said").move(target_index=0)


def _draw(lines: Sequence[tuple[str, float, float, float, float]]) -> None:
    """Counts as released and corrected, beside each other, with intervals."""
    spec = bars_spec(
        {
            "as released": {name: seen for name, seen, _, _, _ in lines},
            "corrected": {name: value for name, _, value, _, _ in lines},
        },
        y="rows",
    )
    spec["data"][1]["error_y"] = {
        "type": "data",
        "symmetric": False,
        "array": [high - value for _, _, value, _, high in lines],
        "arrayminus": [value - low for _, _, value, low, _ in lines],
    }
    figure(spec, "Counts as released and corrected, with 95 % intervals.", height=340)


def _show_answer(found: QueryAnswer) -> str:
    head, rows = answer_table(found)
    if rows:
        table("Answer", head, rows)
    else:
        text("p", "No rows.")
    small(" ".join([found.told_kind(), *found.notes]))
    details(
        "What is corrected, and what is refused",
        "Counts, sums, means and variances of protected columns are estimates of the true table; "
        "queries without protected columns are answered exactly, and what cannot be corrected is "
        "refused with the reason. What is computed from a protected table alone is as private as the "
        "table: no query can undo the noise.",
    )
    return f"{len(rows):,} rows"
