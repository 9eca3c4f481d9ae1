"""Paths on which a channel is geometric."""

import random
from itertools import pairwise, permutations

from dprivacy.design.universality.pair_optimality import best_on_pair
from dprivacy.design.universality.tight_paths import geometric_paths
from dprivacy.mechanisms import bitwise_response, geometric
from dprivacy.model import Channel
from dprivacy.spaces import hamming_cube, line
from support.universality_cases import some_private_channels, spaces


def is_path(space, path):
    steps = sum(space.distance(a, b) for a, b in pairwise(path))
    return steps == space.distance(path[0], path[-1])


def all_geometric_paths(C, space):
    """Every path of three points or more with C↓path ≡ the geometric on it; then the longest ones."""
    found = set()
    for k in range(3, len(space) + 1):
        for path in permutations(space.labels, k):
            if is_path(space, path):
                G = geometric(space.restrict(path), eps="ln 2").channel
                if C.restrict(path).equivalent(G):
                    found.add(path)
    shorter = {q for p in found for q in (p[1:], p[:-1])}
    return {p for p in found - shorter if space.position(p[0]) < space.position(p[-1])}


class TestPaths:
    @spaces
    def test_against_all_sequences(self, space):
        rng = random.Random(3)
        for C in some_private_channels(rng, space, 2):
            found = geometric_paths(C, space, eps="ln 2")
            assert {path.points for path in found} == all_geometric_paths(C, space)

    def test_uneven_steps(self):
        space = line([0, 1, 3, 4])
        (path,) = geometric_paths(geometric(space, eps="ln 2"), space, eps="ln 2")
        assert (path.points, path.even, path.step) == ((0, 1, 3, 4), False, 2)
        assert path.to_dict()["points"] == [0, 1, 3, 4]

    def test_bitwise_response_has_none(self):
        """T §6.9: no subset of inputs makes it geometric, though every edge makes it T."""
        cube = hamming_cube(3)
        C = bitwise_response(3, eps="ln 2").channel
        assert geometric_paths(C, cube, eps="ln 2") == []
        assert best_on_pair(C, (0, 0, 0), (0, 1, 0), cube, eps="ln 2").kind == "T"

    def test_no_more_than_asked_for(self):
        cube = hamming_cube(4)
        rows = geometric(5, eps="ln 2").channel.matrix.rows()
        C = Channel(cube.labels, range(5), [rows[sum(x)] for x in cube.labels])
        assert len(geometric_paths(C, cube, eps="ln 2")) == 24
        assert len(geometric_paths(C, cube, eps="ln 2", most=5)) == 5
