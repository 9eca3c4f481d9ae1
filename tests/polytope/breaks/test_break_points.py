"""Break points: against counts at rational levels, brute force in a number field, and theorems."""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction as Q
from itertools import combinations
from math import lcm

import pytest

from dprivacy.errors import BadNumber, NotApplicable, TooLarge
from dprivacy.polytope import count_kernels, kernel_breaks, vertices
from dprivacy.polytope.cones.lipschitz_vertices import tight_functions
from dprivacy.polytope.supports.balanced_collections import balanced_collections
from dprivacy.spaces import discrete, from_table, graph, hamming_cube, line


def cycle(n):
    return graph([(i, (i + 1) % n, 1) for i in range(n)])


def star(leaves):
    return graph([("centre", leaf, 1) for leaf in range(leaves)])


FORK = graph([(0, 1, 1), (1, 2, 1), (2, 3, 1), (1, 4, 1)])
PRINTED = {
    "line of 5": (
        line(5),
        230,
        [
            ("x³ − x² − 1", 216, 222),
            ("x² − x − 1", 210, 218),
            ("x³ − 2x² + x − 1", 206, 214),
            ("x − 2", 187, 195),
        ],
    ),
    "star of 3": (star(3), 9, [("x − 2", 6, 6)]),
    "star of 4": (star(4), 146, [("2x − 3", 118, 130), ("x − 2", 46, 52), ("x − 3", 42, 42)]),
    "cycle of 5": (
        cycle(5),
        5906,
        [
            ("x³ + x² − 2x − 1", 5776, 5876),
            ("x³ − x − 1", 5756, 5866),
            ("x² − 2", 5541, 5846),
            ("x² − x − 1", 4855, 5806),
            ("x² − 2x − 2", 5746, 5806),
        ],
    ),
    "cycle of 6": (
        cycle(6),
        506,
        [("x² − x − 1", 437, 500), ("x − 2", 473, 508), ("x² − 3x + 1", 460, 490)],
    ),
    "fork": (
        FORK,
        214,
        [
            ("x² − 2", 208, 211),
            ("x³ − x² − 1", 197, 203),
            ("x² − x − 1", 177, 189),
            ("x³ − 2x² + x − 1", 175, 181),
            ("x − 2", 135, 150),
        ],
    ),
}


def told(found):
    return [(b.root.equation, *b.totals[1:]) for b in found.breaks]


@pytest.mark.parametrize("name", PRINTED)
def test_the_table(name):
    space, first, breaks = PRINTED[name]
    found = kernel_breaks(space)
    assert sum(found.first.values()) == first
    assert told(found) == breaks


@pytest.mark.parametrize(
    ("space", "kernels"),
    [(line(2), 1), (line(3), 2), (line(4), 11), (cycle(4), 4), (discrete(range(4)), 41)],
)
def test_spaces_without_break_points(space, kernels):
    found = kernel_breaks(space)
    assert found.breaks == ()
    assert sum(found.first.values()) == kernels
    assert "at every ε > 0" in found.explain()


@pytest.mark.parametrize("name", ["line of 5", "star of 4", "cycle of 6", "fork"])
def test_the_count_at_a_rational_level_of_every_interval_and_at_rational_breaks(name):
    """Double description, which shares no step with the signs of minors."""
    space = PRINTED[name][0]
    found = kernel_breaks(space)
    rational = [root.rational for root in found.candidates if root.rational]
    for a in [*found.samples, *rational]:
        counted = count_kernels(space, eps=f"ln({a})")
        assert found.count_at(a) == counted.by_posteriors, a


@pytest.mark.parametrize("name", ["line of 5", "star of 4", "fork"])
def test_the_parma_polyhedra_library_counts_the_same(name):
    """Kernels are the vertices of {w ≥ 0 : V·w = 1}; at a level of every interval, and at 2."""
    ppl = pytest.importorskip("ppl", reason="pplpy is not installed (extra [oracle])")
    space = PRINTED[name][0]
    found = kernel_breaks(space)
    for a in [*found.samples, Q(2)]:
        columns = [list(v.weights) for v in vertices(space, eps=f"ln({a})")]
        system = ppl.Constraint_System()
        for j in range(len(columns)):
            system.insert(ppl.Variable(j) >= 0)
        for x in range(len(space)):
            common = lcm(*(column[x].denominator for column in columns))
            form = sum(int(c[x] * common) * ppl.Variable(j) for j, c in enumerate(columns))
            system.insert(form == common)
        points = ppl.C_Polyhedron(system).minimized_generators()
        sizes = Counter(sum(int(v) != 0 for v in point.coefficients()) for point in points)
        assert found.count_at(a) == sizes, a


class Golden:
    """x + yφ with φ² = φ + 1, for whole x and y."""

    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __add__(self, other):
        return Golden(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Golden(self.x - other.x, self.y - other.y)

    def __mul__(self, other):
        both = self.y * other.y
        return Golden(self.x * other.x + both, self.x * other.y + self.y * other.x + both)

    def sign(self):
        """2(x + yφ) = (2x + y) + y√5."""
        u, v = 2 * self.x + self.y, self.y
        if u * v >= 0:
            return (u + v > 0) - (u + v < 0)
        return (1 if u > 0 else -1) * (1 if u * u > 5 * v * v else -1)


def determinant(columns):
    n = len(columns)
    if n == 1:
        return columns[0][0]
    total = Golden(0)
    for j in range(n):
        if columns[j][0].sign():
            part = columns[j][0] * determinant([c[1:] for c in columns[:j] + columns[j + 1 :]])
            total = total + part if j % 2 == 0 else total - part
    return total


def positive_circuits(vectors):
    """Minimal sets with a positive dependency, by the minors of n vectors, in the field of φ."""
    found, rank = set(), len(vectors[0])
    minors = {
        chosen: determinant([vectors[j] for j in chosen]).sign()
        for chosen in combinations(range(len(vectors)), rank)
    }
    for chosen in combinations(range(len(vectors)), rank + 1):
        signs = [minors[chosen[:i] + chosen[i + 1 :]] * (-1) ** i for i in range(rank + 1)]
        if any(signs) and (min(signs) >= 0 or max(signs) <= 0):
            found.add(tuple(j for j, sign in zip(chosen, signs, strict=True) if sign))
    return found


@pytest.mark.parametrize(("n", "edges"), [(5, [(i, i + 1, 1) for i in range(4)])])
def test_the_count_at_the_golden_ratio_by_its_own_arithmetic(n, edges):
    powers = [Golden(1)]
    for _ in range(n):
        powers.append(powers[-1] * Golden(0, 1))
    levels = list(tight_functions(n, edges))
    vectors = [[powers[g[i + 1]] - powers[g[i]] for i in range(n - 1)] for g in levels]
    found = positive_circuits(vectors)
    there = kernel_breaks(line(5)).breaks[1].at
    assert {k: sum(len(s) == k for s in found) for k in there} == there
    assert len(found) == 210


@pytest.mark.parametrize("leaves", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_stars_break_at_the_weights_of_balanced_collections(leaves):
    """a = (total weight of a minimal balanced collection) − 1; from a = m − 1 on, one more."""
    collections = balanced_collections(leaves)
    totals = {Q(sum(weights), whole) - 1 for _, weights, whole in collections}
    found = kernel_breaks(star(leaves))
    assert {b.root.rational for b in found.breaks} == {a for a in totals if a > 1}
    assert found.candidates[-1].rational == leaves - 1
    assert sum(found.breaks[-1].after.values()) == 1 + len(collections)


@pytest.mark.parametrize("name", ["line of 5", "fork", "cycle of 5"])
def test_the_order_of_the_points_does_not_matter(name):
    space, _, breaks = PRINTED[name]
    labels = list(space.labels)
    random.Random(name).shuffle(labels)
    assert told(kernel_breaks(space.restrict(labels))) == breaks
    assert told(kernel_breaks(space.restrict(list(space.labels)[::-1]))) == breaks


def test_another_unit_is_another_base():
    halves = from_table(range(5), [[Q(abs(i - j), 2) for j in range(5)] for i in range(5)])
    found = kernel_breaks(halves)
    assert (found.unit, told(found)) == (Q(1, 2), PRINTED["line of 5"][2])
    assert "e^(ε·1/2)" in found.explain()
    assert found.count_at(3) == count_kernels(halves, eps="ln 9").by_posteriors


def test_uneven_distances():
    """Steps of 1, 2 and 1: polynomials with more than one term in an entry."""
    places = [0, 1, 3, 4]
    space = from_table(places, [[abs(i - j) for j in places] for i in places])
    found = kernel_breaks(space)
    assert found.vertices == len(list(vertices(space, eps="ln 2")))
    for a in [*found.samples, Q(11, 7)]:
        assert found.count_at(a) == count_kernels(space, eps=f"ln({a})").by_posteriors


def test_points_at_distance_zero_and_a_single_point():
    twins = from_table(list("abc"), [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True)
    assert kernel_breaks(twins).first == {2: 1}
    assert kernel_breaks(line(1)).count_at(2) == {1: 1}


def test_what_was_not_counted_says_so():
    five = kernel_breaks(line(5))
    bare = replace(five, first=None, breaks=None)
    assert "from 1.465571 (x³ − x² − 1) to 2. Count kernels" in bare.explain()
    assert bare.to_dict()["breaks"] is None
    assert "the same at every ε > 0" in replace(bare, candidates=()).explain()


def test_refusals():
    with pytest.raises(NotApplicable, match="rational distances"):
        kernel_breaks("grid:2x2")
    with pytest.raises(TooLarge, match="at most 64 times"):
        kernel_breaks(from_table(list("abc"), [[0, 1, 1000], [1, 0, 1000], [1000, 1000, 0]]))
    with pytest.raises(TooLarge, match="force=True"):
        kernel_breaks("line:8")
    with pytest.raises(BadNumber, match="more than 1"):
        kernel_breaks("line:3").count_at(1)


@pytest.fixture(scope="module")
def six():
    return kernel_breaks(line(6))


@pytest.mark.slow
class TestTheLineOfSix:
    def test_the_numbers(self, six):
        assert (six.minors, six.polynomials) == (201_376, 982)
        assert (len(six.candidates), len(six.breaks)) == (174, 95)
        assert sum(six.first.values()) == 21_359
        assert six.breaks[0].root.equation == "x⁶ + x⁴ − x³ − x² − 1"
        at = {b.root.equation: b.totals for b in six.breaks}
        assert at["x − 2"] == (17_576, 15_346, 16_420)
        assert at["x³ − x² − 2x − 1"][1] == 16_390
        assert at["x² − 2x − 1"][1] == 16_278
        assert at["x² − 4x + 2"][1] == 16_062
        assert at["x² − 4x + 1"][1:] == (16_038, 16_050)
        assert six.breaks[-1].root.equation == "x² − 4x + 1"

    def test_it_falls_at_every_break_point(self, six):
        assert all(b.totals[1] < b.totals[2] < b.totals[0] for b in six.breaks)

    def test_counts_at_rational_levels_of_a_dozen_intervals(self, six):
        some = random.Random(6).sample(six.samples, 10)
        for a in [*some, Q(2), Q(10)]:
            assert six.count_at(a) == count_kernels(line(6), eps=f"ln({a})").by_posteriors, a

    def test_a_star_of_five(self):
        found = kernel_breaks(star(5))
        breaks = [Q(5, 4), Q(4, 3), Q(3, 2), Q(5, 3), 2, Q(5, 2), 3, 4]
        assert [b.root.rational for b in found.breaks] == breaks
        assert found.breaks[-1].totals == (1317, 1292, 1292)


@pytest.mark.slow
def test_the_cube_has_candidates_only():
    found = kernel_breaks(hamming_cube(3))
    assert (found.vertices, found.minors, len(found.candidates)) == (38, 12_620_256, 86)
    assert found.polynomials == 364
    assert found.breaks is None
    with pytest.raises(TooLarge, match="count_kernels"):
        found.count_at(2)
