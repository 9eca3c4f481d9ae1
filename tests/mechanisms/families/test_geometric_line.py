"""Geometric noise on a line, and over-truncated: the closed forms by other means."""

import math
from fractions import Fraction as Q
from itertools import permutations

import pytest

from dprivacy.errors import DPrivacyError, DuplicateLabel, Malformed
from dprivacy.mechanisms import geometric, geometric_steps, over_truncated
from dprivacy.numbers import ln
from dprivacy.spaces import discrete, from_table, graph, grid, hamming_cube, line, quantised
from dprivacy.verify import distinguishability, privacy

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
