"""Fields are fields, and their characters are characters."""

import cmath

import numpy as np
import pytest

from dprivacy.errors import BadNumber
from dprivacy.mechanisms.local.finite_field import FiniteField, prime_power

ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 16, 25, 27, 32, 49, 64, 81, 121, 125, 128, 169, 243, 251, 256]


@pytest.mark.parametrize("q", ORDERS)
def test_the_axioms(q):
    field = FiniteField(q)
    x, y, z = (np.random.default_rng(q).integers(0, q, 4000) for _ in range(3))
    plus, times = field.plus, field.times
    assert (plus[x, y] == plus[y, x]).all()
    assert (plus[plus[x, y], z] == plus[x, plus[y, z]]).all()
    assert (times[x, y] == times[y, x]).all()
    assert (times[times[x, y], z] == times[x, times[y, z]]).all()
    assert (times[x, plus[y, z]] == plus[times[x, y], times[x, z]]).all()
    every = np.arange(q)
    assert (plus[every, field.minus] == 0).all()
    assert (times[every, 1] == every).all()
    assert (times[every[1:], field.inverse[1:]] == 1).all()


@pytest.mark.parametrize("q", [2, 4, 8, 9, 25, 27])
def test_dual_digits_are_the_characters_of_the_trace_form(q):
    field = FiniteField(q)
    root, dual = cmath.exp(2j * cmath.pi / field.p), field.dual_digits()
    for x in range(q):
        for y in range(q):
            digits = (np.array([dual[x] // field.p**j % field.p * (y // field.p**j % field.p)
                                for j in range(field.e)])).sum()  # fmt: skip
            through_trace = root ** field.trace(int(field.times[x, y]))
            assert abs(root ** int(digits) - through_trace) < 1e-9


@pytest.mark.parametrize("q", [0, 1, 6, 12, 100, 257, 1024])
def test_orders_that_are_refused(q):
    with pytest.raises(BadNumber, match="prime power between 2 and 256"):
        prime_power(q)
