"""The local-privacy polytope: membership, the rank test, and all extreme points."""

import math
import random
from fractions import Fraction as Q
from itertools import islice, permutations

import pytest

from dprivacy.errors import Malformed, MixedArithmetic, NotPrivate, TooLarge, Uncertified
from dprivacy.model import as_channel
from dprivacy.numbers.double_description import extreme_rays
from dprivacy.numbers.exact_algebra import rank
from dprivacy.numbers.matrices import Mat
from dprivacy.polytope import (
    count_extreme_points,
    count_kernels,
    extreme_points,
    is_extreme,
    is_kernel,
    local_privacy,
    loose_entries,
)
from dprivacy.polytope.extreme_list import crossings
from dprivacy.spaces import discrete


def constraints(n, m, p, q):
    """Row sums (as two inequalities), then privacy, on (entries, scale): row·v ≥ 0."""
    at = lambda i, j: i * m + j  # noqa: E731
    rows = []
    for i in range(n):
        row = [0] * (n * m + 1)
        for j in range(m):
            row[at(i, j)] = 1
        row[-1] = -1
        rows += [row, [-v for v in row]]
    for j in range(m):
        for i in range(n):
            for k in range(n):
                if i != k:
                    row = [0] * (n * m + 1)
                    row[at(k, j)], row[at(i, j)] = p, -q
                    rows.append(row)
    return rows


def by_double_description(n, m, p, q):
    rays = extreme_rays(constraints(n, m, p, q), n * m + 1, force=True)
    return {tuple(Q(v, ray[-1]) for v in ray[:-1]) for ray in rays}


def flat(A):
    return tuple(v for row in A.matrix.rows() for v in row)


@pytest.mark.parametrize(
    ("n", "m", "eps", "p", "q"),
    [
        (2, 2, "ln 2", 2, 1),
        (2, 3, "ln 2", 2, 1),
        (3, 2, "ln(3/2)", 3, 2),
        (3, 3, "ln 2", 2, 1),
        (3, 3, "ln(6/5)", 6, 5),
        (4, 3, "ln 3", 3, 1),
        pytest.param(5, 3, "ln 2", 2, 1, marks=pytest.mark.slow),
    ],
)
def test_the_list_is_that_of_double_description(n, m, eps, p, q):
    found = [flat(A) for A in extreme_points(n, eps=eps, outputs=m)]
    assert len(set(found)) == len(found) == count_extreme_points(n, eps=eps, outputs=m)
    assert set(found) == by_double_description(n, m, p, q)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 4), pytest.param(5, 4, marks=pytest.mark.slow)])
def test_the_list_is_that_of_the_parma_polyhedra_library(n, m):
    """With 5 inputs and 4 outputs some points have a loose entry: 10264 in all."""
    ppl = pytest.importorskip("ppl")
    system = ppl.Constraint_System()
    for row in constraints(n, m, 2, 1):
        form = sum(v * ppl.Variable(at) for at, v in enumerate(row[:-1]))
        system.insert(form + row[-1] >= 0)
    generators = ppl.C_Polyhedron(system).minimized_generators()
    theirs = {
        tuple(Q(int(v), int(g.divisor())) for v in g.coefficients())
        for g in generators
        if g.is_point()
    }
    assert theirs == {flat(A) for A in extreme_points(n, eps="ln 2", outputs=m)}


def direct_rank(A, a):
    """P Thm 1 as it stands: the rank of all tight constraints on all entries."""
    n, m = A.matrix.shape
    entries = A.matrix.entries
    rows = [[int(v // m == i) for v in range(n * m)] for i in range(n)]
    for j in range(m):
        for i in range(n):
            for k in range(n):
                if i != k and entries[i, j] == a * entries[k, j]:
                    row = [Q(0)] * (n * m)
                    row[i * m + j], row[k * m + j] = Q(1), -a
                    rows.append(row)
    return rank(Mat.of(rows))


def random_member(generator, n, a):
    """The middle of a few extreme points."""
    points = generator.sample(list(extreme_points(n, eps=f"ln({a})")), generator.randint(1, 3))
    weights = [generator.randint(1, 4) for _ in points]
    total = sum(weights)
    return [
        [sum(Q(w, total) * A[i, j] for w, A in zip(weights, points, strict=True)) for j in range(n)]
        for i in range(n)
    ]


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.statement("P", "Thm 1", "Def 3")
def test_the_rank_test(seed):
    generator = random.Random(seed)
    a = generator.choice([Q(2), Q(3, 2), Q(5)])
    A = random_member(generator, generator.choice([2, 3]), a)
    verdict = is_extreme(A, eps=f"ln({a})")
    channel = as_channel(A)
    assert verdict.rank == direct_rank(channel, a)
    assert bool(verdict) == (verdict.rank == verdict.needed == len(A) ** 2)
    if not verdict:
        first, second = verdict.ends
        assert first != second
        assert all(local_privacy(end, eps=f"ln({a})") for end in verdict.ends)
        middle = [(x + z) / 2 for x, z in zip(flat(first), flat(second), strict=True)]
        assert middle == list(flat(channel))


def test_the_rank_test_where_nothing_is_rational():
    """No rational entries are tight at ε = 1; only constant answers are extreme."""
    assert is_extreme([[1, 0], [1, 0]], eps=1)
    verdict = is_extreme([["2/3", "1/3"], ["1/3", "2/3"]], eps=1)
    assert not verdict
    assert verdict.rank == 2
    assert all(local_privacy(end, eps=1) for end in verdict.ends)


@pytest.mark.statement("P", "Thm 3")
def test_a_zero_column_has_rank_n_only_above_level_zero():
    """E21: at ε = 0 the constraints of a zero column have rank n − 1, and positivity is needed."""
    for a, expected in ((Q(2), 3), (Q(1), 2)):
        rows = []
        for i, k in permutations(range(3), 2):
            row = [Q(0)] * 3
            row[i], row[k] = Q(1), -a
            rows.append(row)
        assert rank(Mat.of(rows)) == expected
    assert is_extreme([[1, 0], [1, 0]], eps=0)
    assert is_extreme([[1, 0], [1, 0]], eps="ln 2")


@pytest.mark.statement("P", "Prop 1")
def test_permutations_keep_extreme_points():
    generator = random.Random(3)
    points = {flat(A) for A in extreme_points(3, eps="ln 2")}
    for A in generator.sample(list(extreme_points(3, eps="ln 2")), 8):
        rows, columns = generator.sample(range(3), 3), generator.sample(range(3), 3)
        assert tuple(A[i, j] for i in rows for j in columns) in points


@pytest.mark.parametrize("n", [2, 3, 4])
def test_one_of_each_class(n):
    found = list(extreme_points(n, eps="ln 2", up_to_permutation=True))
    counted = count_extreme_points(n, eps="ln 2")
    assert len(found) == sum(counted.classes.values())
    orders = list(permutations(range(n)))
    orbits = [
        {tuple(A[i, j] for i in rows for j in columns) for rows in orders for columns in orders}
        for A in found
    ]
    assert sum(map(len, orbits)) == counted == len(set().union(*orbits))


def test_classes_with_loose_entries():
    """For n = 5 every class is extreme, of the counted kind, and their sizes add up to the count."""
    counted = count_extreme_points(5, eps="ln 3")
    found = list(extreme_points(5, eps="ln 3", up_to_permutation=True))
    assert len(found) == sum(counted.classes.values()) == 47
    kinds = [is_extreme(A, eps="ln 3") for A in found]
    assert all(kinds)
    assert sum(verdict.kind == "loose" for verdict in kinds) == counted.classes[4, 1] == 2
    orders = list(permutations(range(5)))
    total = 0
    for A, verdict in zip(found, kinds, strict=True):
        if verdict.kind == "loose":
            rows = [tuple(A.matrix.row(i)) for i in range(5)]
            total += len({tuple(sorted(tuple(r[j] for j in o) for r in rows)) for o in orders}) * (
                math.factorial(5) // _repeats(rows)
            )
    assert total == counted.table[4, 1]


def _repeats(rows):
    return math.prod(math.factorial(rows.count(row)) for row in set(rows))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("eps", ["ln 2", "ln(11/10)", 1, 3])
def test_the_bridge_to_kernels(n, eps):
    """Extreme points without loose entries and k columns: K_k(n)·n!/(n − k)!."""
    counted = count_extreme_points(n, eps=eps)
    K = count_kernels(discrete(range(n)), eps=eps).by_posteriors
    for k in range(2, n + 1):
        assert counted.table[k, 0] == K[k] * math.perm(n, k)


def test_the_bridge_point_by_point():
    for A in extreme_points(4, eps="ln 2", up_to_permutation=True):
        found = is_extreme(A, eps="ln 2")
        assert found.columns == tuple(y for y in A.columns if any(A[x, y] for x in A.rows))
        assert found.kind == ("tame" if len(found.columns) > 1 else "constant")
        if found.kind == "tame":
            kept = [[A[x, y] for y in found.columns] for x in A.rows]
            assert is_kernel(kept, discrete(range(4)), eps="ln 2")


def test_crossings():
    assert crossings((1, 1), 1) == []
    assert sorted(crossings((1, 1, 1, 2), 3)) == [
        (0, 1, 1, Q(1, 2)),
        (1, 0, 1, Q(1, 2)),
        (1, 1, 0, Q(1, 2)),
    ]


@pytest.mark.statement("P", "Cor 2")
def test_at_level_zero_only_constant_answers_are_extreme():
    assert count_extreme_points(4, eps=0) == 4
    found = [is_extreme(A, eps=0).columns for A in extreme_points(3, eps=0)]
    assert found == [(0,), (1,), (2,)]
    assert not is_extreme([["1/2", "1/2"]] * 2, eps=0)
    assert loose_entries([["1/2", "1/2"]] * 2, eps=0) == ()
    assert not local_privacy([["1/2", "1/2"], ["1/3", "2/3"]], eps=0)
    assert "only one of them is not zero" in count_extreme_points(2, eps=0).explain()


@pytest.mark.statement("P", "Def 4", "Lem 1", "Lem 2")
def test_membership():
    A = [["4/7", "1/7", "2/7"], ["3/7", "2/7", "2/7"], ["2/7", "1/7", "4/7"]]
    assert local_privacy(A, eps="ln 2")
    outside = local_privacy(A, eps="ln(3/2)")
    assert (outside.violated, outside.ratio) == ((0, 2, 0), 2)
    assert "2 times as likely for '0' as for '2'" in outside.explain()
    assert not is_extreme(A, eps="ln(3/2)")
    assert "outside the polytope" in is_extreme(A, eps="ln(3/2)").explain()
    impossible = local_privacy([[1, 0], ["1/2", "1/2"]], eps=5)
    assert impossible.violated == (1, 0, 1)
    assert "can follow '1' but never '0'" in impossible.explain()


def test_verdicts_in_words():
    found = is_extreme([["2/3", "1/3"], ["1/3", "2/3"]], eps="ln 2")
    assert "rank 4 of 4" in found.explain()
    assert found.statements == ("Thm 6", "Cor 3", "Thm 7", "Cor 4", "Cor 5")
    text = is_extreme([["1/2", "1/2"], ["1/2", "1/2"]], eps="ln 2").explain()
    assert "middle of two other matrices" in text
    assert "904 extreme points of the 4×4" in count_extreme_points(4, eps=1).explain()


class TestRefusals:
    def test_floats(self):
        with pytest.raises(MixedArithmetic):
            is_extreme([[0.5, 0.5], [0.5, 0.5]], eps="ln 2")

    def test_loose_entries_of_what_is_outside(self):
        with pytest.raises(NotPrivate, match="3 times as likely for '0' as for '1'"):
            loose_entries([["3/4", "1/4"], ["1/4", "3/4"]], eps="ln 2")

    def test_an_irrational_level(self):
        with pytest.raises(Uncertified, match="take ε = ln"):
            extreme_points(3, eps=1)

    def test_sizes(self):
        for n in (0, -1, True, 2.0, "3"):
            with pytest.raises(Malformed, match="whole number"):
                count_extreme_points(n, eps="ln 2")
        with pytest.raises(Malformed, match="outputs"):
            extreme_points(3, eps="ln 2", outputs=0)

    def test_very_many(self):
        with pytest.raises(TooLarge, match="force=True"):
            count_extreme_points(7, eps="ln 2")
        assert len(list(islice(extreme_points(6, eps="ln 2"), 20))) == 20


def test_plain_data():
    answer = count_extreme_points(3, eps="ln 2").to_dict()
    assert answer["extreme_points"] == 33
    assert answer["by_columns"] == {"1": 3, "2": 18, "3": 12}
    assert answer["table"][0] == {"columns": 1, "loose": 0, "count": 3, "classes": 1}


@pytest.mark.slow
def test_six_by_six():
    found = count_extreme_points(6, eps="ln 2")
    assert found == 164_806_776
    assert found.by_loose == {0: 143_336_376, 1: 21_081_600, 2: 388_800}
    assert sum(found.classes.values()) == 655
    for A in islice(extreme_points(6, eps="ln 2", up_to_permutation=True), 580, None):
        assert is_extreme(A, eps="ln 2")
