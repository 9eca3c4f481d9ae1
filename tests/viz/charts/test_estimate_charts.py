"""Estimates beside the truth, and what a plan promises."""

import math

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from dprivacy.errors import Malformed
from support.viz_checks import check_words, texts

HOBBIES = ["Sports", "Cars", "Television", "Computer games", "Reading"]


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


def test_estimates_have_marks_and_intervals():
    rr = response(HOBBIES, "ln 3")
    observed = dict(zip(HOBBIES, (300, 150, 250, 180, 120), strict=True))
    found = dp.estimate(rr.channel, observed)
    truth = dp.Dist(HOBBIES, ["2/5", "1/10", "1/4", "3/20", "1/10"])
    figure = found.plot(observed=observed, truth=truth)
    axes = figure.axes[0]
    seen, true = axes.lines[:2]
    assert np.allclose(seen.get_ydata(), [0.3, 0.15, 0.25, 0.18, 0.12])
    assert np.allclose(true.get_ydata(), [0.4, 0.1, 0.25, 0.15, 0.1])
    bars = axes.containers[0]
    assert np.allclose(bars[0].get_ydata(), [float(s) for s in found.shares])
    ends = [(low[1], high[1]) for low, high in bars[2][0].get_segments()]
    assert np.allclose(ends, list(found.ranges(scale="proportions").values()))
    check_words(figure)
    with pytest.raises(Malformed, match="1 of the 5 labels"):
        found.plot(truth={label: 1 for label in HOBBIES[:-1]})
    many = dp.estimate(dp.geometric(dp.line(40), eps="ln 2").channel, {k: 1 + k for k in range(40)})
    check_words(many.plot())
    assert not many.plot().axes[0].containers


def test_reconstruction_and_convergence_draw_what_they_are_given():
    truth = {k: math.comb(20, k) / 2**20 for k in range(21)}
    noisy, back = ({k: 1 / 21 for k in range(21)} for _ in range(2))
    figure = viz.plot_reconstruction(truth, noisy, {"geometric": back, "response": noisy})
    assert len(figure.axes[0].lines) == 4
    assert np.allclose(figure.axes[0].lines[0].get_ydata(), list(truth.values()))
    check_words(figure)
    assert "reconstructed" in texts(viz.plot_reconstruction(truth, noisy, back))
    traces = {"geometric": [-5, -3, -2, -2], "response": [-5, -4.9, -4.8]}
    figure = viz.plot_convergence(traces)
    assert figure.axes[0].lines[1].get_xydata().tolist() == [[1, -5], [2, -4.9], [3, -4.8]]
    check_words(figure)
    check_words(viz.plot_convergence({"a": list(range(5000))}))


def test_a_forecast_shows_what_stays_and_how_well_shares_can_be_estimated():
    letters = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 2"}
    numbers = {"type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1"}
    place = {"type": "place", "columns": ["x", "y"], "epsilon": "1", "grid": "0.5"}
    far = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    vague = {**letters, "type": "distances", "distances": far, "mechanism": "any_metric"}
    plan = {"blood group": letters, "age in years": numbers, "home": place, "vague": vague}
    found = dp.release.forecast(dp.Plan.read({"columns": plan}), rows=1000)
    figure = found.plot()
    left, right = figure.axes
    drawn = [c for c in found.columns if c.kept is not None]
    marks = [line.get_xdata() for line in left.lines[1::2]]
    assert np.allclose(marks, [[100 * share for share in c.kept] for c in drawn])
    widths = [bar.get_width() for bar in right.patches]
    assert np.allclose(widths, [100 * c.share_error for c in drawn if c.share_error is not None])
    assert {"blood group", "age in years"} <= set(texts(figure))
    assert "home" not in texts(figure)
    check_words(figure)
    alone = dp.release.forecast(dp.Plan.read({"columns": {"home": place}}), rows=10)
    with pytest.raises(Malformed, match="nothing to draw"):
        alone.plot()
