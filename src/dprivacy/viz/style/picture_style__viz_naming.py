"""One thing to draw, or several with names."""

from collections.abc import Mapping
from typing import Any


def named(things: Any) -> dict[str, Any]:
    """Names and things; a single thing has the empty name.

    A mapping is read as names, unless it is itself a channel, {input: {output: probability}}.
    """
    if isinstance(things, Mapping) and not _is_channel(things):
        return {str(name): thing for name, thing in things.items()}
    return {"": things}


def _is_channel(things: Mapping[Any, Any]) -> bool:
    return all(
        isinstance(row, Mapping) and not any(isinstance(p, Mapping) for p in row.values())
        for row in things.values()
    )
