"""Kernels: each one is what it should be, none is missed, none refines another."""

import random
import sys
from importlib import import_module
from itertools import islice

import pytest

from dprivacy.errors import Malformed, MixedArithmetic, SpaceMismatch, TooLarge, Uncertified
from dprivacy.mechanisms import bitwise_response, geometric, randomised_response
from dprivacy.model import Channel, earth_move, push, uniform
from dprivacy.numbers.exact_algebra import rank
from dprivacy.polytope import (
    count_kernels,
    is_kernel,
    is_vertex_mechanism,
    kernels,
    posterior_privacy,
)
from dprivacy.polytope.cones.cone_vertices import rays
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.polytope.supports.space_symmetries import symmetries
from dprivacy.spaces import discrete, from_table, graph, grid, hamming_cube, line
from dprivacy.verify import privacy
from support.polytope_oracles import by_brute_force

SPACES = {
    "line": (line(4), "ln 2"),
    "longer line": (line(5), "ln(3/2)"),
    "gaps": (line([0, 1, 3]), "ln 2"),
    "discrete": (discrete([*"abcd"]), "ln(7/5)"),
    "kite": (graph([(0, 1), (1, 2), (2, 0), (2, 3)]), "ln 2"),
    "star": (graph([(0, k) for k in range(1, 4)]), "ln 3"),
    "grid": (grid(2, 2, metric="manhattan"), "ln 2"),
    "no common base": (
        from_table([*"abc"], [[0, "ln 2", "ln 3"], ["ln 2", 0, "ln 5"], ["ln 3", "ln 5", 0]]),
        1,
    ),
    "one class of two": (
        from_table([*"abc"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True),
        "ln 2",
    ),
}
every_space = pytest.mark.parametrize(("space", "eps"), SPACES.values(), ids=SPACES)


@every_space
@pytest.mark.statement("T", "Def 6.3.1", "Def 6.3.2")
def test_every_kernel_is_one(space, eps):
    found = list(kernels(space, eps=eps))
    assert len({frozenset(map(tuple, K.matrix.transposed.rows())) for K in found}) == len(found)
    for K in found:
        assert privacy(K, space, eps=eps)
        hyper = push(K, prior=uniform(space))
        assert hyper.prior() == uniform(space)
        assert all(posterior_privacy(p, space, eps=eps).vertex for p in hyper.inners)
        assert rank(K.matrix) == len(K.columns) == len(hyper.observations)
        assert is_kernel(K, space, eps=eps)


@every_space
def test_none_is_missed(space, eps):
    expected = by_brute_force(list(rays(Cone.of(space, eps))))
    assert count_kernels(space, eps=eps) == len(expected)
    assert sum(1 for _ in kernels(space, eps=eps)) == len(expected)


@every_space
@pytest.mark.statement("T", "Property 1", "Property 3")
def test_no_kernel_contains_or_refines_another(space, eps):
    found = [push(K, prior=uniform(space)) for K in kernels(space, eps=eps)]
    inners = [frozenset(hyper.inners) for hyper in found]
    assert all(a == b or not a <= b for a in inners for b in inners)
    generator = random.Random(1)
    pairs = [(a, b) for a in found for b in found if a is not b]
    for first, second in generator.sample(pairs, min(12, len(pairs))):
        move = earth_move(first, second)
        assert move.holds is False
        assert move.after > move.before


@every_space
def test_classes_under_symmetries(space, eps):
    """One of each class: their images under all symmetries are all kernels, without overlap."""
    cone = Cone.of(space, eps)
    group = symmetries(cone)
    labels = [cone.label(i) for i in range(cone.n)]
    found = list(kernels(space, eps=eps, up_to_symmetry=True))
    count = count_kernels(space, eps=eps)
    assert len(found) == count.classes
    assert count.symmetries == len(group)

    def image(K, permutation):
        columns = K.restrict(labels).matrix.transposed.rows()
        return frozenset(tuple(column[i] for i in permutation) for column in columns)

    orbits = [{image(K, permutation) for permutation in group} for K in found]
    assert sum(map(len, orbits)) == count == len(set().union(*orbits))


@pytest.mark.parametrize(
    ("space", "order"),
    [
        (line(4), 2),
        (discrete(range(5)), 120),
        (hamming_cube(3), 48),
        (line([0, 1, 3]), 1),
        (grid(2, 3, metric="manhattan"), 4),
        (discrete(range(9)), None),
    ],
)
def test_how_many_symmetries(space, order):
    found = symmetries(Cone.of(space, "ln 2"))
    assert (None if found is None else len(found)) == order
    assert found is None or found[0] == tuple(range(len(space)))


@pytest.mark.parametrize("start", [0, 1, 100, 186, 187, 500])
def test_an_enumeration_is_resumed(start):
    everything = list(kernels(line(5), eps="ln 2"))
    assert list(kernels(line(5), eps="ln 2", start=start)) == everything[start:]


def test_the_count_is_a_number_with_its_parts():
    found = count_kernels(line(4), eps="ln 3")
    assert found == 11
    assert found + 1 == 12
    assert (found.vertices, found.by_posteriors, found.classes) == (8, {2: 1, 3: 2, 4: 8}, 7)
    assert found.to_dict()["kernels"] == 11
    assert found.to_dict()["eps"] == "ln(3)"
    assert "11 kernels on 4 points" in found.explain()


def test_on_the_discrete_metric_any_level_can_be_counted():
    assert count_kernels(discrete(range(4)), eps=1) == 41
    with pytest.raises(Uncertified):
        kernels(discrete(range(4)), eps=1)
    with pytest.raises(Uncertified):
        count_kernels(line(4), eps=1)


def test_at_level_zero_there_is_the_kernel_that_says_nothing():
    assert list(kernels(line(3), eps=0)) == [Channel([0, 1, 2], ["y1"], [[1], [1], [1]])]
    found = count_kernels(discrete(range(3)), eps=0)
    assert found == 1
    assert "says nothing" in found.explain()
    assert is_kernel([[1], [1], [1]], line(3), eps=0)
    assert not is_kernel([["1/2", "1/2"], ["1/3", "2/3"]], line(2), eps=0)


class TestReasons:
    G = geometric(line(4), eps="ln 2").channel

    def test_not_private(self):
        verdict = is_kernel(self.G, line(4), eps="ln(3/2)")
        assert verdict.holds is False
        assert verdict.output == 0
        assert verdict.pair == (0, 1)
        assert "2 times as likely for 0 as for 1" in verdict.reason

    def test_not_a_vertex(self):
        verdict = is_kernel(self.G, line(4), eps="ln 3")
        assert verdict.parts == ((0,), (1,), (2,), (3,))
        assert "not a vertex" in verdict.explain()
        half = is_vertex_mechanism(
            [["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]], line(3), eps="ln 2"
        )
        assert half.parts == ((0, 1), (2,))

    def test_dependent(self):
        both = Channel(
            ["a", "b", "c"],
            range(4),
            [
                ["1/3", "1/6", "1/3", "1/6"],
                ["1/6", "1/3", "1/3", "1/6"],
                ["1/6", "1/3", "1/6", "1/3"],
            ],
        )
        space = discrete(["a", "b", "c"])
        assert is_vertex_mechanism(both, space, eps="ln 2")
        verdict = is_kernel(both, space, eps="ln 2")
        assert not verdict
        for x in both.rows:
            assert sum(k * both[x, y] for y, k in verdict.dependency.items()) == 0
        assert "linearly dependent" in verdict.reason

    def test_an_irrational_level_is_decided_too(self):
        assert is_kernel(self.G, line(4), eps=1).parts == ((0,), (1,), (2,), (3,))
        assert is_kernel(self.G, line(4), eps="1/2").pair == (0, 1)

    def test_columns_in_any_order_and_proportional_ones_together(self):
        C = [["1/3", "1/6", "1/6", "1/3"], ["1/6", "1/3", "1/3", "1/6"]]
        assert is_kernel(C, discrete([0, 1]), eps="ln 2")
        assert is_kernel(self.G.restrict([3, 1, 0, 2]), line(4), eps="ln 2")

    def test_mechanisms_are_read(self):
        assert is_kernel(geometric(line(6), eps="ln 5"), line(6), eps="ln 5")
        cube = hamming_cube(3)
        bits = bitwise_response(3, eps="ln 2").channel
        assert is_kernel(Channel(cube.labels, bits.columns, bits.matrix), cube, eps="ln 2")
        hobby = discrete(["tea", "coffee", "water"])
        assert is_kernel(randomised_response(hobby, eps="ln 2"), hobby, eps="ln 2")

    def test_floats_and_strangers_are_refused(self):
        with pytest.raises(MixedArithmetic, match="float entries"):
            is_kernel([[0.5, 0.5], [0.5, 0.5]], line(2), eps="ln 2")
        with pytest.raises(SpaceMismatch):
            is_kernel(self.G, line(3), eps="ln 2")


class TestLimits:
    def test_many_vertices(self):
        with pytest.raises(TooLarge, match="1,048,574 vertices"):
            count_kernels(discrete(range(20)), eps="ln 2")
        with pytest.raises(TooLarge, match="more than 1,000 vertices"):
            kernels(line(30), eps="ln 2")

    def test_many_kernels(self):
        with pytest.raises(TooLarge, match=r"126 vertices.*about 10\^8.*about \d+ minutes; pass"):
            count_kernels(discrete(range(7)), eps="ln 2")

    def test_many_kernels_without_the_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "numba", None)
        with pytest.raises(TooLarge, match=r"64 vertices.*about .* minutes \(compiled.*fast"):
            count_kernels(line(7), eps="ln 2")

    def test_many_symmetries(self, monkeypatch):
        monkeypatch.setattr(
            import_module("dprivacy.polytope.kernel_list"), "symmetries", lambda cone: None
        )
        assert count_kernels(discrete(range(4)), eps="ln 2").classes is None
        with pytest.raises(TooLarge, match="symmetries"):
            kernels(discrete(range(4)), eps="ln 2", up_to_symmetry=True)

    def test_start_is_not_negative(self):
        with pytest.raises(Malformed, match="at least 0"):
            kernels(line(3), eps="ln 2", start=-1)

    def test_progress_and_interruption(self):
        class Enough(Exception):
            pass

        def stop(done, total):
            raise Enough

        with pytest.raises(Enough):
            count_kernels(line(5), eps="ln 2", progress=stop)
        assert len(list(islice(kernels(hamming_cube(3), eps="ln 2"), 3))) == 3
