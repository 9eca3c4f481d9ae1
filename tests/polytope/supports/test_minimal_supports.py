"""The machine under the kernels: exact ranks in bulk, and minimal positive dependencies."""

import random
import sys
from itertools import combinations

import numpy as np
import pytest
from flint import fmpz_mat

import dprivacy.polytope.supports.minimal_supports as supports_room
from dprivacy.errors import TooLarge
from dprivacy.polytope.supports.minimal_supports import balancing, minimal_supports
from dprivacy.polytope.supports.modular_ranks import FullRank
from support.polytope_oracles import by_brute_force


def listed(columns, **options):
    found = [
        tuple(np.flatnonzero(flags))
        for block in minimal_supports(columns, **options)
        for flags in block
    ]
    assert len(set(found)) == len(found)
    return set(found)


def random_columns(generator, n, m, largest):
    draws = (tuple(generator.randint(1, largest) for _ in range(n)) for _ in range(m))
    return sorted(set(draws))


@pytest.mark.parametrize("seed", range(12))
def test_minimal_supports_are_those_of_brute_force(seed):
    generator = random.Random(seed)
    n = generator.randint(2, 4)
    columns = random_columns(generator, n, generator.randint(n, 11), generator.choice([2, 3, 9]))
    assert listed(columns) == by_brute_force(columns)


@pytest.mark.parametrize("seed", range(6))
def test_long_integers_give_the_same(seed):
    """Entries near 10^30: beyond 64 bits, with ties kept."""
    generator = random.Random(100 + seed)
    columns = [
        tuple(10**30 + v * 10**15 for v in column) for column in random_columns(generator, 4, 9, 3)
    ]
    assert listed(columns) == by_brute_force(columns)


def test_nothing_balances():
    assert listed([(1, 2), (1, 3)]) == set()


def test_one_row():
    assert listed([(3,), (5,)]) == {(0,), (1,)}


@pytest.mark.parametrize("large", [1, 10**40])
def test_ranks_are_exact(large):
    generator = random.Random(5)
    matrix = np.array(
        [
            [generator.randint(-2, 2) * large + generator.randint(0, 1) for _ in range(9)]
            for _ in "1234"
        ],
        dtype=object,
    )
    matrix[3] = matrix[0] + matrix[1]
    test = FullRank(matrix)
    chosen = np.array(list(combinations(range(9), 4)), dtype=np.intp)
    for wanted in (1, 2, 3, 4):
        expected = [
            fmpz_mat([[int(row[j]) for j in columns] for row in matrix]).rank() >= wanted
            for columns in chosen.tolist()
        ]
        assert test.reached(chosen, wanted).tolist() == expected


def test_a_prime_that_divides_every_minor_is_not_believed():
    """The first prime sees rank 1; the bound on minors asks for a second one."""
    p = 2_147_483_629
    test = FullRank(np.array([[p, 0], [0, 1]], dtype=object))
    assert len(test.residues) > 1
    assert test.reached(np.array([[0, 1]], dtype=np.intp), 2).tolist() == [True]


def test_progress_reaches_its_total():
    seen = []
    subsets = [tuple(k >> i & 1 for i in range(4)) for k in range(1, 15)]
    assert len(listed(subsets, progress=lambda done, total: seen.append((done, total)))) == 41
    assert seen[-1][0] == seen[-1][1] > 0
    assert seen == sorted(seen)


def test_the_estimate_comes_before_the_work(monkeypatch):
    monkeypatch.setattr(supports_room, "MOST_PAIRS", 10)
    monkeypatch.setitem(sys.modules, "numba", None)
    subsets = [tuple(k >> i & 1 for i in range(4)) for k in range(1, 15)]
    with pytest.raises(TooLarge, match=r"14 vertices.*minimal supports.*force=True"):
        listed(subsets)
    assert len(listed(subsets, force=True)) == 41


@pytest.mark.parametrize(
    ("seconds", "words"), [(30, "30 seconds"), (600, "10 minutes"), (1e9, "32 years")]
)
def test_durations_in_words(seconds, words):
    assert supports_room._duration(seconds) == words


def test_balancing():
    assert balancing([(2, 1, 2), (1, 2, 1)]) == ((1, 1), 3)
    assert balancing([(4, 4)]) == ((1,), 4)
