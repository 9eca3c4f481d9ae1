"""A channel as a heat map: how likely each answer is on each true value."""

from fractions import Fraction
from typing import Any

from dprivacy.extras import matplotlib
from dprivacy.model import Labelled, as_channel
from dprivacy.typing import ChannelLike
from dprivacy.viz.style.figure_words import name_columns, name_rows, short, titled
from dprivacy.viz.style.picture_style import SHADE_STOPS, SHADES, Figure, drawn, new_axes

_WRITTEN = 12  # rows and columns up to which the numbers are written in


def plot_channel(C: ChannelLike, *, title: str = "", numbers: bool | None = None) -> Figure:
    """A channel as a heat map: true values down, answers across, darker for likelier.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads.
    numbers
        Whether to write the probabilities into the cells; by default where they fit.

    Examples
    --------
    >>> figure = plot_channel([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['3/4', '1/4', '1/4', '3/4']
    """
    sides = ("true value", "answer")
    scale = "probability of the answer"
    return plot_table(as_channel(C), sides=sides, scale=scale, title=title, numbers=numbers)


@drawn
def plot_table(
    table: Labelled,
    *,
    sides: tuple[str, str],
    scale: str,
    title: str = "",
    numbers: bool | None = None,
) -> Figure:
    """Any labelled matrix as a heat map.

    Parameters
    ----------
    table
        The matrix.
    sides
        What its rows and its columns are, in words.
    scale
        What its entries are, in words.
    title, numbers
        As for `plot_channel`.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> from dprivacy.spaces import line
    >>> figure = plot_table(gain.metric(line(3)), sides=("action", "secret"), scale="worth")
    >>> [text.get_text() for text in figure.axes[0].texts[:3]]
    ['1', '1/2', '0']
    """
    n, m = len(table.rows), len(table.columns)
    word = max(len(part) for label in table.columns for part in (short(label).split() or [""]))
    wide = min(7.0, max(2.6, min(1.1, max(0.6, 0.09 * word)) * m))
    high = min(6.0, max(1.4, 0.42 * n))
    figure, axes = new_axes(wide + 2.0, high + 1.1)
    values = table.matrix.floats
    low, top = min(0.0, float(values.min())), float(values.max())
    top = top if top > low else low + 1.0
    # In large tables a few entries tower over the rest: shade by the root, so that those show too.
    root = max(n, m) > _WRITTEN
    colors = matplotlib("colors")
    norm = colors.PowerNorm(0.5 if root else 1.0, vmin=low, vmax=top)
    image = axes.imshow(values, cmap=SHADES, norm=norm, aspect="auto")
    image.set_interpolation("nearest")
    name_columns(axes, table.columns, wide)
    name_rows(axes, table.rows, high)
    axes.set(xlabel=sides[1], ylabel=sides[0])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    titled(axes, title)
    if numbers if numbers is not None else max(n, m) <= _WRITTEN:
        for i, row in enumerate(cell_texts(table)):
            for j, text in enumerate(row):
                dark = (values[i, j] - low) / (top - low) > 0.55
                axes.text(
                    j, i, text, ha="center", va="center", size=8, color="white" if dark else "black"
                )
    bar = figure.colorbar(image, ax=axes, shrink=0.9, pad=0.03)
    bar.set_label(scale)
    bar.outline.set_visible(False)
    return figure


def cell_texts(table: Labelled) -> list[list[str]]:
    """Every entry as short text: a fraction where it is one and fits, else two digits."""
    rows, columns = range(len(table.rows)), range(len(table.columns))
    return [[_cell(table.matrix[i, j]) for j in columns] for i in rows]


def _cell(value: Fraction | float) -> str:
    text = str(value) if isinstance(value, Fraction) else ""
    return text if text and len(text) <= 5 else f"{float(value):.2g}"


def channel_spec(C: ChannelLike, *, title: str = "") -> dict[str, Any]:
    """The heat map of a channel as a Plotly figure in plain data.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads.
    title
        A title.

    Returns
    -------
    dict
        ``data`` and ``layout``, ready for JSON.

    Examples
    --------
    >>> channel_spec([["3/4", "1/4"], ["1/4", "3/4"]])["data"][0]["z"]
    [[0.75, 0.25], [0.25, 0.75]]
    """
    channel = as_channel(C)
    rows, columns = ([short(label) for label in side] for side in (channel.rows, channel.columns))
    texts = [[str(value) for value in row] for row in channel.matrix.rows()]
    heat = {
        "type": "heatmap",
        "z": channel.matrix.floats.tolist(),
        "text": texts,
        "customdata": [[[x, y] for y in columns] for x in rows],
        "hovertemplate": (
            "true value %{customdata[0]}<br>answer %{customdata[1]}<br>"
            "probability %{text}<extra></extra>"
        ),
        "colorscale": SHADE_STOPS,
        "zmin": 0.0,
        "zmax": float(channel.matrix.floats.max()),
        "colorbar": {"title": {"text": "probability"}},
    }
    if max(len(rows), len(columns)) <= _WRITTEN:
        heat["text"] = cell_texts(channel)
        heat["texttemplate"] = "%{text}"
    return {
        "data": [heat],
        "layout": {
            "title": {"text": title},
            "xaxis": {"title": {"text": "answer"}, **_ticks(columns)},
            "yaxis": {"title": {"text": "true value"}, "autorange": "reversed", **_ticks(rows)},
            "margin": {"t": 48 if title else 16},
        },
    }


def _ticks(texts: list[str]) -> dict[str, Any]:
    """Tick labels by position: two labels may be written alike."""
    step = 1 if len(texts) <= 24 else -(-len(texts) // 12)
    at = list(range(0, len(texts), step))
    return {"tickmode": "array", "tickvals": at, "ticktext": [texts[k] for k in at]}
