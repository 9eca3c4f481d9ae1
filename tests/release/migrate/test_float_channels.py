"""Channels of floats, read as the fractions they stand for."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.errors import Malformed, NotStochastic
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.numbers.levels import ln
from dprivacy.release import from_floats
from dprivacy.spaces import line
from dprivacy.verify import privacy


def test_floats_are_read_as_the_fractions_they_stand_for():
    for exact in (randomised_response(list("abcd"), eps="ln 5"), geometric(5, eps="ln 3")):
        C = exact.channel
        floats = np.array([[float(C[x, y]) for y in C.columns] for x in C.rows])
        found = from_floats(floats, rows=C.rows, columns=C.columns)
        assert found.channel == C
        assert found.moved < 1e-15
    assert "not for the doubles" in found.explain()


def test_floats_that_are_no_fractions_are_refused():
    p = 1 / (1 + math.e)
    with pytest.raises(Malformed, match=r"at \(0, 0\) is not near a fraction .*exactly"):
        from_floats([[1 - p, p], [p, 1 - p]])
    with pytest.raises(Malformed, match="is not near a fraction"):
        # near 0, but not 0: rounding it away would hide a leak
        from_floats([[1.0, 1e-13], [0.5, 0.5]])
    with pytest.raises(NotStochastic):
        from_floats([[1 / 3 + 5e-13, 1 / 3, 1 / 3 - 1e-4]] * 2)
    with pytest.raises(Malformed, match="largest denominator"):
        from_floats([[0.5, 0.5]], largest=10**6)


def test_exact_entries_stay_what_they_are():
    rational = np.array([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), Fraction(1, 2)]])
    found = from_floats(rational)
    assert found.channel[0, 1] == Fraction(2, 3)
    assert found.eps == ln("3/2")
    assert privacy(found, line(2), eps="ln(3/2)")  # it stands wherever a channel is asked for
