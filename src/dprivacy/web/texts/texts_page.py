"""The room Texts: paste or choose texts, see the level of a whole one, and what is read back."""

import csv
from pathlib import Path
from typing import Any

from nicegui import run, ui

from dprivacy.errors import AlreadyReleased, BadFile, DPrivacyError, UnclearTable
from dprivacy.release import Card
from dprivacy.text import FormTable, Reconstruction
from dprivacy.web.pages.table_job import protect_table
from dprivacy.web.pages.table_reading import TableReading
from dprivacy.web.shell.controls import Choice, chooser, details, formula, hand_over, table
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import choice, small, text
from dprivacy.web.texts import text_trial as trial
from dprivacy.web.texts.text_trial import TextTrial

USUAL = {"eps": "6", "keep": "bag", "length": "12", "topics": trial.TOPICS}
_KEEP = {
    "bag": "words, sorted",
    "text": "words in their order (a weaker promise)",
    "topic": "one topic for each text",
}
_STOPS = ("0.5", "1", "2", "3", "4", "6", "8", "10", "12", "15", "20")
_TOPIC_STOPS = ("ln 2", "ln 4", "ln 10", "ln 20", "ln 50", "ln 100", "ln 1000")
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".txt")
_VECTORS = (".txt", ".vec", ".npz", ".gz")
_LIMITS = {"keep": lambda given: choice(given, dict.fromkeys(_KEEP, 1), "bag")}


class TextsRoom(OpenRoom):
    """The room, open: texts, how they are released, and what that is worth."""

    name = "texts"
    title = "What a text says, and what is read back"
    lead = (
        "Paste some texts, or choose a table of them. See what the level means for a whole text, what "
        "might come out, and how many words a reader gets back. All of it stays on this machine."
    )
    usual = USUAL
    limits = _LIMITS

    def build(self) -> None:
        """Lay out the panels."""
        self.path: Path | None = None
        self.vocabulary: Path | None = None
        self.done: tuple[Card, list[str], Path] | None = None
        self.reads = 0  # times that a table was read, or was not wanted any more
        with self.panel("Texts, and how they are released"):
            self._source_fields()
            self.keep = Choice("What comes out?", _KEEP, self.state["keep"])
            self.keep.on_change(self._kept)
            self._level_fields()
            self.topics = ui.textarea(
                "Topics: a name, a colon and public words", value=self.state["topics"]
            )
            self.topics.props("outlined dense autogrow debounce=600")
            self.topics.on_value_change(self.changed)
            small(
                "A vocabulary with vectors (GloVe, word2vec, fastText or .npz), for more than trying:"
            )
            chooser("Choose a vocabulary", self._worded, self, _VECTORS, self.largest)
            with side_by_side():
                self.share_button()
        self.answer_panel("What that means")

    def _source_fields(self) -> None:
        self.pasted = ui.textarea("Texts, one on each line", value=trial.EXAMPLE)
        self.pasted.props('outlined dense debounce=600 input-style="min-height: 9rem"')
        self.pasted.on_value_change(self.changed)
        with side_by_side():
            chooser("Choose a table of texts", self._taken, self, _TABLES, self.largest)
            self.forget_button = ui.button("Forget it", icon="delete", on_click=self._forget)
            self.forget_button.props("flat")
        self.reading = TableReading()
        self.read_button = ui.button("Read the table so", icon="list", on_click=self._read)
        self.read_button.props("outline")
        self.column = Choice("Which column holds the texts?", {})
        self.column.on_change(self.changed)
        self.passed = ui.input("Columns to publish as they are").props("outlined dense")
        self.passed.props('hint="with commas between; all others are left out"')
        self._fit()

    def _level_fields(self) -> None:
        with ui.element("div").classes("dp-field"):
            name = text("label", "How much may one word tell?")
            self.slide = ui.element("input").classes("dp-range")
            name.props(f"for={self.slide.html_id}")
            with ui.element("div").classes("dp-ends").props("aria-hidden=true"):
                text("span", "little (more noise)")
                text("span", "much (less noise)")
        self.eps = ui.input("Level ε", value=self.state["eps"]).classes("dp-mono")
        self.eps.props('outlined dense debounce=400 hint="per word and unit of distance"')
        self.slide.on("input", self._slid, js_handler="(e) => emit(e.target.value)", throttle=0.15)
        self.eps.on_value_change(self.changed)
        self.length = ui.input("Number of words of every text", value=self.state["length"])
        self.length.props('outlined dense debounce=400 hint="public; longer texts are cut"')
        self.length.on_value_change(self.changed)
        self._fit_slider()

    @property
    def _stops(self) -> tuple[str, ...]:
        return _TOPIC_STOPS if self.keep.value == "topic" else _STOPS

    def _fit(self) -> None:
        for part in (self.forget_button, self.reading.panel, self.read_button):
            part.visible = self.path is not None
        self.column.field.visible = self.passed.visible = bool(self.path and self.column.options)
        self.pasted.visible = self.path is None

    def _fit_slider(self) -> None:
        stops, level = self._stops, str(self.eps.value or "").strip()
        at = stops.index(level) if level in stops else len(stops) // 2
        self.slide.props(f"type=range min=0 max={len(stops) - 1} step=1 value={at}")
        self.slide.props["aria-valuetext"] = level

    def _slid(self, event: Any) -> None:
        self.eps.value = self._stops[min(max(int(event.args), 0), len(self._stops) - 1)]

    async def _kept(self) -> None:
        topical = self.keep.value == "topic"
        wanted = "ln 20" if topical else USUAL["eps"]
        hint = "between any two texts" if topical else "per word and unit of distance"
        self.eps.props(f'hint="{hint}"')
        if str(self.eps.value).startswith("ln") != topical:
            self.eps.value = wanted  # which asks anew
        await self.changed()

    async def _taken(self, path: Path) -> None:
        if path != self.path:  # and not one of the same name, which has taken its place
            self._remove()
        self.path = path
        self.reading.clear()
        await self._read()

    async def _read(self) -> None:
        """Find the columns of the table; the one with the longest cells holds the texts."""
        assert self.path is not None
        self.reads += 1
        turn = self.reads
        self.column.offer({}, "")
        self._fit()
        try:
            columns = await run.io_bound(trial.columns_of, self.path, **self.reading.said())
        except Exception as reason:
            if turn == self.reads:
                self._not_read(reason)
            return
        if turn != self.reads or columns is None:  # None: the server was stopped meanwhile
            return
        longest = max(columns, key=lambda name: columns[name])
        self.column.offer({name: name for name in columns}, longest)
        self._fit()
        await self.changed()

    def _not_read(self, reason: BaseException) -> None:
        """Say why a table is not read; it stays if saying how it is written may help."""
        if isinstance(reason, UnclearTable):
            self.refuse(BadFile(self.reading.asked(reason)))
            return
        self._remove()
        self._fit()
        self.refuse(reason)

    async def _worded(self, path: Path) -> None:
        if self.vocabulary is not None and self.vocabulary != path:
            self.vocabulary.unlink(missing_ok=True)
        self.vocabulary = path
        await self.changed()

    def _remove(self) -> None:
        self.reads += 1
        self.done = None
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        self.path = None

    async def _forget(self) -> None:
        self._remove()
        self._fit()
        await self.changed()

    def settings(self) -> dict[str, str]:
        """What a link to this page says; texts are in none."""
        return self.state

    async def changed(self) -> None:
        """Read the fields, and try anew."""
        self.state |= {
            "eps": str(self.eps.value or "").strip(),
            "keep": self.keep.value,
            "length": str(self.length.value or "").strip(),
            "topics": str(self.topics.value or ""),
        }
        self.length.visible = self.keep.value != "topic"
        self._fit_slider()
        self.follow()
        if self.path is not None and not self.column.options:
            return  # how the table is written is asked first
        now, words = dict(self.state), self.vocabulary
        texts: list[str] = []
        shown: list[TextTrial] = []

        def find() -> TextTrial:
            texts.extend(self._texts())
            shown.append(trial.tried(texts, now, words))
            return shown[0]

        turn = await self.answers.ask(find, lambda found: self._show(found, now))
        await self.answers.add(
            turn, lambda: _or_none(trial.read_back, texts, *shown), _show_reading
        )
        await self.answers.add(
            turn, lambda: _or_none(trial.compared, texts, now, words), _show_forms
        )

    def _texts(self) -> list[str]:
        if self.path is not None:
            return trial.texts_in(self.path, self.column.value, **self.reading.said())
        return [line for line in str(self.pasted.value or "").splitlines() if line.strip()]

    def _show(self, found: TextTrial, now: dict[str, str]) -> str:
        text("p", found.headline, "dp-headline")
        text("p", found.promise, "dp-said")
        for words in found.warnings:
            text("p", words, "dp-note")
        small("Texts with what was found between marks, and one way in which each may come out:")
        with ui.element("div").classes("dp-stack").props('role=list aria-label="pairs"'):
            for before, after in found.pairs():
                with ui.element("div").props("role=listitem"):
                    text("p", before, "dp-said")
                    text("div", after, "dp-formula")
        small(f"{found.found} The release draws noise of its own, and this one is thrown away.")
        self._job_fields(now)
        details(
            "What is found before the noise",
            "Names, addresses, numbers, dates and links become one word each, such as [name], which is "
            "noised like all words. About one name in four is missed: the noise is the guarantee.",
        )
        formula(
            "Any two texts of up to L words: L·min(ε·D, 40·ln 2), D being the diameter of the words.",
            "A topic: e^ε between any two texts, by exact randomised response.",
        )
        column = self.column.value if self.path is not None else trial.COLUMN
        text("h3", "The same for a file")
        text("div", trial.command(now, column), "dp-formula dp-code")
        return found.headline

    def _job_fields(self, now: dict[str, str]) -> None:
        self.accept = ui.checkbox("Release them even if most words stay as they are")
        self.accept.visible = now["keep"] != "topic"
        self.reason = ui.input("Why are they protected once more?").props("outlined dense")
        self.reason.visible = False
        ui.button("Protect these texts", icon="shield", on_click=self._start)
        self.result = ui.element("div").classes("dp-stack").props('aria-live="polite"')
        self._hand_over()  # what was made is there still, whatever is asked next

    async def _start(self) -> None:
        state = self.state | ({"accept": "yes"} if self.accept.value else {})
        again = str(self.reason.value or "").strip() or None
        written = self.reading.said() if self.path is not None else {}
        self.done = None
        self.result.clear()

        def release() -> tuple[Card, list[str], Path]:
            source, raw = self._plan(state)
            how = {"again": again, "progress": lambda *_: None, **written}
            return protect_table(source, raw, self.drawer, **how)

        try:
            found = await run.io_bound(release)
        except Exception as reason:
            self.reason.visible = isinstance(reason, AlreadyReleased)
            with self.result:
                text("p", self.drawer.told(reason), "dp-error").props("role=alert")
            return
        self.done = found  # None: the server was stopped meanwhile
        self._hand_over()

    def _hand_over(self) -> None:
        """What was made, where its button is now."""
        if self.done is None:
            return
        card, _, output = self.done
        with self.result:
            text("p", f"Done: {card.count:,} texts are protected.", "dp-said")
            hand_over(output, self)
            details("The whole card in words", card.explain())

    def _plan(self, state: dict[str, str]) -> tuple[Path, dict[str, Any]]:
        """The table that is released, and its plan; pasted texts are a table of one column."""
        spec = trial.spec_of(state, self.vocabulary)
        if self.path is None:
            path = self.drawer.place("texts.csv")
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([[trial.COLUMN], *([line] for line in self._texts())])
            path.chmod(0o600)
            return path, {"columns": {trial.COLUMN: spec}}
        column, passed = self.column.value, str(self.passed.value or "").split(",")
        through = [name.strip() for name in passed if name.strip()]
        drop = [name for name in self.column.options if name not in (column, *through)]
        return self.path, {"columns": {column: spec}, "pass_through": through, "drop": drop}


def _or_none(find: Any, *given: Any) -> Any:
    """What is found; None where these texts do not allow it."""
    try:
        return find(*given)
    except DPrivacyError:
        return None


def _show_reading(found: Reconstruction) -> None:
    text("h3", "What can be read back")
    text("p", found.explain().replace("\n", " "), "dp-said")
    table("Words that a reader tells right", ["how", "right"], trial.reading_rows(found))
    small(
        "The reader knows the mechanism exactly, and how people write from every second text. Read it "
        "as a floor: larger language models do better."
    )


def _show_forms(found: FormTable) -> None:
    text("h3", "A topic instead of words")
    text(
        "p",
        f"How often the topic of {found.texts:,} texts is told as it is without noise, at equal levels "
        "of the whole text. For telling topics, release topics.",
        "dp-said",
    )
    rows = trial.form_rows(found)
    table("Topics told right", ["for any two texts", "from a topic", "from words"], rows)
