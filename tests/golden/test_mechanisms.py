"""The sources' own mechanisms: printed tables, optimality, and where the print is wrong."""

import math
import random
from fractions import Fraction as Q
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from dprivacy.mechanisms import (
    any_metric,
    exponential,
    geometric,
    geometric_steps,
    integer_geometric,
    over_rows,
    over_truncated,
    pixelated_laplace,
    randomised_response,
    response_chance,
    response_eps,
    response_exponent,
)
from dprivacy.model import Channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, grid, hamming_cube, line, points
from dprivacy.verify import distinguishability, privacy, smallest_eps


def table(text: str) -> list[list[Q]]:
    return [[Q(entry) for entry in row.split()] for row in text.strip().splitlines()]


def rows(channel: Channel) -> list[list[Q]]:
    return [list(row) for row in channel.matrix.rows()]


# -- C: response mechanisms on categorical data ---------------------------------------------------


@pytest.mark.statement("C", "Ex 3")
def test_five_hobbies():
    """p = 1/10 keeps the true answer with probability 6/10: ε = ln 6 without slack."""
    hobbies = ["Sports", "Cars", "Television", "Computer games", "Reading"]
    assert response_eps(5, p="1/10") == ln(6)
    mechanism = randomised_response(hobbies, eps="ln 6")
    assert mechanism.channel["Cars", "Cars"] == Q(6, 10)
    assert mechanism.channel["Cars", "Reading"] == Q(1, 10)
    assert response_exponent(5, p="1/10") == ln(6)


def all_sets(n):
    return [A for k in range(1, n) for A in combinations(range(n), k)]


def least_error(m: int, a: float, delta: float) -> float:
    """The smallest worst-case chance of a changed answer, over all (ε, δ)-private parents.

    A linear program with one constraint for every ordered pair and every set of outputs; nothing of
    the library in it.
    """
    n = m + 1
    size = n * n + 1  # the matrix, and the largest error t
    upper, bound = [], []
    for x, z in permutations(range(n), 2):
        for A in all_sets(n):
            row = np.zeros(size)
            for y in A:
                row[x * n + y] += 1
                row[z * n + y] -= a
            upper.append(row)
            bound.append(delta)
    for x in range(n):
        row = np.zeros(size)
        row[x * n + x], row[-1] = -1, -1  # 1 − P[x, x] ≤ t
        upper.append(row)
        bound.append(-1)
    equal = np.hstack([np.kron(np.eye(n), np.ones(n)), np.zeros((n, 1))])
    cost = np.zeros(size)
    cost[-1] = 1
    solved = linprog(cost, A_ub=np.array(upper), b_ub=bound, A_eq=equal, b_eq=np.ones(n))
    assert solved.status == 0
    return solved.fun


@pytest.mark.statement("C", "Thm 10")
@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("a", [Q(11, 10), Q(3, 2), Q(2), Q(6), Q(50)])
@pytest.mark.parametrize("delta", [Q(0), Q(1, 100), Q(1, 10), Q(1, 2)])
def test_randomised_response_changes_the_fewest_answers(m, a, delta):
    p = response_chance(m + 1, eps=ln(a), delta=delta)
    assert least_error(m, float(a), float(delta)) == pytest.approx(float(m * p), abs=1e-9)
    mechanism = randomised_response(range(m + 1), eps=ln(a), delta=delta)
    assert 1 - mechanism.channel[0, 0] == m * p


@pytest.mark.statement("C", "Thm 9")
@pytest.mark.parametrize("a", [Q(3, 2), Q(6)])
def test_its_error_is_the_floor_of_the_bounds(a):
    mechanism = randomised_response(range(4), eps=ln(a))
    assert 1 - mechanism.channel[0, 0] == 1 / (1 + a / 3)


@pytest.mark.statement("C", "Thm 4", "Thm 7", "Thm 8")
@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("m", [1, 2])
def test_response_on_every_row_is_the_exponential_on_the_hamming_distance(n, m):
    """e^k = 1/p − m: product sanitisation has P(y) ∝ e^(−k·Hamming(x, y))."""
    p = Q(1, m + 4)
    single = randomised_response(range(m + 1), eps=ln((1 - m * p) / p))
    assert single.channel[0, 1] == p
    whole = over_rows(single, n)
    e_k = response_exponent(m + 1, p=p).exp()
    for x in whole.channel.rows:
        weights = {
            y: Q(1) / e_k ** sum(u != v for u, v in zip(x, y, strict=True))
            for y in whole.channel.columns
        }
        total = sum(weights.values())
        assert all(whole.channel[x, y] == w / total for y, w in weights.items())
    for delta in (Q(0), Q(1, 9), Q(1, 3)):
        a = response_eps(m + 1, p=p, delta=delta).exp()
        if a > 1:
            assert e_k == (a + m * delta) / (1 - delta)


# -- T: the thesis's mechanisms -------------------------------------------------------------------

EX_4_7 = {
    "TG": "2/3 1/6 1/6\n1/3 1/3 1/3\n1/6 1/6 2/3",
    "OTG": "2/3 1/3\n1/3 2/3\n1/6 5/6",
    "E": "4/7 2/7 1/7\n1/4 1/2 1/4\n1/7 2/7 4/7",
    "R": "1/2 1/4 1/4\n1/4 1/2 1/4\n1/4 1/4 1/2",
}


@pytest.mark.statement("T", "Ex 4.7", "Def 3.4.2", "Def 3.4.3", "Def 4.7.1", "Def 4.7.2")
@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("TG", lambda: geometric(line([1, 2, 3]), eps="ln 2")),
        ("OTG", lambda: over_truncated(line([1, 2, 3]), [1, 2], eps="ln 2")),
        ("E", lambda: exponential(line([1, 2, 3]), eps="ln 4")),
        ("R", lambda: randomised_response([1, 2, 3], eps="ln 2")),
    ],
)
def test_the_four_channels_of_the_example(name, build):
    mechanism = build()
    assert rows(mechanism.channel) == table(EX_4_7[name])
    expected = ln(Q(16, 7)) if name == "E" else ln(2)
    assert mechanism.guarantee.eps == expected
    assert smallest_eps(mechanism.channel, line([1, 2, 3])) == expected
    assert mechanism.tight


@pytest.mark.statement("T", "Eq 7.4", "Eq 7.5", "Def 3.4.1")
@pytest.mark.parametrize("alpha", [Q(1, 2), Q(1, 3), Q(9, 10)])
def test_the_geometric_distribution_sums_to_1(alpha):
    """(1 − α)/(1 + α)·α^|n|; the printed 1/(1 + α) sums to 1/(1 − α)."""
    series = 1 + 2 * alpha / (1 - alpha)  # Σ α^|n| over all integers
    assert (1 - alpha) / (1 + alpha) * series == 1
    assert 1 / (1 + alpha) * series == 1 / (1 - alpha)
    # what the library draws on a wide range, away from its ends, is the first
    inside = geometric(41, eps=ln(1 / alpha)).channel
    for n in range(-5, 6):
        assert inside[20, 20 + n] == (1 - alpha) / (1 + alpha) * alpha ** abs(n)
    assert integer_geometric(eps=ln(1 / alpha)).guarantee.because == "T Def 3.4.1"


@pytest.mark.statement("T", "Lem 4.14", "Thm 4.13")
@pytest.mark.parametrize("seed", range(12))
def test_any_metric_is_a_distinguishability_metric(seed):
    """With the ⊥ column of ERRATA E29, d_C = d exactly; also for the source's own scale 1/e."""
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    spots = sorted({(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(n)} | {(0, 0), (1, 1)})
    space = [
        points(spots),  # √2, √5, …
        grid(2, 2),
        from_table(
            range(n),
            [[abs(i - j) * Q(1, 3) for j in range(n)] for i in range(n)],
        ),
        hamming_cube(2),
    ][seed % 4]
    d = np.array(space.distances.floats)
    printed_scale = np.exp(-d - 1) / len(space)
    source = np.hstack([printed_scale, 1 - printed_scale.sum(axis=1, keepdims=True)])
    assert np.allclose(largest_log_ratio(source), d)
    mechanism = any_metric(space, eps=1)
    own = largest_log_ratio(mechanism.channel.matrix.floats)
    assert np.allclose(own, d, rtol=1e-8)
    exact = distinguishability(mechanism.channel)
    for x, z in permutations(space.labels, 2):
        assert Level(exact.distance(x, z)) <= Level(space.distance(x, z))


def largest_log_ratio(matrix):
    logs = np.log(matrix)
    return np.abs(logs[:, None] - logs[None]).max(axis=2)


@pytest.mark.statement("T", "Lem 4.14")
def test_the_printed_bottom_column_is_no_channel():
    """Σ_y e^(−d(x, x') − 1) with x' = x for every y gives rows that do not sum to 1."""
    d = np.array(line(3).distances.floats)
    body = np.exp(-d - 1) / 3
    printed = 1 - np.array([3 * math.exp(-d[x, x] - 1) / 3 for x in range(3)])
    assert not np.allclose(body.sum(axis=1) + printed, 1)


G_2 = "4/5 3/20 1/20\n1/5 3/5 1/5\n1/20 3/20 4/5"
G_4 = """
2/3 1/6 1/12 1/24 1/24
1/3 1/3 1/6 1/12 1/12
1/6 1/6 1/3 1/6 1/6
1/12 1/12 1/6 1/3 1/3
1/24 1/24 1/12 1/6 2/3
"""


def bayes_risk(matrix: list[list[Q]]) -> Q:
    return 1 - sum(max(column) for column in zip(*matrix, strict=True)) / len(matrix)


@pytest.mark.statement("T", "Def 7.5.2")
def test_the_two_matrices_of_section_7_6():
    two, four = geometric_steps(2, eps="ln 16").channel, geometric_steps(4, eps="ln 16").channel
    assert rows(two) == table(G_2)
    assert rows(four) == table(G_4)
    assert bayes_risk(rows(two)) == Q(4, 15)
    M = four.restrict([0, Q(1, 2), 1])
    assert bayes_risk(rows(M)) == Q(1, 3)
    assert bayes_risk(rows(four)) == Q(8, 15)
    lifted = table("2/3 1/6 1/6\n2/3 1/6 1/6\n1/3 1/3 1/3\n1/3 1/3 1/3\n1/6 1/6 2/3")
    assert bayes_risk(lifted) == Q(2, 3)


@pytest.mark.statement("T", "Def 7.5.2", "Lem 7.7")
@pytest.mark.parametrize("T", [2, 4, 8])
def test_pixelated_laplace_on_two_steps(T):
    """(7.8) by hand at e^(−ε/8) = 1/2, where every weight is rational."""
    eps = ln(2) * 8
    L = pixelated_laplace(2, T, eps=eps).channel

    def below(x: Q, y: Q) -> Q:
        weight = Q(1, 2 ** int(abs(y - x) * 8)) / 2
        return weight if y < x else 1 - weight

    for x in (Q(0), Q(1, 2), Q(1)):
        cuts = [Q(0), *(below(x, Q(t, T)) for t in range(1, T)), Q(1)]
        assert [L[x, Q(t, T)] for t in range(T)] == [cuts[t + 1] - cuts[t] for t in range(T)]
    G = geometric_steps(2, eps=eps).channel
    R = (G.inverse().matrix @ L.matrix).rows()
    assert min(min(row) for row in R) >= 0
    assert privacy(L, geometric_steps(2, eps=eps).space, eps=eps)


# -- M: metric spaces -----------------------------------------------------------------------------


@pytest.mark.statement("M", "Ex 7", "Ex 6")
@pytest.mark.parametrize("delta", [Q(0), Q(1, 10)])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_randomised_response_reaches_the_bound_on_the_discrete_metric(m, delta):
    a = Q(3)
    mechanism = randomised_response(range(m + 1), eps=ln(a), delta=delta)
    p = mechanism.channel[0, 1]
    assert 1 - p * m == a * p + delta
    assert m * p == (1 - delta) * m / (m + a)
    space = discrete(range(m + 1))
    worst = max(
        sum(mechanism.channel[x, y] * space.distance(x, y) for y in space.labels)
        for x in space.labels
    )
    assert worst == (1 - delta) * m / (m + a)


@pytest.mark.statement("T", "Def 10.3.7")
def test_bits_are_rows():
    from dprivacy.mechanisms import bitwise_response

    bits = bitwise_response(3, eps="ln 3").channel
    assert bits.matrix == over_rows(randomised_response([0, 1], eps="ln 3"), 3).channel.matrix
    for v, y in product(bits.rows, repeat=2):
        flips = sum(p != q for p, q in zip(v, y, strict=True))
        assert bits[v, y] == Q(3 ** (3 - flips), 64)
