"""Bands of verdicts: from where to where, and single levels."""

import pytest

from dprivacy.errors import Malformed
from dprivacy.mechanisms import unary_response
from dprivacy.refine import refinement_breaks
from dprivacy.reproduce.chapters.local_orders import free_sets
from dprivacy.viz import plot_refinement_breaks
from support.viz_checks import check_words, texts


def test_bands_and_single_levels():
    optimised = unary_response(range(4), eps="ln 4")
    symmetric = unary_response(range(4), eps="ln 4", kind="symmetric")
    hashed = free_sets(4, 4, optimised.q)  # by all functions into five values
    rows = [
        refinement_breaks(symmetric, optimised, names=("symmetric", "optimised")),
        refinement_breaks(hashed, optimised, names=("hashed", "optimised")),
    ]
    figure = plot_refinement_breaks(rows, title="Four labels")
    axes = figure.axes[0]
    bars = [(bar.get_y() + bar.get_height() / 2, bar.get_x()) for bar in axes.patches]
    assert bars == [pytest.approx((0, 17.306235)), pytest.approx((1, 34.971675))]
    (point,) = axes.lines
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (4, 1)
    assert "symmetric ⊑ optimised" in " ".join(" ".join(t.split()) for t in texts(figure))
    check_words(figure)
    assert [words.get_text() for words in figure.legends[0].texts] == [
        "levels at which it holds",
        "a single such level",
    ]
    alone = rows[0].plot(title="One pair")
    assert len(alone.legends[0].texts) == 1
    check_words(alone)


def test_nothing_is_refused():
    with pytest.raises(Malformed, match="at least one comparison"):
        plot_refinement_breaks([])
