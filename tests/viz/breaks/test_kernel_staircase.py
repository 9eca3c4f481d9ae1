"""The staircase of kernels: its steps and dots are the counts."""

import numpy as np
import pytest

from dprivacy.errors import TooLarge
from dprivacy.polytope import KernelBreaks, kernel_breaks
from support.viz_checks import check_words


def test_steps_between_and_dots_at_break_points():
    found = kernel_breaks("line:5")
    figure = found.plot(title="Kernels on five points")
    *steps, dots = figure.axes[0].lines
    assert [line.get_ydata()[0] for line in steps] == [230, 222, 218, 214, 195]
    assert steps[0].get_xdata()[0] == 1
    assert np.allclose(dots.get_xdata(), [float(b.root) for b in found.breaks])
    assert list(dots.get_ydata()) == [216, 210, 206, 187]
    check_words(figure)


def test_a_space_without_breaks_is_one_line():
    figure = kernel_breaks("line:4").plot()
    assert [line.get_ydata()[0] for line in figure.axes[0].lines if len(line.get_ydata())] == [11]
    check_words(figure)


def test_what_was_not_counted_is_not_drawn():
    found = kernel_breaks("line:5")
    bare = KernelBreaks(5, found.unit, 16, 1820, 37, found.candidates, None, None)
    with pytest.raises(TooLarge, match="not counted"):
        bare.plot()
