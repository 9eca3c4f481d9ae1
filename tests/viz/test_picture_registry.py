"""What an object's own picture is."""

from pathlib import Path

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from dprivacy.errors import Malformed
from support.source_code import surface
from support.viz_checks import check_words, texts

HOBBIES = ["Sports", "Cars", "Television", "Computer games", "Reading"]


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


def test_a_mechanism_is_drawn_under_its_name_and_level():
    figure = response(HOBBIES, "ln 2").plot()
    assert any(
        "randomised response, privacy level ε = ln(2)" in t.replace("\n", " ")
        for t in texts(figure)
    )
    for mechanism in (
        dp.mechanisms.bitwise_response(2, eps="ln 3"),
        dp.laplace(0, 4, eps="ln 2", grid=1),
    ):
        assert mechanism.plot().axes


def test_an_estimated_table_is_a_heat_map_and_a_cube_has_intervals():
    coin = response(["yes", "no"], "ln 3").channel
    found = dp.estimate([coin, coin], [[50, 30], [20, 40]])
    figure = found.plot()
    assert np.allclose(figure.axes[0].images[0].get_array(), found.counts)
    check_words(figure)
    cube = dp.estimate([coin] * 3, np.full((2, 2, 2), 10))
    marks = cube.plot().axes[0].containers[0][0]
    assert np.allclose(marks.get_xdata(), cube.counts.ravel())
    check_words(cube.plot())


def test_distributions_gains_counts_and_decompositions_have_pictures():
    dist = dp.Dist(["tea", "coffee"], ["2/3", "1/3"])
    assert [bar.get_height() for bar in dist.plot().axes[0].patches] == pytest.approx(
        [2 / 3, 1 / 3]
    )
    check_words(dist.plot())
    gain = dp.gain.metric(dp.line(4))
    assert np.allclose(gain.plot().axes[0].images[0].get_array(), gain.matrix.floats)
    count = dp.polytope.count_kernels(dp.line(5), eps="ln 2")
    assert [bar.get_height() for bar in count.plot().axes[0].patches] == [1, 5, 24, 157]
    extreme = dp.polytope.count_extreme_points(3, eps="ln 2")
    assert [bar.get_height() for bar in extreme.plot().axes[0].patches] == [3, 18, 12]
    R = response(range(3), "ln 2").channel
    parts = dp.polytope.decompose(R, dp.line(3), eps="ln 2")
    check_words(parts.plot(space=dp.line(3), eps="ln 2"))
    with pytest.raises(Malformed, match="no picture is known for an object of class dict"):
        viz.picture({})


def test_the_gallery_has_every_picture():
    text = (Path(__file__).parents[2] / "docs" / "gallery.md").read_text(encoding="utf-8")
    missing = [name for name in surface("viz") if name.startswith("plot_") and name not in text]
    assert missing == []
