"""Bars: groups side by side, and budgets."""

import math

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from dprivacy.errors import Malformed
from support.viz_checks import check_words, texts


def test_spending_shows_what_was_spent_of_which_budget():
    entries = [
        ("hospital", 0.7, 1),
        ("city map", dp.ln(2), dp.ln(4)),
        ("open day", 1.4, 1),
        ("archive", 0.2, None),
    ]
    figure = viz.plot_spending(entries, title="Spent")
    axes = figure.axes[0]
    filled = [p.get_width() for p in axes.patches if p.get_facecolor()[3]]
    assert np.allclose(filled, [0.7, math.log(2), 1.4, 0.2])
    budgets = [p.get_width() for p in axes.patches if not p.get_facecolor()[3]]
    assert np.allclose(budgets, [1, math.log(4), 1])
    assert {"0.7 of 1", "1.4 of 1, too much", "0.2, no limit"} <= set(texts(figure))
    check_words(figure)
    check_words(viz.plot_spending([(f"person {k}", k / 10, 3) for k in range(30)]))
    with pytest.raises(Malformed, match="nothing to draw"):
        viz.plot_spending([])


def test_grouped_bars_keep_labels_that_only_some_groups_have():
    figure = viz.plot_bars({"a": {1: 0.5, 2: 0.25}, "b": {2: 1}}, y="share")
    assert [bar.get_height() for bar in figure.axes[0].patches] == [0.5, 0.25, 0, 1]
    with pytest.raises(Malformed, match="nothing to draw; give names, each with values"):
        viz.plot_bars({})
