"""Mechanisms in order of safety."""

from itertools import combinations

import dprivacy as dp
from support.viz_checks import check_words


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


def test_the_hasse_diagram_has_every_edge_and_no_line_behind_a_box():
    line, five = dp.line(5), range(5)
    channels = {
        "geometric ln 2": dp.geometric(line, eps="ln 2"),
        "geometric ln 4": dp.geometric(line, eps="ln 4"),
        "response ln 2": response(five, "ln 2"),
        "response ln 4": response(five, "ln 4"),
        "response ln 8": response(five, "ln 8"),
        "says nothing": [[1]] * 5,
        "is silent": [[1]] * 5,
    }
    order = dp.refine.order(channels)
    figure = order.plot()
    axes = figure.axes[0]
    at = {text.get_text(): text.get_position() for text in axes.texts}
    assert "says nothing\nis silent" in at
    ends = {(tuple(p.get_xydata()[0]), tuple(p.get_xydata()[-1])) for p in axes.lines}
    named = {group[0]: at["\n".join(group)] for group in order.classes}
    assert ends == {(named[a], named[b]) for a, b in order.edges}
    assert all(low[1] < high[1] for low, high in ends)
    check_words(figure)
    for path in axes.lines:
        points = path.get_xydata()
        for x, y in points[1:-1]:
            assert all((x, y) != place for place in named.values())


def test_channels_that_are_not_comparable_stand_beside_each_other():
    line, three = dp.line(3), range(3)
    channels = {
        "geometric ln 2": dp.geometric(line, eps="ln 2"),
        "geometric ln 4": dp.geometric(line, eps="ln 4"),
        "response ln 3": response(three, "ln 3"),
        "tells 0": [[1, 0], [0, 1], [0, 1]],
        "tells 1": [[1, 0], [0, 1], [1, 0]],
        "tells 2": [[1, 0], [1, 0], [0, 1]],
        "tells 0 at times": [["1/2", "1/2"], [0, 1], [0, 1]],
    }
    figure = dp.refine.order(channels).plot()
    figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in figure.axes[0].texts}
    assert boxes.keys() == channels.keys()
    checked = 0
    for a, b in combinations(channels, 2):
        if not dp.refines(channels[a], channels[b]) and not dp.refines(channels[b], channels[a]):
            left, right = sorted((boxes[name] for name in (a, b)), key=lambda box: box.x0)
            assert left.x1 < right.x0, (a, b)
            checked += 1
    assert checked > 10
