"""Pictures of shuffling: the points are the tables' own."""

import numpy as np

from dprivacy.mechanisms import geometric
from dprivacy.spaces import line
from dprivacy.verify import shuffled_distances, shuffled_sizes
from support.viz_checks import check_words


def test_a_curve_for_each_delta_and_a_line_for_one_report():
    found = shuffled_sizes("ln 3", [20, 200], deltas=["1e-3", "1e-5"])
    figure = found.plot(title="Answers at ln 3")
    first, second, alone = figure.axes[0].lines
    points = np.vstack([first.get_xydata(), second.get_xydata()])
    assert np.allclose(points, [[row.n, float(row.eps)] for row in found.rows])
    assert alone.get_ydata()[0] == float(found.local)
    check_words(figure)


def test_distances():
    found = shuffled_distances(geometric(line(4), eps="ln 2"), 50, delta="1e-3")
    figure = found.plot()
    local, together = (curve.get_ydata() for curve in figure.axes[0].lines)
    assert np.allclose(local, [float(row.local) for row in found.rows])
    assert np.allclose(together, [float(row.eps) for row in found.rows])
    written = [text.get_text() for text in figure.axes[0].get_yticklabels(which="both")]
    assert all(float(text) > 0 for text in written)  # never as a power of ten
    check_words(figure)
