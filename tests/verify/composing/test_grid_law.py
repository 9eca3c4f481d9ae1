"""Laws on a grid: 240 random products in Fractions, from below and from above; each step by itself."""

import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction as Q

import pytest

from dprivacy.numbers import Level, ln
from dprivacy.verify.composing.grid_law import GridLaw, all_joined, in_billionths
from dprivacy.verify.composing.loss_atoms import atoms_between, atoms_of_level
from dprivacy.verify.composing.loss_grid import placed, spacing
from support.exact_products import exact_delta, product, some_pair

BITS, CUT = 100, 1 << 40


def law_of(pairs, *, step=None, cut=CUT):
    """The law of the product of pairs, one after the other."""
    releases = Counter(atoms_between(*zip(*pair, strict=True)) for pair in pairs)
    step = spacing(releases) if step is None else step
    return all_joined([placed(one, step, BITS, cut).repeated(k) for one, k in releases.items()])


@pytest.mark.statement("D", "Thm 10")
@pytest.mark.parametrize("seed", range(60))
def test_never_below_an_exact_product_and_hardly_above(seed):
    rng = random.Random(seed)
    number = rng.choice([1, 2, 3, 5, 8])
    pairs = [some_pair(rng, rng.choice([2, 3]), holes=rng.random() < 0.15) for _ in range(number)]
    law = law_of(pairs)
    whole = product(pairs)
    for a in (Q(1), Q(11, 10), Q(2), Q(7)):
        true = sum(max(p - a * q, 0) for p, q in whole)
        bound = law.delta(ln(a))
        assert true <= bound <= true * Q(10001, 10000) + Q(1, 10**9)


@pytest.mark.statement("K", "Thm 3.3")
@pytest.mark.parametrize(
    ("e", "delta", "k"), [(Q(3, 2), Q(1, 1000), 6), (Q(11, 10), Q(0), 8), (Q(3), Q(1, 10**6), 25)]
)
def test_the_closed_form_of_optimal_composition(e, delta, k):
    release = atoms_of_level(ln(e), delta)
    law = placed(release, spacing({release: k}), BITS, CUT).repeated(k)
    assert law.step == ln(e)  # on the grid: nothing is split
    for i in range(k // 2 + 1):
        a = e ** (k - 2 * i)
        told = sum(math.comb(k, j) * (e ** (k - j) - a * e**j) for j in range(i)) / (1 + e) ** k
        true = 1 - (1 - delta) ** k * (1 - told)
        assert true <= law.delta(ln(a)) <= true + Q(1, 10**15)


def test_a_coarser_grid_keeps_the_masses_of_both_laws():
    step = ln(2)
    law = GridLaw((3 << 90, 5 << 90, 7 << 90), 0, -1, step, BITS, 0)
    wide = law.coarser()
    assert wide.step == ln(4)
    assert sum(wide.masses) == sum(law.masses)
    assert wide.first == -1  # at −ln 4, 0 and ln 4
    mirror = [
        sum(m * Q(1, b) ** (one.first + i) for i, m in enumerate(one.masses))
        for one, b in ((law, 2), (wide, 4))
    ]
    assert 0 <= mirror[0] - mirror[1] < Q(10)  # Q's mass, in units; moved up by rounding alone
    for a in (Q(1, 2), Q(1), Q(3, 2), Q(3)):
        assert wide.delta(ln(max(a, 1))) >= law.delta(ln(max(a, 1)))


def test_a_long_law_is_made_coarser_and_stays_above():
    pairs = [[(Q(3, 4), Q(1, 4)), (Q(1, 4), Q(3, 4))]] * 40
    fine = law_of(pairs)
    rough = law_of(pairs, step=ln(3) / 256)
    assert len(rough.masses) <= 4096
    assert rough.step > ln(3) / 256
    for a in (ln(3), ln(3) * 20, ln(3) * 39):
        assert fine.delta(a) <= rough.delta(a) <= fine.delta(a) * Q(1001, 1000) + Q(1, 10**15)


def test_what_is_cut_off_counts_as_lost():
    pairs = [[(Q(3, 5), Q(2, 5)), (Q(2, 5), Q(3, 5))]] * 8
    short = law_of(pairs, cut=1 << (BITS - 5))
    assert short.escape > 0
    assert len(short.masses) < 17
    for a in (Q(1), Q(3, 2), Q(3, 2) ** 4, Q(3, 2) ** 7):
        assert short.delta(ln(a)) >= exact_delta(pairs, a)
    # a twin that forgets what it cut off is caught
    assert replace(short, escape=0).delta(ln(Q(3, 2)) * 7) < exact_delta(pairs, Q(3, 2) ** 7)


def test_infinite_losses_join_as_probabilities():
    pair = [(Q(1, 2), Q(0)), (Q(1, 2), Q(1))]
    law = law_of([pair] * 3)
    assert law.escape == (1 << BITS) * 7 // 8
    assert law.delta(Level(5)) == Q(7, 8)
    assert law.eps(Q(7, 8) - Q(1, 10**9)) == math.inf


def test_eps_is_the_least_billionth_that_delta_proves():
    law = law_of([[(Q(3, 4), Q(1, 4)), (Q(1, 4), Q(3, 4))]] * 5)
    for delta in (Q(1, 10), Q(1, 1000), Q(1, 10**6)):
        eps = law.eps(delta)
        assert law.delta(eps) <= delta < law.delta(eps - Q(1, 10**9))
    assert law.eps(Q(1)) == 0


def test_nothing_told_is_nothing_spent():
    law = law_of([[(Q(1, 3), Q(1, 3)), (Q(2, 3), Q(2, 3))]] * 4)
    assert law.delta(Level(0)) <= Q(1, 10**25)
    assert law.eps(Q(1, 10**6)) == 0


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (Level("2.651445327"), "2.65145"),
        (Level("0.000012345"), "0.000012345"),
        (Level("1234567.123456789"), "1234568"),
        (Level("5/2"), "5/2"),
        (Level("1/7919"), "1/7919 ≈ 0.0001263"),
        (ln(2), "ln(2) ≈ 0.6931"),
    ],
)
def test_levels_in_billionths_are_printed_as_decimals_that_are_not_less(level, words):
    assert in_billionths(level) == words
