"""Chances of finding a word: they grow with the crowd, and say where nothing can be found."""

import string

import pytest

from dprivacy.errors import BadNumber, NotApplicable
from dprivacy.mechanisms import prefix_rounds


def test_a_larger_crowd_finds_rarer_words():
    asked = prefix_rounds(string.ascii_lowercase, length=6, eps=2)
    shares = [asked.smallest_share(n) for n in (10**5, 10**6, 10**7)]
    assert shares == sorted(shares, reverse=True)
    assert shares[1] < 0.02
    for n, share in zip((10**5, 10**6, 10**7), shares, strict=True):
        assert asked.chance(share, n) >= 0.95 > asked.chance(share * 0.9, n)
    with pytest.raises(NotApplicable, match="not even a word that all have"):
        asked.smallest_share(30)


def test_what_is_refused():
    tiny = prefix_rounds("ab", length=2, eps="ln 3", keep=1, most=5)
    for share in (0, -1, 1.5):
        with pytest.raises(BadNumber, match="a share should be"):
            tiny.chance(share, 100)
    with pytest.raises(BadNumber, match="a chance should be"):
        tiny.smallest_share(100, chance=1)
