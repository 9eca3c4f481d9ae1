"""Spaces from tables of distances."""

import math
from decimal import Decimal
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import DuplicateLabel, Malformed, MixedArithmetic, NotAMetric
from dprivacy.numbers import Level, ln, root
from dprivacy.spaces import from_table
from dprivacy.spaces.distance_tables import read_distance


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3/2", Q(3, 2)), ("sqrt(2)", root(2)), ("ln 3", ln(3)), ("inf", math.inf),
        (" Infinity ", math.inf),
        ("∞", math.inf), (ln(2), ln(2)), (Level("1/2"), Q(1, 2)), (3, Q(3)), (Q(1, 3), Q(1, 3)),
        (Decimal("0.1"), Q(1, 10)), (0.5, 0.5), (math.inf, math.inf), (np.int64(2), Q(2)), ("2", Q(2)),
    ],
)  # fmt: skip
def test_reading_a_distance(value, expected):
    got = read_distance(value, "here")
    assert got == expected
    assert type(got) is type(expected)


BAD = ["", "abc", "1/0", "ln 16/7", "nan", "-inf", "1 2", math.nan, None, True, [1], 1j, np.True_]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_a_bad_entry_is_named_by_its_labels(bad):
    with pytest.raises(Malformed, match=r"^d\('Ann', 'Cyd'\): "):
        from_table(["Ann", "Bob", "Cyd"], [[0, 1, bad], [1, 0, 1], [1, 1, 0]])


def test_exact_and_float_tables():
    exact = from_table(["x", "y"], [[0, "1/3"], ["1/3", 0]])
    assert exact.exact
    assert exact.distance("x", "y") == Q(1, 3)
    floats = from_table(["x", "y"], np.array([[0.0, 0.3], [0.3, 0.0]]))
    assert not floats.exact
    assert floats.distance("x", "y") == 0.3
    whole = from_table(["x", "y"], np.array([[0, 3], [3, 0]]))
    assert whole.exact
    with pytest.raises(MixedArithmetic):
        from_table(["x", "y", "z"], [[0, 0.5, "1/3"], [0.5, 0, 0.5], ["1/3", 0.5, 0]])


def test_infinity_by_any_name():
    for inf in ("inf", "∞", math.inf, Decimal("Infinity")):
        space = from_table(["x", "y"], [[0, inf], [inf, 0]], extended=True)
        assert space.distance("x", "y") == math.inf
        assert space.exact
    with pytest.raises(NotAMetric, match="negative"):
        from_table(["x", "y"], [[0, -math.inf], [-math.inf, 0]], extended=True)


def test_closing_a_table():
    rows = [[0, 1, 10], [1, 0, 2], [10, 2, 0]]
    with pytest.raises(NotAMetric, match="close=True"):
        from_table(["a", "b", "c"], rows)
    space = from_table(["a", "b", "c"], rows, close=True)
    assert space.distance("a", "c") == 3
    assert space.pairs() == [("a", "b"), ("b", "c")]
    with pytest.raises(NotAMetric, match="symmetric"):  # the other axioms still hold it back
        from_table(["a", "b"], [[0, 1], [2, 0]], close=True)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([[0, 1]], "2×2 distances, not of 1 row$"),
        ([[0, 1], [1, 0], [1, 1]], "not of 3 rows"),
        ([[0, 1], [1]], "the row of 'b' has 1 distance, not 2"),
        ([[0, 1, 2], [1, 0, 2]], "the row of 'a' has 3 distances, not 2"),
        (["01", "10"], "the text '01'"),
        ([], "not of 0 rows"),
        (5, "list of rows"),
        ([0, 1], "list of rows"),
    ],
)
def test_tables_of_another_shape(rows, why):
    with pytest.raises(Malformed, match=why):
        from_table(["a", "b"], rows)


def test_bad_labels():
    with pytest.raises(Malformed, match="single text"):
        from_table("ab", [[0, 1], [1, 0]])
    with pytest.raises(DuplicateLabel):
        from_table(["a", "a"], [[0, 1], [1, 0]])


def test_a_broken_triangle_is_seen_where_doubles_see_nothing():
    """√2·10⁻³⁴⁰ is 0 in doubles, and so are its multiples."""
    near, far = "1e-340*sqrt(2)", "3e-340*sqrt(2)"
    with pytest.raises(NotAMetric, match="triangle"):
        from_table(range(3), [[0, near, far], [near, 0, near], [far, near, 0]])
    assert from_table(range(3), [[0, near, near], [near, 0, near], [near, near, 0]]).exact
