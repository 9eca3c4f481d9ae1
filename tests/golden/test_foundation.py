"""The sources' own numbers for channels, hypers and privacy, exactly; and where they were wrong."""

import math
from fractions import Fraction as Q
from itertools import combinations, product

import pytest

from dprivacy.errors import NotStochastic
from dprivacy.model import Channel, Dist, Hyper, as_channel, earth_move, push, uniform
from dprivacy.numbers import Level, Mat, ln
from dprivacy.spaces import (
    FiniteSpace,
    discrete,
    from_table,
    hamming,
    hamming_cube,
    induced_space,
    line,
    sensitivity,
)
from dprivacy.verify import (
    ball_change,
    checks_needed,
    delta_at,
    distinguishability,
    eps_at,
    error_floor,
    expected_error,
    hamming_error_bounds,
    odds_change,
    privacy,
    smallest_eps,
    sufficient_partition,
    sufficient_set,
)

Y = ["y0", "y1", "y2"]
G = Channel(range(3), Y, [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]])
R = Channel(range(3), Y, [["3/5", "1/5", "1/5"], ["1/5", "3/5", "1/5"], ["1/5", "1/5", "3/5"]])
C = Channel(range(3), Y[:2], [["3/5", "2/5"], ["1/2", "1/2"], ["1/4", "3/4"]])
D = Channel(range(3), Y, [["1/4", "1/4", "1/2"], ["1/4", "1/4", "1/2"], ["1/2", "1/2", 0]])
LINE, FLAT = line(3), discrete(range(3))


# -- brute force: definitions written out, nothing of the library in them --------------------------


def largest_excess(p: list[Q], q: list[Q], a: Q) -> Q:
    """The maximum over all subsets A of P(A) − a·Q(A), by listing every subset."""
    gaps = [Q(x) - a * Q(y) for x, y in zip(p, q, strict=True)]
    den = math.lcm(*(gap.denominator for gap in gaps))
    sums = [0]
    for gap in gaps:
        step = int(gap * den)
        sums += [total + step for total in sums]
    return Q(max(sums), den)


def brute_delta(channel: Channel, a: Q, pairs) -> Q:
    rows = dict(zip(channel.rows, channel.matrix.rows(), strict=True))
    return max(largest_excess(rows[x], rows[z], a) for x, z in pairs)


def neighbours(labels) -> list[tuple]:
    return [
        (x, z)
        for x in labels
        for z in labels
        if sum(u != v for u, v in zip(x, z, strict=True)) == 1
    ]


def response(m: int, p: Q, labels=None) -> Channel:
    """C (19): the true value with probability 1 − pm, each other with probability p."""
    labels = range(m + 1) if labels is None else labels
    table = [[1 - p * m if i == j else p for j in range(m + 1)] for i in range(m + 1)]
    return Channel(labels, labels, table)


def hamming_exponential(m: int, n: int, base: Q) -> Channel:
    """C Def 4 with u = −k·h and e^k = base, normalised by adding up."""
    databases = list(product(range(m + 1), repeat=n))
    table = []
    for d in databases:
        weights = [Q(1) / base ** sum(x != y for x, y in zip(d, e, strict=True)) for e in databases]
        table.append([w / sum(weights) for w in weights])
    return Channel(databases, databases, table)


# -- T chapter 3 -----------------------------------------------------------------------------------


@pytest.mark.statement("T", "Ex 3.1")
@pytest.mark.statement("T", "Def 3.1.3")
@pytest.mark.parametrize(
    ("channel", "space", "level"),
    [
        (G, LINE, "ln 2"),
        (G, FLAT, "ln 4"),
        (R, LINE, "ln 3"),
        (R, FLAT, "ln 3"),
        (C, LINE, "ln 2"),
        (C, FLAT, "ln(12/5)"),
    ],
)
def test_example_3_1(channel, space, level) -> None:
    assert smallest_eps(channel, space) == Level(level)
    assert privacy(channel, space, eps=level).status == "proved"
    assert privacy(channel, space, eps=Level(level) - Q(1, 10**30)).status == "refuted"


@pytest.mark.statement("T", "Ex 3.1")
def test_example_3_1_decisive_ratio_of_c() -> None:
    worst = privacy(C, LINE).worst
    assert (worst.x, worst.z, worst.y, worst.ratio) == (1, 2, "y0", Q(2))


@pytest.mark.statement("T", "Ex 3.1")
@pytest.mark.parametrize("space", [LINE, FLAT, line([0, 100, 10**6])])
def test_example_3_1_a_zero_makes_d_infinite(space) -> None:
    channel = as_channel(D, rows=space.labels)
    assert smallest_eps(channel, space) == math.inf
    verdict = privacy(channel, space)
    assert not verdict
    assert verdict.status == "refuted"
    assert verdict.worst.y == "y2"
    assert verdict.worst.z == space.labels[2]
    assert verdict.worst.ratio == math.inf
    assert not privacy(channel, space, eps=1000)
    assert "but never" in verdict.explain()


def test_example_3_1_two_equal_rows_are_at_distance_zero() -> None:
    d = distinguishability(D)
    assert d.distance(0, 1) == 0
    assert d.distance(0, 2) == d.distance(1, 2) == math.inf


@pytest.mark.statement("T", "Ex 3.1")
def test_erratum_23_g_is_tight_on_adjacent_inputs_only() -> None:
    verdict = privacy(G, LINE, eps="ln 2")
    assert {(frozenset((t.x, t.z)), t.y) for t in verdict.tight} == {
        (frozenset(pair), y) for pair in ((0, 1), (1, 2)) for y in Y
    }
    assert verdict.violated == ()
    # "tight on all x, x'" fails at (0, 2): output y1 has ratio 1, not 4 nor 1/4
    assert G[0, "y1"] / G[2, "y1"] == 1


@pytest.mark.statement("T", "Def 3.1.4")
@pytest.mark.statement("T", "Lem 3.1")
def test_lemma_3_1_levels_add_up() -> None:
    both = G & G
    assert both[0, ("y0", "y2")] == Q(2, 3) * Q(1, 6)
    assert smallest_eps(both, LINE) == 2 * ln(2)
    assert smallest_eps(G & R, LINE) <= ln(2) + ln(3)
    assert smallest_eps(G & C, LINE) <= ln(2) + ln(2)


@pytest.mark.statement("T", "Lem 3.2")
def test_lemma_3_2_metrics_add_up() -> None:
    total = LINE.scaled("ln 2") + FLAT.scaled("ln 3")
    assert privacy(G & R, total, eps=1)
    short = LINE.scaled("ln 2") + FLAT.scaled("ln(5/2)")
    assert not privacy(G & R, short, eps=1)


@pytest.mark.statement("T", "Lem 3.3")
def test_lemma_3_3_post_processing() -> None:
    merge = Channel(Y, ["low", "high"], [[1, 0], ["1/2", "1/2"], [0, 1]])
    merged = G @ merge
    assert merged.row(0) == {"low": Q(3, 4), "high": Q(1, 4)}
    assert smallest_eps(merged, LINE) == ln(2)
    assert smallest_eps(merged, LINE) <= smallest_eps(G, LINE)
    assert smallest_eps(R @ merge, LINE) < smallest_eps(R, LINE)


@pytest.mark.statement("T", "Lem 3.4")
@pytest.mark.parametrize("weights", [["1/3", "1/3", "1/3"], ["9/10", "1/20", "1/20"]])
def test_lemma_3_4_odds_change_by_the_ratio_whatever_the_prior(weights) -> None:
    prior = Dist(range(3), weights)
    for x, z in [(0, 1), (1, 0), (0, 2), (2, 1)]:
        change = odds_change(G, x, z, prior=prior)
        posterior = push(G, prior=prior).inner(change.output)
        assert change.before == prior[x] / prior[z]
        assert change.after == posterior[x] / posterior[z]
        assert change.factor == change.after / change.before == 2 ** abs(x - z)


@pytest.mark.statement("T", "Lem 3.5")
def test_lemma_3_5_belief_in_a_ball() -> None:
    prior = Dist(range(3), ["1/2", "1/2", 0])
    change = ball_change(G, 0, LINE, prior=prior, radius=1)
    # output y0: 2/3 against an average of 1/2
    assert (change.output, change.factor, change.after) == ("y0", Q(4, 3), Q(2, 3))
    assert change.factor <= 2


@pytest.mark.statement("T", "Lem 3.5")
def test_erratum_18_one_prior_proves_nothing() -> None:
    channel = as_channel([["1/2", "1/2"], ["1/2", "1/2"], ["1/100", "99/100"]])
    prior = Dist(range(3), ["1/2", "1/2", 0])
    assert ball_change(channel, 0, LINE, prior=prior, radius=1).factor == 1
    assert not privacy(channel, LINE, eps="ln 2")
    # all x, all r and all priors in the ball do tell: this prior shows it, as 1/100 becomes tiny
    telling = Dist(range(3), [0, "1/100", "99/100"])
    assert ball_change(channel, 1, LINE, prior=telling, radius=1).factor > 2


@pytest.mark.statement("T", "Lem 3.6")
def test_lemma_3_6_oblivious_mechanism_by_sensitivity() -> None:
    cube, counts = hamming_cube(3), line(4)
    noise = as_channel(
        [
            ["2/3", "1/6", "1/12", "1/12"],
            ["1/3", "1/3", "1/6", "1/6"],
            ["1/6", "1/6", "1/3", "1/3"],
            ["1/12", "1/12", "1/6", "2/3"],
        ]
    )

    def twice(x) -> int:
        return 3 * max(x)

    for query in (sum, twice):
        f = Channel(
            cube.labels, range(4), [[int(query(x) == y) for y in range(4)] for x in cube.labels]
        )
        delta = sensitivity(query, cube, counts)
        assert delta == (1 if query is sum else 3)
        assert smallest_eps(f @ noise, cube) <= delta * smallest_eps(noise, counts)
    assert smallest_eps(noise, counts) == ln(2)


@pytest.mark.statement("T", "Lem 3.7")
@pytest.mark.parametrize("fine", [True, False])
def test_lemma_3_7_induced_metric_decides_both_ways(fine) -> None:
    secrets = line([0, 1, 5])
    answers = {0: "a", 1: "b", 5: "a"}
    induced = induced_space(answers.__getitem__, secrets)
    assert induced.distance("a", "b") == 1
    noise = Channel(
        ["a", "b"],
        [0, 1],
        [["2/3", "1/3"], ["1/3", "2/3"]] if fine else [["3/4", "1/4"], ["1/4", "3/4"]],
    )
    f = Channel(secrets.labels, ["a", "b"], [[1, 0], [0, 1], [1, 0]])
    assert bool(privacy(noise, induced, eps="ln 2")) is fine
    assert bool(privacy(f @ noise, secrets, eps="ln 2")) is fine


# -- T chapter 4 -----------------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 4.4.1")
@pytest.mark.statement("T", "Ex 4.3")
def test_example_4_3_the_order_depends_on_the_metric() -> None:
    assert smallest_eps(G, LINE) < smallest_eps(R, LINE)
    assert smallest_eps(G, FLAT) > smallest_eps(R, FLAT)


@pytest.mark.statement("T", "Def 4.4.4")
@pytest.mark.statement("T", "Ex 4.4")
def test_example_4_4_distinguishability_tables() -> None:
    d_g, d_r = distinguishability(G), distinguishability(R)
    table = {pair: (d_g.distance(*pair), d_r.distance(*pair)) for pair in combinations(range(3), 2)}
    assert table == {(0, 1): (ln(2), ln(3)), (1, 2): (ln(2), ln(3)), (0, 2): (ln(4), ln(3))}
    assert d_g == LINE.scaled("ln 2")
    assert d_r == FLAT.scaled("ln 3")


@pytest.mark.statement("T", "§4.5.3")
def test_erratum_3_the_metric_that_separates_is_d_a() -> None:
    d_a, d_b = distinguishability(G), distinguishability(R)
    assert privacy(G, d_a, eps=1)
    assert not privacy(R, d_a, eps=1)
    # the printed d_B is met by B itself, so that it cannot show that A is not refined by B
    assert privacy(R, d_b, eps=1)


@pytest.mark.statement("T", "Ex 4.5")
@pytest.mark.statement("T", "Def 2.4.1")
def test_example_4_5() -> None:
    a = Channel(["x1", "x2"], ["y1", "y2"], [["4/5", "1/5"], ["2/5", "3/5"]])
    b = Channel(["x1", "x2"], ["y1", "y2"], [["2/5", "3/5"], ["4/5", "1/5"]])
    assert distinguishability(a) == distinguishability(b)
    assert distinguishability(a).distance("x1", "x2") == ln(3)
    left, right = uniform(a.rows) >> a, uniform(b.rows) >> b
    assert left.outer.weights == right.outer.weights == [Q(3, 5), Q(2, 5)]
    assert left.inner("y1") == Dist(["x1", "x2"], ["2/3", "1/3"])
    assert left.inner("y2") == Dist(["x1", "x2"], ["1/4", "3/4"])
    assert right.inner("y1") == Dist(["x1", "x2"], ["1/3", "2/3"])
    assert right.inner("y2") == Dist(["x1", "x2"], ["3/4", "1/4"])
    assert left != right
    assert not earth_move(left, right)
    assert not earth_move(right, left)
    assert not a.equivalent(b)


X = ["x1", "x2", "x3"]
FAMILIES = {
    "TG": ([["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]], "ln 2"),
    "OTG": ([["2/3", "1/3"], ["1/3", "2/3"], ["1/6", "5/6"]], "ln 2"),
    "E": ([["4/7", "2/7", "1/7"], ["1/4", "1/2", "1/4"], ["1/7", "2/7", "4/7"]], "ln(16/7)"),
    "R": ([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]], "ln 2"),
}


@pytest.mark.statement("T", "Ex 4.7")
@pytest.mark.parametrize("family", FAMILIES)
def test_example_4_7(family) -> None:
    table, level = FAMILIES[family]
    space = from_table(X, [[abs(i - j) for j in range(3)] for i in range(3)])
    channel = as_channel(table, rows=X)
    assert smallest_eps(channel, space) == Level(level)
    verdict = privacy(channel, space)
    assert verdict.to_dict()["smallest"] == str(Level(level))
    if family == "E":
        assert {verdict.worst.x, verdict.worst.z} in ({"x1", "x2"}, {"x2", "x3"})
        assert verdict.worst.ratio == Q(16, 7)
        assert "16/7" in verdict.explain()


@pytest.mark.statement("T", "Thm 4.22")
def test_theorem_4_22_counter_example() -> None:
    four = ["x1", "x2", "x3", "x4"]
    a = Channel(
        four,
        four,
        [
            ["8/15", "4/15", "2/15", "1/15"],
            ["2/9", "4/9", "2/9", "1/9"],
            ["1/9", "2/9", "4/9", "2/9"],
            ["1/15", "2/15", "4/15", "8/15"],
        ],
    )
    b = response(3, Q(5, 27), four)
    space = from_table(four, [[abs(i - j) for j in range(4)] for i in range(4)])
    assert smallest_eps(a, space) == smallest_eps(b, space) == ln(Q(12, 5))
    d_a, d_b = distinguishability(a), distinguishability(b)
    assert d_a.distance("x1", "x3") == ln(Q(24, 5)) > d_b.distance("x1", "x3")
    assert d_a.distance("x2", "x3") == ln(2) < d_b.distance("x2", "x3") == ln(Q(12, 5))
    assert not privacy(a, d_b, eps=1)
    assert not privacy(b, d_a, eps=1)


METRICS = [
    line(4),
    line([0, 2, 3, 7]),
    hamming_cube(2),
    discrete(list("abcd")),
    from_table(list("abc"), [[0, 2, 3], [2, 0, 4], [3, 4, 0]]),
]


@pytest.mark.statement("T", "Lem 4.14")
@pytest.mark.statement("T", "Thm 4.13")
@pytest.mark.parametrize("space", METRICS)
@pytest.mark.parametrize("base", [2, 3])
def test_erratum_29_a_channel_for_any_metric(space, base) -> None:
    n, factor = len(space), Q(7, 19)  # e^(−1) ≈ 0.3679, made rational
    d = space.distance
    table = [[factor / n / Q(base) ** int(d(x, y)) for y in space.labels] for x in space.labels]
    full = [[*row, 1 - sum(row)] for row in table]
    channel = Channel(space.labels, [*space.labels, "⊥"], full)
    assert distinguishability(channel) == space.scaled(ln(base))
    # the printed ⊥ entry sums a term that does not depend on y: such rows do not sum to 1
    x0 = space.labels[0]
    printed = [
        [*row, 1 - factor / Q(base) ** int(d(x, x0))]
        for x, row in zip(space.labels, table, strict=True)
    ]
    with pytest.raises(NotStochastic):
        Channel(space.labels, [*space.labels, "⊥"], printed)


# -- T Ex 2.4 --------------------------------------------------------------------------------------


SECRETS = ["s1", "s2", "s3"]
C1 = Channel(SECRETS, list("abc"), [["1/2", 0, "1/2"], [0, "1/2", "1/2"], ["1/2", "1/2", 0]])
C2 = Channel(
    SECRETS, list("abcd"), [["1/2", 0, 0, "1/2"], [0, "1/2", "1/2", 0], ["1/2", "1/2", 0, 0]]
)
P1, P2, P3, P4 = (Q(1, 2), 0, Q(1, 2)), (0, Q(1, 2), Q(1, 2)), (0, 1, 0), (1, 0, 0)
OUTER3 = (Q(1, 6), Q(1, 2), Q(1, 12), Q(1, 4))
HYPER1, HYPER2 = uniform(SECRETS) >> C1, uniform(SECRETS) >> C2
HYPER3 = Hyper(
    SECRETS,
    ["p1", "p2", "p3", "p4"],
    Mat.of([[a * p[i] for a, p in zip(OUTER3, (P1, P2, P3, P4), strict=True)] for i in range(3)]),
)


def expected_gain(hyper: Hyper, gain) -> Q:
    """V_g: the best action for each posterior, averaged."""
    return sum(
        (
            chance
            * max(sum((gain[w, x] * inner[x] for x in hyper.secrets), Q(0)) for w in gain.actions)
            for (_, chance), inner in zip(hyper.outer.items(), hyper.inners, strict=True)
        ),
        Q(0),
    )


@pytest.mark.statement("T", "Ex 2.4")
@pytest.mark.statement("T", "Lem 6.9")
def test_example_2_4_hypers_average_to_uniform() -> None:
    assert HYPER1.outer.weights == [Q(1, 3)] * 3
    assert HYPER2.outer.weights == [Q(1, 3), Q(1, 3), Q(1, 6), Q(1, 6)]
    assert [inner.weights for inner in HYPER2.inners] == [list(p) for p in (P1, P2, P3, P4)]
    for hyper in (HYPER1, HYPER2, HYPER3):
        assert hyper.prior() == uniform(SECRETS)


@pytest.mark.statement("T", "Ex 2.4")
@pytest.mark.statement("T", "Def 2.4.2")
@pytest.mark.statement("T", "Def 2.4.3")
def test_example_2_4_the_move_merges_the_last_two() -> None:
    move = earth_move(HYPER2, HYPER1)
    assert move.status == "proved"
    shares = move.coefficients
    assert [shares[y, "c"] for y in "abcd"] == [0, 0, 1, 1]
    assert [shares[y, "a"] for y in "abcd"] == [1, 0, 0, 0]
    assert (
        C2 @ Channel(list("abcd"), list("abc"), [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]) == C1
    )


@pytest.mark.statement("T", "Ex 2.4")
@pytest.mark.statement("T", "Def 2.4.3")
@pytest.mark.parametrize(
    ("first", "second"),
    [(HYPER1, HYPER2), (HYPER1, HYPER3), (HYPER3, HYPER1), (HYPER2, HYPER3), (HYPER3, HYPER2)],
)
def test_example_2_4_no_other_move(first, second) -> None:
    move = earth_move(first, second)
    assert move.status == "refuted"
    assert move.coefficients is None
    assert expected_gain(first, move.gain) == move.before
    assert expected_gain(second, move.gain) == move.after
    assert move.after > move.before


# -- T Ex 6.2: the region of ln 2-private posteriors on three points of a line ---------------------


VERTICES = [(Q(4, 7), Q(2, 7), Q(1, 7)), (Q(1, 7), Q(2, 7), Q(4, 7))]
VERTICES += [(Q(2, 5), Q(1, 5), Q(2, 5)), (Q(1, 4), Q(1, 2), Q(1, 4))]


def as_column(posterior) -> Channel:
    """A channel with this posterior (under the uniform prior), its remainder spread evenly."""
    scale = Q(1, 20)
    first = [scale * p for p in posterior]
    return Channel(range(3), ["it", "rest"], [[p, 1 - p] for p in first])


@pytest.mark.statement("T", "Ex 6.2")
@pytest.mark.statement("T", "Lem 6.7")
@pytest.mark.parametrize("vertex", VERTICES)
def test_example_6_2_vertices_are_tight(vertex) -> None:
    channel = as_column(vertex)
    posterior = push(channel, prior=uniform(range(3))).inner("it")
    assert posterior.weights == list(vertex)
    verdict = privacy(channel, LINE, eps="ln 2")
    assert verdict
    assert len([t for t in verdict.tight if t.y == "it"]) == 2  # two of the four hyperplanes
    assert smallest_eps(channel, LINE) == ln(2)


@pytest.mark.statement("T", "Ex 6.2")
@pytest.mark.parametrize("vertex", VERTICES)
@pytest.mark.parametrize("corner", range(3))
def test_example_6_2_beyond_a_vertex_violates(vertex, corner) -> None:
    centre = Q(1, 3)
    beyond = tuple(centre + (v - centre) * Q(101, 100) for v in vertex)
    assert not privacy(as_column(beyond), LINE, eps="ln 2")
    inside = tuple(centre + (v - centre) * Q(99, 100) for v in vertex)
    assert privacy(as_column(inside), LINE, eps="ln 2")
    pure = tuple(Q(int(i == corner)) for i in range(3))
    assert not privacy(as_column(pure), LINE, eps=50)


@pytest.mark.statement("T", "Ex 6.2")
@pytest.mark.statement("T", "Lem 6.10")
def test_example_6_2_hypers_from_the_region() -> None:
    kernel = Hyper(
        range(3), ["u", "v"], Mat.of([[Q(2, 9), Q(1, 9)], [Q(1, 9), Q(2, 9)], [Q(2, 9), Q(1, 9)]])
    )
    assert kernel.prior() == uniform(range(3))
    assert [i.weights for i in kernel.inners] == [list(VERTICES[2]), list(VERTICES[3])]
    assert kernel.outer.weights == [Q(5, 9), Q(4, 9)]
    assert privacy(kernel.channel(), LINE, eps="ln 2")
    assert len(privacy(kernel.channel(), LINE, eps="ln 2").tight) == 4
    posteriors = {tuple(i.weights) for i in push(G, prior=uniform(range(3))).inners}
    assert posteriors == {VERTICES[0], VERTICES[1], VERTICES[3]}


# -- C: sufficient sets ----------------------------------------------------------------------------


def l1_exponential(base: int) -> Channel:
    databases = list(product(range(3), repeat=2))
    table = []
    for d in databases:
        weights = [
            Q(1, base ** sum(abs(x - y) for x, y in zip(d, e, strict=True))) for e in databases
        ]
        table.append([w / sum(weights) for w in weights])
    return Channel(databases, databases, table)


@pytest.mark.statement("C", "Ex 2")
@pytest.mark.parametrize("base", [2, 3])
def test_erratum_1_checks_of_example_2(base) -> None:
    channel = l1_exponential(base)
    pairs = neighbours(channel.rows)
    sizes = [len(sufficient_set(channel, x, z)) for x, z in pairs]
    assert (sizes.count(3), sizes.count(6)) == (24, 12)
    work = checks_needed(channel, pairs=pairs)
    assert work.pairs == 36
    assert work.all_subsets == 18_360
    assert work.sufficient_subsets == 24 * 7 + 12 * 63 == 924
    assert work.one_set_a_pair == 36


@pytest.mark.statement("C", "Ex 2")
@pytest.mark.parametrize("base", [2, 3])
def test_example_2_printed_sets(base) -> None:
    channel = l1_exponential(base)
    assert set(sufficient_set(channel, (0, 1), (2, 1))) == {(0, 0), (0, 1), (0, 2)}
    assert set(sufficient_set(channel, (1, 1), (2, 1))) == {
        (i, j) for i in (0, 1) for j in range(3)
    }
    # the tie that floats read as ">": an output halfway is equally likely for both
    assert channel[(0, 1), (1, 1)] == channel[(2, 1), (1, 1)]


@pytest.mark.statement("C", "Thm 2")
@pytest.mark.parametrize("base", [2, 3])
@pytest.mark.parametrize("a", [Q(3, 2), Q(2), Q(3), Q(5)])
def test_theorem_2_subsets_of_the_sufficient_set_are_enough(base, a) -> None:
    channel = l1_exponential(base)
    pairs = neighbours(channel.rows)
    for x, z in pairs[:12]:
        chosen = sufficient_set(channel, x, z)
        p, q = ([channel[w, y] for y in chosen] for w in (x, z))
        whole = largest_excess(
            channel.matrix.row(channel.row_position(x)),
            channel.matrix.row(channel.row_position(z)),
            a,
        )
        assert largest_excess(p, q, a) == whole
        assert delta_at(channel, eps=ln(a), pairs=[(x, z)]) == whole
    assert delta_at(channel, eps=ln(a), pairs=pairs) == brute_delta(channel, a, pairs)


def cyclic(n: int, base: int) -> Channel:
    """A fixed normaliser: utility −(distance on a circle)."""
    table = [[Q(1, base ** min((i - j) % n, (j - i) % n)) for j in range(n)] for i in range(n)]
    return as_channel([[w / sum(row) for w in row] for row in table])


@pytest.mark.statement("C", "Thm 3")
@pytest.mark.parametrize("n", [5, 6, 7])
def test_theorem_3_a_part_speaks_for_its_subsets(n) -> None:
    channel = cyclic(n, 2)
    for x, z in [(0, 1), (0, 2), (3, 0)]:
        parts = sufficient_partition(channel, x, z)
        assert list(parts) == sorted(parts)
        assert {y for part in parts.values() for y in part} == set(sufficient_set(channel, x, z))
        for ratio, part in parts.items():
            p, q = [channel[x, y] for y in part], [channel[z, y] for y in part]
            assert all(u == ratio * v for u, v in zip(p, q, strict=True))
            assert ratio > 1
            for a in (Q(1), Q(5, 4), Q(2), Q(7, 2), Q(9)):
                # the smallest δ ≥ 0 for the whole part serves every subset of it
                assert largest_excess(p, q, a) == max(0, sum(p) - a * sum(q))


@pytest.mark.statement("C", "Cor 1")
@pytest.mark.parametrize("n", [5, 6])
@pytest.mark.parametrize("a", [Q(3, 2), Q(2), Q(3), Q(4), Q(5)])
def test_corollary_1_with_delta_zero_parts_are_enough(n, a) -> None:
    channel = cyclic(n, 2)
    for x, z in [(0, 1), (0, 2), (1, 4)]:
        on_parts = all(
            sum(channel[x, y] for y in part) <= a * sum(channel[z, y] for y in part)
            for part in sufficient_partition(channel, x, z).values()
        )
        row = [channel.matrix.row(channel.row_position(w)) for w in (x, z)]
        assert on_parts == (largest_excess(*row, a) <= 0)
        assert on_parts == (delta_at(channel, eps=ln(a), pairs=[(x, z)]) == 0)


@pytest.mark.statement("C", "Cor 2")
@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2)])
def test_corollary_2_hamming_has_one_part(m, n) -> None:
    base = Q(3)
    channel = hamming_exponential(m, n, base)
    for x, z in neighbours(channel.rows):
        chosen = sufficient_set(channel, x, z)
        assert sufficient_partition(channel, x, z) == {base: chosen}
        gap = sum(channel[x, y] for y in chosen) - 2 * sum(channel[z, y] for y in chosen)
        assert delta_at(channel, eps="ln 2", pairs=[(x, z)]) == max(0, gap)


@pytest.mark.statement("C", "Prop 1")
@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 2), (3, 2)])
def test_erratum_26_the_normaliser_is_the_reciprocal(m, n) -> None:
    base = Q(5, 2)
    databases = list(product(range(m + 1), repeat=n))
    total = sum(Q(1) / base ** sum(map(bool, d)) for d in databases)
    assert total == (1 + m / base) ** n  # C_d of Def 4; the printed (1 + m/e^k)^(−n) is 1/C_d
    start = databases[0]
    assert hamming_exponential(m, n, base)[start, start] == 1 / total


CASES = [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2)]
LEVELS = [(Q(2), Q(0)), (Q(2), Q(1, 10)), (Q(3, 2), Q(1, 4)), (Q(5), Q(1, 7))]


@pytest.mark.statement("C", "Thm 4")
@pytest.mark.parametrize(("m", "n"), CASES)
@pytest.mark.parametrize(("a", "delta"), LEVELS)
def test_theorem_4_threshold_both_sides(m, n, a, delta) -> None:
    threshold = (a + m * delta) / (1 - delta)
    for base, private in [(threshold, True), (threshold + Q(1, 1000), False), (Q(1), True)]:
        channel = hamming_exponential(m, n, base)
        pairs = neighbours(channel.rows)
        some = pairs if n == 1 or m < 3 else pairs[:8]
        assert (brute_delta(channel, a, some) <= delta) is private
        assert (delta_at(channel, eps=ln(a), pairs=pairs) <= delta) is private
    channel = hamming_exponential(m, n, threshold)
    assert delta_at(channel, eps=ln(a), pairs=neighbours(channel.rows)) == delta
    if delta:
        assert eps_at(channel, delta=delta, pairs=neighbours(channel.rows)) == ln(a)


@pytest.mark.statement("C", "Thm 7")
@pytest.mark.statement("C", "Def 5")
@pytest.mark.parametrize(("m", "n"), CASES)
def test_theorem_7_product_is_exponential(m, n) -> None:
    for base in (Q(2), Q(7, 3)):
        p = 1 / (base + m)
        assert base == 1 / p - m
        product_channel = response(m, p).over_rows(n)
        assert product_channel == hamming_exponential(m, n, base)
        other = response(m, p + Q(1, 1000)).over_rows(n)
        assert other != hamming_exponential(m, n, base)


@pytest.mark.statement("C", "Thm 8")
@pytest.mark.statement("M", "Ex 6")
@pytest.mark.statement("C", "Def 3")
@pytest.mark.parametrize(("m", "n"), CASES)
@pytest.mark.parametrize(("a", "delta"), LEVELS)
def test_theorem_8_threshold_both_sides(m, n, a, delta) -> None:
    threshold = (1 - delta) / (a + m)
    for p, private in [(threshold, True), (threshold - Q(1, 10**6), False)]:
        channel = response(m, p).over_rows(n)
        pairs = neighbours(channel.rows)
        some = pairs if n == 1 or m < 3 else pairs[:8]
        assert (brute_delta(channel, a, some) <= delta) is private
        assert (delta_at(channel, eps=ln(a), pairs=pairs) <= delta) is private
        single = response(m, p)
        assert bool(privacy(single, discrete(single.rows), eps=ln(a), delta=delta)) is private


@pytest.mark.statement("C", "Cor 3")
@pytest.mark.statement("C", "Thm 6")
@pytest.mark.statement("M", "Thm 5")
@pytest.mark.statement("M", "Lem 3")
@pytest.mark.parametrize(
    "rows",
    [
        [["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]],
        [["1/2", "1/2", 0], ["1/3", "1/3", "1/3"]],
        [["7/10", "3/10"], ["1/10", "9/10"], ["2/5", "3/5"]],
    ],
)
@pytest.mark.parametrize("n", [2, 3])
def test_corollary_3_product_is_private_exactly_when_its_parent_is(rows, n) -> None:
    parent = as_channel(rows)
    many = parent.over_rows(n)
    pairs = neighbours(many.rows)
    for a in (Q(1), Q(5, 4), Q(2), Q(7, 2)):
        assert delta_at(many, eps=ln(a), pairs=pairs) == delta_at(parent, eps=ln(a))
    if len(many.columns) <= 9:
        assert brute_delta(many, Q(2), pairs) == delta_at(parent, eps="ln 2")
    for delta in (Q(0), Q(1, 20), Q(1, 3)):
        assert eps_at(many, delta=delta, pairs=pairs) == eps_at(parent, delta=delta)


# -- error bounds ----------------------------------------------------------------------------------


@pytest.mark.statement("C", "Thm 5")
@pytest.mark.statement("C", "Thm 9")
@pytest.mark.parametrize(("m", "n"), CASES)
@pytest.mark.parametrize(("a", "delta"), LEVELS)
def test_theorems_5_and_9_the_lower_end_is_reached(m, n, a, delta) -> None:
    low, high = hamming_error_bounds(m + 1, eps=ln(a), delta=delta)
    assert low == (1 - delta) / (1 + a / m)
    assert high == Q(m, m + 1)
    best = response(m, (1 - delta) / (a + m))
    assert expected_error(best, discrete(best.rows)) == low
    space = hamming(range(m + 1), n)
    assert expected_error(best.over_rows(n), space) == n * low
    worst = response(m, Q(1, m + 1)).over_rows(n)
    assert expected_error(worst, space) == n * high
    assert (
        expected_error(hamming_exponential(m, n, (a + m * delta) / (1 - delta)), space) == n * low
    )


@pytest.mark.statement("M", "Thm 6")
@pytest.mark.parametrize(("a", "delta"), LEVELS)
@pytest.mark.parametrize("diameter", [Q(1), Q(7, 3)])
def test_theorem_6_sharpened_is_tight_for_two_points(a, delta, diameter) -> None:
    pair = line([Q(0), diameter])
    best = response(1, (1 - delta) / (a + 1), pair.labels)
    floor = error_floor(pair, eps=ln(a), delta=delta, outputs="anywhere")
    assert floor == (1 - delta) * diameter / (1 + a)  # twice the printed bound
    assert expected_error(best, pair) == floor
    assert privacy(best, discrete(pair.labels), eps=ln(a), delta=delta)
    printed = (1 - delta) * diameter / (2 * (1 + a))
    assert floor == 2 * printed


@pytest.mark.statement("M", "Thm 7")
@pytest.mark.statement("M", "Ex 7")
@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize(("a", "delta"), LEVELS)
def test_theorem_7_inside_is_reached_by_randomised_response(m, a, delta) -> None:
    space = discrete(range(m + 1))
    best = response(m, (1 - delta) / (a + m))
    assert error_floor(space, eps=ln(a), delta=delta) == (1 - delta) * m / (m + a)
    assert expected_error(best, space) == error_floor(space, eps=ln(a), delta=delta)


@pytest.mark.statement("M", "Thm 7")
@pytest.mark.parametrize("m", [2, 3, 5])
def test_erratum_17_values_outside_do_better(m) -> None:
    corners = [f"p{i}" for i in range(m + 1)]
    table = [[Q(int(i != j)) for j in range(m + 1)] + [Q(1, 2)] for i in range(m + 1)]
    table.append([Q(1, 2)] * (m + 1) + [Q(0)])
    around = from_table([*corners, "centre"], table)
    star = Channel(corners, ["centre"], [[1]] * (m + 1))
    a = Q(5, 4)
    assert privacy(star, discrete(corners), eps=ln(a))
    found = expected_error(star, around)
    assert found == Q(1, 2)
    inside = around.restrict(corners)
    printed = Q(m) / (m + a)
    assert found < printed == error_floor(inside, eps=ln(a))
    corrected = error_floor(inside, eps=ln(a), outputs="anywhere")
    assert corrected == max(printed / 2, 1 / (1 + a))
    assert corrected <= found


def test_bounds_are_rounded_down_when_the_factor_is_irrational() -> None:
    low, _ = hamming_error_bounds(5, eps=1)
    assert isinstance(low, float)
    assert 4 / (4 + math.e) - 1e-15 < low <= 4 / (4 + math.e)
    floor = error_floor(FiniteSpace(LINE.labels, LINE.distances), eps="1/2", delta="1/10")
    assert isinstance(floor, float)
    true = 0.9 * max(2 / (1 + math.exp(0.5)), 2 / (2 + math.exp(0.5)))
    assert true - 1e-15 < floor <= true + 1e-17
