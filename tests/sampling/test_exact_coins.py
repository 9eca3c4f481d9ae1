"""Coins and uniform numbers by the array, over every word there is."""

from collections import Counter
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadNumber
from dprivacy.sampling import SystemSource, toss, toss_of_words, uniform_array
from support.sampling_fakes import Scripted

CHANCES = [Q(1, 2), Q(1, 3), Q(3, 7), Q(1023, 2047), Q(2, 65537), Q(65535, 65536), Q(1, 10**30)]


@pytest.mark.parametrize("chance", CHANCES)
def test_every_word_of_a_16_bit_coin(chance):
    heads, unsure = toss_of_words(chance, np.arange(1 << 16, dtype=np.uint64), bits=16)
    assert not (heads & unsure).any()
    rest = Q((chance.numerator << 16) % chance.denominator, chance.denominator)
    assert (int(heads.sum()) + int(unsure.sum()) * rest) / (1 << 16) == chance
    assert int(unsure.sum()) == 1


def test_the_word_that_is_left_is_resolved_in_integers():
    chance = Q(1, 3)
    left = (1 << 64) // 3  # 2^64 = 3·left + 1: one part in three of this word is heads
    source = Scripted([left - 1, left, left, left, left + 1], below=[0, 1, 2])
    assert toss(chance, 5, source).tolist() == [True, True, False, False, False]
    assert source.bounds == [3, 3, 3]


def test_chances_that_are_certain_take_no_words():
    assert toss(Q(1), 2, Scripted()).tolist() == [True, True]
    assert toss(Q(0), 2, SystemSource()).tolist() == [False, False]
    for wrong in (Q(3, 2), Q(-1, 2)):
        with pytest.raises(BadNumber, match="between 0 and 1"):
            toss(wrong, 1, SystemSource())


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 8, 255, 256])
def test_uniform_numbers_over_every_byte(bound):
    words = np.arange(256, dtype=np.uint64) | np.uint64(0xABCDEF << 40)
    drawn = uniform_array(bound, 256, Scripted(np.concatenate([words, np.zeros(512, np.uint64)])))
    assert drawn.min() >= 0
    assert drawn.max() < bound
    kept = [word for word in range(256) if word % (1 << (bound - 1).bit_length()) < bound]
    low = Counter(word % (1 << (bound - 1).bit_length()) for word in kept)
    assert len(set(low.values())) == 1  # what is kept at once is uniform
    again = 256 - len(kept)  # and the others were drawn anew: the script gives 0
    assert Counter(drawn.tolist()) == low + Counter({0: again})


def test_bounds():
    for wrong in (0, -1, (1 << 63) + 1):
        with pytest.raises(BadNumber, match="between 1 and 2"):
            uniform_array(wrong, 1, SystemSource())
    assert uniform_array(1 << 63, 4, SystemSource()).min() >= 0
