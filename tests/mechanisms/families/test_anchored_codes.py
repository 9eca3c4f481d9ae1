"""Laplace beside codes: the channel by its definition, and every ratio in fractions."""

import itertools
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber, TooLarge
from dprivacy.mechanisms import coded_laplace
from dprivacy.numbers import ln

SPACES = [(10, 1, Q(2, 3), 3, 5), (20, 3, Q(9, 10), 10, 0), (7, 2, Q(1, 2), 4, 7)]


def defined(n, codes, r, a, m):
    """The rows from the definition: a class by randomised response, then clamped noise."""
    odds = r**-a
    right, wrong = odds / (odds + codes), 1 / (odds + codes)

    def noise(x):
        row = [r ** abs(x - y) * (1 - r) / (1 + r) for y in range(n + 1)]
        row[0], row[n] = r**x / (1 + r), r ** (n - x) / (1 + r)
        return row

    rows = [[right * v for v in noise(x)] + [wrong] * codes for x in range(n + 1)]
    for c in range(codes):
        kept = [right if c == other else wrong for other in range(codes)]
        rows.append([wrong * v for v in noise(m)] + kept)
    return rows


@pytest.mark.statement("A", "Thm 1")
@pytest.mark.parametrize(("n", "codes", "r", "a", "m"), SPACES)
def test_the_channel_is_the_definition_and_every_ratio_is_within_its_factor(n, codes, r, a, m):
    names = [f"c{k}" for k in range(codes)]
    made = coded_laplace(0, n, codes=names, eps=ln(1 / r), grid=1, anchor=m, code_distance=a)
    rows = defined(n, codes, r, a, m)
    assert made.channel.matrix.rows() == rows
    assert made.channel.rows == made.channel.columns == (*range(n + 1), *names)
    assert made.tight
    tight = 0
    for (i, one), (j, other) in itertools.product(enumerate(rows), repeat=2):
        gap = (i != j) * a if min(i, j) > n else abs(i - j)
        if min(i, j) <= n < max(i, j):
            gap = a + abs(min(i, j) - m)
        worst = max(p / q for p, q in zip(one, other, strict=True))
        assert worst <= r**-gap
        tight += worst == r**-gap
    # All but the pairs that noise around the anchor makes a little safer.
    assert tight >= len(rows) * (len(rows) - 1) * 4 // 5


def test_the_default_leaves_the_widest_ratio_where_it_was():
    made = coded_laplace(0, 10, codes=["N"], eps="ln 2", grid=1)
    matrix = made.channel.matrix
    widest = max(
        matrix[x, y] / matrix[z, y]
        for x, z in itertools.permutations(range(12), 2)
        for y in range(12)
    )
    assert widest == 1024 == 2**10
    assert made.channel["N", "N"] == Q(32, 33)
    assert made.parameters["code_distance"] == 5


@pytest.mark.parametrize(
    ("high", "grid", "m", "a"), [(10, 1, 5, 5), (9, 1, 4, 4), (3, 3, 0, Q(3, 2)), (2, "1/2", 1, 1)]
)
def test_defaults_never_widen_the_range_where_the_middle_is_on_the_grid_or_beside_it(
    high, grid, m, a
):
    made = coded_laplace(0, high, codes=["N"], eps=1, grid=grid)
    assert (made.parameters["anchor"], made.parameters["code_distance"]) == (m, a)
    assert made.space.diameter == (high if high != 3 else Q(9, 2))


@pytest.mark.parametrize("eps", ["1", "1/7", "ln 3", "sqrt(2)"])
def test_real_levels_are_met_and_nearly_used_up(eps):
    made = coded_laplace(0, 6, codes=["N", "R"], eps=eps, grid=2, anchor=2, code_distance="1/3")
    assert made.verify()
    level, (low, high) = float(made.guarantee.eps), made.achieved()
    assert level * (1 - 1e-8) <= low <= high <= level * (1 + 1e-12)


def test_labels_come_back():
    made = coded_laplace(0, 4, codes=["N", None], eps="ln 2", grid=2)
    drawn = made.randomise([0, 2, "N", None] * 50)
    assert set(drawn) <= {0, 2, 4, "N", None}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"anchor": "1/2"}, BadNumber),
        ({"anchor": 11}, BadNumber),
        ({"code_distance": 0}, BadNumber),
        ({"codes": [f"c{k}" for k in range(65)]}, TooLarge),
        ({"grid": "1/200"}, TooLarge),
    ],
)
def test_what_does_not_fit_is_refused(given, error):
    with pytest.raises(error):
        coded_laplace(**{"low": 0, "high": 10, "codes": ["N"], "eps": 1, "grid": 1, **given})
