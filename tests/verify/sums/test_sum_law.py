"""Mean positive sums: never below the exact one, and hardly above it."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.verify.sums.sum_law import SumLaw, draw, mean_positive_sum, shortened


def exact(atoms, n):
    total = Q(0)
    for values in itertools.product(atoms, repeat=n):
        chance = Q(1)
        for value in values:
            chance *= atoms[value]
        total += chance * max(sum(values), 0)
    return total


@pytest.mark.parametrize("seed", range(25))
def test_between_the_exact_mean_and_a_little_more(seed):
    rng = random.Random(seed)
    values = rng.sample(range(-12, 13), rng.choice([2, 3, 4]))
    weights = [rng.randint(1, 9) for _ in values]
    atoms = {Q(v, 7): Q(w, sum(weights)) for v, w in zip(values, weights, strict=True)}
    for n in (1, 2, 3, 6):
        true = exact(atoms, n)
        rough, fine = (
            mean_positive_sum(atoms, n, points=points, negligible=Q(1, 10**12))
            for points in (24, 96)
        )
        assert true <= fine <= true * Q(1008, 1000) + Q(1, 10**9)
        assert true <= rough <= true * Q(104, 100) + Q(1, 10**9)


def test_what_is_cut_off_is_charged():
    atoms = {Q(-1): Q(99, 100), Q(50): Q(1, 100)}
    true = exact(atoms, 4)
    assert mean_positive_sum(atoms, 4, points=96, negligible=Q(1, 10)) >= true
    law = draw(atoms, 96, 1 / 8)
    short = law.joined(law)
    assert short.lost > 0.01
    assert replace(short, lost=0).positive_part() < exact(atoms, 2)  # a twin that forgets it


@pytest.mark.parametrize("seed", range(10))
def test_doubles_err_by_less_than_they_say(seed):
    rng = random.Random(seed)
    masses = np.array([rng.random() for _ in range(12)])
    law, true = SumLaw(masses, 0.0, 0, Q(1), 0.0, 0.0), [Q(m) for m in masses]
    for _ in range(3):
        law = law.joined(law)
        wider = [Q(0)] * (2 * len(true) - 1)
        for i, j in itertools.product(range(len(true)), repeat=2):
            wider[i + j] += true[i] * true[j]
        true = wider
    assert all(abs(Q(m) - t) <= t * Q(law.error) for m, t in zip(law.masses, true, strict=True))


def test_a_sum_of_too_many_for_doubles_proves_nothing():
    atoms = {Q(-1): Q(1, 2), Q(1): Q(1, 2)}
    many = 1 << 60
    assert mean_positive_sum(atoms, many, points=96, negligible=Q(1, 10**9)) == many


def test_nothing_positive_is_nothing():
    assert mean_positive_sum({Q(-1): Q(1)}, 5, points=24, negligible=Q(1, 1000)) == 0


def test_a_coarser_grid_keeps_mass_and_mean():
    law = SumLaw(np.array([4.0, 6.0, 8.0, 2.0]), 0.0, -1, Q(1), 0.0, 0.0)
    wide = law.coarser()
    assert sum(wide.masses) == 20
    means = [
        sum(m * (one.first + i) for i, m in enumerate(one.masses)) * one.step for one in (law, wide)
    ]
    assert means[0] == means[1]
    assert wide.positive_part() >= law.positive_part()


@pytest.mark.parametrize("n", [1, 5, 1023, 1024, 12345, 10**7])
def test_n_is_shortened_by_less_than_a_five_hundredth(n):
    assert n * Q(511, 512) <= shortened(n) <= n
