"""The frontier of what private yes-or-no answers can tell about two secrets."""

import random
from fractions import Fraction as Q
from itertools import permutations

from dprivacy.design.universality.private_answers import Answers, height, offered
from dprivacy.model import Channel
from dprivacy.polytope.cones.private_cone import Cone
from dprivacy.spaces import line
from dprivacy.verify import privacy
from support.universality_cases import SMALL, inequalities, least, spaces


class TestFrontier:
    @spaces
    def test_it_is_what_linear_programs_reach(self, space):
        """min of p·f(x) − q·f(z) over all f with f and 1 − f private, for many p and q."""
        answers = Answers(Cone.of(space, "ln 2"))
        n = len(space)
        below = inequalities(space, 2, 2)
        equal = [[Q(int(at % n == x)) for at in range(2 * n)] for x in range(n)]
        rng = random.Random(1)
        for i, j in permutations(range(n), 2):
            corners = answers.frontier(i, j)
            assert corners[0] == (0, 0)
            assert corners[-1] == (1, 1)
            for _ in range(3):
                p, q = rng.randint(1, 9), rng.randint(1, 9)
                cost = [Q(p) * (at == i) - Q(q) * (at == j) for at in range(2 * n)]
                assert min(p * a - q * b for a, b in corners) == least(
                    cost, below, equal, [Q(1)] * n
                )

    def test_points_between_lower_it(self):
        corners = Answers(Cone.of(line(3), "ln 2")).frontier(0, 2)
        assert corners == [(0, 0), (Q(1, 6), Q(2, 3)), (Q(1, 3), Q(5, 6)), (1, 1)]
        assert Answers(Cone.of(line([0, 2]), "ln 2")).frontier(0, 1) == [
            (0, 0),
            (Q(1, 5), Q(4, 5)),
            (1, 1),
        ]

    def test_the_answer_that_reaches_a_corner_is_private(self):
        space = SMALL["star"]
        answers = Answers(Cone.of(space, "ln 3"))
        for q in (Q(0), Q(1, 7), Q(1, 2), Q(9, 10), Q(1)):
            f = [value for value, _ in answers.greatest(1, q)]
            C = Channel(space.labels, ["yes", "no"], [[v, 1 - v] for v in f])
            assert f[1] == q
            assert privacy(C, space, eps="ln 3")

    def test_what_a_channel_offers(self):
        corners = offered([Q(1, 2), Q(0), Q(1, 2)], [Q(1, 4), Q(0), Q(3, 4)])
        assert corners == [(0, 0), (Q(1, 2), Q(3, 4)), (1, 1)]
        assert height(corners, Q(1, 4)) == Q(3, 8)
