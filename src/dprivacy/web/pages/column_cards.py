"""Cards for the columns of a plan: what each holds, in fields that a person can fill in."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from nicegui import ui

from dprivacy.web.pages.plan_form import KINDS, NULLS, WRITTEN, ColumnForm
from dprivacy.web.shell.controls import Choice


class ColumnCards:
    """The cards, and the forms that they stand for (`forms`)."""

    def __init__(self, forms: Sequence[ColumnForm], changed: Callable[[], Awaitable[None]]) -> None:
        self.forms = list(forms)
        self.changed = changed
        self.place = ui.element("div").classes("dp-stack").style("gap: 8px")
        self._draw()
        ui.button("Add a column", icon="add", on_click=self._add).props("flat")

    def replace(self, forms: Sequence[ColumnForm]) -> None:
        """Show other forms."""
        self.forms = list(forms)
        self._draw()

    def _draw(self) -> None:
        self.place.clear()
        with self.place:
            for k in range(len(self.forms)):
                self._card(k, opened=False)

    async def _add(self) -> None:
        names = {form.name for form in self.forms}
        number = next(k for k in range(1, 10_000) if f"question {k}" not in names)
        self.forms.append(ColumnForm(f"question {number}", values="yes\nno"))
        with self.place:
            self._card(len(self.forms) - 1, opened=True)
        await self.changed()

    def _remove(self, k: int) -> None:
        del self.forms[k]
        self._draw()
        with self.place:  # the button that was clicked is gone
            ui.timer(0, self.changed, once=True)

    def _card(self, k: int, *, opened: bool) -> None:
        form = self.forms[k]
        with ui.expansion(summary(form), value=opened) as card:
            name = ui.input("Name", value=form.name).props("outlined dense debounce=500")
            options = {WRITTEN: WRITTEN} if form.kind == WRITTEN else KINDS
            kind = Choice("It holds", options, form.kind)
            values = ui.textarea("Possible answers, one a line", value=form.values)
            values.props("outlined autogrow debounce=500 spellcheck=false")
            with ui.element("div").classes("dp-row") as span:
                ends = {
                    side: ui.input(label, value=getattr(form, side)).props(
                        "outlined dense debounce=500"
                    )
                    for side, label in (("low", "From"), ("high", "to"), ("grid", "in steps of"))
                }
            nulls = Choice("A missing value means", NULLS, form.nulls)
            level = ui.input("Its own level ε (empty: the slider's)", value=form.level)
            level.props("outlined dense debounce=500").classes("dp-mono")
            sure = ui.checkbox("I compared these values with the questionnaire", value=False)
            with ui.element("div").classes("dp-row"):
                ui.button("Remove", icon="delete", on_click=lambda: self._remove(k)).props(
                    "flat dense"
                )

        def fit() -> None:
            now = self.forms[k]
            listed = now.kind in ("categories", "ordered")
            values.visible, span.visible = listed, now.kind == "numbers"
            nulls.field.visible = now.kind == "categories"
            level.visible = listed or now.kind == "numbers"
            sure.visible = now.source == "data"
            card.text = summary(now)

        async def update(**fields: Any) -> None:
            self.forms[k] = replace(self.forms[k], **fields)
            fit()
            await self.changed()

        name.on_value_change(lambda e: update(name=str(e.value or "")))
        kind.on_change(lambda: update(kind=kind.value))
        values.on_value_change(lambda e: update(values=str(e.value or "")))
        for side, field in ends.items():
            field.on_value_change(lambda e, side=side: update(**{side: str(e.value or "")}))
        nulls.on_change(lambda: update(nulls=nulls.value))
        level.on_value_change(lambda e: update(level=str(e.value or "").strip()))
        sure.on_value_change(lambda e: update(source="declared") if e.value else None)
        fit()


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
    seen = ", to be confirmed" if form.source == "data" else ""
    own = f", ε = {form.level}" if form.level else ""
    return f"{form.name or '(no name)'}: {words}{own}{seen}"
