"""The privacy profile δ(ε) as a curve, with its kinks."""

import math
from collections.abc import Mapping
from typing import TypeAlias

from dprivacy.typing import ChannelLike
from dprivacy.verify import PrivacyProfile, privacy_profile
from dprivacy.viz.charts.line_charts import draw_curves
from dprivacy.viz.style.figure_words import legend_below, named, ruled, titled
from dprivacy.viz.style.picture_style import Figure, drawn, new_axes, style

Source: TypeAlias = PrivacyProfile | ChannelLike
X, Y = "privacy level ε", "slack δ: probability left out"
_STEPS = 120


@drawn
def plot_profile(profiles: Source | Mapping[str, Source], *, title: str = "") -> Figure:
    """How much slack δ each privacy level ε needs.

    A curve for each, marked where its slope changes; those points are exact.

    Parameters
    ----------
    profiles
        A privacy profile or a channel, or names and several of them.

    Examples
    --------
    >>> figure = plot_profile([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> figure.axes[0].get_xlabel()
    'privacy level ε'
    """
    read = {
        name: source if isinstance(source, PrivacyProfile) else privacy_profile(source)
        for name, source in named(profiles).items()
    }
    figure, axes = new_axes()
    curves = {name: _points(profile, _end(read)) for name, profile in read.items()}
    handles = draw_curves(axes, curves, marks=False)
    for k, profile in enumerate(read.values()):
        kinks = [(float(eps), float(delta)) for eps, delta in profile.kinks]
        if kinks:
            axes.plot(*zip(*kinks, strict=True), style(k).marker, color=style(k).colour)
            handles[k].set_marker(style(k).marker)
            handles[k].set_markevery([])
    axes.set(xlabel=X, ylabel=Y, xlim=(0, None))
    axes.set_ylim(bottom=0)
    ruled(axes)
    titled(axes, title)
    if len(handles) > 1:
        legend_below(figure, handles)
    return figure


def _end(profiles: Mapping[str, PrivacyProfile]) -> float:
    """A little beyond the last kink of all."""
    last = max((float(eps) for p in profiles.values() for eps, _ in p.kinks), default=1.0)
    return 1.1 * last


def _points(profile: PrivacyProfile, end: float) -> list[tuple[float, float]]:
    """The profile on a fine grid and at its kinks, by its lines p − q·e^ε."""
    lines = [(float(p), float(q)) for p, q in profile.lines]
    steps = {end * k / _STEPS for k in range(_STEPS + 1)}
    steps |= {float(eps) for eps, _ in profile.kinks}
    return [
        (eps, max((p - q * math.exp(eps) for p, q in lines), default=0.0)) for eps in sorted(steps)
    ]
