"""The single-precision sweep must give what plain double precision gives, to the last bit."""

import math
import random
import tracemalloc
from decimal import Decimal, localcontext

import numpy as np
import pytest

from dprivacy.errors import TooLarge
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Mat
from dprivacy.spaces import FiniteSpace, from_table, line
from dprivacy.spaces.distance_matrix import Distances
from dprivacy.verify import smallest_eps
from dprivacy.verify.metric.row_ratios import RowRatios, largest_rate, pair_sizes, rate_of_pairs


def plain(logs, distances) -> float:
    best = -1.0
    for i in range(len(logs)):
        for j in range(i + 1, len(logs)):
            best = max(best, float(np.abs(logs[i] - logs[j]).max() / distances[i, j]))
    return best


def euclid(rng, n: int) -> np.ndarray:
    places = rng.random((n, 2))
    return np.linalg.norm(places[:, None] - places[None], axis=2) + (1 - np.eye(n)) * 1e-3


def random_logs(rng, kind: str, n: int, m: int) -> np.ndarray:
    if kind == "smooth":
        return np.log(rng.dirichlet(np.ones(m), size=n))
    if kind == "wide":  # probabilities from 1e−300 to 1
        return -rng.random((n, m)) * 690
    if kind == "ties":  # very many pairs reach the same largest difference
        return np.where(rng.random((n, m)) < 0.5, -1.0, -2.0)
    if kind == "near":  # differences below what single precision can see
        return -3 + rng.random((n, m)) * 1e-9
    if kind == "flat":
        return np.full((n, m), math.log(1 / m))
    if kind == "denormal":
        return np.log(rng.integers(1, 50, size=(n, m)) * 5e-324)
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["smooth", "wide", "ties", "near", "flat", "denormal"])
@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 7), (127, 5), (128, 5), (129, 4), (260, 3)])
def test_the_sweep_equals_double_precision(kind, n, m) -> None:
    rng = np.random.default_rng(n * 1000 + m)
    logs, distances = random_logs(rng, kind, n, m), euclid(rng, n)
    found, i, j = largest_rate(logs, distances)
    assert found == plain(logs, distances)
    assert found == np.abs(logs[i] - logs[j]).max() / distances[i, j]


@pytest.mark.parametrize("share", [0.01, 0.1, 0.2, 1.0])
def test_few_pairs_and_many_are_measured_alike(share) -> None:
    rng = np.random.default_rng(5)
    logs = random_logs(rng, "wide", 150, 9)
    pairs = np.argwhere(rng.random((150, 150)) < share)  # in either order, a row with itself, too
    assert pair_sizes(logs, pairs).tolist() == [np.abs(logs[i] - logs[j]).max() for i, j in pairs]


@pytest.mark.parametrize("bits", [60, 900, 1400])  # doubles hold integers of up to 1,023 bits
def test_logarithms_of_integers_are_as_near_as_is_said(bits) -> None:
    rng = random.Random(bits)
    cuts = sorted(rng.randrange(1, 1 << rng.randrange(2, bits)) for _ in range(40))
    row = [b - a for a, b in zip([0, *cuts], [*cuts, 1 << bits], strict=True)]
    rows = [row, rng.sample(row, len(row))]
    ratios = RowRatios(Channel(["x", "z"], range(len(row)), Mat.over(1 << bits, rows)))
    common = (1 << bits) // ratios.channel.matrix.den
    with localcontext(prec=60):
        for y, (a, b) in enumerate(zip(*rows, strict=True)):
            if a and b:
                exact = Decimal(a // common).ln() - Decimal(b // common).ln()
                found = Decimal(float(ratios.logs[0, y] - ratios.logs[1, y]))
                assert abs(exact - found) <= ratios.error


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_extreme_distances(scale) -> None:
    rng = np.random.default_rng(7)
    logs, distances = random_logs(rng, "wide", 40, 6), euclid(rng, 40) * scale
    with np.errstate(over="ignore"):
        assert largest_rate(logs, distances)[0] == plain(logs, distances)


def test_distances_of_every_magnitude() -> None:
    rng = np.random.default_rng(11)
    logs = random_logs(rng, "wide", 60, 4)
    spread = 10.0 ** rng.uniform(-12, 12, (60, 60))
    distances = np.triu(spread, 1) + np.triu(spread, 1).T
    assert largest_rate(logs, distances)[0] == plain(logs, distances)


def test_the_largest_may_hide_behind_single_precision() -> None:
    # two candidates whose rates differ by less than a single can tell; the later one is larger
    logs = np.array([[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0 - 1e-12]])
    distances = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 9.0], [1.0, 9.0, 0.0]])
    found, i, j = largest_rate(logs, distances)
    assert (found, i, j) == (1.0 + 1e-12, 0, 2)


@pytest.mark.filterwarnings("error")
def test_distances_so_small_that_rates_overflow() -> None:
    table = [[0.0, 5e-324, 1e-323], [5e-324, 0.0, 1e-323], [1e-323, 1e-323, 0.0]]
    space = from_table([0, 1, 2], table)
    with pytest.raises(TooLarge, match="beyond the largest double"):
        smallest_eps([[0.5, 0.5], [0.25, 0.75], [0.3, 0.7]], space)
    assert smallest_eps([[0.5, 0.5]] * 3, space) == 0


def test_rate_of_given_pairs_only() -> None:
    logs = np.array([[0.0], [-5.0], [-6.0]])
    distances = np.ones((3, 3))
    assert rate_of_pairs(logs, distances, np.array([[1, 2]])) == (1.0, 1, 2)
    assert rate_of_pairs(logs, distances, np.array([[1, 2], [0, 2], [0, 1]])) == (6.0, 0, 2)


def channel_and_space(rng, n: int, m: int, *, zeros: bool) -> tuple[Channel, FiniteSpace]:
    table = rng.dirichlet(np.ones(m) / 3, size=n)
    table = np.maximum(table, 1e-300)
    if zeros:
        table[:, 0] = 0.0
    table /= table.sum(axis=1, keepdims=True)
    return as_channel(table), FiniteSpace(range(n), Distances(euclid(rng, n)))


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize(("n", "m"), [(3, 2), (60, 9), (300, 20)])
def test_smallest_eps_of_float_channels(zeros, n, m) -> None:
    channel, space = channel_and_space(np.random.default_rng(n + m), n, m, zeros=zeros)
    table = channel.matrix.floats[:, 1:] if zeros else channel.matrix.floats
    assert smallest_eps(channel, space) == plain(np.log(table), space.distances.floats)


def test_one_differing_zero_is_found_among_many_rows() -> None:
    rng = np.random.default_rng(3)
    channel, space = channel_and_space(rng, 50, 8, zeros=True)
    table = np.array(channel.matrix.floats)
    table[37, 1] = 0.0
    table[37] /= table[37].sum()
    assert smallest_eps(as_channel(table), space) == math.inf


def test_zeros_do_not_take_memory_for_every_pair() -> None:
    n, m = 400, 300
    channel, space = channel_and_space(np.random.default_rng(5), n, m, zeros=True)
    tracemalloc.start()
    try:
        smallest_eps(channel, space)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 80e6  # all pairs of rows as doubles would be 190 MB a side


@pytest.mark.parametrize("seed", range(20))
def test_float_pseudo_and_extended_metrics_by_definition(seed) -> None:
    rng = np.random.default_rng(seed)
    n, m = 7, 3
    places, group = rng.integers(0, 4, n), rng.integers(0, 2, n)
    distances = np.abs(places[:, None] - places).astype(float)
    distances[group[:, None] != group] = math.inf
    np.fill_diagonal(distances, 0.0)
    table = rng.dirichlet(np.ones(m), size=n)
    if seed % 2:  # equal places get equal rows
        for i in range(n):
            twin = next(k for k in range(n) if places[k] == places[i] and group[k] == group[i])
            table[i] = table[twin]
    expected = 0.0
    for i in range(n):
        for j in range(i):
            if distances[i, j] == math.inf:
                continue
            gap = np.abs(np.log(table[i]) - np.log(table[j])).max()
            if gap:
                expected = max(expected, gap / distances[i, j] if distances[i, j] else math.inf)
    assert smallest_eps(as_channel(table), FiniteSpace(range(n), Distances(distances))) == expected


def test_line_with_float_points_agrees_with_all_pairs() -> None:
    rng = np.random.default_rng(1)
    points = np.sort(rng.random(50)) * 10
    table = rng.dirichlet(np.ones(6), size=50)
    found = smallest_eps(as_channel(table, rows=points.tolist()), line(points.tolist()))
    assert found == pytest.approx(plain(np.log(table), np.abs(points[:, None] - points)), rel=1e-12)
