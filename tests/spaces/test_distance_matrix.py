"""Tables of distances: coded exact values and floats."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import MixedArithmetic, TooLarge
from dprivacy.numbers import Level, ln, root
from dprivacy.spaces.distance_matrix import Distances, plus, require_fits, times


def test_exact_entries_survive():
    rows = [[Q(0), root(2), ln(3)], [root(2), Q(0), math.inf], [ln(3), math.inf, Q(0)]]
    d = Distances.of(rows)
    assert d.exact
    assert [[d[i, j] for j in range(3)] for i in range(3)] == rows
    assert d.floats[0, 1] == math.sqrt(2)
    assert d.floats[1, 2] == math.inf
    assert d.integers is None


@pytest.mark.parametrize("most", [3, 40, 90_000_000, 1 << 30])
def test_roots_made_on_demand_are_those_made_at_once(most):
    """Also beyond 2⁵³, where a square is no double and all are made at once."""
    places = np.random.default_rng(most).integers(0, most, (12, 2))
    squares = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    lazy = Distances.roots(squares)
    eager = Distances.coded(squares, lambda s: root(s).simplified)
    assert lazy.values == eager.values
    assert list(lazy.values) == list(eager.values)
    assert [type(v) for v in lazy.values] == [type(v) for v in eager.values]
    assert (lazy.table == eager.table).all()
    assert (lazy.floats == eager.floats).all()
    assert lazy.floats[0, 1] == float(root(int(squares[0, 1])))
    assert (lazy.zeros == (squares == 0)).all()
    assert (lazy.signs == np.sign(squares)).all()
    assert list(lazy.values[1:3]) == list(eager.values[1:3])


def test_a_value_too_small_for_a_double_has_its_sign():
    tiny = Q(1, 10**400)
    d = Distances.of([[Q(0), tiny], [tiny, Q(0)]])
    assert d.signs.tolist() == [[0, 1], [1, 0]]
    assert d.zeros.tolist() == [[True, False], [False, True]]


def test_equal_values_get_equal_codes():
    a = Distances.of([[Q(0), Q(1), Q(2)], [Q(1), Q(0), Q(2)], [Q(2), Q(2), Q(0)]])
    b = Distances.of([[Q(0), Q(2), Q(1)], [Q(2), Q(0), Q(1)], [Q(1), Q(1), Q(0)]])
    total = a.joined(b, plus)  # 1 + 2 and 2 + 1 are both 3
    assert sorted(total.values) == [0, 3]
    assert total.table[0, 1] == total.table[0, 2]
    mapped = a.mapped(lambda v: min(v, Q(1)))
    assert sorted(mapped.values) == [0, 1]
    assert mapped[0, 2] == 1


def test_mixing_is_refused():
    with pytest.raises(MixedArithmetic, match=r"0\.5"):
        Distances.of([[Q(0), 0.5], [Q(1, 3), Q(0)]])
    with pytest.raises(MixedArithmetic):
        Distances.of([[0.0, root(2)], [root(2), 0.0]])
    exact, floats = Distances.of([[Q(0)]]), Distances.of([[0.0]])
    for a, b in ((exact, floats), (floats, exact)):
        with pytest.raises(MixedArithmetic, match="build both the same way"):
            a.joined(b, plus)
    assert not Distances.of([[Q(0), 0.5], [0.5, Q(0)]]).exact  # whole numbers among floats


def test_infinity_does_not_make_a_table_float():
    assert Distances.of([[Q(0), math.inf], [math.inf, Q(0)]]).exact


def test_integers():
    d = Distances.of([[Q(0), Q(1, 6)], [Q(1, 4), Q(0)]])
    numerators, den = d.integers
    assert den == 12
    assert numerators.tolist() == [[0, 2], [3, 0]]
    big = Distances.of([[Q(0), Q(2**62)], [Q(2**62), Q(0)]])
    assert (big.integers[0] + big.integers[0])[0, 1] == 2**63  # not overflowed
    small = Distances.of([[Q(0), Q(2**62 - 1)], [Q(2**62 - 1), Q(0)]])
    assert (small.integers[0] + small.integers[0])[0, 1] == 2**63 - 2


def test_scaling():
    d = Distances.of([[Q(0), root(2)], [math.inf, Q(3)]])
    scaled = d.scaled(ln(2))
    assert scaled[0, 1] == root(2) * ln(2)
    assert scaled[1, 0] == math.inf
    assert scaled[1, 1] == ln(8)
    assert isinstance(d.scaled(Level(2))[1, 1], Q)
    assert isinstance(d.scaled(root(2))[0, 1], Q)
    floats = Distances.of([[0.0, 1.5], [1.5, 0.0]])
    assert floats.scaled(Level(2))[0, 1] == 3.0
    for absurd in ("1e400", "1e-400"):
        with pytest.raises(TooLarge, match="doubles cannot be multiplied"):
            floats.scaled(Level(absurd))


def test_a_distance_beyond_the_doubles_is_refused_in_words():
    for huge in (Q(10**400), Level("1e400") * root(2)):
        with pytest.raises(TooLarge, match="too large for a double"):
            Distances.of([[Q(0), huge], [huge, Q(0)]]).floats


def test_take():
    d = Distances.of([[Q(10 * i + j) for j in range(4)] for i in range(4)])
    taken = d.take([3, 1])
    assert [[taken[i, j] for j in range(2)] for i in range(2)] == [[33, 31], [13, 11]]


def test_nothing_can_be_changed():
    for d in (Distances.of([[Q(0)]]), Distances.of([[0.0, 0.5], [0.5, 0.0]])):
        for array in (d.table, d.floats):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 5


def test_plus_and_times():
    assert plus(Q(1, 2), Q(1, 3)) == Q(5, 6)
    assert plus(root(2), -root(2)) == 0
    assert isinstance(plus(root(2), -root(2)), Q)
    assert plus(math.inf, Q(1)) == math.inf
    assert plus(root(2), math.inf) == math.inf
    assert plus(0.5, 0.25) == 0.75
    assert times(root(2), Q(1, 2)) == 1 / root(2)
    assert times(Q(2), Q(1, 2)) == 1
    assert times(math.inf, Q(1, 2)) == math.inf


def test_coded():
    d = Distances.coded(np.array([[0, 4], [9, 0]]), lambda square: root(square).simplified)
    assert [d[0, 1], d[1, 0], d[0, 0]] == [2, 3, 0]


def test_require_fits():
    require_fits("x", 20_000)
    require_fits("x", 100, 200)
    for sizes, power, shown in (
        ((20_001,), 1, "20,001"),
        ((201, 100), 1, "20,100"),
        ((2,), 15, "32,768"),
        ((10,), 10**9, r"about 10\^1000000000"),
    ):
        with pytest.raises(TooLarge, match=f"^the thing has {shown} points; at most 20,000"):
            require_fits("the thing", *sizes, power=power)
