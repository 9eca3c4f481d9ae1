"""d_C and the smallest ε where they are delicate: ties, huge numbers, floats, zeros."""

import math
from fractions import Fraction as Q
from itertools import permutations

import numpy as np
import pytest

from dprivacy.errors import NotStochastic, TooLarge
from dprivacy.mechanisms import geometric
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, grid, hamming_cube, line
from dprivacy.verify import concentrated_privacy, distinguishability, privacy, smallest_eps
from dprivacy.verify.metric import induced_metric, row_ratios
from dprivacy.verify.metric.row_ratios import Ratio, RowRatios


@pytest.mark.statement("T", "Def 4.4.4")
def test_nearly_equal_ratios_are_decided_in_integers() -> None:
    # two outputs whose ratios agree to 30 digits: the larger one must be named
    big = 10**30
    a = Q(2 * big + 1, 8 * big)
    table = [[a, Q(1, 2), Q(1, 2) - a], [Q(1, 8), Q(1, 4), Q(5, 8)]]
    assert float(a / Q(1, 8)) == 2.0
    d = distinguishability(table)
    assert d.distance(0, 1) == max(ln(a * 8), ln(Q(5, 8) / (Q(1, 2) - a)))


def test_a_tie_broken_in_the_thirtieth_digit() -> None:
    hair = Q(1, 10**30)
    table = [
        [Q(1, 4), Q(1, 4) + hair, Q(1, 2) - hair],
        [Q(1, 8), Q(1, 8), Q(3, 4)],
    ]
    verdict = privacy(table, discrete([0, 1]))
    assert verdict.worst.y == 1
    assert verdict.smallest == ln(2 + 8 * hair)
    assert not privacy(table, discrete([0, 1]), eps="ln 2")
    assert distinguishability(table).distance(0, 1) == ln(2 + 8 * hair)


def test_numbers_far_beyond_the_doubles() -> None:
    small = Q(1, 2**5000)
    channel = as_channel([[small, 1 - small], [small / 4, 1 - small / 4]])
    assert smallest_eps(channel, line(2)) == ln(4)
    assert distinguishability(channel).distance(0, 1) == ln(4)
    huge = as_channel([[small, 1 - small], [Q(1, 2), Q(1, 2)]])
    assert smallest_eps(huge, line(2)) == 4999 * ln(2)


def test_verdicts_on_numbers_too_long_to_print() -> None:
    small = Q(1, 3**10000)
    verdict = privacy([[small, 1 - small], [Q(1, 2), Q(1, 2)]], line(2))
    assert "10^47" in verdict.explain()
    assert verdict.to_dict()["worst"]["ratio"].startswith("about 10^47")
    assert verdict.to_dict()["smallest_float"] == pytest.approx(10000 * math.log(3) - math.log(2))


def test_equal_rows_are_at_distance_zero_and_mixed_supports_infinitely_far() -> None:
    d = distinguishability([["1/2", "1/2", 0], ["1/2", "1/2", 0], ["1/2", 0, "1/2"]])
    assert d.exact
    assert d.distance(0, 1) == 0
    assert d.distance(0, 2) == math.inf
    f = distinguishability([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    assert not f.exact
    assert f.distance(0, 1) == 0
    assert f.distance(1, 2) == math.inf


def test_floats_give_float_distances() -> None:
    d = distinguishability(np.array([[0.75, 0.25], [0.25, 0.75]]))
    assert d.distance(0, 1) == pytest.approx(math.log(3), rel=1e-15)


def test_channel_is_private_exactly_for_metrics_above_its_own() -> None:
    channel = as_channel([["3/5", "2/5"], ["1/2", "1/2"], ["1/4", "3/4"]])
    own = distinguishability(channel)
    assert privacy(channel, own, eps=1)
    assert not privacy(channel, own, eps="999999/1000000")
    assert smallest_eps(channel, own) == 1


@pytest.mark.statement("T", "Def 4.4.1")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_grids_by_all_pairs(metric) -> None:
    space = grid(3, 3, metric=metric)
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 20, size=(9, 4))
    table = [[Q(int(w), int(row.sum())) for w in row] for row in weights]
    found = smallest_eps(Channel(space.labels, range(4), table), space)
    rates = [
        math.log(max(a / b, b / a)) / float(space.distance(x, z))
        for i, x in enumerate(space.labels)
        for j, z in enumerate(space.labels)
        if i < j
        for a, b in zip(table[i], table[j], strict=True)
    ]
    assert isinstance(found, Level)
    assert float(found) == pytest.approx(max(rates), rel=1e-14)
    assert privacy(Channel(space.labels, range(4), table), space, eps=found)


def test_root_two_rates_are_exact() -> None:
    space = grid(2, 2)
    rows = {(0, 0): Q(1, 2), (1, 1): Q(1, 4), (0, 1): Q(3, 8), (1, 0): Q(3, 8)}
    channel = Channel(space.labels, ["a", "b"], [[rows[c], 1 - rows[c]] for c in space.labels])
    found = smallest_eps(channel, space)
    # (0,0)–(1,1): ln 2/√2 ≈ 0.490; neighbours: ln(3/2) ≈ 0.405
    assert found == ln(2) / Level("sqrt(2)")
    assert privacy(channel, space, eps=found).status == "proved"
    assert privacy(channel, space, eps="0.49").status == "refuted"


def test_edges_are_enough_on_the_cube() -> None:
    cube = hamming_cube(3)
    coin = as_channel([["2/3", "1/3"], ["1/3", "2/3"]])
    assert smallest_eps(coin.over_rows(3), cube) == ln(2)
    verdict = privacy(coin.over_rows(3), cube, eps="ln 2")
    assert len(verdict.tight) == 12 * 8  # every edge, every output


def test_ratios_between_rows() -> None:
    ratios = RowRatios(as_channel([["1/2", "1/2", 0], ["1/8", "7/8", 0], ["1/2", "1/4", "1/4"]]))
    assert ratios.worst(0, 1) == Ratio(0, 1, 0, 4, 1)
    assert ratios.worst(1, 0).value == 4
    assert (ratios.support_gap(0, 1), ratios.support_gap(0, 2)) == (None, 2)
    infinite = ratios.worst(0, 2)
    assert (infinite.x, infinite.z, infinite.y, infinite.value) == (2, 0, 2, math.inf)


def test_a_channel_must_be_stochastic_first() -> None:
    with pytest.raises(NotStochastic):
        distinguishability([["1/2", "1/3"], ["1/2", "1/2"]])


def test_equal_float_rows_with_an_impossible_output_are_at_distance_0() -> None:
    metric = distinguishability([[0.0, 1.0], [0.0, 1.0]])
    assert metric.distance(0, 1) == 0


def test_distances_at_the_edge_of_the_doubles_hide_no_pair():
    """There a float rate is ∞ and its error ∞ as well; what they say of others must not count."""
    near = Q(5, 10**324)
    table = [[0, near, 1], [near, 0, 1], [1, 1, 0]]
    space = from_table(range(3), table)
    rows = [["1/2", "1/2"], ["1/2", "1/2"], ["1/4", "3/4"]]
    assert smallest_eps(rows, space) == ln(2)
    rows[1] = ["2/3", "1/3"]
    assert smallest_eps(rows, space) == ln(Q(3, 2)) / near


@pytest.mark.parametrize("digit", [17, 40, 80])
def test_of_rates_that_agree_to_many_digits_the_larger_is_found(digit):
    """Equal in doubles: only the exact comparison tells them apart, whichever comes first."""
    tie = Q(1, 10**digit)
    for order in permutations(range(3)):
        rows = [[Q(1, 2), Q(1, 2)], [Q(1, 4), Q(3, 4)], [Q(1, 4) - tie, Q(3, 4) + tie]]
        channel = Channel(range(3), ["a", "b"], [rows[k] for k in order])
        far = [[int(i != j) * (1 if 0 in (i, j) else 2) for j in range(3)] for i in range(3)]
        space = from_table(range(3), [[far[i][j] for j in order] for i in order])
        assert smallest_eps(channel, space) == ln(Q(1, 2) / (Q(1, 4) - tie))


@pytest.mark.parametrize("apart", [ln(2) * Q(1, 10**310), 5e-324], ids=["exact", "floats"])
@pytest.mark.parametrize("rows", [[["3/4", "1/4"], ["1/4", "3/4"]], [[0.75, 0.25], [0.25, 0.75]]])
def test_a_finite_level_beyond_the_doubles_is_not_called_infinite(apart, rows) -> None:
    space = from_table([0, 1], [[0, apart], [apart, 0]])
    for ask in (smallest_eps, privacy, concentrated_privacy):
        with pytest.raises(TooLarge, match="finite, but beyond the largest double"):
            ask(rows, space)
    assert smallest_eps([[1, 0], [0, 1]], space) == math.inf
    assert smallest_eps([["1/2", "1/2"], ["1/2", "1/2"]], space) == 0


@pytest.mark.parametrize("threads", [False, True])
def test_a_sweep_over_all_pairs_finds_what_the_pairs_that_imply_them_do(
    monkeypatch, threads
) -> None:
    """Whole numbers that fall off as fast as they may: many pairs tie, and one is a little worse."""
    space = grid(5, 5)
    draw = np.random.default_rng(5)
    if threads:
        monkeypatch.setattr(row_ratios, "_WORTH_THREADS", 0)
    for _ in range(5):
        weights = [[int(draw.integers(1, 10**6)) << 60 for _ in range(4)] for _ in range(25)]
        channel = Channel(
            space.labels, list("abcd"), [[Q(v, sum(row)) for v in row] for row in weights]
        )
        one_by_one = induced_metric.tightest(channel, space)
        with monkeypatch.context() as patch:
            patch.setattr(induced_metric, "_MANY", 0)
            assert induced_metric.tightest(channel, space) == one_by_one
        assert one_by_one[1] is not None


def test_a_space_that_knows_its_edges_is_not_swept(monkeypatch):
    """On a line every pair of a geometric mechanism is as tight as its edges: half a million pairs."""
    asked = []
    worst = RowRatios.worst
    monkeypatch.setattr(induced_metric, "_MANY", 30)
    monkeypatch.setattr(RowRatios, "worst", lambda *at: asked.append(at) or worst(*at))
    assert geometric(40, eps="1/10").verify()
    assert len(asked) < 2 * 40
