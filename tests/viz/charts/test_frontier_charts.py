"""Frontiers of refinement, and what privacy costs."""

from fractions import Fraction

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from dprivacy.errors import Malformed
from support.viz_checks import check_words, texts


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


@pytest.mark.statement("T", "Fig 4.5")
def test_the_refinement_frontier_is_the_closed_form():
    """A geometric at α₁ is refined by a response at α₂ iff α₂/(1−α₂) ≥ α₁/(1−α₁)² (E28)."""

    def geometric(eps):
        return dp.geometric(dp.line(5), eps=eps)

    def categories(eps):
        return response(range(5), eps)

    found = viz.refinement_frontier(geometric, categories, eps=["ln 2", "ln 4", "ln 8"], digits=6)
    for a, (_, eps) in zip((2, 4, 8), found, strict=True):
        limit = 1 + Fraction((a - 1) ** 2, a)
        assert limit - Fraction(1, 64) < eps.exp() <= limit
    # The source reads off its plots: the response at 4 is refined by a geometric at about 1, and a
    # geometric at 4 by a response at about 4.
    [(_, other)] = viz.refinement_frontier(categories, geometric, eps=["ln 55"])
    assert 0.8 < float(other) < 1.1
    [(_, back)] = viz.refinement_frontier(geometric, categories, eps=["ln 55"])
    assert 3.9 < float(back) < 4.01
    figure = viz.plot_refinement_frontier({"response": found}, of="the geometric mechanism")
    assert np.allclose(
        figure.axes[0].lines[0].get_xydata(), [[float(x), float(y)] for x, y in found]
    )
    diagonal = figure.axes[0].lines[-1].get_xydata()
    assert (diagonal[:, 0] == diagonal[:, 1]).all()
    check_words(figure)


def test_a_frontier_without_end_is_refused():
    with pytest.raises(Malformed, match="no frontier"):
        viz.refinement_frontier(
            lambda _: [[1, 0], [0, 1]], lambda eps: response([0, 1], eps), eps=["ln 2"]
        )


def test_trade_offs_have_curves_and_lines_to_compare_with():
    curves = {"LSHRR (0.05)": [(1, 0.8), (5, 0.5)], "LapLSH (0.05)": [(1, 0.9), (5, 0.8)]}
    figure = viz.plot_curves(
        curves,
        x="total budget",
        y="loss",
        levels={"hashing without noise": 0.1, "a random guess": 0.95},
    )
    axes = figure.axes[0]
    assert axes.lines[1].get_xydata().tolist() == [[1, 0.9], [5, 0.8]]
    assert [line.get_ydata()[0] for line in axes.lines[2:4]] == [0.1, 0.95]
    assert len({line.get_linestyle() for line in axes.lines[:2]}) == 2
    assert "total budget" in texts(figure)
    check_words(figure)
    check_words(
        viz.plot_curves(
            {"optimal": [(dp.ln(2), Fraction(1, 3)), (dp.ln(4), Fraction(1, 5))]},
            x="level ε",
            y="loss",
        )
    )
    with pytest.raises(Malformed, match="at least one point"):
        viz.plot_curves({"empty": []}, x="level ε", y="loss")
