"""Any private channel is a refinement of a convex sum of kernels, and recomposes exactly."""

import random
from fractions import Fraction as Q
from itertools import islice

import pytest

from dprivacy.errors import Malformed, NotPrivate, Uncertified
from dprivacy.mechanisms import any_metric, exponential, geometric
from dprivacy.model import Channel, Hyper, earth_move, push, uniform
from dprivacy.polytope import decompose, is_kernel, is_vertex_mechanism, kernels, vertices
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.polytope.cones.reverse_earth_move import as_vertices
from dprivacy.spaces import discrete, from_table, graph, grid, hamming_cube, line

SPACES = {
    "line": (line(4), "ln 2"),
    "discrete": (discrete([*"abcd"]), "ln(7/5)"),
    "cycle": (graph([(i, (i + 1) % 5) for i in range(5)]), "ln 2"),
    "cube": (hamming_cube(3), "ln 2"),
    "grid": (grid(2, 3, metric="manhattan"), "ln 3"),
    "no common base": (
        from_table([*"abc"], [[0, "ln 2", "ln 3"], ["ln 2", 0, "ln 5"], ["ln 3", "ln 5", 0]]),
        1,
    ),
}
every_space = pytest.mark.parametrize(("space", "eps"), SPACES.values(), ids=SPACES)


def random_row(generator, size):
    weights = [generator.randint(0, 4) for _ in range(size)]
    weights[generator.randrange(size)] += 1
    return [Q(w, sum(weights)) for w in weights]


def random_private_channel(generator, space, eps):
    """A convex sum of a few kernels, post-processed at random."""
    some = generator.sample(list(islice(kernels(space, eps=eps), 150)), 2)
    mixed = Hyper.mix(
        random_row(generator, 2), [push(K, prior=uniform(space)) for K in some]
    ).channel()
    R = [random_row(generator, 3) for _ in mixed.columns]
    return mixed, mixed @ Channel(mixed.columns, ["p", "q", "r"], R)


@every_space
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.statement("T", "Lem 6.11", "Property 2", "Cor 6.12")
def test_every_private_channel_recomposes(space, eps, seed):
    generator = random.Random(seed)
    mixed, C = random_private_channel(generator, space, eps)
    for channel in (mixed, C):
        found = decompose(channel, space, eps=eps)
        assert found.holds()
        assert sum(found.weights) == 1
        assert all(weight > 0 for weight in found.weights)
        assert all(is_kernel(K, space, eps=eps) for K in found.kernels)
        assert is_vertex_mechanism(found.vertex, space, eps=eps)
        assert found.vertex @ found.witness == channel
        assert len(found.kernels) <= len(found.vertex.columns)
    # a vertex mechanism is its own convex sum
    assert decompose(mixed, space, eps=eps).vertex.equivalent(mixed)
    # and the witness is an Earth Move
    below = push(decompose(C, space, eps=eps).vertex, prior=uniform(space))
    assert earth_move(below, push(C, prior=uniform(space)))


@every_space
def test_a_kernel_is_its_own_decomposition(space, eps):
    K = next(kernels(space, eps=eps))
    found = decompose(K, space, eps=eps)
    assert found.weights == (1,)
    assert found.kernels[0].equivalent(K)


@every_space
def test_a_column_is_a_sum_of_few_vertices(space, eps):
    cone = Cone.of(space, eps)
    known = {tuple(p.weights) for p in vertices(space, eps=eps)}
    parts = as_vertices(cone, [1] * cone.n)
    assert len(parts) <= cone.n
    for i in range(cone.n):
        assert sum(share * vertex[i] for vertex, share in parts) == 1
    assert all(share > 0 for _, share in parts)
    assert all(tuple(Q(v, sum(vertex)) for v in vertex) in known for vertex, _ in parts)


def test_large_spaces_need_no_list_of_vertices():
    space = line(25)  # 2^24 vertices
    found = decompose(exponential(space, eps="ln 3").channel, space, eps="ln 3")
    assert found.holds()


def test_inner_points():
    C = any_metric(line(5), eps="ln 2").channel
    found = decompose(C, line(5), eps="ln 3")
    assert found.holds()
    assert not found.vertex.equivalent(C)
    assert "post-process it with the witness" in found.explain()
    assert found.to_dict()["weights"] == [str(w) for w in found.weights]


def test_the_channel_that_says_nothing():
    found = decompose([[1], [1], [1]], discrete(range(3)), eps="ln 2")
    assert found.holds()
    assert decompose([["1/2", "1/2"]] * 3, line(3), eps=0).holds()
    with pytest.raises(NotPrivate, match="distance 0"):
        decompose([["1/2", "1/2"], ["1/3", "2/3"]], line(2), eps=0)


def test_what_is_not_private_is_refused_with_the_triple():
    C = geometric(line(3), eps="ln 3").channel
    with pytest.raises(NotPrivate, match="3 times as likely for 0 as for 1"):
        decompose(C, line(3), eps="ln 2")


def test_an_irrational_level_is_refused_with_the_way_out():
    with pytest.raises(Uncertified, match="take ε = ln"):
        decompose([["1/2", "1/2"]] * 2, line(2), eps=1)


def test_only_kernels_can_be_preferred():
    with pytest.raises(Malformed, match="prefer takes kernels only"):
        decompose([["1/2", "1/2"]] * 2, line(2), eps="ln 2", prefer=[[["1/2", "1/2"]] * 2])
