"""The room Receive: what a protected table and its card let one say of the truth."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nicegui import ui

from dprivacy.errors import DPrivacyError, Malformed
from dprivacy.model import shown
from dprivacy.release import (
    Answer,
    Plan,
    Release,
    card_path,
    query as ask,
    sanitise_file,
    write_demo,
)
from dprivacy.viz import bars_spec
from dprivacy.web.shell.controls import (
    Answers,
    Choice,
    chooser,
    details,
    figure,
    formula,
    new_drawer,
    save_button,
    share,
    table,
)
from dprivacy.web.shell.desk import Desk, Drawer
from dprivacy.web.shell.number_words import count
from dprivacy.web.shell.page_frame import read_state, room, text

USUAL = {"column": "", "by": "", "sql": ""}
_MOST_BARS = 30
_MOST_CARD = 64 << 20
_TABLES = (".csv", ".parquet")


@dataclass(frozen=True)
class Corrected:
    """A corrected table as texts: a head, rows, and (for one column) numbers to draw."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    drawn: tuple[tuple[str, float, float, float, float], ...] = ()
    note: str = ""

    def csv(self) -> str:
        """The table as CSV text."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.head, *self.rows])
        return out.getvalue()


def opened(table_path: Path, card: Path) -> Release:
    """The release of two files; the card must be the one that was written with the table."""
    beside = card_path(table_path)
    if card != beside:
        card.replace(beside)
    return Release.open(table_path)


def columns_of(release: Release) -> dict[str, str]:
    """The protected columns that can be corrected, with what they hold."""
    return {
        name: f"{name} ({entry['type']})"
        for name, entry in release.card.columns.items()
        if entry["channel"] is not None
    }


def corrected(release: Release, column: str, by: str = "") -> Corrected:
    """Corrected counts of a column, alone or by another, with errors and intervals."""
    if by:
        return _crossed(release, column, by)
    found = release.estimate(column)
    noisy = {shown(key[0]): n for key, n in release.counts([_in_table(release, column)]).items()}
    rows, drawn = [], []
    for label, value in found.counts.items():
        name, error = _named(label), found.standard_errors[label]
        low, high = found.intervals[label]
        seen = noisy.get(shown(label), 0)
        rows.append((name, count(seen), count(float(value)), f"± {count(error)}", _span(low, high)))
        drawn.append((name, float(seen), float(value), low, high))
    note = ""
    entry = release.card.columns[column]
    if entry["type"] in ("numbers", "ordered"):
        note = _mean(release, column)
    head = (column, "as released (rows)", "corrected (rows)", "standard error", "95 % interval")
    caption = f"{column}: how many of the {release.card.rows:,} rows truly have each value"
    return Corrected(caption, head, tuple(rows), tuple(drawn), note)


def _crossed(release: Release, column: str, by: str) -> Corrected:
    found = release.cross_table([column, by])
    counts, errors = found.counts.tolist(), found.standard_errors.tolist()
    low, high = (side.tolist() for side in found.intervals)
    rows = tuple(
        (
            _named(x),
            _named(z),
            count(counts[i][j]),
            f"± {count(errors[i][j])}",
            _span(low[i][j], high[i][j]),
        )
        for i, x in enumerate(found.labels[0])
        for j, z in enumerate(found.labels[1])
    )
    head = (column, by, "corrected (rows)", "standard error", "95 % interval")
    return Corrected(f"{column} by {by}, corrected for the noise", head, rows)


def _in_table(release: Release, column: str) -> str:
    return str(release.card.columns[column]["columns"][0])


def _mean(release: Release, column: str) -> str:
    try:
        return release.mean(column).explain()
    except DPrivacyError:
        return ""


def _named(label: Any) -> str:
    return "(missing)" if label is None else shown(label)


def _span(low: float, high: float) -> str:
    return f"{count(low)} to {count(high)}"


def demo_release(drawer: Drawer) -> Release:
    """The built-in survey of invented people, protected by its own plan."""
    source, plan = write_demo(drawer.folder)
    output = drawer.place("survey-protected.csv")
    sanitise_file(source, Plan.read(plan), output, replace=True, discard=True, again="the demo")
    return Release.open(output)


def answer_table(found: Answer) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of an answer to SQL."""
    more = ["corrected (rows)", "± standard error (rows)"] if found.corrected else []
    rows = []
    for k, row in enumerate(found.rows):
        extra = [f"{value:,.1f}" for value in found.corrected[k]] if found.corrected else []
        rows.append([*(_named(value) for value in row), *extra])
    return [*found.columns, *more], rows


def page(desk: Desk, query: Mapping[str, str], largest: int) -> None:
    """Build the room."""
    state = read_state(query, USUAL)
    drawer = new_drawer(desk)
    files: dict[str, Path] = {}
    held: dict[str, Release] = {}
    with room(
        "receive",
        "What is true behind the noise?",
        "A protected table and its card are all you need: counts are corrected for the noise that was "
        "added, with honest error bars. Nothing you ask can weaken the protection.",
    ):
        with ui.element("div").classes("dp-panel"):
            text("h2", "The table and its card")

            def refused(words: str) -> None:
                status.refuse(Malformed(words))

            async def got_table(path: Path) -> None:
                files["table"] = path
                await both()

            async def got_card(path: Path) -> None:
                files["card"] = path
                await both()

            with ui.element("div").classes("dp-row"):
                chooser(
                    "Choose the table",
                    got_table,
                    drawer,
                    endings=_TABLES,
                    most=largest,
                    refused=refused,
                )
                chooser(
                    "Choose its card",
                    got_card,
                    drawer,
                    endings=(".json",),
                    most=min(largest, _MOST_CARD),
                    refused=refused,
                )
                demo = ui.button("Try an invented survey", icon="science").props("flat")
            status = Answers(drawer)
            with ui.element("div").classes("dp-stack") as questions:
                text("h2", "Ask")
                column = Choice("Column", {})
                by = Choice("By another column", {})
                sql = ui.textarea("Or any SQL, on the table called data")
                sql.props("outlined rows=3 spellcheck=false").classes("dp-mono")
                sql.value = state["sql"]
                with ui.element("div").classes("dp-row"):
                    send = ui.button("Ask in SQL", icon="search").props("outline")
                    follow = share("/receive", lambda: state)
            questions.visible = False
        with ui.element("div").classes("dp-panel"):
            text("h2", "What is true")
            answers = Answers(drawer)
            with answers.area:
                text("p", "Choose a table and its card, or try the invented survey.")

    async def both() -> None:
        if {"table", "card"} <= set(files):
            table_path, card = files.pop("table"), files.pop("card")
            await load(lambda: opened(table_path, card))
        else:
            missing = (
                "its card (the file that ends in .release.json)"
                if "table" in files
                else "the table"
            )
            status.area.clear()
            with status.area:
                text("p", f"Now choose {missing}.", "dp-note")

    async def load(find: Any) -> None:
        held.clear()
        questions.visible = False
        await status.ask(find, ready)
        if held:
            await changed()

    def ready(release: Release) -> str:
        held["release"] = release
        offered = columns_of(release)
        text("p", "\n".join(release.card.explain().splitlines()[:2]), "dp-good dp-said")
        details("All that the card promises", release.card.explain())
        column.offer(offered, state["column"])
        others = {"": "(alone)", **{name: name for name in [*offered, *release.card.pass_through]}}
        by.offer(others, state["by"])
        if not sql.value and offered:
            first = _in_table(release, next(iter(offered)))
            sql.value = f'SELECT "{first}", count(*) FROM data GROUP BY "{first}"'
        questions.visible = True
        return f"{release.card.rows:,} rows are ready"

    async def changed() -> None:
        if "release" not in held or not column.value:
            return
        state.update(column=column.value, by=by.value)
        if state["by"] == state["column"]:
            state["by"] = ""
        follow()
        release, now = held["release"], dict(state)
        await answers.ask(lambda: corrected(release, now["column"], now["by"]), _show)

    async def asked() -> None:
        if "release" not in held:
            return
        state["sql"] = str(sql.value or "")
        follow()
        release, words = held["release"], state["sql"]
        await answers.ask(lambda: ask(release, words), _show_answer)

    async def invented() -> None:
        drawer.clear()
        await load(lambda: demo_release(drawer))

    demo.on_click(invented)
    send.on_click(asked)
    column.on_change(changed)
    by.on_change(changed)


def _show(found: Corrected) -> str:
    table(found.caption, found.head, found.rows)
    if found.note:
        text("p", found.note, "dp-said")
    if found.drawn and len(found.drawn) <= _MOST_BARS:
        names = [line[0] for line in found.drawn]
        spec = bars_spec(
            {
                "as released": {
                    name: line[1] for name, line in zip(names, found.drawn, strict=True)
                },
                "corrected": {name: line[2] for name, line in zip(names, found.drawn, strict=True)},
            },
            y="rows",
        )
        spec["data"][1]["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": [line[4] - line[2] for line in found.drawn],
            "arrayminus": [line[2] - line[3] for line in found.drawn],
        }
        spec["layout"]["legend"] = {"orientation": "h", "y": 1.15}
        figure(spec, "Counts as released and corrected, with 95 % intervals.", height=340)
    save_button("Save this table", found.csv, "corrected.csv")
    formula(
        "The formula",
        [
            "Released counts are m ≈ n·p·C, where C is the channel on the card and p the true shares.",
            "p is found by the iterative Bayesian update, p_x ← Σ_y (m_y/n)·p_x·C[x, y] / Σ_z "
            "p_z·C[z, y], which climbs to the largest likelihood.",
            "Errors: the noise alone, with these rows taken as given; 95 % intervals are ± "
            "1.96 standard errors around the inverted counts.",
        ],
    )
    return found.caption


def _show_answer(found: Answer) -> str:
    head, rows = answer_table(found)
    if rows:
        table("Answer", head, rows)
    else:
        text("p", "No rows.")
    text("p", found.note, "dp-small")
    details(
        "Why any question may be asked",
        "What is computed from a protected table alone is as private as the table: no query "
        "can undo the noise. Counts by protected columns come with an estimate of the true "
        "count beside the raw one.",
    )
    return f"{len(rows):,} rows"
