"""Cards for the columns of a plan: what each holds, in fields that a person can fill in."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from dprivacy.web.board.crossed_columns import CROSSED
from dprivacy.web.board.value_list import MOST, Listed, ValueList
from dprivacy.web.pages.plan_form import KINDS, NULLS, WRITTEN, ColumnForm, mechanisms_for
from dprivacy.web.shell.controls import Choice
from dprivacy.web.shell.page_frame import small

_BOX = "outlined dense debounce=500"


class ColumnCards:
    """The cards, and the forms that they stand for (`forms`)."""

    def __init__(
        self,
        forms: Sequence[ColumnForm],
        changed: Callable[[], Awaitable[None]],
        *,
        shared: bool = False,
    ) -> None:
        self.forms = list(forms)
        self.changed = changed
        self.shared = shared  # whether the level is that of the row, so that no column has its own
        self.drawn: list[ColumnCard] = []
        self.place = ui.element("div").classes("dp-stack").style("gap: 8px")
        self._draw()
        ui.button("Add a column", icon="add", on_click=self._add).props("flat")

    def replace(self, forms: Sequence[ColumnForm]) -> None:
        """Show other forms, on cards of their own."""
        self.forms = list(forms)
        self._draw()

    def update(self, forms: Sequence[ColumnForm], *, shared: bool) -> None:
        """Take what was decided for all of the same columns; what is typed into a card stays there."""
        self.forms, self.shared = list(forms), shared
        for card in self.drawn:
            card.fit()

    def _draw(self) -> None:
        self.place.clear()
        self.drawn = []
        with self.place:
            for form in self.forms:
                self.drawn.append(ColumnCard(self, form, opened=False))
        for card in self.drawn:
            card.fit()

    async def _add(self) -> None:
        names = {form.name for form in self.forms}
        number = next(k for k in range(1, 10_000) if f"question {k}" not in names)
        form = ColumnForm(f"question {number}", values="yes\nno")
        self.forms.append(form)
        with self.place:
            self.drawn.append(ColumnCard(self, form, opened=True))
        self.drawn[-1].fit()
        await self.changed()

    def form_changed(self, k: int, **fields: Any) -> Awaitable[None]:
        """Note what a card says now."""
        self.forms[k] = replace(self.forms[k], **fields)
        return self.changed()

    def remove(self, card: "ColumnCard") -> None:
        """Take a column away; the cards of the others stay as they are."""
        if card not in self.drawn:
            return
        k = card.k
        del self.forms[k], self.drawn[k]
        card.card.delete()
        with self.place:  # the button that was clicked is gone
            ui.timer(0, self.changed, once=True)


class ColumnCard:
    """One card: the fields of a column, of which those are seen that its kind has."""

    def __init__(self, cards: ColumnCards, form: ColumnForm, *, opened: bool) -> None:
        self.cards = cards
        with ui.expansion(summary(form), value=opened) as self.card:
            if form.about:
                small(form.about)
            if form.why:
                small(f"Planned so because of the codebook: {form.why}.")
            self.name = ui.input("Name", value=form.name).props(_BOX)
            options = {WRITTEN: WRITTEN} if form.kind == WRITTEN else KINDS
            self.kind = Choice("It holds", options, form.kind)
            self._answers_fields(form)
            with ui.element("div").classes("dp-row") as self.span:
                self.ends = {
                    side: ui.input(label, value=getattr(form, side)).props(_BOX)
                    for side, label in (("low", "From"), ("high", "to"), ("grid", "in steps of"))
                }
            self.mechanism = Choice("Its noise", mechanisms_for(form.kind), form.mechanism)
            self.nulls = Choice("A missing value means", NULLS, form.nulls)
            self.level = ui.input("Its own level ε (empty: the slider's)", value=form.level)
            self.level.props(_BOX).classes("dp-mono")
            self.importance = ui.input("Its importance (empty: 1)", value=form.importance)
            self.importance.props(f'{_BOX} hint="4: its squared error counts four times"')
            self.crossed = ui.checkbox(
                "It will be crossed with others that have this tick", value=bool(form.crossed)
            )
            self.sure = ui.checkbox("I compared this with the questionnaire", value=False)
            with ui.element("div").classes("dp-row"):
                away = ui.button("Remove", icon="delete", on_click=partial(cards.remove, self))
                away.props("flat dense")
        self._listen()

    @property
    def k(self) -> int:
        """Which column it is, as long as it is one."""
        return self.cards.drawn.index(self)

    @property
    def gone(self) -> bool:
        """Whether the column was taken away, so that nothing more can be said of it."""
        return self not in self.cards.drawn

    def _answers_fields(self, form: ColumnForm) -> None:
        """The possible answers one by one, and as a text that a list can be pasted into."""
        self.list = ValueList(self._list_changed)
        with ui.expansion("All answers as a text, to copy or paste") as self.pasting:
            self.values = ui.textarea("Possible answers, one per line", value=form.values)
            lines = min(max(form.values.count("\n") + 1, 3), 12)  # a closed card cannot measure
            self.values.props(f"outlined rows={lines} debounce=500 spellcheck=false")

    async def _list_changed(self, listed: Listed) -> None:
        """Take what the list says; once every answer was compared, the list counts as declared."""
        if self.gone:
            return
        now = self.cards.forms[self.k]
        source = now.source
        if _waits(now):
            source = "data" if listed.left else "declared"
        await self._update(values=listed.text, compared=listed.sure, source=source)

    async def _pasted(self, words: str) -> None:
        if not self.gone and words != self.cards.forms[self.k].values:
            await self._update(values=words)

    def _listen(self) -> None:
        texts = {"name": self.name, "level": self.level, "importance": self.importance, **self.ends}
        for name, box in texts.items():
            box.on_value_change(lambda e, name=name: self._update(**{name: str(e.value or "")}))
        self.kind.on_change(self._other_kind)
        self.mechanism.on_change(lambda: self._update(mechanism=self.mechanism.value))
        self.nulls.on_change(lambda: self._update(nulls=self.nulls.value))
        self.values.on_value_change(lambda e: self._pasted(str(e.value or "")))
        self.sure.on_value_change(lambda e: self._update(source="declared") if e.value else None)
        self.crossed.on_value_change(lambda e: self._cross(ticked=bool(e.value)))

    async def _cross(self, *, ticked: bool) -> None:
        """Cross the column with those that are crossed already, for the first table among them."""
        tables = [form.crossed for form in self.cards.forms if form.crossed]
        await self._update(crossed=(tables or [CROSSED])[0] if ticked else "")

    async def _other_kind(self) -> None:
        if self.gone:
            return
        self.mechanism.offer(mechanisms_for(self.kind.value), self.mechanism.value)
        now = self.cards.forms[self.k]
        listed = self.kind.value in ("categories", "ordered") and not now.values.strip()
        values = "\n".join(now.labels) if listed else now.values  # as the codebook lists them
        await self._update(kind=self.kind.value, mechanism=self.mechanism.value, values=values)

    async def _update(self, **fields: Any) -> None:
        if self.gone:
            return
        for name in {"level", "importance"} & fields.keys():
            fields[name] = fields[name].strip()
        changed = self.cards.form_changed(self.k, **fields)
        self.fit()
        if "values" in fields:  # before waiting: whoever edits meanwhile must not be overwritten
            self.values.set_value(fields["values"])
        await changed

    def fit(self) -> None:
        """Show the fields that the column has now, and sum it up in a line."""
        now = self.cards.forms[self.k]
        listed = now.kind in ("categories", "ordered")
        self.pasting.visible, self.span.visible = listed, now.kind == "numbers"
        found = _listed(now)
        one_by_one = listed and len(found.values) <= MOST
        self.list.field.visible = one_by_one
        if one_by_one:
            self.list.show(
                found, ticks=_waits(now), ordered=now.kind == "ordered", labels=now.labels
            )
        shares = listed or now.kind == "numbers"
        self.mechanism.field.visible = len(self.mechanism.options) > 1 and not now.is_crossed
        self.nulls.field.visible = now.kind == "categories"
        self.level.visible = shares and not self.cards.shared and not now.is_crossed
        self.importance.visible = shares and self.cards.shared
        self.crossed.visible = listed
        self.sure.visible = now.waits and not one_by_one
        self.card.text = summary(now)


def _waits(form: ColumnForm) -> bool:
    """Whether the values came from data, and are compared one by one or were."""
    return form.source == "data" or bool(form.compared)


def _listed(form: ColumnForm) -> Listed:
    """The list of a form; what was declared counts as compared."""
    found = Listed.of(form.values, compared=form.compared)
    return found.taken() if form.source == "declared" else found


def summary(form: ColumnForm) -> str:
    """A column in a line.

    Examples
    --------
    >>> summary(ColumnForm("sex", values="f, m"))
    'sex: categories, 2 values'
    """
    words = KINDS.get(form.kind, form.kind)
    if form.kind in ("categories", "ordered"):
        words += f", {len(form.listed)} values"
    elif form.kind == "numbers":
        words += f" from {form.low} to {form.high}"
    if form.kind in ("ordered", "numbers") and form.codes:
        words += " and " + ", ".join(map(str, form.codes))
    seen = ", to be confirmed" if form.waits else ""
    own = f", ε = {form.level}" if form.level and not form.is_crossed else ""
    together = ", to be crossed" if form.is_crossed else ""
    return f"{form.name or '(no name)'}: {words}{own}{together}{seen}"
