"""Answers of several mechanisms on one true value."""

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from dprivacy.errors import Malformed, UnknownCategory
from support.viz_checks import check_words

HOBBIES = ["Sports", "Cars", "Television", "Computer games", "Reading"]


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


@pytest.mark.statement("T", "Fig 4.1")
@pytest.mark.statement("T", "Fig 8.1")
def test_noise_around_50_geometric_falls_and_the_response_is_flat():
    n = 101
    G = dp.geometric(dp.line(n), eps=dp.ln(2) / 10)
    R = response(range(n), "ln 2")
    figure = viz.plot_noise({"truncated geometric": G, "randomised response": R}, at=50, within=10)
    axes = figure.axes[0]
    for line, C in zip(axes.lines, (G.channel, R.channel), strict=False):
        assert np.allclose(line.get_ydata(), [float(p) for p in C.row(50).values()])
    geometric, flat = (line.get_ydata() for line in axes.lines[:2])
    assert (np.diff(geometric[51:100]) < 0).all()
    assert geometric[40] == pytest.approx(geometric[50] / 2)  # e^(10·ln 2/10) = 2 at the edge
    assert len(set(np.round(np.delete(flat, 50), 15))) == 1
    band = next(p for p in axes.patches)
    assert (band.get_x(), band.get_width()) == (40, 20)
    check_words(figure)


def test_noise_on_categories_is_bars_side_by_side():
    figure = viz.plot_noise(
        {"ln 2": response(HOBBIES, "ln 2"), "ln 8": response(HOBBIES, "ln 8")}, at="Cars"
    )
    heights = [bar.get_height() for bars in figure.axes[0].containers for bar in bars]
    assert heights[1] == pytest.approx(1 / 3)
    assert heights[6] == pytest.approx(2 / 3)
    hatches = {bars[0].get_hatch() for bars in figure.axes[0].containers}
    assert len(hatches) == 2
    check_words(figure)
    with pytest.raises(Malformed, match="numbers"):
        viz.plot_noise({"ln 2": response(HOBBIES, "ln 2")}, at="Cars", within=1)
    with pytest.raises(UnknownCategory):
        viz.plot_noise({"ln 2": response(HOBBIES, "ln 2")}, at="Chess")
