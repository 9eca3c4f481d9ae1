"""The cone of private columns: its inequalities, its vertices, and who lies inside."""

from fractions import Fraction as Q
from itertools import combinations

import pytest

from dprivacy.errors import BadLevel, Malformed, MixedArithmetic, NotAMetric, TooLarge, Uncertified
from dprivacy.model import Dist, uniform
from dprivacy.numbers.double_description import extreme_rays
from dprivacy.numbers.exact_algebra import null_space
from dprivacy.numbers.matrices import Mat
from dprivacy.polytope import inequalities, posterior_privacy, vertices
from dprivacy.polytope.cones.cone_vertices import primitive, rays
from dprivacy.polytope.cones.lipschitz_vertices import tight_functions
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.spaces import discrete, from_table, graph, grid, hamming_cube, line
from dprivacy.verify import privacy

CYCLE = graph([(i, (i + 1) % 5) for i in range(5)])
STAR = graph([(0, k) for k in range(1, 5)])
LOGS = from_table(
    ["a", "b", "c", "d"],
    [
        [0, "ln 2", "ln 3", "ln 5"],
        ["ln 2", 0, "ln 5", "ln 3"],
        ["ln 3", "ln 5", 0, "ln 2"],
        ["ln 5", "ln 3", "ln 2", 0],
    ],
)
SPACES = {
    "line": (line(5), "ln 2"),
    "line with gaps": (line([0, 2, 5, 6]), "ln(3/2)"),
    "unsorted line": (line([3, 0, 2, 1]), "ln 3"),
    "discrete": (discrete([*"abcd"]), "ln(7/5)"),
    "cycle": (CYCLE, "ln 2"),
    "star": (STAR, "ln 2"),
    "grid": (grid(2, 3, metric="manhattan"), "ln 2"),
    "chebyshev": (grid(2, 2, metric="chebyshev"), "ln 5"),
    "half steps": (line(["0", "1/2", "2"]), "2 ln 3"),
    "scaled": (line(4).scaled("ln 2"), 1),
    "no common base": (LOGS, 1),
}
every_space = pytest.mark.parametrize(("space", "eps"), SPACES.values(), ids=SPACES)


def facets(cone):
    rows = []
    for i, j, p, q in cone.rational:
        for a, b in ((i, j), (j, i)):
            row = [0] * cone.n
            row[a], row[b] = -q, p
            rows.append(row)
    return rows


def by_brute_force(cone):
    """Every n − 1 of the constraints as equalities: the private solutions are the extreme rays."""
    found = set()
    for chosen in combinations(facets(cone), cone.n - 1):
        basis = null_space(Mat.of(chosen))
        if basis.shape[0] == 1:
            ray = [Q(v) for v in basis.row(0)]
            ray = [-v for v in ray] if ray[0] < 0 else ray
            if min(ray) > 0 and cone.violated(ray) is None:
                found.add(primitive(ray))
    return found


@every_space
def test_vertices_are_those_of_brute_force(space, eps):
    cone = Cone.of(space, eps)
    assert set(rays(cone)) == by_brute_force(cone)


@every_space
def test_double_description_finds_the_same(space, eps):
    cone = Cone.of(space, eps)
    found = extreme_rays(facets(cone), cone.n)
    assert len(set(found)) == len(found)
    assert set(found) == set(rays(cone))


@every_space
def test_the_parma_polyhedra_library_finds_the_same(space, eps):
    ppl = pytest.importorskip("ppl")
    cone = Cone.of(space, eps)
    system = ppl.Constraint_System()
    for i in range(cone.n):
        system.insert(ppl.Variable(i) >= 0)
    for row in facets(cone):
        system.insert(sum(a * ppl.Variable(i) for i, a in enumerate(row)) >= 0)
    generators = ppl.C_Polyhedron(system).minimized_generators()
    theirs = {
        primitive([int(v) for v in generator.coefficients()])
        for generator in generators
        if generator.is_ray()
    }
    assert theirs == set(rays(cone))


@every_space
@pytest.mark.statement("T", "Lem 6.7", "Lem 6.8", "Lem 6.10")
def test_vertices_are_private_posteriors_around_the_uniform_one(space, eps):
    found = list(vertices(space, eps=eps))
    assert len({tuple(p.weights) for p in found}) == len(found)
    for posterior in found:
        verdict = posterior_privacy(posterior, space, eps=eps)
        assert verdict.vertex, verdict.explain()
    centre = posterior_privacy(uniform(space), space, eps=eps)
    assert centre
    assert not centre.vertex
    assert len(centre.parts) == len(space)


@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_closed_counts(n):
    assert sum(1 for _ in vertices(line(n), eps="ln 2")) == 2 ** (n - 1)
    assert sum(1 for _ in vertices(discrete(range(n)), eps="ln 3")) == 2**n - 2


def test_grids_and_cubes():
    assert sum(1 for _ in vertices(grid(3, 3, metric="manhattan"), eps="ln 2")) == 82
    assert sum(1 for _ in vertices(hamming_cube(3), eps="ln 2")) == 38


def test_vertices_come_one_by_one():
    assert next(vertices(line(40), eps="ln 2"))[0] > 0


def test_a_single_point():
    assert [p.weights for p in vertices(line(1), eps="ln 2")] == [[1]]


def test_at_level_zero_the_uniform_distribution_is_the_one_vertex():
    assert list(vertices(line(3), eps=0)) == [uniform(line(3))]
    assert inequalities(line(3), eps=0) == []
    assert posterior_privacy(Dist([0, 1, 2], ["1/2", "1/4", "1/4"]), line(3), eps=0).pair == (0, 1)


def test_points_at_distance_zero_are_one():
    space = from_table([*"abc"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True)
    found = [tuple(p.weights) for p in vertices(space, eps="ln 2")]
    assert sorted(found) == [(Q(1, 4), Q(1, 4), Q(1, 2)), (Q(2, 5), Q(2, 5), Q(1, 5))]


@pytest.mark.statement("T", "Eq 6.2")
def test_inequalities_are_the_right_way_round_and_irredundant():
    """E22: C[x,y] ≤ e^d·C[z,y]; the printed ≥ would demand that every entry exceed every other."""
    found = inequalities(line(3), eps="ln 2")
    assert [(f.x, f.z, f.factor) for f in found] == [(0, 1, 2), (1, 0, 2), (1, 2, 2), (2, 1, 2)]
    G = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
    for facet in found:
        assert all(Q(a) <= facet.factor * Q(b) for a, b in zip(G[facet.x], G[facet.z], strict=True))
    assert str(inequalities(line(2), eps=1)[0]) == "C[0, y] ≤ e^(1)·C[1, y]"


def test_membership_names_the_pair():
    p = Dist(["a", "b", "c"], ["3/5", "1/5", "1/5"])
    verdict = posterior_privacy(p, discrete(["a", "b", "c"]), eps="ln 2")
    assert (verdict.pair, verdict.ratio) == (("a", "b"), 3)
    assert "'a' is 3 times as likely as 'b'" in verdict.explain()
    assert posterior_privacy(p, discrete(["a", "b", "c"]), eps="ln 3").vertex
    assert posterior_privacy(p, discrete(["c", "b", "a"]), eps="1.2").parts == (
        ("c",),
        ("b",),
        ("a",),
    )
    zero = Dist(["a", "b"], [1, 0])
    assert posterior_privacy(zero, discrete(["a", "b"]), eps=50).pair == ("a", "b")


def test_the_vertices_are_private_channels_columns():
    """Putting a vertex beside what is left of 1 makes a private channel tight where the vertex is."""
    space = line(4)
    for p in vertices(space, eps="ln 2"):
        top = max(p.weights)
        C = [[w / (4 * top), 1 - w / (4 * top)] for w in p.weights]
        assert privacy(C, space, eps="ln 2")


class TestRefusals:
    def refused(self, error, space, eps, **options):
        with pytest.raises(error) as caught:
            vertices(space, eps=eps, **options)
        return str(caught.value)

    def test_an_irrational_factor_comes_with_a_level_that_works(self):
        text = self.refused(Uncertified, line(3), 1)
        assert "not rational for 0 and 1" in text
        assert "'ln(1359/500)'" in text
        assert len(list(vertices(line(3), eps="ln(1359/500)"))) == 4

    def test_an_irrational_factor_on_half_steps(self):
        text = self.refused(Uncertified, line(["0", "1/2"]), "ln 2")
        assert "'2 ln(707/500)'" in text
        assert len(list(vertices(line(["0", "1/2"]), eps="2 ln(707/500)"))) == 2

    def test_a_tiny_level(self):
        assert "ln(2000000001/2000000000)" in self.refused(Uncertified, line(3), "1e-9")

    def test_diagonals_of_a_grid(self):
        assert "'grid:3x3:manhattan'" in self.refused(Uncertified, grid(2, 2), "ln 2")

    def test_a_logarithm_times_a_logarithm(self):
        text = self.refused(Uncertified, line(3).scaled("ln 2"), "ln 2")
        assert "give ε as a rational number" in text

    def test_infinite_distances_name_the_pair(self):
        space = from_table([*"ab"], [[0, "inf"], ["inf", 0]], extended=True)
        assert "between a and b is infinite" in self.refused(NotAMetric, space, "ln 2")

    def test_floats(self):
        assert "float distances" in self.refused(MixedArithmetic, line([0.5, 1.5]), "ln 2")
        with pytest.raises(MixedArithmetic, match="float weights"):
            posterior_privacy(Dist([0, 1], [0.5, 0.5]), line(2), eps="ln 2")

    def test_a_negative_level(self):
        assert "at least 0" in self.refused(BadLevel, line(3), -1)

    def test_no_space(self):
        assert "a space is a FiniteSpace" in self.refused(Malformed, 4, "ln 2")

    def test_a_huge_level(self):
        assert "0 and 1, at distance 1" in self.refused(TooLarge, line(3), 10**9)

    def test_double_description_in_many_dimensions(self):
        primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31]
        space = graph([("p0", f"p{k}", f"ln {p}") for k, p in enumerate(primes, 1)])
        assert "force=True" in self.refused(TooLarge, space, 1)


def test_lipschitz_functions_on_a_weighted_path():
    assert sorted(tight_functions(3, [(0, 1, 2), (1, 2, 3)])) == [
        (0, 2, 5),
        (1, 3, 0),
        (2, 0, 3),
        (5, 3, 0),
    ]
