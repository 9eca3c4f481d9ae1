"""Extreme points with a slack δ: other enumerators, closed forms, counting formulas, refusals."""

import math
import random
from collections import Counter
from fractions import Fraction as Q
from itertools import product

import pytest

from dprivacy.errors import BadLevel, Malformed, TooLarge, Uncertified
from dprivacy.model import as_channel
from dprivacy.numbers import Factor, extreme_rays, ln
from dprivacy.polytope import (
    count_extreme_points,
    extreme_points,
    is_extreme,
    local_privacy,
    loose_entries,
)
from dprivacy.polytope.slack.edge_walk import Walk
from dprivacy.polytope.slack.ordered_rings import AtRational
from dprivacy.polytope.slack.slack_points import arrangements, point_classes
from support.slack_polytope import by_parma, flat, inequalities, parma


def listed(n, m, a, delta, **options):
    return [flat(A) for A in extreme_points(n, eps=ln(a), delta=delta, outputs=m, **options)]


LEVELS = [("2", "1/10"), ("3/2", "1/2"), ("2", "2/5"), ("1", "1/3"), ("5", "9/10"), ("3", "1")]


@pytest.mark.parametrize(("a", "delta"), LEVELS)
@pytest.mark.parametrize(("n", "m"), [(1, 3), (2, 2), (2, 3), (3, 2)])
def test_the_list_is_that_of_double_description(n, m, a, delta):
    a, delta = Q(a), Q(delta)
    rays = extreme_rays(inequalities(n, m, a, delta), n * m + 1)
    expected = {tuple(Q(v, ray[-1]) for v in ray[:-1]) for ray in rays}
    found = listed(n, m, a, delta)
    assert set(found) == expected
    assert len(found) == len(expected) == count_extreme_points(n, eps=ln(a), delta=delta, outputs=m)


@pytest.mark.parametrize(("a", "delta"), LEVELS)
@pytest.mark.parametrize(
    ("n", "m"),
    [
        (2, 4),
        (4, 2),
        (3, 3),
        pytest.param(4, 3, marks=pytest.mark.slow),
        pytest.param(3, 4, marks=pytest.mark.slow),
    ],
)
def test_list_and_facets_are_those_of_the_parma_polyhedra_library(n, m, a, delta):
    a, delta = Q(a), Q(delta)
    found = listed(n, m, a, delta)
    assert len(found) == len(set(found))
    assert set(found) == by_parma(n, m, a, delta)
    facets = parma(n, m, a, delta).minimized_constraints()
    counted = count_extreme_points(n, eps=ln(a), delta=delta, outputs=m)
    assert counted.facets == sum(1 for c in facets if c.is_inequality())


@pytest.mark.parametrize(
    ("n", "m", "by_columns", "classes"),
    [
        (3, 3, {1: 3, 2: 54, 3: 336}, 18),
        (4, 3, {1: 3, 2: 126, 3: 2826}, 45),
        (3, 4, {1: 4, 2: 108, 3: 1344, 4: 9120}, 89),
        (5, 3, {1: 3, 2: 270, 3: 18480}, 95),
        pytest.param(
            3, 5, {1: 5, 2: 180, 3: 3360, 4: 45600, 5: 222480}, 416, marks=pytest.mark.slow
        ),
        pytest.param(7, 3, {1: 3, 2: 1134, 3: 590016}, 308, marks=pytest.mark.slow),
        pytest.param(4, 4, {1: 4, 2: 252, 3: 11304, 4: 621336}, 1276, marks=pytest.mark.slow),
        pytest.param(
            3,
            6,
            {1: 6, 2: 270, 3: 6720, 4: 136800, 5: 1334880, 6: 3723840},
            1304,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_counts_at_ln_2_and_a_tenth(n, m, by_columns, classes):
    found = count_extreme_points(n, eps="ln 2", delta="1/10", outputs=m)
    assert found.by_columns == by_columns
    assert sum(found.classes.values()) == classes


def distinct(n, m, delta):
    """E(j, k) for j ≤ n, k ≤ m: points with j different rows and k columns, none of them 0."""
    found = Counter()
    for kind in point_classes(n, m, Factor(ln(2)), Q(delta), force=False):
        found[len(set(kind.rows)), kind.columns] += kind.size
    return {(j, k): Q(count, math.comb(m, k) * stirling(n, j)) for (j, k), count in found.items()}


def stirling(n, j):
    if n == j:
        return 1
    return 0 if j == 0 or j > n else j * stirling(n - 1, j) + stirling(n - 1, j - 1)


@pytest.mark.parametrize(("delta", "three", "four"), [("1/10", 282, 1008), ("9/20", 282, 1224)])
def test_equal_rows_and_zero_columns_are_harmless(delta, three, four):
    """count(n, m) = Σ E(j, k)·S(n, j)·C(m, k): the same E from every size."""
    tall = distinct(4, 3, Q(delta))
    assert tall == {(1, 1): 1, (2, 2): 6, (2, 3): 18, (3, 3): three, (4, 3): four}
    assert {key: v for key, v in tall.items() if key[0] < 4} == distinct(3, 3, Q(delta))
    wide = distinct(3, 4, Q(delta))
    assert {key: v for key, v in wide.items() if key[1] < 4} == distinct(3, 3, Q(delta))
    if delta == "1/10":  # and five rows, from the count alone
        five = count_extreme_points(5, eps="ln 2", delta=delta, outputs=3)
        assert five.by_columns[3] == sum(
            tall.get((j, 3), 1080 if j == 5 else 0) * stirling(5, j) for j in range(1, 6)
        )


@pytest.mark.parametrize("m", [2, 3, 4, 5, 9])
@pytest.mark.parametrize("eps", ["ln 2", "1", "1/7"])
def test_two_inputs(m, eps):
    """Four columns, put together where they are neighbours; whatever ε and δ are."""
    expected = m + 3 * m * (m - 1) + 3 * math.perm(m, 3) + math.perm(m, 4)
    assert count_extreme_points(2, eps=eps, delta="3/7", outputs=m) == expected
    none = sum(math.comb(2, k - 1) * math.perm(m, k) for k in (1, 2, 3))
    assert count_extreme_points(2, eps=0, delta="3/7", outputs=m) == none


@pytest.mark.parametrize("n", [2, 3, 7, 20])
@pytest.mark.parametrize("eps", ["ln 2", "1", "1/7"])
def test_two_outputs(n, eps):
    found = count_extreme_points(n, eps=eps, delta="3/7", outputs=2)
    assert found == 2 + 3 * (2**n - 2)
    assert count_extreme_points(n, eps=0, delta="3/7", outputs=2) == 2 + 2 * (2**n - 2)


@pytest.mark.parametrize(
    ("n", "m"), [(2, 2), (2, 3), (2, 5), (3, 2), (4, 2), (5, 2), (3, 3), (1, 4)]
)
@pytest.mark.parametrize(("a", "delta"), [("2", "1/3"), ("1", "1/2"), ("7/2", "1")])
def test_closed_forms_are_what_a_walk_finds(n, m, a, delta):
    """Classes and sizes; at δ = 1 the walk is another way to the same matrices of 0 and 1."""
    a, delta = Q(a), Q(delta)
    walk = Walk(n, m, AtRational(a), (delta.numerator, delta.denominator))
    sizes = sorted(found.size for found in walk.found())
    counted = count_extreme_points(n, eps=ln(a), delta=delta, outputs=m)
    assert sum(sizes) == counted
    assert len(sizes) == sum(counted.classes.values())


def test_all_of_the_slack_leaves_deterministic_matrices():
    every = {
        tuple(Q(int(y == chosen)) for chosen in row for y in range(4))
        for row in product(range(4), repeat=3)
    }
    assert set(listed(3, 4, Q(2), 1)) == every
    assert count_extreme_points(5, eps=1, delta=1, outputs=4) == 4**5
    near = count_extreme_points(3, eps="ln 2", delta="999999/1000000")
    assert near == 327 != count_extreme_points(3, eps="ln 2", delta=1) == 27


@pytest.mark.parametrize(("n", "m", "delta"), [(3, 3, "1/10"), (4, 3, "2/5"), (3, 4, "1/10")])
def test_every_class_is_extreme_and_mixtures_are_not(n, m, delta):
    found = list(extreme_points(n, eps="ln 2", delta=delta, outputs=m, up_to_permutation=True))
    for A in found:
        verdict = is_extreme(A, eps="ln 2", delta=delta)
        assert verdict
        assert len(verdict.pieces) <= n + len(verdict.tight)
        assert set(verdict.loose) == {p[0] for p in verdict.pieces if len(p) == 1}
        assert verdict.loose == loose_entries(A, eps="ln 2", delta=delta)
    draw = random.Random(7)
    for _ in range(25):
        one, two = draw.sample(found, 2)
        share = Q(draw.randint(1, 6), 7)
        table = [[share * one[x, y] + (1 - share) * two[x, y] for y in range(m)] for x in range(n)]
        verdict = is_extreme(table, eps="ln 2", delta=delta)
        assert not verdict
        first, second = verdict.ends
        assert first != second
        assert all(local_privacy(end, eps="ln 2", delta=delta) for end in verdict.ends)
        middle = [(p + q) / 2 for p, q in zip(flat(first), flat(second), strict=True)]
        assert middle == [v for row in table for v in row]
        # as far as can be: one of the ends cannot be passed
        step = Q(1, 10**9)
        beyond = [
            [
                [e + s * step * (f - g) for e, f, g in zip(*rows, strict=True)]
                for rows in zip(
                    end.matrix.rows(), first.matrix.rows(), second.matrix.rows(), strict=True
                )
            ]
            for end, s in ((first, 1), (second, -1))
        ]
        outside = [
            min(v for row in t for v in row) < 0 or not local_privacy(t, eps="ln 2", delta=delta)
            for t in beyond
        ]
        assert any(outside)


def test_a_walk_to_every_class_of_the_boundary_case_a_equal_one():
    """ε = 0 is total variation at most δ."""
    for A in extreme_points(3, eps=0, delta="1/3", up_to_permutation=True):
        assert is_extreme(A, eps=0, delta="1/3")
        rows = A.matrix.rows()
        apart = [sum(abs(p - q) for p, q in zip(r, s, strict=True)) / 2 for r in rows for s in rows]
        assert max(apart) <= Q(1, 3)


@pytest.mark.parametrize("a", [1, 2])
def test_no_inequality_is_redundant(a):
    """For each set of outputs and each pair a matrix at which it alone is an equality."""
    n, m, delta, least = 3, 3, Q(1, 4), Q(1, 100)
    rows = inequalities(n, m, a, delta)[2 * n :]
    for x, z in ((0, 1), (2, 0)):
        for some in ((0,), (1, 2)):
            shares = [least] * n
            shares[z], shares[x] = least, a * least + delta
            other = 3 - x - z
            shares[other] = (shares[x] + least) / 2
            rest = [y for y in range(m) if y not in some]
            table = [
                [share / len(some) if y in some else (1 - share) / len(rest) for y in range(m)]
                for share in shares
            ]
            point = [v for row in table for v in row] + [Q(1)]
            values = [sum(p * q for p, q in zip(row, point, strict=True)) for row in rows]
            assert min(values) == 0
            assert values.count(0) == (1 if a > 1 else 2)  # at ε = 0 the rest says the same


def test_arrangements():
    rows = ((Q(1), Q(0), Q(0)), (Q(1), Q(0), Q(0)), (Q(0), Q(1), Q(0)))
    found = list(arrangements(rows))
    assert len(found) == len(set(found)) == 3 * 6


class TestIrrationalLevels:
    def test_the_test_for_extremeness(self):
        """At ε = 1 only what one input never gives can be tight."""
        found = is_extreme([["1/10", "9/10"], [0, 1]], eps=1, delta="1/10")
        assert found
        assert found.tight == ((0, 1),)
        assert found.kind == "loose"
        other = is_extreme([["1/10", "9/10"], ["1/100", "99/100"]], eps=1, delta="1/10")
        assert not other
        assert all(local_privacy(end, eps=1, delta="1/10") for end in other.ends)

    def test_what_needs_a_rational_factor(self):
        with pytest.raises(Uncertified, match=r"3×3 matrices with 0 < δ < 1 need a rational e\^ε"):
            count_extreme_points(3, eps=1, delta="1/10")
        with pytest.raises(Uncertified, match="take ε = ln"):
            extreme_points(2, eps=1, delta="1/10")


class TestRefusals:
    @pytest.mark.parametrize("delta", ["-1/10", "11/10", "x", 2])
    def test_deltas_outside(self, delta):
        with pytest.raises(BadLevel, match="δ should be a rational number from 0 to 1"):
            count_extreme_points(3, eps="ln 2", delta=delta)

    def test_a_float(self):
        with pytest.raises(Malformed, match=r"such as '1/10', not the float 0\.1"):
            count_extreme_points(3, eps="ln 2", delta=0.1)

    def test_sizes(self):
        with pytest.raises(Malformed, match="whole number"):
            count_extreme_points(0, eps="ln 2", delta="1/10")
        with pytest.raises(TooLarge, match="force=True"):
            count_extreme_points(5, eps="ln 2", delta="1/10")
        with pytest.raises(TooLarge, match="force=True"):
            extreme_points(5, eps="ln 2", delta="1/10")  # before the first one is asked for
        with pytest.raises(TooLarge, match="years"):
            count_extreme_points(9, eps="ln 2", delta="1/10")

    def test_outside_the_polytope(self):
        A = [["4/5", "1/5"], ["1/5", "4/5"]]
        verdict = local_privacy(A, eps="ln 2", delta="1/10")
        assert (verdict.violated, verdict.together) == ((0, 1, 0), (0,))
        told = "Output '0' is too likely for '0' beside '1'"
        assert told in verdict.explain()
        assert told in is_extreme(A, eps="ln 2", delta="1/10").explain()
        assert not is_extreme(A, eps="ln 2", delta="1/10")
        assert local_privacy(A, eps="ln 2", delta="2/5")


def test_outputs_that_are_tuples():
    A = as_channel([["4/5", "1/5"], ["1/5", "4/5"]], columns=[(0, 0), (0, 1)])
    assert "Output '(0, 0)' is 4 times as likely" in local_privacy(A, eps="ln 2").explain()
    assert "Output '(0, 0)' is too likely" in local_privacy(A, eps="ln 2", delta="1/10").explain()


def test_in_words():
    told = count_extreme_points(3, eps="ln 2", delta="1/10").explain()
    assert "393 extreme points of the 3×3" in told
    assert "δ = 1/10" in told
    assert "Facets: 45" in told
    verdict = is_extreme([["7/10", "3/10"], ["3/10", "7/10"]], eps="ln 2", delta="1/10")
    assert "use all of δ: (0, 1), (1, 0)" in verdict.explain()
    assert is_extreme([[1, 0], [0, 1]], eps="ln 2", delta=1).kind == "deterministic"
