"""The room Protect: describe columns, move one slider, read one sentence; then protect a table."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nicegui import ui

from dprivacy.errors import DPrivacyError, Malformed
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
)
from dprivacy.web.pages.table_job import TableJob
from dprivacy.web.shell.controls import (
    Answers,
    chooser,
    details,
    figure,
    formula,
    level_control,
    new_drawer,
    save_button,
    share,
    table,
)
from dprivacy.web.shell.desk import Desk
from dprivacy.web.shell.number_words import percent
from dprivacy.web.shell.page_frame import read_state, room, text, whole

USUAL = {"eps": "ln 3", "rows": "1000", "plan": ""}
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
        f"{worst.column} is right {percent(worst.before)} of the time. Whoever sees the "
        f"released value as well is right {percent(worst.after)} of the time, however clever "
        "they are. Had the value been released as it is, it would be 100 %."
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


def page(desk: Desk, query: Mapping[str, str], largest: int) -> None:
    """Build the room."""
    state = read_state(query, USUAL)
    state["rows"] = str(whole(state["rows"], 1, 10**9, 1000))
    drawer = new_drawer(desk)
    first, whole_first = described_in(state)
    title = [whole_first.title]

    async def leveled(level: str) -> None:
        state["eps"] = level
        await changed()

    async def edited() -> None:
        job.untouched = False
        await changed()

    def mapping() -> dict[str, Any]:
        return plan_mapping(cards.forms, state["eps"], the_whole())

    def the_whole() -> Whole:
        named = str(unit.value or "").strip() or "row"
        return Whole(title[0], named, int(most.value or 1) if named != "row" else 1)

    def linked() -> dict[str, str]:
        """The settings for a link; what was read off a table never goes into one."""
        settings = {"eps": state["eps"], "rows": state["rows"]}
        if job.from_data or (cards.forms == list(FIRST) and the_whole() == Whole()):
            return settings
        try:
            return {**settings, "plan": plan_text(mapping())}
        except DPrivacyError:
            return settings

    async def changed() -> None:
        state["rows"] = str(int(rows.value or 1))
        follow()
        sure.visible = any(form.source == "data" for form in cards.forms)
        now, expected, level = list(cards.forms), int(state["rows"]), state["eps"]
        whose = the_whole()
        await answers.ask(lambda: outlook(plan_mapping(now, level, whose), expected), _show)

    async def opened(path: Path) -> None:
        try:
            raw = read_plan(path.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError:
            answers.refuse(Malformed("the plan is not UTF-8 text; save it as UTF-8"))
            return
        except DPrivacyError as reason:
            answers.refuse(reason)
            return
        finally:
            path.unlink(missing_ok=True)
        job.untouched = job.from_data = False
        forms, whose = forms_of(raw), Whole.of(raw)
        title[0], unit.value, most.value = whose.title, _unit_shown(whose), whose.most
        level = common_level(forms)
        if level is not None:
            state["eps"] = level
            set_level(level)
        cards.replace(under_slider(forms, state["eps"]))
        await changed()

    async def described(forms: list[ColumnForm]) -> None:
        cards.replace(forms)
        await changed()

    async def take_as_declared() -> None:
        job.said.clear()
        cards.replace(confirmed(cards.forms))
        await changed()

    with room(
        "protect",
        "Protect what people tell you",
        "Describe what you ask: names and possible answers, no data. Move the slider and read what a "
        "guesser would gain. Then, if you like, protect a table that lies on this machine.",
    ):
        with ui.element("div").classes("dp-stack"):
            with ui.element("div").classes("dp-panel dp-1"):
                text("h2", "1. How much may leak")
                set_level = level_control(state["eps"], leveled, unit="one step apart")
                rows = ui.number("Rows you expect", value=int(state["rows"]), min=1, precision=0)
                rows.props("outlined dense debounce=500").on_value_change(changed)
            with ui.element("div").classes("dp-panel dp-3"):
                text("h2", "2. What you ask")
                text("p", "Open a column to change it.", "dp-small")
                sure = ui.button(
                    "I compared all lists: take them as declared",
                    icon="check",
                    on_click=take_as_declared,
                ).props("outline")
                cards = ColumnCards(first, edited)
                with ui.expansion("When a person has several rows"):
                    text(
                        "p",
                        "Name the column that identifies a person; it is not released. What a person's "
                        "rows tell adds up, so levels count as often as a person may have rows.",
                        "dp-small",
                    )
                    unit = ui.input(
                        "Column that identifies a person", value=_unit_shown(whole_first)
                    )
                    unit.props(
                        'outlined dense debounce=500 hint="empty: every row is another person"'
                    )
                    most = ui.number(
                        "Most rows of one person", value=whole_first.most, min=1, precision=0
                    )
                    most.props("outlined dense debounce=500")
                    for whose_rows in (unit, most):
                        whose_rows.on_value_change(edited)
                with ui.element("div").classes("dp-row"):
                    chooser(
                        "Open a plan",
                        opened,
                        drawer,
                        endings=(".toml",),
                        most=_MOST_PLAN,
                        refused=lambda words: answers.refuse(Malformed(words)),
                    )
                    save_button("Save the plan", lambda: plan_text(mapping()), "plan.toml")
                    follow = share("/protect", linked)
        with ui.element("div").classes("dp-stack"):
            with ui.element("div").classes("dp-panel dp-2"):
                text("h2", "What that means")
                answers = Answers(drawer)
            with ui.element("div").classes("dp-panel dp-4"):
                text("h2", "3. Protect a table")
                text(
                    "p",
                    "The table is read on this machine and goes nowhere. You get back a protected copy "
                    "and its card, which says what was done; who has both can correct for the noise.",
                )
                text(
                    "p",
                    f"CSV (also .csv.gz) or Parquet, up to {largest >> 20} MiB; dprivacy "
                    "sanitise takes larger ones.",
                    "dp-small",
                )
                job = TableJob(
                    drawer,
                    largest,
                    plan=mapping,
                    level=lambda: state["eps"],
                    described=described,
                    counted=rows.set_value,
                )
                job.untouched = not state["plan"]
    ui.timer(0.05, changed, once=True)


def _unit_shown(whole: Whole) -> str:
    return "" if whole.unit == "row" else whole.unit


def _show(found: Outlook) -> str:
    text("p", headline(found), "dp-headline")
    text("p", in_words(found))
    if found.guesses:
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
    table(
        f"What it means for each column, with {found.ahead.rows:,} rows",
        ["column", "guessed before", "guessed after", "values kept", "error of a corrected share"],
        worth(found),
    )
    if found.ahead.guarantee.total is not None and len(found.plan.columns) > 1:
        whole_record = found.ahead.guarantee.explain().splitlines()[0]
        text("p", f"All columns together: {whole_record[0].lower()}{whole_record[1:]}")
    waiting = found.plan.unconfirmed()
    if waiting:
        text("p", f"{len(waiting)} lists of values wait to be confirmed.", "dp-note")
    details("What is promised, exactly", found.ahead.guarantee.explain())
    formula(
        "The formula",
        [
            "A released value y has probability C[x, y] when the truth is x, and "
            "C[x, y] ≤ e^(ε·d(x, z))·C[z, y] for all x, z.",
            "Before: max_x π(x). After: Σ_y max_x π(x)·C[x, y]. Here π is uniform.",
            "Levels add up over columns: between two records that differ in several columns "
            "the odds change by at most e^(Σ ε_c·d_c).",
            "One step: between categories, between neighbouring classes, a tenth of the range "
            "of numbers.",
        ],
    )
    return headline(found)
