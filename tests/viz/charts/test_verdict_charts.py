"""Comparisons of two channels, drawn by their witness."""

import math

import numpy as np
import pytest

import dprivacy as dp
from dprivacy.errors import Malformed
from support.viz_checks import check_words, texts


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


def test_refinements_are_drawn_by_their_witness():
    G = dp.geometric(dp.line(3), eps="ln 2").channel
    R = response(range(3), "ln 2").channel
    noisy = response(range(3), "ln(3/2)").channel
    held = dp.refines(R, noisy, names=("strong", "weak"))
    figure = held.plot()
    assert np.allclose(figure.axes[0].images[0].get_array(), held.R.matrix.floats)
    assert "weak is at least as safe as strong" in texts(figure)
    check_words(figure)
    failed = dp.refines(G, R, names=("geometric", "response"))
    figure = failed.plot()
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == [float(failed.before), float(failed.after)]
    check_words(figure)
    check_words(dp.refine.refines(R, noisy, by="max").plot())
    check_words(dp.refine.refines(G, R, by="max").plot())
    private = dp.refine.refines(R, G, by="private")
    assert [bar.get_height() for bar in private.plot().axes[0].patches] == pytest.approx(
        [math.log(2), math.log(4)]
    )
    check_words(private.plot())
    check_words(dp.refine.refines(R, G, dp.line(3), by="private").plot())
    with pytest.raises(Malformed, match="no witness"):
        dp.refine.refines(G, R, by="private").plot()
