"""The picture of break points in δ: steps at one level, a map at every level."""

from dprivacy.polytope import delta_breaks
from dprivacy.viz import plot_delta_breaks


def test_steps_at_one_level():
    found = delta_breaks(3, eps="ln 2")
    (axes,) = found.plot().axes
    *steps, points = axes.lines
    assert [line.get_ydata()[0] for line in steps] == [393, 393, 327]
    assert list(points.get_ydata()) == [33, 285, 285, 27]
    assert list(points.get_xdata()) == [0, 0.4, 0.5, 1]


def test_a_map_of_every_level():
    figure = plot_delta_breaks(delta_breaks(3))
    axes = figure.axes[0]
    assert sorted(text.get_text() for text in axes.texts) == ["327", "393", "393"]
    for line in axes.lines:
        x, y = line.get_xdata()[-1], line.get_ydata()[-1]
        assert min(abs(y - 0.5), abs(y - x / (2 * x + 1))) < 1e-12
    assert axes.get_xlim()[0] == 1


def test_numbers_stand_inside_their_regions():
    axes = plot_delta_breaks(delta_breaks(3)).axes[0]
    for text in axes.texts:
        x, y = text.get_position()
        inside = "327" if y > 0.5 else "393"
        assert text.get_text() == inside
        assert abs(y - x / (2 * x + 1)) > 0.015


def test_nothing_changes_with_two_outputs():
    axes = plot_delta_breaks(delta_breaks(3, outputs=2)).axes[0]
    assert [text.get_text() for text in axes.texts] == ["20"]
