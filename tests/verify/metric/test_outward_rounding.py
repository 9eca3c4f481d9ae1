"""Certificates: never weaker than asked, close to what came, refused where nothing can be certified."""

import json
import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction as Q
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import SpaceMismatch, Uncertified
from dprivacy.mechanisms import (
    any_metric,
    exponential,
    geometric,
    over_truncated,
    randomised_response,
)
from dprivacy.model import Channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, grid, line, points
from dprivacy.verify import privacy, smallest_eps
from dprivacy.verify.metric.outward_rounding import (
    bits_for,
    domain_hash,
    enclosure,
    exactly,
    round_outward,
    weights_hash,
)


def rational_truth(channel: Channel, distances, a: Q) -> bool:
    """a^d privacy by the definition, for whole distances and rational e^ε: Fractions alone."""
    rows = channel.matrix.rows()
    return all(
        p <= a ** int(distances[i][j]) * q
        for i, j in permutations(range(len(rows)), 2)
        for p, q in zip(rows[i], rows[j], strict=True)
    )


def true_eps(channel: Channel, space) -> Decimal:
    """The smallest ε by its definition, in decimals of 80 digits."""
    entries = channel.matrix.entries.tolist()
    worst = Decimal(0)
    with localcontext() as context:
        context.prec = 80
        for i, j in permutations(range(len(entries)), 2):
            low, high = Level(space.distances[i, j]).bounds(300)
            middle = (low + high) / 2
            apart = Decimal(middle.numerator) / Decimal(middle.denominator)
            for p, q in zip(entries[i], entries[j], strict=True):
                if p > q:
                    if q == 0:
                        return Decimal("inf")
                    worst = max(worst, (Decimal(p) / Decimal(q)).ln() / apart)
    return worst


def decimal(level) -> Decimal:
    low, high = Level(level).bounds(300)
    with localcontext() as context:
        context.prec = 80
        return Decimal(((low + high) / 2).numerator) / Decimal(((low + high) / 2).denominator)


def variation(left, right) -> float:
    return float(np.abs(np.asarray(left) - np.asarray(right)).sum(axis=1).max() / 2)


# -- certified ε is at least the true one ---------------------------------------------------------


def random_space(rng: random.Random):
    """A random exact metric: on a line, in the plane with √ distances, a graph's, unordered."""
    n = rng.randint(2, 5)
    kind = rng.randrange(4)
    if kind == 0:
        values = sorted(
            {Q(rng.randint(0, 400), rng.choice([1, 3, 7, 10])) for _ in range(n)} | {Q(-1)}
        )
        return line(values)
    if kind == 1:
        spots = sorted({(rng.randint(0, 5), rng.randint(0, 5)) for _ in range(n)} | {(9, 9)})
        return points(spots)
    if kind == 2:
        table = [[Q(0)] * n for _ in range(n)]
        for i in range(n):
            for j in range(i):
                table[i][j] = table[j][i] = Q(rng.randint(1, 60), rng.randint(1, 9))
        return from_table([f"p{k}" for k in range(n)], table, close=True)
    return discrete([f"p{k}" for k in range(n)])


def random_level(rng: random.Random) -> Level:
    kind = rng.randrange(5)
    if kind == 0:
        return ln(Q(rng.randint(2, 30), rng.randint(1, 1)))
    if kind == 1:
        return ln(1 + Q(1, rng.randint(1, 50)))
    if kind == 2:
        return Level(Q(rng.randint(1, 4000), 1000))
    if kind == 3:
        return Level(rng.random() * 3 + 1e-9)
    return Level(Q(1, 10 ** rng.randint(1, 20)))


def random_mechanism(rng: random.Random):
    space, eps = random_space(rng), random_level(rng)
    kind = rng.randrange(5)
    if kind == 0:
        return randomised_response(space, eps=eps)
    if kind == 1:
        return exponential(space, eps=eps)
    if kind == 2 and isinstance(space.labels[0], Q):
        return geometric(space, eps=eps)
    if kind == 3:
        low = rng.randint(-3, 3)
        outputs = rng.sample(range(low, low + 9), rng.randint(1, 6))
        return over_truncated(line(range(rng.randint(2, 5))), outputs, eps=eps)
    return any_metric(space, eps=eps)


def check_against_the_truth(seed: int) -> None:
    rng = random.Random(seed)
    mechanism = random_mechanism(rng)
    stated = decimal(mechanism.guarantee.eps)
    true = true_eps(mechanism.channel, mechanism.space)
    low, high = mechanism.achieved()
    with localcontext() as context:
        context.prec = 80
        assert true <= stated * (1 + Decimal(10) ** -50)
        assert Decimal(low) <= true * (1 + Decimal(10) ** -50)
        assert true <= Decimal(high) * (1 + Decimal(10) ** -50)
        assert Decimal(high) - Decimal(low) <= true * Decimal("1e-15")
        loose = mechanism.family == "over_truncated"  # need not use up its ε
        if not loose:
            assert true >= stated * (1 - Decimal("1e-8"))
    assert mechanism.tight == (mechanism.verify().smallest == mechanism.guarantee.eps)


@pytest.mark.parametrize("start", range(0, 300, 25))
def test_certified_levels_bound_the_true_ones(start):
    for seed in range(start, start + 25):
        check_against_the_truth(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 11000, 500))
def test_certified_levels_bound_the_true_ones_ten_thousand_times(start):
    for seed in range(start, start + 500):
        check_against_the_truth(seed)


# -- exactly: float channels become integers ------------------------------------------------------


def certified(channel: Channel, space, eps, *, most: float = 2.0**-14):
    """Certify, and check everything that a certificate says."""
    certificate = exactly(channel, space, eps=eps)
    integers = certificate.channel
    level = Level(eps)
    assert certificate
    assert certificate.exact
    assert certificate.eps == level
    assert integers.exact
    assert integers.rows == channel.rows
    assert integers.columns == channel.columns
    assert set(integers.matrix.entries.sum(axis=1).tolist()) == {integers.matrix.den}
    verdict = privacy(integers, space, eps=level)
    assert verdict.holds
    smallest = smallest_eps(integers, space)
    low, high = certificate.achieved
    assert low <= float(smallest) <= high
    assert Level(high) <= level * (1 + Q(1, 10**15))
    assert variation(integers.matrix.floats, channel.matrix.floats) <= most
    assert certificate.weights_hash == weights_hash(integers)
    json.dumps(certificate.to_dict())
    assert "smallest ε lies in" in certificate.explain()
    return certificate


def naive_geometric(n: int, eps: float) -> Channel:
    """The truncated geometric as anyone would write it in doubles."""
    a = math.exp(-eps)
    ends = np.full(n, (1 - a) / (1 + a))
    ends[[0, -1]] = 1 / (1 + a)
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return Channel(range(n), range(n), ends * np.exp(-eps * apart))


@pytest.mark.parametrize(("n", "eps"), [(5, 1.0), (20, 0.3), (40, 1.0), (60, 2.0), (100, 1.0)])
def test_a_naive_geometric_channel(n, eps):
    certificate = certified(naive_geometric(n, eps), line(n), eps)
    assert certificate.share <= Q(1, 1 << 40)
    assert (certificate.channel.matrix.entries > 0).all()
    assert certificate.achieved[0] > eps * (1 - 1e-9)


def test_a_naive_geometric_channel_that_has_underflowed():
    """ε·diameter of 800: zero cells in doubles, an infinite true ε; what is certified has none."""
    channel = naive_geometric(101, 8.0)
    assert (channel.matrix.floats == 0).any()
    certificate = certified(channel, line(101), 8.0)
    assert (certificate.channel.matrix.entries > 0).all()


@pytest.mark.parametrize("eps", [0.01, 0.5, 1.0, 5.0])
@pytest.mark.parametrize("kind", ["response", "exponential", "geometric", "any"])
def test_float_copies_of_the_families(kind, eps):
    space = line(6)
    build = {
        "response": randomised_response,
        "exponential": exponential,
        "geometric": geometric,
        "any": any_metric,
    }[kind]
    exact = build(space, eps=eps)
    copy = Channel(exact.channel.rows, exact.channel.columns, exact.channel.matrix.floats)
    certificate = certified(copy, space, exact.guarantee.eps)
    assert certificate.share <= Q(1, 1 << 36)
    assert variation(certificate.channel.matrix.floats, copy.matrix.floats) < 1e-9


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_random_channels_at_their_measured_level(seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(2, 6, 2)
    channel = Channel(range(n), range(k), rng.dirichlet(np.full(k, 0.7), n) * 0.99 + 0.01 / k)
    certificate = exactly(channel, line(int(n)))
    certified(channel, line(int(n)), certificate.eps, most=1e-11)
    assert float(certificate.eps) <= float(smallest_eps(channel, line(int(n)))) * (1 + 1e-9) + 1e-9


def solved_program(n: int, eps: float, loss) -> Channel:
    """The optimal mechanism for a loss by HiGHS, in doubles: vertices with many zeros and ties."""
    from scipy.optimize import linprog

    size = n * n
    upper = []
    for x in range(n - 1):
        for y in range(n):
            for one, other in ((x, x + 1), (x + 1, x)):
                row = np.zeros(size)
                row[one * n + y], row[other * n + y] = 1, -math.exp(eps)
                upper.append(row)
    equal = np.kron(np.eye(n), np.ones(n))
    cost = np.array([loss(x, y) for x in range(n) for y in range(n)], dtype=float)
    solved = linprog(cost, A_ub=upper, b_ub=np.zeros(len(upper)), A_eq=equal, b_eq=np.ones(n))
    table = np.maximum(solved.x.reshape(n, n), 0)
    return Channel(range(n), range(n), table / table.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("eps", [0.2, 0.7, 1.3])
@pytest.mark.parametrize(
    "loss", [lambda x, y: abs(x - y), lambda x, y: x != y, lambda x, y: (x - y) ** 2 * (x + 1)]
)
def test_solutions_of_linear_programs(eps, loss):
    channel = solved_program(6, eps, loss)
    certificate = certified(channel, line(6), eps)
    columns = channel.matrix.floats.max(axis=0) > 1e-9
    assert (certificate.channel.matrix.entries[:, columns] > 0).all()


@pytest.mark.parametrize("excess", [1e-3, 0.05, 1.0])
@pytest.mark.parametrize("eps", [0.1, 1.0])
def test_a_channel_that_is_not_private_is_refused(eps, excess):
    """A real breach is not explained by rounding."""
    exact = geometric(5, eps=eps + excess).channel
    copy = Channel(exact.rows, exact.columns, exact.matrix.floats)
    with pytest.raises(Uncertified, match="further from"):
        exactly(copy, line(5), eps=eps)
    with pytest.raises(Uncertified, match="exact and not"):
        exactly(exact, line(5), eps=eps)


def test_a_certain_answer_is_refused():
    identity = Channel([0, 1], [0, 1], np.eye(2))
    with pytest.raises(Uncertified):
        exactly(identity, line(2), eps=1)
    with pytest.raises(Uncertified, match="no finite ε"):
        exactly(identity, line(2))


def test_a_leak_of_one_in_a_million_is_refused():
    """Output 2 proves input 0; it is far more than rounding."""
    leak = Channel([0, 1], [0, 1, 2], [[0.6, 0.4 - 1e-6, 1e-6], [0.4, 0.6, 0.0]])
    with pytest.raises(Uncertified):
        exactly(leak, line(2), eps=1)


def test_rows_of_doubles_that_sum_to_more_than_1():
    """The sums of a float channel may be off by 1e-9; a zero cell must not become negative."""
    channel = Channel([0, 1], [0, 1], [[1 + 9e-10, 0.0], [0.5, 0.5]])
    certificate = exactly(channel, line(2), eps=40)
    assert (certificate.channel.matrix.entries > 0).all()
    assert privacy(certificate.channel, line(2), eps=40)
    below = Channel([0, 1], [0, 1], [[1 - 9e-10, 0.0], [0.5, 0.5]])
    assert privacy(exactly(below, line(2), eps=40).channel, line(2), eps=40)


def test_an_exact_channel_stays_as_it_is():
    mechanism = geometric(4, eps="ln 3")
    certificate = exactly(mechanism.channel, line(4), eps="ln 3")
    assert certificate.channel == mechanism.channel
    assert certificate.share == 0
    assert certificate.achieved[0] <= math.log(3) <= certificate.achieved[1]
    assert certificate.worst.ratio == 3
    assert exactly(mechanism, line(4)).eps == ln(3)


def test_the_order_of_the_space_does_not_matter():
    channel = Channel([2, 0, 1], [0, 1], [[0.2, 0.8], [0.6, 0.4], [0.4, 0.6]])
    certificate = exactly(channel, line(3), eps=1)
    assert certificate.channel.rows == (2, 0, 1)
    assert privacy(certificate.channel, line(3), eps=1)


def test_a_constant_channel_needs_next_to_nothing():
    flat = Channel(range(3), range(3), [[0.1, 0.2, 0.7]] * 3)
    assert float(exactly(flat, line(3)).eps) < 1e-11
    assert exactly(flat, line(3), eps=1e-12).achieved[1] <= 1e-12


def test_infinite_distances_protect_nothing():
    apart = from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True)
    identity = Channel(["a", "b"], [0, 1], np.eye(2))
    assert privacy(exactly(identity, apart, eps=1).channel, apart, eps=1)


def test_wrong_spaces_are_refused():
    flat = Channel(range(2), range(2), [[0.5, 0.5]] * 2)
    with pytest.raises(SpaceMismatch):
        exactly(flat, line(3), eps=1)
    with pytest.raises(Uncertified, match="exact distances"):
        exactly(flat, line([0.0, 1.0]), eps=1)


# -- far apart, close together --------------------------------------------------------------------


@pytest.mark.parametrize("total", [36, 100, 1000, 10_000])
@pytest.mark.parametrize("build", [geometric, any_metric, randomised_response, exponential])
def test_no_zero_up_to_ten_thousand(build, total):
    """ε·diameter from 36, where doubles start to fail, to 10^4."""
    mechanism = build(line(3), eps=Q(total, 2))
    assert (mechanism.channel.matrix.entries > 0).all()
    assert privacy(mechanism.channel, line(3), eps=mechanism.guarantee.eps)
    if build is not exponential:
        assert mechanism.achieved()[0] > total / 2 * (1 - 1e-8)


def test_far_beyond_it_is_said_that_it_is_too_far():
    with pytest.raises(Uncertified, match="bits"):
        geometric(3, eps=10**5)
    with pytest.raises(Uncertified, match="bits"):
        geometric(3, eps=10**300)
    with pytest.raises(Uncertified, match="bits"):
        bits_for(line(2), Level(Q(1, 10**400)))


@pytest.mark.parametrize("near", ["1e-3", "1e-20", "1e-40", "1e-100"])
@pytest.mark.parametrize("build", [geometric, any_metric, randomised_response])
def test_points_close_together(build, near):
    """The closer two points, the finer the integers must be."""
    space = line(["0", near, "1", str(1 + Q(near))])
    mechanism = build(space, eps=1)
    true = true_eps(mechanism.channel, space) if Q(near) > Q(1, 10**30) else Decimal(1)
    assert Decimal("0.99999999") <= true <= 1
    low, high = mechanism.achieved()
    assert 1 - 1e-8 <= low <= high <= 1


def test_an_enclosure_is_next_to_what_it_encloses():
    for eps in (ln(2), Level(Q(1, 3)), ln(1 + Q(1, 10**40)) * 10**40, ln(2) * Q(1, 10**30)):
        low, high = enclosure(eps)
        assert Level(low) <= eps <= Level(high)
        assert 0 < low <= high <= low * (1 + 2**-50)
    assert enclosure(math.inf) == (math.inf, math.inf)
    assert enclosure(Level(0)) == (0.0, 0.0)


def test_rounding_outward_keeps_the_sums():
    thirds = [[Q(1, 3)] * 3, [Q(1, 2), Q(1, 4), Q(1, 4)]]
    rounded = round_outward(["a", "b"], ["x", "y", "z"], thirds, 10, Q(0))
    assert rounded.matrix.den == 1 << 10 or (1 << 10) % rounded.matrix.den == 0
    assert variation(rounded.matrix.floats, [[1 / 3] * 3, [0.5, 0.25, 0.25]]) < 4 / 1024


# -- hashes ---------------------------------------------------------------------------------------


def test_hashes_tell_domains_and_weights_apart():
    base = geometric(3, eps="ln 2")
    other = geometric(3, eps="ln 3")
    assert weights_hash(base.channel) != weights_hash(other.channel)
    assert weights_hash(base.channel) == weights_hash(geometric(3, eps="ln 2").channel)
    assert domain_hash(base.channel, line(3)) == domain_hash(other.channel, line(3))
    assert domain_hash(base.channel, line(3)) != domain_hash(base.channel, discrete(range(3)))
    moved = Channel(range(3), ["a", "b", "c"], base.channel.matrix)
    assert domain_hash(moved, line(3)) != domain_hash(base.channel, line(3))


def test_a_hash_tells_a_number_from_its_text():
    numbers = Channel([0, 1], [0, 1], [["1/2", "1/2"]] * 2)
    texts = Channel(["0", "1"], ["0", "1"], [["1/2", "1/2"]] * 2)
    assert domain_hash(numbers, discrete([0, 1])) != domain_hash(texts, discrete(["0", "1"]))


@pytest.mark.parametrize("a", [Q(2), Q(3, 2), Q(101, 100)])
@pytest.mark.parametrize("space", [line(4), grid(2, 2, metric="manhattan"), discrete(range(4))])
def test_rational_levels_by_fractions_alone(space, a):
    n = range(len(space))
    distances = [[space.distances[i, j] for j in n] for i in n]
    for build in (any_metric, randomised_response):
        mechanism = build(space, eps=ln(a))
        assert mechanism.tight
        assert rational_truth(mechanism.channel, distances, a)
        assert not rational_truth(mechanism.channel, distances, a - Q(1, 10**12))


def test_a_level_without_an_exact_form_is_enclosed():
    """What was rounded up is the upper end, not the level itself."""
    space = from_table([0, 1], [[0, "ln 3"], ["ln 3", 0]])
    low, high = exactly([["2/3", "1/3"], ["1/3", "2/3"]], space).achieved
    assert high == math.nextafter(low, 1)
    assert low * ln(3) < ln(2) < high * ln(3)
    assert enclosure(math.inf) == (math.inf, math.inf)
