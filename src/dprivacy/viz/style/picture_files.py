"""Pictures as files and as text: the same picture gives the same bytes."""

import hashlib
import html
import re
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprivacy.errors import Malformed
from dprivacy.viz.style.picture_style__viz_look import look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Without dates and versions, so that a file changes only when the picture does.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "dprivacy"},
    ".pdf": {"CreationDate": None, "Creator": "dprivacy", "Producer": "dprivacy"},
    ".png": {"Software": "dprivacy"},
}

_STYLE = "max-width:100%;height:auto;stroke-linejoin:round;stroke-linecap:butt"


def save(figure: "Figure", path: str | PathLike[str]) -> Path:
    """Write a picture to a file.

    Parameters
    ----------
    figure
        What a ``plot_…`` function or `.plot()` gave.
    path
        Where to; the ending says which format: .svg, .png or .pdf.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    Malformed
        For another ending.

    Notes
    -----
    The file holds no date and no version of a library: the same picture, drawn with the same versions,
    is the same file.
    """
    target = Path(path)
    ending = target.suffix.lower()
    require_ending(target)
    with look():
        figure.savefig(target, format=ending[1:], metadata=_METADATA[ending])
    return target


def require_ending(path: str | PathLike[str]) -> None:
    """Refuse a file name whose ending is no format for pictures."""
    ending = Path(path).suffix
    if ending.lower() not in _METADATA:
        raise Malformed(
            f"a picture is written as {', '.join(_METADATA)}, not as {ending or 'nothing'}"
        )


def svg(figure: "Figure", *, words: str = "") -> str:
    """A picture as one ``<svg>`` element that can stand in a page beside others.

    Parameters
    ----------
    figure
        What a ``plot_…`` function or `.plot()` gave.
    words
        What it shows, for people who cannot see it; its titles by default.

    Returns
    -------
    str
        Self-contained: letters are outlines, and nothing is fetched. Names inside it start with a
        digest of the picture, so that two pictures in one page do not meet.
    """
    buffer = BytesIO()
    with look():
        figure.savefig(buffer, format="svg", metadata=_METADATA[".svg"])
    text = buffer.getvalue().decode()
    text = text[text.index("<svg") :].rstrip()
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # A rule for every element would reach the whole page: the root hands it down instead.
    text = re.sub(r"\s*<style[^>]*>\*\{([^}]*)\}</style>", "", text, count=1)
    mark = "p" + hashlib.sha256(text.encode()).hexdigest()[:8] + "-"
    text = re.sub(r'(\bid=")', rf"\g<1>{mark}", text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{mark}", text)
    said = html.escape(words or _titles(figure), quote=True)
    return text.replace("<svg ", f'<svg role="img" aria-label="{said}" style="{_STYLE}" ', 1)


def _titles(figure: "Figure") -> str:
    texts = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
    return "; ".join(" ".join(text.split()) for text in texts if text) or "picture"
