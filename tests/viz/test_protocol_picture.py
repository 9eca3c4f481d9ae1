"""Local mechanisms side by side: bars as long as the numbers, the best one dark."""

from matplotlib.colors import to_rgb

from dprivacy.mechanisms import local_plan
from dprivacy.viz.style.picture_style import style


def test_bars_are_the_candidates():
    plan = local_plan(range(300), eps=1, n=1000)
    left, right = plan.plot().axes
    assert [bar.get_width() for bar in left.patches] == [each.error for each in plan.candidates]
    assert [bar.get_width() for bar in right.patches] == [each.bits for each in plan.candidates]
    dark = [bar for bar in left.patches if bar.get_facecolor()[:3] == to_rgb(style(0).colour)]
    assert dark == [left.patches[0]]
    assert "300 labels, 1,000 people" in left.figure.get_suptitle()
