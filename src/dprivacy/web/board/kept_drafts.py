"""Drafts in the browser: what was declared on a page, until it is forgotten.

The store belongs to the address of the page with its port. Another server on the same port could read
it later, so that it holds only what a person has declared: no data, and no name of a file.
"""

import json
from collections.abc import Mapping
from typing import Any

from nicegui import ui

_KEY = "dprivacy-draft-%s"
_LONGEST = 200_000  # characters


def write_draft(room: str, settings: Mapping[str, str]) -> None:
    """Keep the settings of a room in this browser."""
    words = json.dumps(dict(settings))
    if len(words) <= _LONGEST:
        ui.run_javascript(f"localStorage.setItem({_quoted(_KEY % room)}, {_quoted(words)})")


async def read_draft(room: str) -> dict[str, str]:
    """The settings that this browser has kept; none where it has none, or none that can be read."""
    key = _quoted(_KEY % room)
    try:
        words = await ui.run_javascript(f"localStorage.getItem({key})", timeout=30)
    except TimeoutError:
        return {}
    return settings_in(words)


def forget_draft(room: str) -> None:
    """Remove what this browser has kept."""
    ui.run_javascript(f"localStorage.removeItem({_quoted(_KEY % room)})")


def settings_in(words: Any) -> dict[str, str]:
    """The settings in a stored text, which may have been written by anybody.

    Examples
    --------
    >>> settings_in('{"eps": "ln 2", "rows": 5}'), settings_in("nonsense")
    ({'eps': 'ln 2'}, {})
    """
    if not isinstance(words, str) or len(words) > _LONGEST:
        return {}
    try:
        found = json.loads(words)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, str)}


def _quoted(words: str) -> str:
    return json.dumps(words).replace("<", "\\u003c")
