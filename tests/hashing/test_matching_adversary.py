"""Leakage to the adversary of friend matching: against the channel itself, and two ways of summing."""

import math
from fractions import Fraction as Q
from itertools import product

import numpy as np
import pytest

from dprivacy.errors import TooLarge, WrongKind, WrongShape
from dprivacy.flow import leakage
from dprivacy.hashing import (
    bit_sampling,
    friend_leakage,
    lshrr,
    minhash,
    pair_leakage,
    random_projection,
)
from dprivacy.hashing.matching_adversary import grouped_sum, nearest_sum
from dprivacy.model import Channel


def channel_of(hashes, a):
    """All 2^κ reports."""
    bits = len(hashes[0])
    rows = []
    for h in hashes:
        row = [
            math.prod(a / (a + 1) if u == v else 1 / (a + 1) for u, v in zip(h, b, strict=True))
            for b in product((0, 1), repeat=bits)
        ]
        rows.append(row)
    return Channel(range(len(hashes)), range(1 << bits), rows)


PROFILES = [[5, 0, 1], [4, 3, 0], [0, 5, 2], [5, 1, 1]]


@pytest.mark.parametrize(
    "prior", [None, ["1/2", "1/4", "1/8", "1/8"], ["1/3", "1/3", "1/6", "1/6"]]
)
@pytest.mark.parametrize(("bits", "a"), [(1, Q(3)), (6, Q(2)), (7, Q(5, 3))])
def test_it_is_the_leakage_of_the_channel(bits, a, prior):
    mechanism = lshrr(random_projection(3, bits=bits, key="adversary"), eps=f"ln({a})")
    hashes = mechanism.function.hash(PROFILES).tolist()
    found = friend_leakage(mechanism, PROFILES, prior=prior)
    assert found.leakage == leakage(channel_of(hashes, a), prior=prior)
    apart = max(sum(u != v for u, v in zip(g, h, strict=True)) for g in hashes for h in hashes)
    assert found.promised == a**apart
    assert found.worst == a**bits
    assert 1 <= found.leakage <= min(found.promised, len(PROFILES))


@pytest.mark.parametrize("seed", range(5))
def test_both_ways_of_summing_agree(seed):
    rng = np.random.default_rng(seed)
    hashes = rng.integers(0, 2, (2 + seed, 4 + 2 * seed))
    people = len(hashes)
    a = Q(7, 4)
    assert grouped_sum(hashes, [Q(1, people)] * people, a) * people == nearest_sum(hashes, a)


def test_the_best_guess_is_the_nearest_hash():
    """What matching does: its success, counted over all reports, is the exact probability."""
    hashes = np.array([[0, 0, 1, 0, 1], [1, 0, 1, 1, 1], [0, 1, 0, 0, 0]])
    a, right = Q(3), Q(0)
    for b in product((0, 1), repeat=5):
        agree = (hashes == np.array(b)).sum(axis=1)
        right += a ** int(agree.max()) / (1 + a) ** 5 / 3
    assert right == nearest_sum(hashes, a) / 3


def test_many_bits_and_an_irrational_level():
    """200 bits, two people: only those that differ matter, and e^ε is the number drawn with."""
    mechanism = lshrr(minhash(bits=200, key="long"), eps=1)
    people = [{"tea", "milk"}, {"tea", "rum"}]
    found = friend_leakage(mechanism, people)
    j = mechanism.function.hamming(*people)
    flip = mechanism.response.flip
    a = Q(flip[0, 0]) / Q(flip[0, 1])
    told = sum(math.comb(j, i) * max(a**i, a ** (j - i)) for i in range(j + 1)) / (1 + a) ** j / 2
    assert found.after == told
    assert isinstance(found.promised, float)
    assert float(a) ** j <= found.promised * (1 + 1e-12)


def test_twins_and_one_person():
    mechanism = lshrr(bit_sampling(8, bits=6, key="twins"), eps="ln 2")
    same = [[0, 1, 1, 0, 1, 0, 0, 1]] * 3
    found = friend_leakage(mechanism, same)
    assert (found.leakage, found.promised) == (1, 1)
    assert friend_leakage(mechanism, same[:1]).after == 1


def joint_channel(bits, p, a):
    """Two profiles: the hash (which bits differ) and the report, as one output."""
    rows = [[], []]
    for differ in product((0, 1), repeat=bits):
        chance = math.prod(p if d else 1 - p for d in differ)
        for report in product((0, 1), repeat=bits):
            for row, flip in zip(rows, (0, 1), strict=True):
                likely = [
                    a / (a + 1) if r == d * flip else 1 / (a + 1)
                    for r, d in zip(report, differ, strict=True)
                ]
                row.append(chance * math.prod(likely))
    return Channel(range(2), range(len(rows[0])), rows)


@pytest.mark.parametrize(
    ("bits", "p", "a"), [(1, Q(1, 2), Q(3)), (3, Q(1, 4), Q(2)), (4, Q(1, 20), Q(5, 2))]
)
def test_over_the_draw_of_the_hash(bits, p, a):
    found = pair_leakage(f"ln({a})", bits, str(p))
    assert 2 * found.after == leakage(joint_channel(bits, p, a))


def test_no_promise_is_broken_and_the_worst_case_is_sharp():
    for eps, bits, p in product(("ln 2", "1", "3"), (1, 10, 20), ("0.05", "0.25", "1")):
        found = pair_leakage(eps, bits, p)
        assert all(found.after <= most for most in found.allowed if most is not None)
    one = pair_leakage("ln 3", 1, 1)
    assert one.after == one.allowed[0] == Q(3, 4)


@pytest.mark.parametrize("i", [1, 2, 5])
def test_an_even_number_of_bits_is_worth_one_fewer(i):
    for a in ("2", "7/3"):
        even, odd = (pair_leakage(f"ln({a})", k, 1).after for k in (2 * i, 2 * i - 1))
        assert even == odd


def test_words_and_plain_data():
    mechanism = lshrr(minhash(bits=8, key="demo"), eps="ln 3")
    found = friend_leakage(mechanism, [{"tea"}, {"rum"}])
    assert "among 2 people with known profiles: 1/2 before it" in found.explain()
    assert found.to_dict()["leakage"] == str(found.leakage)
    assert "- Chernoff: 0.9937" in pair_leakage(1, 20, "0.05").explain()


def test_refusals():
    mechanism = lshrr(random_projection(3, bits=40, key="large"), eps="ln 2")
    rng = np.random.default_rng(1)
    with pytest.raises(TooLarge, match="at most 24 bits"):
        friend_leakage(mechanism, rng.normal(size=(12, 3)))
    with pytest.raises(WrongKind, match="lshrr"):
        friend_leakage("lshrr", PROFILES)
    with pytest.raises(WrongShape, match="at least one profile"):
        friend_leakage(mechanism, np.zeros((0, 3)))
