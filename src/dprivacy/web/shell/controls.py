"""What rooms are made of: lists, a slider with a box, files to choose, answers, pictures, tables."""

import html
import re
from asyncio import Lock
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import Any, Protocol

from nicegui import run, ui
from nicegui.events import UploadEventArguments

from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.model import shown
from dprivacy.release import card_path
from dprivacy.typing import Label
from dprivacy.viz import channel_spec, simplex_spec
from dprivacy.web.shell.desk import Drawer, require_small
from dprivacy.web.shell.number_words import FACTORS, factor_in_words, level_of, nearest_stop
from dprivacy.web.shell.page_frame import small, text

_SHORT = 10  # characters, as of a code: longer cells are broken where a telephone needs it
_MARKUP = re.compile(r"<(?!br>|extra>|/extra>)")


def level_control(
    value: str,
    changed: Callable[[str], Any],
    *,
    unit: str,
    says: str = "answer",
    between: str = "answers",
    of_row: Callable[[], bool] = bool,
) -> Callable[[str], Any]:
    """The level ε as a slider over odds factors, and as a box for any other; gives what sets it.

    `of_row` tells whether the level is that of a whole row.
    """
    at = nearest_stop(value)
    with ui.element("div").classes("dp-field"):
        name = text("label", f"How much may one {says} tell?")
        slide = ui.element("input").classes("dp-range")
        slide.props(f"type=range min=0 max={len(FACTORS) - 1} step=1 value={at}")
        name.props(f"for={slide.html_id}")
        with ui.element("div").classes("dp-ends").props("aria-hidden=true"):
            text("span", "little (more noise)")
            text("span", "much (less noise)")
        said = text("p", "", "dp-said").props('aria-live="polite"')
    box = ui.input("Level ε", value=value).props("outlined dense").classes("dp-mono")
    box.props('hint="such as ln 3, 1.5 or 3/2"')

    def tell(level: str) -> None:
        try:
            factor = factor_in_words(level)
        except DPrivacyError as reason:
            said.text = str(reason)
            return
        whole = of_row()
        name.text = f"How much may {'the whole row' if whole else f'one {says}'} tell?"
        apart = "any two sets of answers" if whole else f"two {between} {unit}"
        said.text = f"Odds between {apart} can change by {factor}."
        slide.props["aria-valuetext"] = f"odds {factor}"

    def slid(event: Any) -> None:
        box.value = level_of(FACTORS[min(max(int(event.args), 0), len(FACTORS) - 1)])

    def written() -> Any:
        level = str(box.value or "").strip()
        slide.props(f"value={nearest_stop(level)}")
        tell(level)
        return changed(level)

    slide.on("input", slid, js_handler="(e) => emit(e.target.value)", throttle=0.15)
    box.on_value_change(written).props("debounce=400")
    tell(value)
    return box.set_value


class Answers:
    """Where a room's answer appears: found off the event loop, and only the last question counts."""

    def __init__(self, drawer: Drawer) -> None:
        self.drawer = drawer
        self.turn = 0
        self.one = Lock()
        self.busy = ui.linear_progress(show_value=False).props("indeterminate")
        self.busy.props('aria-label="working"')
        self.busy.visible = False
        self.spoken = text("div", "", "dp-hidden").props("role=status")
        self.area = ui.element("div").classes("dp-stack")

    async def ask(self, find: Callable[[], Any], show: Callable[[Any], str]) -> int:
        """Find something in another thread and show it here, or say why it cannot be found.

        What `show` gives back is the answer in a line, for those who hear the page. The number of the
        question is given back, for what is added to its answer.
        """
        self.turn += 1
        turn = self.turn
        self.busy.visible = True
        try:
            async with self.one:  # what was asked meanwhile waits, and only the last of it is found
                if turn != self.turn:
                    return turn
                found = await run.io_bound(find)
            if turn == self.turn:
                self.busy.visible = False
                self.area.clear()
                with self.area:
                    self.spoken.text = show(found)
        except Exception as reason:
            if turn == self.turn:
                self.refuse(reason)
        return turn

    async def add(self, turn: int, find: Callable[[], Any], show: Callable[[Any], None]) -> None:
        """Find something more in another thread, and show it below the answer to this question.

        Nothing is sought or added once another question was asked, or something was refused.
        """
        if turn != self.turn:
            return
        try:
            found = await run.io_bound(find)
            if turn == self.turn and found is not None:  # None: the server was stopped meanwhile
                with self.area:
                    show(found)
        except Exception as reason:
            if turn == self.turn:
                with self.area:
                    refusal(self.drawer.told(reason))

    def instead(self) -> ui.element:
        """The place of the answer, empty, for something else; what is still being found stays away."""
        self.turn += 1
        self.busy.visible = False
        self.area.clear()
        return self.area

    def refuse(self, reason: BaseException) -> None:
        """Show a refusal in place of the answer, and of one that is still being found."""
        with self.instead():
            refusal(self.drawer.told(reason))


def refusal(words: str) -> None:
    """Why something cannot be done."""
    text("p", words, "dp-error").props("role=alert")


def heat(C: Any, told: str, *, title: str = "") -> ui.plotly:
    """A channel as a heat map; a scale is drawn only where the numbers are not written in."""
    spec = channel_spec(C, title=title)
    spec["data"][0]["showscale"] = "texttemplate" not in spec["data"][0]
    rows = len(spec["data"][0]["z"])
    return figure(spec, told, height=110 + (40 if title else 0) + 34 * min(rows, 14))


def formula(*lines: str) -> None:
    """The formula behind an answer, one click away."""
    with ui.expansion("The formula"):
        text("div", "\n".join(lines), "dp-formula")


def details(title: str, words: str) -> None:
    """More words, one click away."""
    with ui.expansion(title):
        text("p", words, "dp-said")


def figure(spec: Mapping[str, Any], told: str, *, height: int = 340) -> ui.plotly:
    """A picture, with a sentence for those who cannot see it. Labels are never read as markup."""
    layout: dict[str, Any] = {
        "font": {"family": "system-ui, Roboto, sans-serif", "size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        **spec["layout"],
        "height": height,
        "autosize": True,
    }
    if "xaxis" in layout:
        # A legend under everything, where it covers nothing; Plotly then makes too little room for the
        # numbers of the vertical axis, hence the left margin.
        layout["legend"] = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"}
        layout["margin"] = {"t": 16, "l": 56, "r": 8, "b": 8, **layout.get("margin", {})}
        # Long labels lean to the left, where the picture has room; to the right the last would be lost.
        layout["xaxis"] = {"autotickangles": [0, -45, -90], **layout["xaxis"]}
        for axis in ("xaxis", "yaxis"):
            title = {"standoff": 8, **layout[axis].get("title", {})}
            layout[axis] = {**layout[axis], "automargin": True, "title": title, "fixedrange": True}
    config = {"displayModeBar": False, "displaylogo": False}
    plain = _plain({"data": spec["data"], "layout": layout})
    drawn = ui.plotly({**plain, "config": config}).classes("dp-plot")
    drawn.props("role=img").props["aria-label"] = told
    return drawn


def simplex(
    channels: Any, labels: Sequence[Label], told: str, *, height: int, **around: Any
) -> ui.plotly:
    """What one believes after each answer; of more than four values the ends and the middle."""
    corners = (
        list(labels) if len(labels) <= 4 else [labels[0], labels[len(labels) // 2], labels[-1]]
    )
    drawn = figure(simplex_spec(channels, corners=corners, **around), told, height=height)
    only = f" Only {', '.join(map(shown, corners))} are shown." if len(labels) > 4 else ""
    small(told + only)
    return drawn


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _MARKUP.sub("‹", value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, most: int = 200
) -> None:
    """A table of texts; the first cell of a row is its heading."""
    body = "".join(
        f'<tr><th scope="row"{_whole(row[0])}>{html.escape(row[0])}</th>'
        + "".join(f"<td{_whole(cell)}>{html.escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows[:most]
    )
    top = "".join(
        f'<th scope="col">{html.escape(name)}</th>' if name else "<td></td>" for name in head
    )
    content = (
        f'<table class="dp-table" aria-label="{html.escape(caption, quote=True)}">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )
    small(caption)
    ui.html(content).classes("dp-scroll").props("tabindex=0")
    if len(rows) > most:
        small(f"The first {most} of {len(rows):,} rows.")


def _whole(cell: str) -> str:
    """Keeps a short cell, such as a code or a number with its unit, on one line."""
    return ' class="dp-whole"' if len(cell) <= _SHORT else ""


class Taker(Protocol):
    """What files are chosen for: it has a drawer, and a place to say why one is refused."""

    drawer: Drawer

    def refuse(self, reason: BaseException) -> None: ...  # noqa: D102


def chooser(
    label: str,
    taken: Callable[[Path], Awaitable[None]],
    taker: Taker,
    endings: Sequence[str],
    most: int,
) -> None:
    """A button that lets one choose a file of this machine of at most this many bytes.

    `taken` gets it as a path in the drawer, and may refuse it.
    """
    what = f"{', '.join(endings)} files of up to {most >> 20} MiB"

    async def arrived(event: UploadEventArguments) -> None:
        upload.reset()
        name = event.file.name
        try:
            require_small(event.file.size(), most, "This file")
            if not name.lower().endswith(tuple(endings)):
                raise BadFile(f"Only {what} are read here.")
            path = taker.drawer.place(name)
            await event.file.save(path)
            path.chmod(0o600)
            await taken(path)
        except Exception as reason:
            taker.refuse(reason)

    def turned_down() -> None:
        upload.reset()
        words = f"This file is not taken: {what} are read here. Larger ones: the command line."
        taker.refuse(BadFile(words))

    upload = ui.upload(
        on_upload=arrived, on_rejected=turned_down, max_file_size=most, auto_upload=True
    ).classes("dp-hidden")
    # Hidden from everybody, keyboards and screen readers included; the button opens it.
    upload.props(f'accept="{",".join(endings)}" aria-hidden=true inert')
    pick = f"() => getElement({upload.id}).$refs.qRef.pickFiles()"
    ui.button(label, icon="folder_open").props("outline").on("click", js_handler=pick)


def save_button(label: str, content: Callable[[], str | bytes], name: str) -> None:
    """A button that hands a text over as a file."""

    def give() -> None:
        try:
            made = content()
        except DPrivacyError as reason:
            ui.notify(str(reason), type="negative")
            return
        ui.download.content(made, name)

    ui.button(label, icon="download", on_click=give).props("outline")


def hand_over(output: Path, taker: Taker) -> None:
    """Buttons that hand over a table and its card, as long as they are there."""

    def give(path: Path) -> None:
        if path.exists():
            ui.download.file(path, path.name)
        else:
            taker.refuse(BadFile(f"{path.name} was removed; make it again"))

    with ui.element("div").classes("dp-row"):
        for label, path in (
            ("Download the table", output),
            ("Download its card", card_path(output)),
        ):
            ui.button(label, icon="download", on_click=partial(give, path))


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
