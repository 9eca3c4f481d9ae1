"""Views of the tetrahedron against geometry done by hand."""

import math
from itertools import combinations

import numpy as np
import pytest

import dprivacy as dp
from dprivacy.viz.simplexes.private_region import region
from dprivacy.viz.simplexes.tetrahedron_views import TETRAHEDRON, VIEWS, Faces, farthest_first

pytest.importorskip("matplotlib")


def towards(eye):
    """The change of four probabilities that moves a point in space by `eye`."""
    return np.linalg.lstsq(np.vstack([TETRAHEDRON.T, np.ones(4)]), [*eye, 0], rcond=None)[0]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
class TestView:
    def test_it_is_orthographic_and_no_corner_hides_another(self, view):
        flat = view.flat(np.eye(4))
        for i, j in combinations(range(4), 2):
            across, away = flat[i] - flat[j], view.depth(np.eye(4))[i] - view.depth(np.eye(4))[j]
            assert math.hypot(*across, away) == pytest.approx(1)  # edges have length 1
            assert math.hypot(*across) > 0.4
        assert flat[3, 1] == max(flat[:, 1])  # the last secret is on top

    def test_the_line_of_sight_is_a_point(self, view):
        moved = np.stack([np.full(4, 1 / 4), 1 / 4 + 0.1 * towards(view.eye)])
        assert np.allclose(*view.flat(moved))
        assert farthest_first(moved, view) == [0, 1]

    def test_an_edge_is_hidden_when_a_step_towards_the_eye_leads_inside(self, view):
        for corners, edges, inside in (
            (np.eye(4), tuple(combinations(range(4), 2)), lambda p: p.min() > 0),
            (
                *_parts(region(dp.discrete(range(4)), "ln 2")),
                lambda p: max(p) < 2 * min(p),
            ),
        ):
            faces = Faces.of(corners)
            hidden = [edge for edge in edges if faces.hidden(edge, view)]
            assert 0 < len(hidden) < len(edges)
            for i, j in edges:
                step = (corners[i] + corners[j]) / 2 + 1e-6 * towards(view.eye)
                assert inside(step) == ((i, j) in hidden)


def _parts(found):
    return found.corners, found.edges


def test_a_face_may_have_more_than_three_corners():
    found = region(dp.discrete(range(4)), "ln 2")
    faces = Faces.of(found.corners)
    assert len(faces.members) == 12  # one for each p_x ≤ 2·p_z
    assert len(found.corners) - len(found.edges) + len(faces.members) == 2


def test_a_flat_hull_has_no_faces_and_hides_nothing():
    faces = Faces.of(np.eye(4)[:3])
    assert not faces.members
    assert not faces.hidden((0, 1), VIEWS[0])
