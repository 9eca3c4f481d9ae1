"""Dots with intervals: every estimate where it is, infinite ends not drawn, words that fit."""

import math

import numpy as np
import pytest

from dprivacy import viz
from dprivacy.errors import NotApplicable
from dprivacy.estimation import LongForm, Statistic, Statistics
from support.viz_checks import check_words


def test_dots_stand_at_the_estimates_and_lines_reach_to_the_ends():
    entries = (
        Statistic(("north, the far end of the country", "men"), 3.0, 1.0, 1.0, 6.0),
        Statistic(("south", "women"), -1.0, 1.0, -3.0, 1.0),
        Statistic(("west", "all"), 2.0, math.inf, -math.inf, math.inf),
        Statistic(("east", "all"), math.nan, math.inf, -math.inf, math.inf),
    )
    found = Statistics("mean of age", ("region", "sex"), entries, "table", 0.95, 100)
    figure = found.plot(title="Ages")
    axes = figure.axes[0]
    bars = axes.containers[0]
    assert bars[0].get_xdata().tolist() == [3, -1, 2]
    ends = [(low[0], high[0]) for low, high in bars[2][0].get_segments()]
    assert np.allclose(ends, [(1, 6), (-3, 1), (2, 2)])
    assert axes.get_xlabel() == "mean of age"
    check_words(figure)


def test_nothing_is_not_drawn():
    with pytest.raises(NotApplicable, match="nothing to draw"):
        viz.plot_intervals(LongForm("x", (), ()))
