"""The rays of which (ε, δ)-private channels are made, and the kernels with a slack."""

import random
from fractions import Fraction as Q
from itertools import islice, permutations
from math import comb

import pytest

from dprivacy.errors import NotApplicable, TooLarge, Uncertified
from dprivacy.numbers import Mat, feasible
from dprivacy.polytope import count_kernels, fan_rays, is_extreme, kernels, local_privacy, ray_leaks
from dprivacy.refine import refines

FUBINI = [1, 1, 3, 13, 75, 541]


def test_how_many_rays_there_are():
    for n in range(1, 6):
        expected = sum(comb(n, s) * (FUBINI[s] - (s >= 2)) for s in range(1, n + 1))
        found = fan_rays(n, Q(3))
        assert len(set(found)) == len(found) == expected
        assert len(fan_rays(n, Q(1))) == 2**n - 1


@pytest.mark.parametrize("a", [Q(1), Q(2), Q(5, 3)])
def test_every_column_is_a_sum_of_rays_that_leak_no_more(a):
    rays, draw = fan_rays(3, a), random.Random(5)
    for _ in range(30):
        column = tuple(Q(draw.choice([0, 1, 2, 3, 4, 5, 7, 12])) for _ in range(3))
        goal = [*column, *ray_leaks(column, a)]
        table = [[*ray, *ray_leaks(ray, a)] for ray in rays]
        assert feasible(Mat.of(list(zip(*table, strict=True))), goal).status == "optimal"


def test_leaks_of_rays_are_not_less_than_those_of_their_sum():
    one, two = (Q(2), Q(1), Q(0)), (Q(0), Q(1), Q(1))
    both = tuple(p + q for p, q in zip(one, two, strict=True))
    apart = [p + q for p, q in zip(ray_leaks(one, Q(2)), ray_leaks(two, Q(2)), strict=True)]
    assert all(p <= q for p, q in zip(ray_leaks(both, Q(2)), apart, strict=True))


def test_two_points_have_four_kernels_and_one_serves_all():
    found = list(kernels("discrete:2", eps="ln 3", delta="1/5"))
    assert len(found) == 4
    (best,) = [kernel for kernel in found if len(kernel.columns) == 4]
    assert sorted(v for row in best.matrix.rows() for v in row) == sorted(
        [Q(1, 5), Q(0), Q(3, 5), Q(1, 5)] * 2
    )
    for kernel in found:
        assert local_privacy(kernel, eps="ln 3", delta="1/5")
        assert refines(best, kernel)


def test_three_points():
    found = count_kernels("discrete:3", eps="ln 2", delta="1/10")
    assert found == 13_286
    assert found.by_posteriors[9] == 1070
    assert (found.vertices, found.symmetries) == (21, 6)
    assert "δ = 1/10, made of 21 rays of the fan" in found.explain()
    for kernel in islice(kernels("discrete:3", eps="ln 2", delta="1/10"), 100):
        assert local_privacy(kernel, eps="ln 2", delta="1/10")


def test_classes_under_permutations():
    """By orbits: every permutation of a kernel is a kernel."""
    every = [_columns(kernel) for kernel in kernels("discrete:3", eps=0, delta="1/10")]
    assert len(set(every)) == len(every) == 6
    some = list(kernels("discrete:3", eps=0, delta="1/10", up_to_symmetry=True))
    orbits = {
        frozenset(tuple(column[i] for i in order) for column in _columns(kernel))
        for kernel in some
        for order in permutations(range(3))
    }
    assert orbits == set(every)
    assert len(some) == count_kernels("discrete:3", eps=0, delta="1/10").classes == 4


def _columns(kernel):
    return frozenset(zip(*kernel.matrix.rows(), strict=True))


def test_kernels_with_nine_columns_are_extreme():
    """An extreme point has at most n² non-zero columns, and for n = 3 some have that many."""
    full = (k for k in kernels("discrete:3", eps="ln 2", delta="1/10") if len(k.columns) == 9)
    for kernel in islice(full, 0, 40, 10):
        verdict = is_extreme(kernel, eps="ln 2", delta="1/10")
        assert verdict
        assert len(verdict.columns) == len(verdict.pieces) == 9
        assert len(verdict.tight) == 6


@pytest.mark.slow
def test_the_parma_polyhedra_library_finds_as_many():
    ppl = pytest.importorskip("ppl")
    rays, delta = fan_rays(3, Q(2)), Q(1, 10)
    weights = [ppl.Variable(k) for k in range(len(rays))]
    system = ppl.Constraint_System()
    for weight in weights:
        system.insert(weight >= 0)
    for x in range(3):
        system.insert(sum(int(ray[x]) * w for ray, w in zip(rays, weights, strict=True)) == 1)
    for k in range(6):
        leak = sum(
            int(10 * ray_leaks(ray, Q(2))[k]) * w for ray, w in zip(rays, weights, strict=True)
        )
        system.insert(leak <= int(10 * delta))
    assert len(list(ppl.C_Polyhedron(system).minimized_generators())) == 13_286


class TestRefusals:
    def test_other_spaces(self):
        with pytest.raises(NotApplicable, match="equally far apart"):
            kernels("line:3", eps="ln 2", delta="1/10")

    def test_many_points(self):
        with pytest.raises(TooLarge, match="up to 3 points, not 4"):
            count_kernels("discrete:4", eps="ln 2", delta="1/10")

    def test_an_irrational_level(self):
        with pytest.raises(Uncertified, match="need a rational"):
            count_kernels("discrete:3", eps=1, delta="1/10")
