"""Dominating pairs: never easier on the attacker than the release, by the definition in Fractions."""

import random
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import Uncertified
from dprivacy.model import as_channel
from dprivacy.numbers import Level, ln
from dprivacy.verify import PrivacyProfile, delta_at, privacy_profile
from dprivacy.verify.composing.loss_atoms import (
    LossAtoms,
    atoms_between,
    atoms_of_curve,
    atoms_of_level,
    atoms_of_profile,
)
from support.exact_products import exact_delta, some_pair

FACTORS = [Q(1, 3), Q(9, 10), Q(1), Q(5, 4), Q(2), Q(3), Q(8)]


def as_pair(found: LossAtoms) -> list[tuple[Q, Q]]:
    """P and Q of atoms with rational ratios; Q's mass where P has none closes its sum."""
    pair = [(mass, mass / loss.exp()) for loss, mass in found.atoms]
    pair.append((found.escape, Q(0)))
    return [*pair, (Q(0), 1 - sum(q for _, q in pair))]


def test_two_rows_by_hand():
    found = atoms_between([Q(1, 2), Q(1, 4), Q(1, 4), Q(0)], [Q(1, 4), Q(1, 8), Q(0), Q(5, 8)])
    assert found == LossAtoms(((ln(2), Q(3, 4)),), Q(1, 4))
    assert found.largest == ln(2)


@pytest.mark.statement("K", "Thm 3.3")
@pytest.mark.parametrize("delta", [Q(0), Q(1, 100), Q(1)])
def test_the_worst_pair_of_a_level_has_the_largest_curve_of_all(delta):
    pair = as_pair(atoms_of_level(ln(3), delta))
    assert sum(p for p, _ in pair) == sum(q for _, q in pair) == 1
    for a in FACTORS[2:]:
        # (ln 3, δ) forces δ(a) ≤ 1 − (1 − δ)·(1 + a)/4 below a = 3, and δ from there on
        assert exact_delta([pair], a) == max(delta, 1 - (1 - delta) * (1 + a) / 4)


def test_an_irrational_level_is_rounded_up_and_hardly():
    (_, false), (loss, true) = atoms_of_level(Level(1), Q(0)).atoms
    assert loss == 1
    assert 1 < true + false < 1 + Q(1, 10**60)
    assert ln(true / (1 - true)) > 1
    assert ln((1 - false) / false) < 1


@pytest.mark.statement("D", "Thm 10")
@pytest.mark.parametrize("seed", range(12))
def test_the_pair_of_a_channel_has_its_curve_and_its_products_cover_every_pair(seed):
    rng = random.Random(seed)
    rows, outputs = rng.choice([2, 3]), rng.choice([2, 3])
    table = [[p for p, _ in some_pair(rng, outputs, holes=seed % 4 == 0)] for _ in range(rows)]
    channel = as_channel(table)
    pair = as_pair(atoms_of_profile(privacy_profile(channel)))
    assert sum(p for p, _ in pair) == 1
    assert all(p >= 0 and q >= 0 for p, q in pair)
    for a in FACTORS:
        once = exact_delta([pair], a)
        if a >= 1:
            assert once == delta_at(channel, eps=ln(a))
        for p in table:
            for q in table:
                told = list(zip(p, q, strict=True))
                assert exact_delta([told], a) <= once
                assert exact_delta([told] * 3, a) <= exact_delta([pair] * 3, a)


@given(st.data())
@settings(max_examples=30)
def test_a_curve_known_at_points_is_never_below_the_channel(data):
    seed = data.draw(st.integers(0, 10**6))
    pair = some_pair(random.Random(seed), 3)
    channel = as_channel([[p for p, _ in pair], [q for _, q in pair]])
    known = data.draw(st.lists(st.sampled_from(FACTORS[2:]), min_size=1, max_size=4))
    # the first point may well lie above a = 1: what is unknown below it must not be taken for smaller
    found = as_pair(atoms_of_curve([(a, Q(delta_at(channel, eps=ln(a)))) for a in known]))
    assert sum(p for p, _ in found) == 1
    assert all(p >= 0 and q >= 0 for p, q in found)
    for a in FACTORS:
        assert exact_delta([found], a) >= exact_delta([pair], a)
        assert exact_delta([found] * 2, a) >= exact_delta([pair] * 2, a)


def test_points_that_say_the_same_twice_and_points_that_rise():
    found = atoms_of_curve([(Q(2), Q(1, 4)), (Q(2), Q(1, 8)), (Q(4), Q(1, 8)), (Q(5), Q(1, 2))])
    assert found == atoms_of_curve([(Q(2), Q(1, 8))])
    assert found.escape == Q(1, 8)
    assert atoms_of_curve([(Q(1), Q(1))]) == LossAtoms((), Q(1))


def test_rare_losses_are_moved_up_only():
    pair = [
        (Q(1, 100), Q(1, 2)),
        (Q(49, 100), Q(1, 4)),
        (Q(49, 100), Q(249, 1000)),
        (Q(1, 100), Q(1, 1000)),
    ]
    whole = atoms_between(*zip(*pair, strict=True))
    short = whole.shortened(Q(1, 50))
    assert (len(short.atoms), short.escape) == (2, Q(1, 100))
    assert sum(mass for _, mass in short.atoms) + short.escape == 1
    assert short.atoms[0][0] > whole.atoms[0][0]
    for a in FACTORS:
        assert exact_delta([as_pair(short)], a) >= exact_delta([pair], a)


def test_profiles_that_prove_nothing_are_refused():
    with pytest.raises(Uncertified, match="exact profiles"):
        atoms_of_profile(privacy_profile([[0.5, 0.5], [0.25, 0.75]]))
    with pytest.raises(Uncertified, match="add its floor"):
        atoms_of_profile(PrivacyProfile(((Q(1, 2), Q(1, 4)),)))
