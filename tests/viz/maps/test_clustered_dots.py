"""Dots on each other: all are counted, and few enough numbers stand on a map."""

import numpy as np
import pytest

from dprivacy.viz.maps.clustered_dots import MOST_COUNTS, MOST_SPOTS, Spots, dots

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("n", [1, 7, 2_000, 200_000])
def test_every_dot_is_counted_once(n):
    paper = RNG.uniform(0, 900, (n, 2))
    found = Spots.of(paper)
    assert found.n.sum() == found.clusters().n.sum() == n
    assert len(found.n) <= MOST_SPOTS
    assert (found.clusters().n > 1).sum() <= MOST_COUNTS
    middle = np.average(np.stack([found.x, found.y]), axis=1, weights=found.n)
    assert middle == pytest.approx(paper.mean(axis=0), abs=2)


def test_dots_far_from_each_other_stay_dots():
    apart = np.stack(np.meshgrid(np.arange(20) * 40.0, np.arange(10) * 40.0), axis=-1).reshape(
        -1, 2
    )
    drawn = dots(Spots.of(apart), "said")
    assert drawn.count('r="3"') == 200
    assert "<text" not in drawn


@pytest.mark.parametrize(
    ("n", "words"), [(2, "2"), (999, "999"), (1_234, "1.2k"), (99_999, "99k"), (250_000, "250k")]
)
def test_a_count_is_short(n, words):
    assert f">{words}<" in dots(Spots(*np.array([[1.0], [2.0], [float(n)]])), "said")
