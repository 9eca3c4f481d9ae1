"""Every picture shows what it was given, and its words fit."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from dprivacy.errors import Malformed, UnknownCategory
from dprivacy.viz.simplexes.vulnerability_surface import vulnerabilities
from support.viz_checks import check_words, texts

HOBBIES = ["Sports", "Cars", "Television", "Computer games", "Reading"]


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


def test_a_heat_map_has_every_entry_and_every_label():
    C = dp.geometric(dp.line(4), eps="ln 2").channel
    figure = C.plot(title="Truncated geometric")
    axes = figure.axes[0]
    assert np.allclose(axes.images[0].get_array(), C.matrix.floats)
    assert [text.get_text() for text in axes.texts] == [
        str(C[x, y]) for x in C.rows for y in C.columns
    ]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["0", "1", "2", "3"]
    check_words(figure)


@pytest.mark.parametrize("size", [12, 13, 60, 101])
def test_large_heat_maps_thin_their_labels_out(size):
    figure = dp.geometric(dp.line(size), eps="ln 2").channel.plot()
    assert bool(figure.axes[0].texts) == (size <= 12)
    check_words(figure)


def test_long_labels_are_broken_turned_or_cut():
    check_words(response(HOBBIES, "ln 2").plot())
    odd = [f"a category with a rather long name, number {k}" for k in range(14)]
    check_words(response(odd, "ln 2").plot())
    check_words(
        dp.uniform(odd).plot(title="A distribution on categories whose names are long " * 3)
    )


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


@pytest.mark.statement("T", "Fig 4.1")
@pytest.mark.statement("T", "Fig 8.1")
def test_noise_around_50_geometric_falls_and_the_response_is_flat():
    n = 101
    G = dp.geometric(dp.line(n), eps=dp.ln(2) / 10)
    R = response(range(n), "ln 2")
    figure = viz.plot_noise({"truncated geometric": G, "randomised response": R}, at=50, within=10)
    axes = figure.axes[0]
    for line, C in zip(axes.lines, (G.channel, R.channel), strict=False):
        assert np.allclose(line.get_ydata(), [float(p) for p in C.row(50).values()])
    geometric, flat = (line.get_ydata() for line in axes.lines[:2])
    assert (np.diff(geometric[51:100]) < 0).all()
    assert geometric[40] == pytest.approx(geometric[50] / 2)  # e^(10·ln 2/10) = 2 at the edge
    assert len(set(np.round(np.delete(flat, 50), 15))) == 1
    band = next(p for p in axes.patches)
    assert (band.get_x(), band.get_width()) == (40, 20)
    check_words(figure)


def test_noise_on_categories_is_bars_side_by_side():
    figure = viz.plot_noise(
        {"ln 2": response(HOBBIES, "ln 2"), "ln 8": response(HOBBIES, "ln 8")}, at="Cars"
    )
    heights = [bar.get_height() for bars in figure.axes[0].containers for bar in bars]
    assert heights[1] == pytest.approx(1 / 3)
    assert heights[6] == pytest.approx(2 / 3)
    hatches = {bars[0].get_hatch() for bars in figure.axes[0].containers}
    assert len(hatches) == 2
    check_words(figure)
    with pytest.raises(Malformed, match="numbers"):
        viz.plot_noise({"ln 2": response(HOBBIES, "ln 2")}, at="Cars", within=1)
    with pytest.raises(UnknownCategory):
        viz.plot_noise({"ln 2": response(HOBBIES, "ln 2")}, at="Chess")


def test_the_profile_is_the_exact_curve_and_marks_its_kinks():
    C = dp.geometric(dp.line(4), eps="ln 2").channel
    profile = dp.privacy_profile(C)
    figure = profile.plot()
    curve, kinks = figure.axes[0].lines
    for eps, delta in curve.get_xydata()[::7]:
        assert delta == pytest.approx(float(dp.verify.delta_at(C, eps=float(eps))), abs=1e-9)
    assert np.allclose(kinks.get_xydata(), [[float(e), float(d)] for e, d in profile.kinks])
    check_words(figure)
    check_words(viz.plot_profile({"geometric": C, "response": response(range(4), "ln 3")}))
    constant = dp.privacy_profile([["1/2", "1/2"], ["1/2", "1/2"]]).plot()
    assert not constant.axes[0].lines[0].get_ydata().any()


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


def test_refinements_are_drawn_by_their_witness():
    G = dp.geometric(dp.line(3), eps="ln 2").channel
    R = response(range(3), "ln 2").channel
    noisy = response(range(3), "ln(3/2)").channel
    held = dp.refines(R, noisy, names=("strong", "weak"))
    figure = held.plot()
    assert np.allclose(figure.axes[0].images[0].get_array(), held.R.matrix.floats)
    assert "weak is at least as safe as strong" in texts(figure)
    check_words(figure)
    failed = dp.refines(G, R, names=("geometric", "response"))
    figure = failed.plot()
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == [float(failed.before), float(failed.after)]
    check_words(figure)
    check_words(dp.refine.refines(R, noisy, by="max").plot())
    check_words(dp.refine.refines(G, R, by="max").plot())
    private = dp.refine.refines(R, G, by="private")
    assert [bar.get_height() for bar in private.plot().axes[0].patches] == pytest.approx(
        [math.log(2), math.log(4)]
    )
    check_words(private.plot())
    check_words(dp.refine.refines(R, G, dp.line(3), by="private").plot())
    with pytest.raises(Malformed, match="no witness"):
        dp.refine.refines(G, R, by="private").plot()


def test_estimates_have_marks_and_intervals():
    rr = response(HOBBIES, "ln 3")
    observed = dict(zip(HOBBIES, (300, 150, 250, 180, 120), strict=True))
    found = dp.estimate(rr.channel, observed)
    truth = dp.Dist(HOBBIES, ["2/5", "1/10", "1/4", "3/20", "1/10"])
    figure = found.plot(observed=observed, truth=truth)
    axes = figure.axes[0]
    seen, true = axes.lines[:2]
    assert np.allclose(seen.get_ydata(), [0.3, 0.15, 0.25, 0.18, 0.12])
    assert np.allclose(true.get_ydata(), [0.4, 0.1, 0.25, 0.15, 0.1])
    bars = axes.containers[0]
    assert np.allclose(bars[0].get_ydata(), [float(s) for s in found.shares])
    ends = [(low[1], high[1]) for low, high in bars[2][0].get_segments()]
    assert np.allclose(ends, list(found.ranges(scale="proportions").values()))
    check_words(figure)
    with pytest.raises(Malformed, match="1 of the 5 labels"):
        found.plot(truth={label: 1 for label in HOBBIES[:-1]})
    many = dp.estimate(dp.geometric(dp.line(40), eps="ln 2").channel, {k: 1 + k for k in range(40)})
    check_words(many.plot())
    assert not many.plot().axes[0].containers


def test_an_estimated_table_is_a_heat_map_and_a_cube_is_refused():
    coin = response(["yes", "no"], "ln 3").channel
    found = dp.estimate([coin, coin], [[50, 30], [20, 40]])
    figure = found.plot()
    assert np.allclose(figure.axes[0].images[0].get_array(), found.counts)
    check_words(figure)
    cube = dp.estimate([coin] * 3, np.full((2, 2, 2), 10))
    with pytest.raises(Malformed, match="2 columns, not 3"):
        cube.plot()


def test_reconstruction_and_convergence_draw_what_they_are_given():
    truth = {k: math.comb(20, k) / 2**20 for k in range(21)}
    noisy, back = ({k: 1 / 21 for k in range(21)} for _ in range(2))
    figure = viz.plot_reconstruction(truth, noisy, {"geometric": back, "response": noisy})
    assert len(figure.axes[0].lines) == 4
    assert np.allclose(figure.axes[0].lines[0].get_ydata(), list(truth.values()))
    check_words(figure)
    assert "reconstructed" in texts(viz.plot_reconstruction(truth, noisy, back))
    traces = {"geometric": [-5, -3, -2, -2], "response": [-5, -4.9, -4.8]}
    figure = viz.plot_convergence(traces)
    assert figure.axes[0].lines[1].get_xydata().tolist() == [[1, -5], [2, -4.9], [3, -4.8]]
    check_words(figure)
    check_words(viz.plot_convergence({"a": list(range(5000))}))


def test_leakage_joins_before_and_after():
    smokes = dp.model.joint(["smokes", "does not"], ["ill", "well"], [[2, 1], [1, 6]])
    coin = {"smokes": {0: "3/4", 1: "1/4"}, "does not": {0: "1/4", 1: "3/4"}}
    found = dp.flow.scenario(coin, smokes)
    figure = viz.plot_leakage({"survey": found, "by hand": (Fraction(1, 3), "1/2")})
    before, after = figure.axes[0].lines[-2:]
    assert np.allclose(
        before.get_xdata(), [float(found.secret.before), float(found.useful.before), 1 / 3]
    )
    assert np.allclose(
        after.get_xdata(), [float(found.secret.after), float(found.useful.after), 1 / 2]
    )
    assert "×1.5" in texts(figure)
    check_words(figure)
    for kind in (found, found.secret, found.secret.strategy):
        check_words(kind.plot())
    with pytest.raises(Malformed, match="nothing to draw"):
        viz.plot_leakage({})


def test_spending_shows_what_was_spent_of_which_budget():
    entries = [
        ("hospital", 0.7, 1),
        ("city map", dp.ln(2), dp.ln(4)),
        ("open day", 1.4, 1),
        ("archive", 0.2, None),
    ]
    figure = viz.plot_spending(entries, title="Spent")
    axes = figure.axes[0]
    filled = [p.get_width() for p in axes.patches if p.get_facecolor()[3]]
    assert np.allclose(filled, [0.7, math.log(2), 1.4, 0.2])
    budgets = [p.get_width() for p in axes.patches if not p.get_facecolor()[3]]
    assert np.allclose(budgets, [1, math.log(4), 1])
    assert {"0.7 of 1", "1.4 of 1, too much", "0.2, no limit"} <= set(texts(figure))
    check_words(figure)
    check_words(viz.plot_spending([(f"person {k}", k / 10, 3) for k in range(30)]))
    with pytest.raises(Malformed, match="nothing to draw"):
        viz.plot_spending([])


@pytest.mark.statement("T", "Def 4.4.6")
def test_the_surface_is_the_d_vulnerability():
    space = dp.line(3)
    exact = dp.flow.d_vulnerability(space)
    priors = [["1/7", "2/7", "4/7"], ["1/2", "1/3", "1/6"], ["1/3", "1/3", "1/3"]]
    found = vulnerabilities(np.array([[float(Fraction(w)) for w in row] for row in priors]), space)
    assert np.allclose(found, [float(exact(dp.Dist([0, 1, 2], row))) for row in priors])


@pytest.mark.statement("T", "Fig 4.4")
def test_contours_of_the_surface_are_the_private_regions():
    space = dp.discrete(["tea", "coffee", "water"])
    figure = viz.plot_vulnerability(space, levels=["ln 2", "ln 3"])
    above = figure.axes[0]
    for polygon, eps in zip(above.patches[1:], ("ln 3", "ln 2"), strict=True):
        x, y = polygon.get_xy()[:-1].T
        second = (1 - y + math.sqrt(3) * x) / 2
        priors = np.stack([1 - y - second, second, y], axis=1)
        assert len(priors) == 6
        assert np.allclose(vulnerabilities(priors, space), float(dp.Level(eps)))
    check_words(figure)
    with pytest.raises(Malformed, match="3 secrets, not 4"):
        viz.plot_vulnerability(dp.line(4))


def test_trade_offs_have_curves_and_lines_to_compare_with():
    curves = {"LSHRR (0.05)": [(1, 0.8), (5, 0.5)], "LapLSH (0.05)": [(1, 0.9), (5, 0.8)]}
    figure = viz.plot_tradeoff(
        curves, x="total budget", levels={"hashing without noise": 0.1, "a random guess": 0.95}
    )
    axes = figure.axes[0]
    assert axes.lines[1].get_xydata().tolist() == [[1, 0.9], [5, 0.8]]
    assert [line.get_ydata()[0] for line in axes.lines[2:4]] == [0.1, 0.95]
    assert len({line.get_linestyle() for line in axes.lines[:2]}) == 2
    assert "total budget" in texts(figure)
    check_words(figure)
    check_words(
        viz.plot_tradeoff({"optimal": [(dp.ln(2), Fraction(1, 3)), (dp.ln(4), Fraction(1, 5))]})
    )
    with pytest.raises(Malformed, match="at least one point"):
        viz.plot_tradeoff({"empty": []})


def test_a_forecast_shows_what_stays_and_how_well_shares_can_be_estimated():
    letters = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 2"}
    numbers = {"type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1"}
    place = {"type": "place", "columns": ["x", "y"], "epsilon": "1", "grid": "0.5"}
    far = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    vague = {**letters, "type": "distances", "distances": far, "mechanism": "any_metric"}
    plan = {"blood group": letters, "age in years": numbers, "home": place, "vague": vague}
    found = dp.release.forecast(dp.Plan.read({"columns": plan}), rows=1000)
    figure = found.plot()
    left, right = figure.axes
    drawn = [c for c in found.columns if c.kept is not None]
    marks = [line.get_xdata() for line in left.lines[1::2]]
    assert np.allclose(marks, [[100 * share for share in c.kept] for c in drawn])
    widths = [bar.get_width() for bar in right.patches]
    assert np.allclose(widths, [100 * c.share_error for c in drawn if c.share_error is not None])
    assert {"blood group", "age in years"} <= set(texts(figure))
    assert "home" not in texts(figure)
    check_words(figure)
    alone = dp.release.forecast(dp.Plan.read({"columns": {"home": place}}), rows=10)
    with pytest.raises(Malformed, match="nothing to draw"):
        alone.plot()


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
    with pytest.raises(Malformed, match="no picture of a dict"):
        viz.picture({})


def test_grouped_bars_keep_labels_that_only_some_groups_have():
    figure = viz.plot_bars({"a": {1: 0.5, 2: 0.25}, "b": {2: 1}}, y="share")
    assert [bar.get_height() for bar in figure.axes[0].patches] == [0.5, 0.25, 0, 1]
    with pytest.raises(Malformed, match="no bars"):
        viz.plot_bars({})


def test_specs_are_plain_data_with_the_same_numbers():
    G = dp.geometric(dp.line(3), eps="ln 2")
    heat = viz.channel_spec(G)
    assert np.allclose(heat["data"][0]["z"], G.channel.matrix.floats)
    assert heat["data"][0]["text"][0] == ["2/3", "1/6", "1/6"]
    bars = viz.bars_spec({"a": {"x": 1}, "b": {"x": 2}})
    assert [trace["y"] for trace in bars["data"]] == [[1.0], [2.0]]
    curves = viz.curves_spec({"a": [(1, 2), (3, 4)]}, x="x", y="y")
    assert (curves["data"][0]["x"], curves["data"][0]["y"]) == ([1.0, 3.0], [2.0, 4.0])
    for spec in (
        heat,
        bars,
        curves,
        viz.channel_spec(dp.geometric(dp.line(60), eps="ln 2")),
    ):
        assert set(spec) == {"data", "layout"}
        json.dumps(spec, allow_nan=False)
