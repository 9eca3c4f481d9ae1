"""One look for every picture: sizes, styles that survive grey paper, figures that belong to nobody."""

import hashlib
import html
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from io import BytesIO
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from dprivacy.extras import matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414 (others take it from here)
else:  # the library loads when something is drawn
    Figure = "matplotlib.figure.Figure"

P = ParamSpec("P")
T = TypeVar("T")

WIDTH, HEIGHT = 6.4, 4.0  # inches, of a picture with one pair of axes
INK, FAINT, PALE = "#222222", "#767676", "#e3e3e3"
SHADES = "Blues"  # grows darker steadily, so that it reads on grey paper too
# The same shades for Plotly, which knows the name by other colours.
SHADE_STOPS = [[0.0, "#f7fbff"], [0.35, "#9ecae1"], [0.7, "#3182bd"], [1.0, "#08306b"]]


# Without dates and versions, so that a file changes only when the picture does.
METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "dprivacy"},
    ".pdf": {"CreationDate": None, "Creator": "dprivacy", "Producer": "dprivacy"},
    ".png": {"Software": "dprivacy"},
}

_SVG_STYLE = "max-width:100%;height:auto;stroke-linejoin:round;stroke-linecap:butt"


@dataclass(frozen=True)
class Style:
    """How one of several things is drawn: never by colour alone."""

    colour: str
    dash: Any  # a name, or lengths of strokes and gaps
    plotly_dash: str
    marker: str
    plotly_marker: str
    hatch: str


STYLES = (
    Style("#0072b2", "-", "solid", "o", "circle", ""),
    Style("#d55e00", "--", "dash", "s", "square", "////"),
    Style("#009e73", ":", "dot", "^", "triangle-up", "...."),
    Style("#cc79a7", "-.", "dashdot", "D", "diamond", "\\\\\\\\"),
    Style("#8a6d00", (0, (6, 1, 1, 1, 1, 1)), "longdash", "v", "triangle-down", "xxxx"),
    Style("#56b4e9", (0, (1, 2)), "longdashdot", "P", "cross", "++++"),
)


def style(k: int) -> Style:
    """The style of the k-th thing; after the last the first comes again."""
    return STYLES[k % len(STYLES)]


_RC = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11.0,
    "axes.labelsize": 10.0,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100.0,
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 9.0,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.0,
    "savefig.dpi": 150.0,
    "svg.fonttype": "path",
    "svg.hashsalt": "dprivacy",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
}
_LEFT_ALONE = {"backend", "backend_fallback", "interactive", "toolbar", "timezone"}


@cache
def _defaults() -> dict[str, Any]:
    shipped = {k: v for k, v in matplotlib().rcParamsDefault.items() if k not in _LEFT_ALONE}
    return {**shipped, **_RC}


@contextmanager
def look() -> Iterator[None]:
    """Within it, matplotlib draws in this look; the person's own settings come back after it."""
    with matplotlib().rc_context(_defaults()):
        yield


def drawn(function: Callable[P, T]) -> Callable[P, T]:
    """A drawing function that runs in this look."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> T:
        with look():
            return function(*args, **kwargs)

    return inside


@cache
def _figure_class() -> Any:
    base = matplotlib("figure").Figure

    class Picture(base):  # type: ignore[misc, valid-type]
        """A figure that notebooks show, without pyplot."""

        def _repr_svg_(self) -> str:
            return svg(self)

    return Picture


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> "Figure":
    """An empty figure that belongs to nobody: pyplot does not know of it."""
    figure: Figure = _figure_class()(figsize=(width, height))
    return figure


def new_axes(width: float = WIDTH, height: float = HEIGHT) -> tuple["Figure", Any]:
    """Such a figure, and one pair of axes that fills it."""
    figure = new_figure(width, height)
    return figure, figure.add_subplot()


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

    Examples
    --------
    >>> from dprivacy.viz import plot_bars
    >>> svg(plot_bars({"": {"yes": 3, "no": 1}}), words="three of four say yes")[:54]
    '<svg role="img" aria-label="three of four say yes" sty'
    """
    buffer = BytesIO()
    with look():
        figure.savefig(buffer, format="svg", metadata=METADATA[".svg"])
    text = buffer.getvalue().decode()
    text = text[text.index("<svg") :].rstrip()
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # A rule for every element would reach the whole page: the root hands it down instead.
    text = re.sub(r"\s*<style[^>]*>\*\{([^}]*)\}</style>", "", text, count=1)
    mark = "p" + hashlib.sha256(text.encode()).hexdigest()[:8] + "-"
    text = re.sub(r'(\bid=")', rf"\g<1>{mark}", text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{mark}", text)
    said = html.escape(words or _titles(figure), quote=True)
    return text.replace("<svg ", f'<svg role="img" aria-label="{said}" style="{_SVG_STYLE}" ', 1)


def _titles(figure: "Figure") -> str:
    texts = [axes.get_title(loc="left") or axes.get_title() for axes in figure.axes]
    return "; ".join(" ".join(text.split()) for text in texts if text) or "picture"
