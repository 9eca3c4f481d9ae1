"""What the twins are held against is right itself: small tables, added up two ways."""

from fractions import Fraction as Q

from dprivacy.mechanisms.zoo.broken_shuffles import SHUFFLE_EXHIBITS, _blanket, _truth
from support.shuffled_truth import blanket_delta, exact_delta

ROWS = [[Q(1, 4), Q(3, 4)], [Q(3, 4), Q(1, 4)]]


def test_truth_and_blanket_are_those_of_multisets():
    for n, a in ((2, Q(3, 2)), (5, Q(5, 4))):
        assert _truth(Q(3, 4), Q(1, 4), a, n) == exact_delta(ROWS, n, a, (0, 1))
        assert _blanket(Q(3, 4), Q(1, 4), a, n) == blanket_delta(ROWS, n, a, (0, 1))


def test_they_err_in_both_directions():
    seen = [exhibit.inspect(True).evidence for exhibit in SHUFFLE_EXHIBITS]
    assert ["is reached" in words for words in seen] == [True, False, True]
    assert "where the blanket has" in seen[1]
