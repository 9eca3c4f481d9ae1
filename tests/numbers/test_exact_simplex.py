"""The exact simplex alone: programs on which a careless pivot rule goes round in circles."""

from fractions import Fraction as Q

import pytest

from dprivacy.numbers.exact_simplex import simplex


def test_beales_cycling_example():
    cost = [Q(-3, 4), Q(150), Q(-1, 50), Q(6), Q(0), Q(0), Q(0)]
    table = [
        [Q(1, 4), Q(-60), Q(-1, 25), Q(9), Q(1), Q(0), Q(0)],
        [Q(1, 2), Q(-90), Q(-1, 50), Q(3), Q(0), Q(1), Q(0)],
        [Q(0), Q(0), Q(1), Q(0), Q(0), Q(0), Q(1)],
    ]
    status, x, y, value = simplex(cost, table, [Q(0), Q(0), Q(1)])
    assert (status, value) == ("optimal", Q(-1, 20))
    assert x[:4] == [Q(1, 25), 0, 1, 0]
    assert sum(b * p for b, p in zip([0, 0, 1], y, strict=True)) == value


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_klee_minty(n):
    """max Σ 2^(n−j)·x_j under the Klee–Minty constraints is 5^n."""
    cost = [-(Q(2) ** (n - 1 - j)) for j in range(n)] + [Q(0)] * n
    table = [
        [Q(2) ** (i - j + 1) if j < i else Q(j == i) for j in range(n)]
        + [Q(i == k) for k in range(n)]
        for i in range(n)
    ]
    status, x, _, value = simplex(cost, table, [Q(5) ** (i + 1) for i in range(n)])
    assert (status, value) == ("optimal", -(Q(5) ** n))
    assert x[n - 1] == 5**n


def test_farkas_vector_with_negative_right_hand_sides():
    status, _, y, _ = simplex([Q(0)], [[Q(1)]], [Q(-2)])
    assert status == "infeasible"
    assert y[0] <= 0
    assert -2 * y[0] > 0


def test_unbounded_direction():
    # x − y = 1 with cost −x − y: along (1, 1).
    status, x, _, _ = simplex([Q(-1), Q(-1)], [[Q(1), Q(-1)]], [Q(1)])
    assert status == "unbounded"
    assert x[0] == x[1] > 0


def test_a_redundant_row_keeps_an_artificial_variable_in_the_basis():
    status, x, y, value = simplex([Q(1), Q(2)], [[Q(1), Q(1)], [Q(2), Q(2)]], [Q(3), Q(6)])
    assert (status, value, x) == ("optimal", 3, [3, 0])
    assert 3 * y[0] + 6 * y[1] == 3
