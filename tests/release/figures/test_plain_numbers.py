"""Numbers in sentences: never less than they are, and never certain unless they are."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.numbers import Level, ln
from dprivacy.release import factor_said, hundredths, number_said, times_in_hundred


@pytest.mark.parametrize("seed", range(40))
def test_rounded_up_and_hardly(seed):
    value = 1 + Q(seed * 7919 % 1000 + 1, 997) ** (seed % 6 + 1)
    said = number_said(value)
    digits, _, word = said.partition(" ")
    read = Q(digits.replace(",", "")) * {"": 1, "million": 10**6}[word]
    assert value <= read <= value * Q(101, 100) + Q(1, 100)


def test_words_for_the_large():
    assert factor_said(ln(2488)) == "2,488"
    assert factor_said(Level(29)) == "4 million million"
    assert factor_said(Level(1000)) == "1 followed by 434 zeros, or more"


@pytest.mark.parametrize("share", [Q(k, 1237) for k in range(1, 1238, 103)] + [Q(99999, 100001)])
def test_hundredths_are_rounded_up_and_below_a_hundred(share):
    text = hundredths(share)
    assert Q(text.rstrip("+")) >= share * 100 or text == "99.999+"
    assert (text == "100") == (share == 1)


def test_certainty_is_said_of_what_is_certain():
    assert times_in_hundred(1) == "every time"
    assert times_in_hundred(math.nextafter(1, 0)) == "practically every time"
    assert times_in_hundred(Q(9, 10)) == "90 times in 100"
