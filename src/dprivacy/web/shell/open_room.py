"""A room that somebody has open: its settings, its files, its address, and the panels it is made of."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from nicegui import ui

from dprivacy.errors import DPrivacyError
from dprivacy.web.shell.controls import Answers
from dprivacy.web.shell.desk import Desk
from dprivacy.web.shell.number_words import require_level
from dprivacy.web.shell.page_frame import link, read_state, room, text


class OpenRoom(ABC):
    """One open page of a room.

    A room says its name, title and lead, its usual settings, and what brings settings from an address
    within their limits; it builds its panels, one method for each, and asks its question anew in
    `changed`.

    Parameters
    ----------
    desk
        Where files go; the room's own are removed with the page.
    query
        The settings in the address.
    largest
        The largest file that is taken, in bytes.

    Attributes
    ----------
    refused
        Whether the address asks for a level that is none, or too high; the room says so, and waits.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    lead: ClassVar[str]
    usual: ClassVar[Mapping[str, str]]
    limits: ClassVar[Mapping[str, Callable[[str], str]]] = {}

    def __init__(self, desk: Desk, query: Mapping[str, str], largest: int) -> None:
        self.state = read_state(query, self.usual)
        for name, within in self.limits.items():
            self.state[name] = within(self.state[name])
        self.largest = largest
        self.drawer = desk.drawer()
        self.answers: Answers
        ui.context.client.on_delete(self.drawer.close)
        with room(self.name, self.title, self.lead):
            self.build()
        reason = _no_level(query.get("eps", "")) if "eps" in self.usual else None
        self.refused = reason is not None
        if reason is None:
            ui.timer(0.05, self._begin, once=True)
        else:
            self.refuse(reason)

    async def _begin(self) -> None:
        await self.arrived()
        if not self.answers.turn:  # whoever was quicker has asked, or was refused
            await self.changed()

    async def arrived(self) -> None:
        """Bring back what this tab, or this browser, had here before."""
        return

    def keep_for_tab(self, **state: Any) -> None:
        """Remember, in the server's memory alone, what this tab has open, in case it is reloaded."""
        tab = ui.context.client.tab_id
        if tab is not None:
            self.drawer.desk.keep(tab, self.name, self.drawer, state)

    def kept_for_tab(self) -> Mapping[str, Any]:
        """What this tab had open before it was reloaded, with its files; nothing for a new one."""
        tab = ui.context.client.tab_id
        return {} if tab is None else self.drawer.desk.kept(tab, self.name, self.drawer)

    @abstractmethod
    def build(self) -> None:
        """Lay out the panels."""

    @abstractmethod
    async def changed(self) -> None:
        """Read the fields, and answer anew."""

    def settings(self) -> Mapping[str, str]:
        """What a link to this page says."""
        return self.state

    @contextmanager
    def panel(self, heading: str = "", order: str = "") -> Iterator[None]:
        """A panel; `order` is its place among the others on a narrow screen."""
        with ui.element("div").classes(f"dp-panel {order}".strip()):
            if heading:
                text("h2", heading)
            yield

    def answer_panel(self, heading: str) -> None:
        """The panel in which answers appear."""
        with self.panel(heading):
            self.answers = Answers(self.drawer)

    def refuse(self, reason: BaseException) -> None:
        """Say why something cannot be done, in place of the answer."""
        self.answers.refuse(reason)

    def follow(self) -> None:
        """Keep the address bar at these settings."""
        ui.navigate.history.replace(link(self.name, self.settings()) or self.name)

    def share_button(self) -> None:
        """A button that copies the address of these settings."""
        ui.button("Copy a link to this", icon="link", on_click=self._copy).props("flat")

    def _copy(self) -> None:
        where = link(f"/{self.name}", self.settings())
        if where is None:
            ui.notify("This is too long for a link; save it as a file instead.")
            return
        ui.run_javascript(f"navigator.clipboard?.writeText(location.origin + {_quoted(where)})")
        ui.notify("The link is copied. It holds the settings, and no data.")


def _no_level(given: str) -> DPrivacyError | None:
    """Why the level in an address is none; an empty one leaves it to the room."""
    try:
        if given.strip():
            require_level(given)
    except DPrivacyError as reason:
        return reason
    return None


def side_by_side() -> Any:
    """Things beside each other."""
    return ui.element("div").classes("dp-row")


def _quoted(words: str) -> str:
    return json.dumps(words).replace("<", "\\u003c")
