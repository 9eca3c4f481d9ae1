"""The frame around every room: its name, the way to the others, and links to what a room shows."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlencode

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

ROOMS = {
    "protect": (
        "Protect",
        "Describe what you ask people, choose how much may leak, protect a table.",
    ),
    "receive": (
        "Receive",
        "From a protected table and its card: true counts with error bars, any SQL.",
    ),
    "collect": (
        "Collect",
        "A running collection: what its answers say so far, and what fakes could have done.",
    ),
    "places": (
        "Places",
        "A radius in metres: what reports look like on a map, and what many of them give away.",
    ),
    "texts": (
        "Texts",
        "Some texts: what a level means for a whole one, what comes out, and what is read back.",
    ),
    "verify": (
        "Verify",
        "Paste a transition matrix: its ε, what decides it, what leaks, a repair.",
    ),
    "compare": ("Compare", "Two mechanisms: which is safer, against whom, and who would disagree."),
    "explore": ("Explore", "The building blocks of all private mechanisms, on the triangle."),
    "design": ("Design", "What you believe and what an error costs: the best mechanism, proved."),
}


def text(tag: str, content: str, classes: str = "") -> TextElement:
    """A piece of text in an element; what it says is never read as markup."""
    return TextElement(tag=tag, text=content).classes(classes)


def small(words: str) -> None:
    """A remark in small type."""
    text("p", words, "dp-small")


@contextmanager
def room(name: str, title: str, lead: str) -> Iterator[None]:
    """The page of a room, with its heading; its two panels go inside."""
    with _frame(name):
        text("h1", title)
        text("p", lead, "dp-lead")
        with ui.element("div").classes("dp-two"):
            yield


def home() -> None:
    """The page that one comes to first: the rooms, a sentence each."""
    with _frame(""):
        text("h1", "Privacy that can be proved, without writing code")
        text(
            "p",
            "Choose where to begin. Nothing needs to be uploaded: every room starts with an example.",
            "dp-lead",
        )
        with ui.element("ul").classes("dp-cards").style("list-style: none; padding: 0; margin: 0"):
            for name, (called, words) in ROOMS.items():
                with ui.element("li"), ui.element("a").props(f"href={name}"):
                    text("h2", called)
                    text("p", words)


@contextmanager
def _frame(current: str) -> Iterator[None]:
    ui.colors(primary="#0b5c8a")
    ui.dark_mode(None)  # as the system has it
    ui.page_title(f"{ROOMS[current][0]} · dprivacy" if current else "dprivacy")
    with ui.element("header").classes("dp-top"):
        with ui.element("a").props("href=.").classes("dp-brand"):
            text("span", "dprivacy")
        with ui.element("nav").classes("dp-nav").props('aria-label="Rooms"'):
            for name, (called, _) in ROOMS.items():
                here = " aria-current=page" if name == current else ""
                with ui.element("a").props(f"href={name}{here}"):
                    text("span", called)
    main = ui.element("div").classes("dp-main").props("tabindex=-1")  # inside Quasar's own <main>
    ui.skip_link("Skip to the content", target=main)
    with main:
        yield
        with ui.element("footer").classes("dp-foot"):
            text(
                "p",
                "This page runs on your machine and contacts no other. Files you choose are kept in a "
                "folder that only you can read while the page is open, and removed afterwards.",
            )


LONGEST = 6000  # characters of an address that every browser and mail programme keeps whole
_MOST_CHARACTERS = 20_000


def link(path: str, state: Mapping[str, str]) -> str | None:
    """The address of a room in a state; None when it would be too long to be passed on.

    Parameters
    ----------
    path
        The room, such as "/verify".
    state
        Settings by name; empty ones are left out.

    Examples
    --------
    >>> link("/explore", {"space": "line", "n": "3", "eps": "ln 2"})
    '/explore?space=line&n=3&eps=ln+2'
    """
    said = urlencode({name: value for name, value in state.items() if value})
    address = f"{path}?{said}" if said else path
    return address if len(address) <= LONGEST else None


def read_state(query: Mapping[str, str], usual: Mapping[str, str]) -> dict[str, str]:
    """The settings of a room: those in the address where it names them, the usual ones elsewhere.

    Names that the room does not know are passed over, and so are values that no link holds.
    """
    return {
        name: query[name] if name in query and len(query[name]) <= _MOST_CHARACTERS else value
        for name, value in usual.items()
    }


def whole(text: str, low: int, high: int, otherwise: int) -> int:
    """A whole number from an address, within its limits."""
    given = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else otherwise
    return min(max(given, low), high)


def choice(text: str, options: Mapping[str, object], otherwise: str) -> str:
    """One of the options, by name."""
    return text if text in options else otherwise
