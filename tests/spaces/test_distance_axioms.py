"""Each axiom of a metric, broken on purpose; the message names the points that break it."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import NotAMetric
from dprivacy.numbers import root
from dprivacy.spaces import from_table

ABC = ["Ann", "Bob", "Cyd"]


def table(ab, ac, bc):
    return [[0, ab, ac], [ab, 0, bc], [ac, bc, 0]]


def broken(change, number=Q):
    rows = [[number(v) for v in row] for row in table(1, 1, 1)]
    for (i, j), value in change.items():
        rows[i][j] = value
    return rows


@pytest.mark.parametrize("number", [Q, float], ids=["exact", "float"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({(1, 1): 1}, r"d\('Bob', 'Bob'\) = 1.*from a point to itself must be 0"),
        ({(0, 2): -1, (2, 0): -1}, r"d\('Ann', 'Cyd'\) = -1.*cannot be negative"),
        ({(1, 2): 2}, r"not symmetric: d\('Bob', 'Cyd'\) = 2.* but d\('Cyd', 'Bob'\) = 1"),
        ({(0, 1): math.inf, (1, 0): math.inf}, r"d\('Ann', 'Bob'\) = inf.*extended=True"),
        ({(1, 2): 0, (2, 1): 0}, r"d\('Bob', 'Cyd'\) = 0.*distinct points.*pseudo=True"),
        ({(0, 1): 5, (1, 0): 5}, r"d\('Ann', 'Bob'\) = 5.* by 'Cyd', 1.* \+ 1.* = 2.*close=True"),
    ],
)
def test_each_axiom_is_refused_with_the_labels(change, message, number):
    change = {at: number(v) if math.isfinite(v) else v for at, v in change.items()}
    with pytest.raises(NotAMetric, match=message):
        from_table(ABC, broken(change, number))


def test_pseudo_and_extended_are_allowed_when_asked_for():
    space = from_table(ABC, table(0, 1, 1), pseudo=True)
    assert space.distance("Ann", "Bob") == 0
    space = from_table(ABC, table(1, "inf", "inf"), extended=True)
    assert space.distance("Ann", "Cyd") == math.inf
    with pytest.raises(NotAMetric, match="pseudo=True"):
        from_table(ABC, table(0, 1, 1), extended=True)
    with pytest.raises(NotAMetric, match="extended=True"):
        from_table(ABC, table(1, "inf", "inf"), pseudo=True)


def test_a_pseudo_metric_still_needs_the_triangle():
    with pytest.raises(NotAMetric, match="triangle"):
        from_table(ABC, table(0, 1, 2), pseudo=True)  # points at distance 0 must look alike


def test_an_infinite_distance_with_a_finite_way_round_is_no_metric():
    for numbers in (table(1, "inf", 1), table(1.0, math.inf, 1.5), table("sqrt 2", "inf", 1)):
        with pytest.raises(NotAMetric, match=r"d\('Ann', 'Cyd'\) = inf is more than .*'Bob'"):
            from_table(ABC, numbers, extended=True)


def test_exact_tables_are_checked_exactly():
    hair = Q(1, 10**40)
    from_table(ABC, table(1, 2, 1))
    with pytest.raises(NotAMetric, match="triangle"):
        from_table(ABC, table(1, 2 + hair, 1))
    from_table(ABC, table("sqrt 2", "sqrt 8", "sqrt 2"))
    with pytest.raises(NotAMetric, match="triangle"):
        from_table(ABC, table(root(2), root(8) + hair, root(2)))
    from_table(ABC, table("ln 2", "ln 6", "ln 3"))
    with pytest.raises(NotAMetric, match="triangle"):
        from_table(ABC, table("ln 2", "ln(6000000000000000001/1000000000000000000)", "ln 3"))


def test_exact_values_too_small_for_a_double_are_still_positive_or_negative():
    tiny = Q(1, 10**400)
    assert from_table(["a", "b"], [[0, tiny], [tiny, 0]]).distance("a", "b") == tiny
    with pytest.raises(NotAMetric, match="cannot be negative"):
        from_table(["a", "b"], [[0, -tiny], [-tiny, 0]])


def test_floats_may_miss_the_triangle_by_rounding_only():
    from_table([0, 1, 2], np.abs(np.subtract.outer([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])))
    x, y, z = 0.1, 0.7, 1.3
    assert abs(x - z) != abs(x - y) + abs(y - z)
    from_table(ABC, table(abs(x - y), abs(x - z), abs(y - z)))
    with pytest.raises(NotAMetric, match="triangle"):
        from_table(ABC, table(1.0, 2.0 + 1e-12, 1.0))


def test_symmetry_is_a_matter_of_value_not_of_spelling():
    space = from_table(["a", "b"], [[0, "ln 4"], ["2 ln 2", 0]])
    assert space.distance("a", "b") == space.distance("b", "a")
