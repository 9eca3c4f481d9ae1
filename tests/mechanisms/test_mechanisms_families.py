"""Geometric, over-truncated, exponential, any metric, building: the closed forms by other means."""

import math
from fractions import Fraction as Q
from itertools import permutations

import numpy as np
import pytest

from dprivacy.errors import DPrivacyError, DuplicateLabel, Malformed, NotPrivate, UnknownCategory
from dprivacy.mechanisms import (
    ChannelMechanism,
    any_metric,
    exponential,
    geometric,
    geometric_steps,
    over_truncated,
)
from dprivacy.mechanisms.groundwork.channel_mechanism import promised
from dprivacy.mechanisms.groundwork.exact_weights import SLACK, factor_below
from dprivacy.model import Channel, Guarantee
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, graph, grid, hamming_cube, line, points, quantised
from dprivacy.verify import distinguishability, privacy, smallest_eps

ALPHAS = [Q(1, 2), Q(2, 3), Q(1, 10)]


def two_sided(alpha: Q, x: int, far: int = 400):
    """The geometric on ℤ around x with its tails beyond `far` dropped (for α^far ≈ 0)."""
    return {y: (1 - alpha) / (1 + alpha) * alpha ** abs(x - y) for y in range(x - far, x + far + 1)}


@pytest.mark.statement("T", "Def 3.4.2")
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [2, 3, 6])
def test_truncated_geometric_sums_the_tails(alpha, n):
    channel = geometric(n, eps=ln(1 / alpha)).channel
    for x in range(n):
        tail = {
            y: alpha ** abs(x - y) / (1 + alpha) for y in (0, n - 1)
        }  # a whole geometric series
        for y in range(n):
            inside = (1 - alpha) / (1 + alpha) * alpha ** abs(x - y)
            assert channel[x, y] == tail.get(y, inside)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_equal_steps_of_any_size_are_the_same_channel(alpha):
    unit = geometric(5, eps=ln(1 / alpha)).channel
    wide = geometric(line([0, 3, 6, 9, 12]), eps=ln(1 / alpha) / 3).channel
    tiny = geometric(quantised(0, 1, "1/4"), eps=ln(1 / alpha) * 4).channel
    shuffled = geometric(line([3, 0, 4, 1, 2]), eps=ln(1 / alpha)).channel
    assert unit.matrix == wide.matrix == tiny.matrix
    for x, y in permutations(range(5), 2):
        assert shuffled[x, y] == unit[x, y]


def test_uneven_points_are_tight_on_every_pair_of_neighbours():
    space = line(["0", "1", "5/2", "3", "7"])
    mechanism = geometric(space, eps="ln 4")
    d = distinguishability(mechanism.channel)
    for x in space.labels:
        for z in space.labels:
            assert d.distance(x, z) == (ln(4) * space.distance(x, z)).simplified
    assert mechanism.tight


def test_twins_at_distance_0_answer_alike():
    twins = from_table(["a", "b", "c"], [[0, 0, 2], [0, 0, 2], [2, 2, 0]], pseudo=True)
    channel = geometric(twins, eps="ln 2").channel
    rows = channel.matrix.rows()
    assert rows[0] == rows[1]


def test_one_point_has_nothing_to_say():
    assert geometric(1, eps=1).channel[0, 0] == 1
    assert not geometric(1, eps=1).tight


@pytest.mark.parametrize(
    "space", [discrete(range(3)), hamming_cube(2), grid(2, 2), graph([(0, 1), (1, 2), (2, 0)])]
)
def test_geometric_needs_a_line(space):
    with pytest.raises(Malformed, match="line"):
        geometric(space, eps=1)


@pytest.mark.parametrize("n", [0, -1, True, 2.5, "3", None])
def test_geometric_needs_points(n):
    with pytest.raises(DPrivacyError):
        geometric(n, eps=1)


def test_geometric_needs_exact_points():
    with pytest.raises(Malformed, match="exact"):
        geometric(line([0.1, 0.2]), eps=1)


@pytest.mark.parametrize("N", [0, -2, 1.5, "2", None, True])
def test_steps_are_counted(N):
    with pytest.raises(Malformed):
        geometric_steps(N, eps=1)


# -- over-truncated -------------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 4.7.1")
@pytest.mark.parametrize("alpha", [Q(1, 2), Q(1, 10)])
@pytest.mark.parametrize(
    ("n", "outputs"),
    [(3, [0, 1]), (3, [1, 2]), (4, [-2, -1, 0, 1]), (2, [5, 6]), (3, range(-4, 9))],
)
def test_over_truncation_sums_the_columns_of_the_geometric(n, outputs, alpha):
    channel = over_truncated(n, outputs, eps=ln(1 / alpha)).channel
    outputs = sorted(outputs)
    for x in range(n):
        law = {y: Q(0) for y in outputs}
        for y, p in two_sided(alpha, x).items():
            law[min(max(y, outputs[0]), outputs[-1])] += p
        for y in outputs:
            missing = 2 * alpha**400 / (1 + alpha)
            assert law[y] <= channel[x, y] <= law[y] + missing


def test_outputs_with_gaps_take_the_nearest():
    alpha = Q(1, 3)
    channel = over_truncated(line([0, 1, 5]), [4, 0], eps=ln(3)).channel
    assert channel.columns == (0, 4)
    for x in (0, 1, 5):
        nearest = sum((p for y, p in two_sided(alpha, x).items() if y <= 2), Q(0))
        assert abs(channel[x, 0] - nearest) < Q(1, 10**100)


@pytest.mark.parametrize("eps", ["1", "1/2", 5])
def test_outputs_far_from_every_input_keep_their_support(eps):
    """e^(−ε·199) is far below the integers that the inputs alone would need."""
    mechanism = over_truncated(3, range(0, 200), eps=eps)
    assert (mechanism.channel.matrix.entries > 0).all()
    assert privacy(mechanism.channel, line(3), eps=eps)
    law = mechanism.channel.matrix.rows()[0]
    expected = math.exp(-199 * float(Q(eps))) / (1 + math.exp(-float(Q(eps))))
    assert float(law[-1]) == pytest.approx(expected, rel=1e-6)
    alone = over_truncated(2, [1000, 1001], eps=1).channel.matrix.entries
    assert (alone > 0).all()


@pytest.mark.parametrize(
    "outputs", [4, [], ["a"], [0.5], [math.inf], [math.nan], [0, 0], None, ["1/2"]]
)
def test_outputs_are_whole_numbers(outputs):
    with pytest.raises((DPrivacyError, TypeError)):
        over_truncated(3, outputs, eps=1)
    if outputs is not None:
        with pytest.raises(DPrivacyError):
            over_truncated(3, outputs, eps=1)


def test_inputs_are_whole_numbers_on_a_line():
    for space in (discrete(range(3)), line(3).scaled(2), line(["0", "1/2"])):
        with pytest.raises(Malformed, match="inputs"):
            over_truncated(space, [0, 1], eps=1)
    with pytest.raises(DuplicateLabel):
        over_truncated(3, [1, 1], eps=1)


# -- exponential ----------------------------------------------------------------------------------


@pytest.mark.statement("C", "Def 4")
@pytest.mark.statement("T", "Def 4.7.2")
@pytest.mark.parametrize("a", [Q(4), Q(9), Q(100)])
def test_exponential_by_hand(a):
    root = math.isqrt(int(a))
    channel = exponential(line(4), eps=ln(a)).channel
    for x in range(4):
        weights = [Q(1, root ** abs(x - y)) for y in range(4)]
        assert [channel[x, y] for y in range(4)] == [w / sum(weights) for w in weights]


@pytest.mark.parametrize("eps", ["ln 4", "1", "0.2", "30"])
def test_exponential_carries_the_level_it_has(eps):
    for space in (line(5), discrete(range(4)), grid(2, 2), points([(0, 0), (2, 1), (1, 5)])):
        mechanism = exponential(space, eps=eps)
        smallest = smallest_eps(mechanism.channel, space)
        assert smallest <= mechanism.guarantee.eps
        assert float(mechanism.guarantee.eps) <= float(smallest) * (1 + 1e-12)
        assert mechanism.guarantee.eps < Level(eps)
        assert float(mechanism.guarantee.eps) >= float(Level(eps)) / 2 * (1 - 1e-8)


def test_a_utility_that_reaches_far_beyond_the_diameter():
    """Scores 1000 apart on points at distance 1: no weight may be rounded away."""
    mechanism = exponential(discrete(range(3)), eps=1, utility=lambda x, y: -1000 * (x != y))
    assert (mechanism.channel.matrix.entries > 0).all()
    assert float(mechanism.guarantee.eps) == pytest.approx(500, rel=1e-6)
    exact = exponential(discrete(range(3)), eps="ln 2", utility=lambda x, y: -1000 * (x != y))
    assert exact.guarantee.eps == ln(2) * 500


def test_a_level_of_thousands_of_digits_is_rounded_up():
    mechanism = exponential(line(5), eps=3000)
    assert len(str(mechanism.guarantee.eps)) < 400
    assert smallest_eps(mechanism.channel, line(5)) <= mechanism.guarantee.eps


def test_other_outputs():
    channel = exponential(
        line(3), eps="ln 4", outputs=["no", "yes"], utility=lambda x, y: x if y == "yes" else 0
    ).channel
    assert channel.columns == ("no", "yes")
    assert channel[2, "yes"] == Q(4, 5)
    half = exponential(line(3), eps="ln 4", outputs=[0, 2]).channel
    assert half[1, 0] == Q(1, 2)


def test_what_exponential_refuses():
    apart = from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True)
    with pytest.raises(Malformed, match="finite"):
        exponential(apart, eps=1)
    with pytest.raises(Malformed, match="nothing to protect"):
        exponential(line(3), eps=1, outputs=[0])
    with pytest.raises(Malformed, match="at least one output"):
        exponential(line(3), eps=1, outputs=[])
    with pytest.raises(UnknownCategory):
        exponential(line(3), eps=1, outputs=["a"])
    with pytest.raises(Malformed, match="exact"):
        exponential(line([0.0, 0.7]), eps=1)
    for wrong in (math.nan, math.inf, None, "high"):
        with pytest.raises(DPrivacyError):
            exponential(line(3), eps=1, utility=lambda x, y, wrong=wrong: wrong)


# -- any metric -----------------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem 4.14", "Thm 4.13")
@pytest.mark.parametrize("eps", ["ln 2", "ln(3/2)"])
@pytest.mark.parametrize(
    "space",
    [
        line(4),
        discrete(range(4)),
        hamming_cube(3),
        graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "e")]),
        from_table(["x", "y", "z"], [[0, 2, 3], [2, 0, 4], [3, 4, 0]]),
    ],
)
def test_its_metric_is_exactly_the_one_given(space, eps):
    mechanism = any_metric(space, eps=eps)
    d = distinguishability(mechanism.channel)
    for x in space.labels:
        for z in space.labels:
            assert Level(d.distance(x, z)) == Level(eps) * space.distance(x, z)
    assert mechanism.tight


@pytest.mark.parametrize("space", [line(4), discrete(range(3)), hamming_cube(2)])
def test_half_of_every_row_is_shared_out_by_distance(space):
    """C[x, y] = e^(−ε·d)/(2n), and ⊥ has what is left."""
    mechanism = any_metric(space, eps="ln 3")
    n = len(space)
    for x in space.labels:
        for y in space.labels:
            assert mechanism.channel[x, y] == Q(1, 2 * n * 3 ** int(space.distance(x, y)))
        assert mechanism.channel[x, "⊥"] == 1 - sum(mechanism.channel[x, y] for y in space.labels)


def test_the_extra_output_has_a_name_of_its_own():
    assert any_metric(line(2), eps=1).channel.columns == (0, 1, "⊥")
    assert any_metric(line(2), eps=1, nothing="none").channel.columns == (0, 1, "none")
    with pytest.raises(Malformed, match="name the extra output"):
        any_metric(discrete(["⊥", "a"]), eps=1)
    with pytest.raises(Malformed, match="finite"):
        any_metric(from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True), eps=1)
    with pytest.raises(Malformed, match="exact"):
        any_metric(line([0.0, 0.7]), eps=1)


# -- building -------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", ["1", "1e-30", "1e-200", "700", "50000", "sqrt(2)"])
def test_a_factor_from_below(eps):
    level = Level(eps)
    low = factor_below(level)
    assert ln(low) <= level
    assert ln(low) > level * (1 - Q(1, 10**30))


def test_a_rational_factor_is_itself():
    assert factor_below(ln(Q(16, 7))) == Q(16, 7)
    assert SLACK < 1


def test_a_broken_promise_is_an_error_not_an_assertion():
    """Even where assertions are switched off."""
    identity = Channel([0, 1], [0, 1], [[1, 0], [0, 1]])
    with pytest.raises(NotPrivate, match="broke its promise"):
        promised("identity", identity, Guarantee(Level(1), line(2)))


def test_equal_mechanisms_are_equal_and_hash_alike():
    one, two = geometric(3, eps="ln 2"), geometric(line(3), eps=ln(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != geometric(3, eps="ln 3")
    assert one != any_metric(line(3), eps="ln 2")
    assert isinstance(one, ChannelMechanism)
    assert np.isclose(one.achieved()[0], math.log(2))
