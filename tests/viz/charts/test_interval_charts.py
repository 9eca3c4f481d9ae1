"""Dots with intervals: every estimate where it is, infinite ends not drawn, words that fit."""

import math

import numpy as np
import pytest

from dprivacy import viz
from dprivacy.errors import NotApplicable
from dprivacy.estimation import LongForm, Statistic, Statistics, regress
from support.noisy_models import model_rows
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


def ticks(figure):
    return [text.get_text() for text in figure.axes[0].get_yticklabels()]


def test_coefficients_without_intercepts():
    case = model_rows(np.random.default_rng(0), 2000, "logistic")
    fit = regress(case.formula, case.released, channels=case.channels)
    figure = fit.plot()
    assert ticks(figure) == ["age", "job=b", "job=c", "z"]
    bars = figure.axes[0].containers[0]
    assert bars[0].get_xdata().tolist() == [fit.coefficients[name] for name in ticks(figure)]
    ends = [(low[0], high[0]) for low, high in bars[2][0].get_segments()]
    assert np.allclose(ends, [fit.intervals[name] for name in ticks(figure)])
    assert ticks(viz.plot_coefficients(fit, intercepts=True))[0] == "intercept"
    assert (
        figure.axes[0].get_title(loc="left").startswith("y ~ age + job + z (logistic, 2,000 rows)")
    )
    check_words(figure)


def test_thresholds_are_left_out_but_not_columns_with_a_bar_in_their_name():
    case = model_rows(np.random.default_rng(1), 2000, "ordinal")
    data = {**case.true_columns, "z|2": case.true_columns["z"]}
    fit = regress("y ~ age + `z|2`", data, family="ordinal")
    assert fit.constants == ("0|1", "1|2")
    assert ticks(viz.plot_coefficients(fit)) == ["age", "z|2"]


def test_nothing_is_not_drawn():
    with pytest.raises(NotApplicable, match="nothing to draw"):
        viz.plot_intervals(LongForm("x", (), ()))
