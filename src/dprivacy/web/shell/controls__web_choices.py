"""A list to choose from: the browser's own, which keyboards, phones and screen readers know."""

from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import Any

from nicegui import ui

from dprivacy.web.shell.page_frame__web_frame import text


class Choice:
    """A labelled list; `value` is the key of what is chosen."""

    def __init__(self, label: str, options: Mapping[str, str], value: str = "") -> None:
        self.handlers: list[Callable[[], Any]] = []
        with ui.element("div").classes("dp-field") as self.field:
            name = text("label", label)
            self.list = ui.element("select").classes("dp-select")
            name.props(f"for={self.list.html_id}")
        self.list.on("change", self._chosen, js_handler="(e) => emit(e.target.value)")
        self.offer(options, value)

    def offer(self, options: Mapping[str, str], value: str) -> None:
        """Offer other options."""
        self.options = dict(options)
        self.list.clear()
        with self.list:
            for key, words in self.options.items():
                text("option", words).props["value"] = key
        self.value = value

    @property
    def value(self) -> str:
        """What is chosen."""
        return self._value

    @value.setter
    def value(self, value: str) -> None:
        self._value = value if value in self.options else next(iter(self.options), "")
        self.list.props["value"] = self._value

    def on_change(self, handler: Callable[[], Any]) -> None:
        """Call this when a person chooses."""
        self.handlers.append(handler)

    async def _chosen(self, event: Any) -> None:
        if isinstance(event.args, str) and event.args in self.options:
            self.value = event.args
            for handler in self.handlers:
                done = handler()
                if isawaitable(done):
                    await done
