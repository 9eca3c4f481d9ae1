"""What an adversary can guess before and after seeing the output."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from dprivacy.flow import Inference, Scenario, Strategy
from dprivacy.numbers import read_vector
from dprivacy.typing import NumberLike
from dprivacy.viz.style.figure_words import (
    legend_below,
    name_rows,
    require_some,
    ruled,
    titled,
    write_beside,
)
from dprivacy.viz.style.picture_style import (
    FAINT,
    WIDTH,
    Figure,
    drawn,
    new_axes,
    style as style_of,
)

Case: TypeAlias = Inference | Scenario | Strategy | Sequence[NumberLike]


@drawn
def plot_leakage(
    cases: Case | Mapping[str, Case], *, x: str = "what the best guess is worth", title: str = ""
) -> Figure:
    """Before and after, joined by a line: the longer, the more leaks.

    One row a case, with the factor between the two.

    Parameters
    ----------
    cases
        An inference, a strategy or a scenario; or names, each with one of these or with a pair
        (before, after).
    x
        What the numbers are, in words.

    Examples
    --------
    >>> figure = plot_leakage({"survey": ("1/2", "3/4")})
    >>> figure.axes[0].texts[0].get_text()
    '×1.5'
    """
    rows = read_cases(cases)
    high = max(1.0, 0.5 * len(rows))
    figure, axes = new_axes(WIDTH, high + 1.1)
    for at, (low, top) in enumerate(rows.values()):
        axes.plot([low, top], [at, at], color=FAINT, linewidth=1.4, zorder=1)
        factor = f"×{top / low:.3g}" if low else ""
        write_beside(axes, factor, (max(low, top), at), 9, size=9)
    handles = []
    for k, name in enumerate(("before seeing the output", "after")):
        look = style_of(k)
        handles += axes.plot(
            [pair[k] for pair in rows.values()],
            range(len(rows)),
            look.marker,
            color=look.colour,
            markerfacecolor=look.colour if k else "white",
            markersize=5 if k else 8,
            label=name,
        )
    name_rows(axes, list(rows), high)
    axes.tick_params(axis="y", length=0)
    largest = max(max(pair) for pair in rows.values())
    axes.set(xlabel=x, xlim=(0, 1.15 * largest or 1.0), ylim=(len(rows) - 0.4, -0.6))
    ruled(axes, "x")
    titled(axes, title)
    legend_below(figure, handles)
    return figure


def read_cases(cases: Case | Mapping[str, Case]) -> dict[str, tuple[float, float]]:
    """Names with what a guess is worth before and after."""
    named = dict(cases) if isinstance(cases, Mapping) else {"": cases}
    rows: dict[str, tuple[float, float]] = {}
    for name, case in named.items():
        if isinstance(case, Scenario):
            lead = f"{name}: " if name else ""
            rows[f"{lead}the secret"] = _pair(case.secret)
            rows[f"{lead}the useful value"] = _pair(case.useful)
        else:
            rows[str(name)] = _pair(case)
    require_some(rows, "names, each with (before, after)")
    return rows


def _pair(case: Inference | Strategy | Sequence[NumberLike]) -> tuple[float, float]:
    if isinstance(case, Inference | Strategy):
        return float(case.before), float(case.after)
    before, after = read_vector(list(case), lambda j: ("before", "after")[j]).row(0)
    return float(before), float(after)
