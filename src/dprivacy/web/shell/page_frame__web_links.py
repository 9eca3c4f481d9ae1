"""Links: what a room of the page shows, written into its address, and read back from it."""

from collections.abc import Mapping
from urllib.parse import urlencode

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
