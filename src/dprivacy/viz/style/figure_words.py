"""The words in a picture: labels that fit, titles, legends, and one thing or several with names."""

import math
import textwrap
from collections.abc import Mapping, Sequence, Sized
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.model import shown
from dprivacy.viz.style.picture_style import PALE, Figure

_CHARS_PER_INCH = 13.0  # of the small type that labels are set in


def require_some(things: Sized, wanted: str) -> None:
    """Refuse to draw nothing: no thing at all, or a name without anything."""
    parts = things.values() if isinstance(things, Mapping) else ()
    if not len(things) or not all(len(part) for part in parts if isinstance(part, Sized)):
        raise NotApplicable(f"there is nothing to draw; give {wanted}")


def short(label: Any, most: int = 24) -> str:
    """A label as it is written in a picture; a long one loses its middle, since ends tell apart."""
    text = shown(label)
    tail = most // 3
    return text if len(text) <= most else f"{text[: most - tail - 1]}…{text[-tail:]}"


def titled(axes: Any, title: str) -> None:
    """A title, broken where the picture ends."""
    if title:
        inches = axes.figure.get_figwidth() * axes.get_position().width
        axes.set_title(textwrap.fill(title, max(24, int(11.0 * inches))))


def name_columns(axes: Any, labels: Sequence[Any], inches: float) -> None:
    """Labels below columns 0, 1, …: broken at spaces, turned, or thinned out until they fit."""
    texts = [short(label) for label in labels]
    room = inches / max(1, len(texts))
    fits = int(room * _CHARS_PER_INCH) - 1
    longest = max((len(text) for text in texts), default=0)
    words = max((len(word) for text in texts for word in text.split()), default=0)
    numeric = all(isinstance(label, int | float) for label in labels)
    step, turn = 1, 0
    if longest > fits:
        if words <= fits and not numeric:
            texts = [textwrap.fill(text, fits) for text in texts]
        elif numeric:
            step = math.ceil((longest + 1.5) / _CHARS_PER_INCH / room)
        else:
            turn, step = 90, math.ceil(0.17 / room)
    at = range(0, len(texts), step)
    axes.set_xticks(list(at), [texts[k] for k in at], rotation=turn)


def name_rows(axes: Any, labels: Sequence[Any], inches: float) -> None:
    """Labels beside rows 0, 1, …: thinned out until they fit."""
    texts = [textwrap.fill(short(label, 44), 22) for label in labels]
    lines = max((text.count("\n") + 1 for text in texts), default=1)
    step = max(1, math.ceil((0.16 * lines + 0.02) * len(texts) / inches))
    at = range(0, len(texts), step)
    axes.set_yticks(list(at), [texts[k] for k in at])


def ruled(axes: Any, axis: str = "both") -> None:
    """Faint lines behind everything, to read values by."""
    axes.grid(axis=axis, color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)


def write_beside(axes: Any, text: str, at: tuple[float, float], points: float, **look: Any) -> None:
    """A text this many points to the right of a place."""
    axes.annotate(text, at, (points, 0), textcoords="offset points", va="center", **look)


def legend_below(figure: Figure, handles: Sequence[Any], columns: int = 3) -> None:
    """A legend under everything, where it covers nothing."""
    if handles:
        longest = max(len(handle.get_label()) for handle in handles)
        fit = max(1, int(figure.get_figwidth() * _CHARS_PER_INCH / (longest + 9)))
        figure.legend(handles=handles, loc="outside lower center", ncols=min(columns, fit))


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
