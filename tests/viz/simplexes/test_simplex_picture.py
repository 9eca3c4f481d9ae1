"""Hypers on the simplex: marks where the posteriors are, as large as they are likely."""

import json
import math

import numpy as np
import pytest

import dprivacy as dp
from dprivacy.errors import Malformed, TooLarge
from dprivacy.polytope import kernels, vertices
from dprivacy.viz import plot_kernels, plot_simplex, simplex_spec
from dprivacy.viz.simplexes.private_region import region
from dprivacy.viz.simplexes.simplex_picture import AREA, hull_edges
from dprivacy.viz.simplexes.tetrahedron_views import TETRAHEDRON, VIEWS
from support.viz_checks import check_words, texts

DRINKS = ["tea", "coffee", "water"]


def barycentric(flat):
    """Back from the plane of a triangle: third on top, first left, second right."""
    x, y = np.asarray(flat, dtype=float).T
    second = (1 - y + math.sqrt(3) * x) / 2
    return np.stack([1 - y - second, second, y], axis=1)


def same_points(found, expected):
    found, expected = (
        sorted(map(tuple, np.round(np.asarray(p, float), 9))) for p in (found, expected)
    )
    assert len(found) == len(expected)
    assert np.allclose(found, expected, atol=1e-8)


def weights(dists):
    return [[float(w) for w in dist.weights] for dist in dists]


@pytest.mark.statement("T", "Fig 2.1")
def test_a_triangle_has_a_mark_for_every_posterior_as_large_as_it_is_likely():
    C = dp.as_channel(
        [["1/2", "1/4", "1/4"], ["1/8", "3/4", "1/8"], ["0", "1/4", "3/4"]], rows=DRINKS
    )
    hyper = dp.uniform(DRINKS) >> C
    figure = hyper.plot()
    marks = figure.axes[0].collections[0]
    expected = np.array(weights(hyper.inners))
    assert np.allclose(barycentric(marks.get_offsets()), expected)
    assert np.allclose(marks.get_sizes() / AREA, [float(w) for w in hyper.outer.weights])
    prior = figure.axes[0].lines[-1]
    assert np.allclose(barycentric(prior.get_xydata()), [[1 / 3] * 3])
    check_words(figure)
    assert {"tea", "coffee", "water", "prior"} <= set(texts(figure))


def test_the_first_secret_is_left_the_second_right_and_the_third_on_top():
    figure = plot_simplex(
        dp.uniform(DRINKS) >> dp.as_channel([[1, 0, 0], [0, 1, 0], [0, 0, 1]], rows=DRINKS)
    )
    at = {text.get_text(): text.get_position() for text in figure.axes[0].texts}
    assert at["tea"][0] < at["water"][0] < at["coffee"][0]
    assert at["water"][1] > at["tea"][1] == pytest.approx(at["coffee"][1])


@pytest.mark.statement("T", "Fig 6.2")
def test_the_region_on_a_line_of_three_has_the_four_vertices_and_two_kernels():
    space = dp.line(3)
    H, G = kernels(space, eps="ln 2")
    figure = plot_simplex({"geometric": G, "other": H}, space=space, eps="ln 2", letters=True)
    axes = figure.axes[0]
    polygon = next(patch for patch in axes.patches if patch.get_gid() == "region")
    same_points(barycentric(polygon.get_xy()[:-1]), weights(vertices(space, eps="ln 2")))
    geometric, other = axes.collections[:2]
    same_points(
        barycentric(geometric.get_offsets()),
        [[4 / 7, 2 / 7, 1 / 7], [1 / 4, 1 / 2, 1 / 4], [1 / 7, 2 / 7, 4 / 7]],
    )
    same_points(barycentric(other.get_offsets()), [[2 / 5, 1 / 5, 2 / 5], [1 / 4, 1 / 2, 1 / 4]])
    assert {"A", "B", "C", "D"} <= set(texts(figure))
    check_words(figure)


@pytest.mark.statement("T", "Fig 6.3")
def test_the_five_kernels_of_three_categories_have_a_panel_each():
    space = dp.discrete(DRINKS)
    figure = plot_kernels(space, eps="ln 2", zoom=False)
    assert len(figure.axes) == 5
    for axes, kernel in zip(figure.axes, kernels(space, eps="ln 2"), strict=True):
        posteriors = (dp.uniform(DRINKS) >> kernel).inners
        same_points(barycentric(axes.collections[0].get_offsets()), weights(posteriors))
        polygon = next(patch for patch in axes.patches if patch.get_gid() == "region")
        assert len(polygon.get_xy()) - 1 == 6
    check_words(figure)


def test_kernels_of_four_points_have_room_in_small_panels():
    figure = plot_kernels(dp.line(4), eps="ln 2", limit=3)
    assert len(figure.axes) == 6  # two views each
    assert "the first 3 kernels at level ln(2) ≈ 0.6931" in texts(figure)
    check_words(figure)


@pytest.mark.statement("T", "Fig 6.1")
def test_two_inputs_make_a_segment_with_the_one_kernel():
    figure = plot_simplex(dp.geometric(dp.line(2), eps="ln 2"), space=dp.line(2), eps="ln 2")
    marks = figure.axes[0].collections[0].get_offsets()
    assert np.allclose(sorted(marks[:, 0]), [1 / 3, 2 / 3])
    bar = figure.axes[0].lines[1]
    assert np.allclose(sorted(bar.get_xdata()), [1 / 3, 2 / 3])
    check_words(figure)


@pytest.mark.statement("T", "Fig 7.2")
def test_a_finer_geometric_has_the_coarse_ones_posteriors_and_more():
    fine = dp.geometric(dp.line(5), eps="ln 2").channel.restrict([0, 2, 4])
    coarse = dp.geometric(dp.line(3), eps="ln 4").channel
    coarse = dp.as_channel(coarse, rows=[0, 2, 4])
    figure = plot_simplex({"on three points": coarse, "on five": fine})
    few, many = (barycentric(c.get_offsets()) for c in figure.axes[0].collections[:2])
    assert len(few) == 3
    assert len(many) == 5
    assert all(min(np.abs(many - point).max(axis=1)) < 1e-12 for point in few)
    check_words(figure)


@pytest.mark.statement("T", "Fig 7.3")
def test_posteriors_of_gathered_laplace_noise_lie_in_the_hull_of_the_geometrics():
    points = ["0", "1/2", "1"]
    geometric = dp.as_channel(dp.geometric(dp.line(3), eps="ln 4").channel, rows=points)
    # Truncated Laplace at level 2·ln 4 gathered in four cells: differences of its distribution.
    rate, cuts = 2 * math.log(4), [0.25, 0.5, 0.75]

    def below(t, x):
        return math.exp(rate * (t - x)) / 2 if t < x else 1 - math.exp(-rate * (t - x)) / 2

    rows = [np.diff([0.0, *(below(t, x) for t in cuts), 1.0]) for x in (0.0, 0.5, 1.0)]
    figure = plot_simplex({"geometric": geometric, "Laplace": dp.as_channel(rows, rows=points)})
    outer, inner = (barycentric(c.get_offsets()) for c in figure.axes[0].collections[:2])
    shares = np.linalg.solve(outer.T, inner.T)
    assert (shares >= -1e-12).all()
    check_words(figure)


@pytest.mark.parametrize(
    ("space", "pairs"),
    [
        (dp.line(4), 3),
        (dp.discrete(["a", "b", "c", "d"]), 6),
        (dp.grid(2, 2, metric="manhattan"), 4),
    ],
)
def test_the_region_of_four_secrets_has_the_exact_vertices_and_its_edges(space, pairs):
    found = region(space, "ln 2")
    same_points(found.corners, weights(vertices(space, eps="ln 2")))
    # Euler; and one face for each pair that implies the others, both ways round.
    assert len(found.edges) - len(found.corners) + 2 == 2 * pairs


def test_the_region_is_drawn_for_irrational_levels_and_infinite_distances():
    found = region(dp.discrete(DRINKS), 0.5)
    a = math.exp(0.5)
    assert len(found.corners) == 6
    assert max(found.corners[:, 0]) == pytest.approx(a / (a + 2))
    apart = dp.spaces.from_table(
        ["a", "b", "c"],
        [[0, 1, math.inf], [1, 0, math.inf], [math.inf, math.inf, 0]],
        extended=True,
    )
    same_points(region(apart, "ln 2").corners, [[2 / 3, 1 / 3, 0], [1 / 3, 2 / 3, 0], [0, 0, 1]])
    same_points(region(dp.line(3), 0).corners, [[1 / 3] * 3])
    with pytest.raises(TooLarge, match="4 secrets at most, not 5"):
        region(dp.line(5), 1)


def test_a_tetrahedron_of_four_secrets_is_seen_from_two_sides():
    space = dp.discrete([*DRINKS, "orange juice"])
    R = dp.randomised_response(space, eps="ln 2").channel
    figure = plot_simplex({"response": R}, space=space, eps="ln 2")
    inners = np.array(weights((dp.uniform(space) >> R).inners))
    assert [axes.get_title(loc="left") for axes in figure.axes] == [view.name for view in VIEWS]
    for axes, view in zip(figure.axes, VIEWS, strict=True):
        same_points(axes.collections[0].get_offsets(), view.flat(inners))
        names = {words.get_text(): words.xy for words in axes.texts}
        for label, corner in zip(space.labels, view.flat(np.eye(4)), strict=True):
            assert np.allclose(names[label], corner)
    check_words(figure)


def test_channels_that_one_view_shows_alike_differ_in_the_other():
    along = np.linalg.lstsq(np.vstack([TETRAHEDRON.T, np.ones(4)]), [*VIEWS[0].eye, 0], rcond=None)[
        0
    ]
    aside = np.array([0.1, -0.1, 0.05, -0.05])
    channels = {}
    for name, far in (("near", 0.0), ("far", 0.2)):
        inner = 1 / 4 + aside + far * along
        channels[name] = dp.as_channel(np.stack([2 * inner, 1 - 2 * inner], axis=1))
    first, second = (
        [np.asarray(cloud.get_offsets()) for cloud in axes.collections]
        for axes in plot_simplex(channels).axes
    )
    same_points(*first)
    assert np.abs(second[0] - second[1]).max() > 0.1


def test_more_than_four_secrets_are_shown_as_to_one_who_knows_it_is_one_of_a_few():
    space = dp.line(6)
    G = dp.geometric(space, eps="ln 2").channel
    with pytest.raises(
        Malformed, match=r"2, 3 or 4 secrets, and there are 6; choose some with corners"
    ):
        plot_simplex(G)
    figure = plot_simplex(G, space=space, eps="ln 2", corners=[4, 0, 2])
    same = dp.uniform([4, 0, 2]) >> G.restrict([4, 0, 2])
    marks = figure.axes[0].collections[0]
    same_points(barycentric(marks.get_offsets()), weights(same.inners))
    polygon = next(patch for patch in figure.axes[0].patches if patch.get_gid() == "region")
    # The region of the chosen points is the projection of the whole region.
    whole = np.array(weights(vertices(space, eps="ln 2")))[:, [4, 0, 2]]
    projected = whole / whole.sum(axis=1, keepdims=True)
    corners = barycentric(polygon.get_xy()[:-1])
    assert all(min(np.abs(projected - corner).max(axis=1)) < 1e-9 for corner in corners)
    check_words(figure)
    for corners, words in [
        ([0, 1, 9], "'5', not '9'"),
        ([0, 0, 1], "different"),
        ([0], "2, 3 or 4"),
    ]:
        with pytest.raises(Malformed, match=words):
            plot_simplex(G, corners=corners)


def test_a_prior_that_forgets_the_corners_is_refused():
    G = dp.geometric(dp.line(5), eps="ln 2").channel
    with pytest.raises(Malformed, match="probability 0"):
        plot_simplex(G, prior=dp.model.point(0, range(5)), corners=[1, 2, 3])


def test_zoom_magnifies_around_the_prior_and_says_so():
    space = dp.discrete(DRINKS)
    R = dp.randomised_response(space, eps="ln 2").channel
    figure = plot_simplex(R, space=space, eps="ln 2", zoom=True)
    near = barycentric(figure.axes[0].collections[0].get_offsets())
    inners = np.array(weights((dp.uniform(space) >> R).inners))
    factors = (near - 1 / 3) / (inners - 1 / 3)
    assert np.allclose(factors, factors[0, 0])
    assert factors[0, 0] > 1.5
    assert near.min() >= 0
    assert "towards tea" in texts(figure)
    check_words(figure)


def test_floats_and_several_priors_are_drawn_too():
    C = np.array([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]])
    check_words(plot_simplex(dp.as_channel(C, rows=DRINKS)))
    exact = dp.as_channel([["1/2", "1/2"], ["1/5", "4/5"], ["1", "0"]], rows=DRINKS)
    even, odd = (dp.Dist(DRINKS, w) >> exact for w in (["1/3"] * 3, ["1/2", "1/4", "1/4"]))
    figure = plot_simplex({"even": even, "uneven": odd})
    assert len(figure.axes[0].lines[-1].get_xydata()) == 2


def test_a_channel_by_names_is_one_thing_and_names_with_channels_are_several():
    coin = {"yes": {"y": "3/4", "n": "1/4"}, "no": {"y": "1/4", "n": "3/4"}}
    assert len(plot_simplex(coin).axes[0].collections) == 1
    figure = plot_simplex({"one coin": coin, "another": coin}, hulls=False)
    assert len(figure.axes[0].collections) == 2
    assert {"one coin", "another", "yes", "no"} <= set(texts(figure))


def test_nothing_to_draw_is_refused_in_words():
    with pytest.raises(Malformed, match="nothing to draw"):
        plot_simplex()
    with pytest.raises(Malformed, match="eps="):
        plot_simplex(space=dp.line(3))
    with pytest.raises(Malformed, match="give at least one channel"):
        plot_kernels(dp.line(3), eps="ln 2", channels=[])


def test_hull_edges_leave_out_diagonals_and_inner_points():
    square = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, -1, 1, 0]]) / 1.0
    square = (square + 2) / (square + 2).sum(axis=1, keepdims=True)
    assert len(hull_edges(square)) == 4
    assert hull_edges(np.array([[0.5, 0.5, 0.0]])) == []
    inner = np.array([[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]])
    assert {frozenset(edge) for edge in hull_edges(inner)} == {frozenset({0, 1})}
    prism = np.array([[a, b, c, 3 - a - b - c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]) / 3
    assert len(hull_edges(prism)) == 12


def test_the_plotly_triangle_has_the_same_points_and_is_plain_data():
    space = dp.line(3)
    G = dp.geometric(space, eps="ln 2")
    spec = json.loads(json.dumps(simplex_spec({"geometric": G}, space=space, eps="ln 2")))
    traces = {trace["name"]: trace for trace in spec["data"]}
    marks = traces["geometric"]
    assert marks["type"] == "scatterternary"
    assert not marks["cliponaxis"]
    hyper = dp.uniform([0, 1, 2]) >> G.channel
    same_points(np.array([marks["b"], marks["c"], marks["a"]]).T, weights(hyper.inners))
    areas = np.array(marks["marker"]["size"]) ** 2
    assert np.allclose(areas / areas.sum(), [float(w) for w in hyper.outer.weights])
    assert marks["customdata"] == ["0", "1", "2"]
    region_trace = traces["private region"]
    assert len(region_trace["a"]) == 5
    assert spec["layout"]["ternary"]["baxis"]["title"]["text"] == "0"


@pytest.mark.parametrize(("n", "kind"), [(2, "scatter"), (4, "scatter3d")])
def test_plotly_segments_and_tetrahedra_are_plain_data(n, kind):
    space = dp.line(n)
    spec = simplex_spec(dp.geometric(space, eps=0.5), space=space, eps=0.5)
    assert {trace["type"] for trace in spec["data"]} == {kind}
    json.dumps(spec, allow_nan=False)
