"""Mat against plain Fractions, entry by entry."""

import math
import random
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import MixedArithmetic
from dprivacy.numbers import Mat

rational = st.one_of(
    st.fractions(-5, 5, max_denominator=12),
    st.builds(Q, st.integers(-(10**40), 10**40), st.integers(1, 10**40)),
)


def table(rows, columns, entries=rational):
    return st.lists(
        st.lists(entries, min_size=columns, max_size=columns), min_size=rows, max_size=rows
    )


def test_one_object_in_many_places():
    half, third = Q(1, 2), Q(1, 3)
    found = Mat.of([[half, third, half], [third, half, 1]])
    assert found.rows() == [[half, third, half], [third, half, Q(1)]]
    assert found.den == 6
    assert Mat.of(iter([iter([half])])).rows() == [[half]]


sizes = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))


@given(sizes.flatmap(lambda s: st.tuples(table(s[0], s[1]), table(s[1], s[2]))))
def test_product(pair):
    a, b = pair
    expected = [
        [sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))]
        for i in range(len(a))
    ]
    assert (Mat.of(a) @ Mat.of(b)).rows() == expected


@given(sizes.flatmap(lambda s: st.tuples(table(s[0], s[1]), table(s[0], s[1]))), rational)
def test_sum_and_scaling(pair, factor):
    a, b = pair
    assert (Mat.of(a) + Mat.of(b)).rows() == [
        [x + y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)
    ]
    assert Mat.of(a).scaled(factor).rows() == [[x * factor for x in r] for r in a]


@given(
    st.tuples(*[st.integers(1, 3)] * 4).flatmap(
        lambda s: st.tuples(table(s[0], s[1]), table(s[2], s[3]))
    )
)
def test_kronecker_product_is_lexicographic(pair):
    a, b = pair
    expected = [[x * y for x in r for y in s] for r in a for s in b]
    assert Mat.of(a).kron(Mat.of(b)).rows() == expected


@given(sizes.flatmap(lambda s: table(s[0], s[1])))
def test_normal_form(a):
    """Entries over the least common denominator: equal matrices have equal parts and hashes."""
    m = Mat.of(a)
    assert m.den == math.lcm(*(x.denominator for row in a for x in row))
    padded = Mat.over(m.den * 6, [[int(x * m.den * 6) for x in row] for row in a])
    assert padded == m
    assert hash(padded) == hash(m)
    assert padded.den == m.den
    assert m.rows() == a
    assert m.transposed.transposed == m
    assert m.transposed.rows() == [list(column) for column in zip(*a, strict=True)]


@given(sizes.flatmap(lambda s: table(s[0], s[1])), st.data())
def test_take(a, data):
    rows = data.draw(st.lists(st.integers(0, len(a) - 1), min_size=1, max_size=5))
    columns = data.draw(st.lists(st.integers(0, len(a[0]) - 1), min_size=1, max_size=5))
    m = Mat.of(a)
    assert m.take(rows, columns).rows() == [[a[i][j] for j in columns] for i in rows]
    assert m.take(rows=rows).rows() == [a[i] for i in rows]
    assert m.take(columns=columns).rows() == [[row[j] for j in columns] for row in a]


@given(
    st.lists(
        st.one_of(
            rational,
            st.builds(Q, st.integers(-(2**80), 2**80), st.integers(1, 2**50)),
            st.builds(lambda q, e: q * Q(10) ** e, st.fractions(-9, 9), st.integers(-330, 300)),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_floats_are_correctly_rounded(row):
    assert Mat.of([row]).floats.tolist() == [[float(x) for x in row]]


@pytest.mark.parametrize("power", [54, 200, 999, 1001, 1100, 1200])
def test_floats_over_a_power_of_two_are_correctly_rounded(power):
    rng = random.Random(power)
    row = [
        0,
        1,
        -1,
        (1 << power) - 1,
        *(rng.getrandbits(rng.randrange(1, power)) for _ in range(50)),
    ]
    found = Mat.over(1 << power, [row]).floats
    assert found.tolist() == [[value / (1 << power) for value in row]]


def test_floats_with_a_small_denominator_and_large_numerators():
    q = Q(776276719196736747380, 602095709403)  # converting numerator first rounds twice
    assert float(776276719196736747380) / 602095709403 != float(q)
    assert Mat.of([[q]]).floats[0, 0] == float(q)
    assert Mat.of([[Q(10**400, 10**399 + 1)]]).floats[0, 0] == float(Q(10**400, 10**399 + 1))


def test_nothing_can_be_changed_afterwards():
    for m in (Mat.of([[Q(1, 3), Q(2, 3)]]), Mat(np.array([[0.25, 0.75]]))):
        for array in (m.entries, m.floats):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 9
        assert m.take(rows=[0]) == m


def test_doubles_are_taken_as_they_are_and_sealed():
    entries = np.array([[0.25, 0.75]])
    made = Mat.doubles(entries)
    assert made == Mat(np.array([[0.25, 0.75]]))
    assert (made.exact, made.den, made.row(0)) == (False, 1, [0.25, 0.75])
    with pytest.raises(ValueError, match="read-only"):
        made.entries[0, 0] = 1


def test_mixing_exact_and_float_raises():
    exact, floats = Mat.of([[Q(1, 2)]]), Mat(np.array([[0.5]]))
    for mix in (
        lambda: exact @ floats,
        lambda: floats @ exact,
        lambda: exact + floats,
        lambda: exact.kron(floats),
        lambda: floats.kron(exact),
        lambda: exact.scaled(0.5),
        lambda: floats.scaled(Q(1, 2)),
    ):
        with pytest.raises(MixedArithmetic, match=r"both as fractions|both as floats"):
            mix()
    assert exact != floats
    assert floats.scaled(2)[0, 0] == 1.0
    assert exact.scaled(2)[0, 0] == 1


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2), min_size=2, max_size=2))
def test_float_matrices_do_what_numpy_does(a):
    m, array = Mat(np.array(a)), np.array(a)
    assert not m.exact
    assert (m @ m).entries.tolist() == (array @ array).tolist()
    assert (m + m).entries.tolist() == (array + array).tolist()
    assert m.kron(m).entries.tolist() == np.kron(array, array).tolist()
    assert m.scaled(0.5).entries.tolist() == (array * 0.5).tolist()
    assert m.rows() == a
    assert m.den == 1


def test_entries_are_fractions_or_floats():
    assert isinstance(Mat.of([[1]])[0, 0], Q)
    assert type(Mat(np.array([[1.0]]))[0, 0]) is float
    assert repr(Mat.of([[1, 2]])) == "Mat(1×2, exact)"
    assert repr(Mat(np.ones((2, 1)))) == "Mat(2×1, float)"


def test_empty_selections_are_equal():
    a, b = Mat.of([[Q(1, 2)]]).take(rows=[]), Mat.of([[Q(1, 3)]]).take(rows=[])
    assert a.shape == (0, 1)
    assert a == b
    assert hash(a) == hash(b)


def test_zero_has_denominator_one():
    assert Mat.over(12, [[0, 0]]).den == 1


def test_unequal():
    assert Mat.of([[1, 2]]) != Mat.of([[1], [2]])
    assert Mat.of([[1]]) != Mat.of([[2]])
    assert Mat.of([[1]]) != "x"


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_the_identity_is_known_and_found(n):
    made = Mat.identity(n)
    same = Mat.over(1, [[int(i == j) for j in range(n)] for i in range(n)]) if n else made
    assert made == same
    assert made.is_identity == same.is_identity is True
    assert made.single_ones.tolist() == same.single_ones.tolist() == list(range(n))


@given(at=st.lists(st.integers(0, 3), min_size=1, max_size=6), data=st.data())
def test_a_single_one_in_every_column(at, data):
    rows = [[int(row == k) for k in at] for row in range(4)]
    found = Mat.over(1, rows)
    assert found.single_ones.tolist() == at
    assert Mat(found.floats).single_ones.tolist() == at
    assert found.is_identity == (at == [0, 1, 2, 3])
    i, j = data.draw(st.integers(0, 3)), data.draw(st.integers(0, len(at) - 1))
    rows[i][j] += 1
    assert Mat.over(1, rows).single_ones is None


def test_floats_of_a_matrix_without_entries():
    assert Mat(np.empty((0, 3), dtype=object), 7).floats.shape == (0, 3)
