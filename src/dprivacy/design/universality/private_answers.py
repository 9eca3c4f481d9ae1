"""How well any private mechanism can tell two secrets apart: the frontier of what is possible.

A yes-or-no answer about secrets x and z is a pair of chances: of "yes" on x and of "yes" on z. A
mechanism offers all the pairs that come from reading its output; the frontier is the most that any
ε·d-private mechanism on the whole space offers. Points between x and z lower it: what may change by
e^(ε·d) at every step may not change by as much over the whole way.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from dprivacy.polytope import Cone

Corner = tuple[Fraction, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Answers:
    """Private yes-or-no answers on the classes of a cone: 0 ≤ f ≤ 1 with f and 1 − f both private."""

    cone: Cone

    @cached_property
    def neighbours(self) -> list[list[tuple[int, Fraction]]]:
        """For every class, those it is bound to, and by which factor e^(ε·d)."""
        found: list[list[tuple[int, Fraction]]] = [[] for _ in range(self.cone.n)]
        for i, j, p, q in self.cone.rational:
            found[i].append((j, Fraction(p, q)))
            found[j].append((i, Fraction(p, q)))
        return found

    def greatest(self, source: int, chance: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The largest private f with f(source) = chance: its values, and how each grows with chance.

        Notes
        -----
        Next to a point with value p, f may be at most min(a·p, 1 − (1−p)/a) with a = e^(ε·d): the
        first keeps f private and the second 1 − f. Both rise with p and are at least p, so that the
        smallest bound over all paths is found as shortest paths are. Every bound is a line in the
        chance at the source; the slope is that of one which holds with equality.
        """
        best: dict[int, tuple[Fraction, Fraction]] = {}
        queue = [(chance, ONE, source)]
        while queue:
            value, slope, i = heapq.heappop(queue)
            if i in best:
                continue
            best[i] = value, slope
            for j, a in self.neighbours[i]:
                if j not in best:
                    low = value * (a + 1) <= 1
                    bound = a * value if low else 1 - (1 - value) / a
                    heapq.heappush(queue, (bound, slope * a if low else slope / a, j))
        return [best[i] for i in range(self.cone.n)]

    def frontier(self, source: int, target: int) -> list[Corner]:
        """The corners of q ↦ max f(target) over private f with f(source) = q, from (0, 0) to (1, 1).

        Notes
        -----
        The frontier is the lowest of finitely many rising lines. Two of them are known, at q = 0 and
        at q = 1. Where they meet is a corner, or a lower line passes there; then look to both sides.
        """

        def at(q: Fraction) -> tuple[Fraction, Fraction, Fraction]:
            return (q, *self.greatest(source, q)[target])

        corners = {ZERO: ZERO, ONE: ONE}
        todo = [(at(ZERO), at(ONE))]
        while todo:
            left, right = todo.pop()
            (q0, v0, s0), (q1, v1, s1) = left, right
            if s0 == s1:
                continue
            q = (v1 - v0 + s0 * q0 - s1 * q1) / (s0 - s1)
            middle = at(q)
            if middle[1] == v0 + s0 * (q - q0):
                corners[q] = middle[1]
            else:
                todo += [(left, middle), (middle, right)]
        return sorted(corners.items())


def offered(first: Sequence[Fraction], second: Sequence[Fraction]) -> list[Corner]:
    """The corners of what two rows of a channel offer: "yes" on the outputs that speak for `second`.

    Equal quotients are one step, impossible outputs none.
    """
    steps: dict[Fraction, Corner] = {}
    for p, q in zip(first, second, strict=True):
        if p:
            a, b = steps.get(q / p, (ZERO, ZERO))
            steps[q / p] = a + p, b + q
    corners = [(ZERO, ZERO)]
    for quotient in sorted(steps, reverse=True):
        (a, b), (p, q) = corners[-1], steps[quotient]
        corners.append((a + p, b + q))
    return corners


def height(corners: Sequence[Corner], q: Fraction) -> Fraction:
    """The height at q of the line through the corners."""
    for (a, b), (c, d) in pairwise(corners):
        if q <= c:
            return b + (d - b) * (q - a) / (c - a)
    return corners[-1][1]
