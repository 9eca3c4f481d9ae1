"""Extended, probabilistic and concentrated privacy, and sensitivity, from their definitions."""

import math
from fractions import Fraction as Q

from flint import arb, ctx

from support.definitions_privacy import BITS, delta_needed
from support.exact_reals import ONE, ball, sign


def is_extended(table, xi, delta) -> bool:
    """C(x)(R) ≤ e^ξ·C(z)(R) + δ for every ordered pair and every set R."""
    pairs = [(i, j, ONE) for i in range(len(table)) for j in range(len(table)) if i != j]
    low, high = delta_needed(table, pairs, xi)
    assert high <= delta or low > delta, "the enclosure of e^ξ is too wide"
    return high <= delta


def tail(p, q, xi):
    """Pr[ln(p_y/q_y) > ξ] for y drawn by p."""
    return sum(
        (a for a, b in zip(p, q, strict=True) if a and (not b or sign(a / b, xi, ONE) > 0)), Q(0)
    )


def is_probabilistic(table, xi, delta) -> bool:
    """The loss of every ordered pair exceeds ξ with probability at most δ."""
    return all(tail(p, q, xi) <= delta for p in table for q in table)


def divergence(p, q):
    """Σ p·ln(p/q) as a ball; inf where q misses something; exactly 0 for equal rows."""
    if p == q:
        return arb(0)
    if any(a and not b for a, b in zip(p, q, strict=True)):
        return math.inf
    with ctx.workprec(BITS):
        return sum((ball(a) * ball(a / b).log() for a, b in zip(p, q, strict=True) if a), arb(0))


def mean_rate(table, drawn):
    """The largest mean loss per unit of distance, as a ball; inf where none is large enough."""
    best = arb(0)
    for i, j, d in drawn.pairs():
        mean = divergence(table[i], table[j])
        if d == math.inf or table[i] == table[j]:
            continue
        if mean == math.inf or not d.r:
            return math.inf
        with ctx.workprec(BITS):
            best = best.max(mean / d.ball())
    return best


def subgaussian_rate(p, q, s):
    """2·ln E e^(s·(L − E L))/s² at one s, as a ball: a lower bound on τ²."""
    with ctx.workprec(700):
        mean = divergence(p, q)
        losses = [(ball(a), ball(a / b).log() - mean) for a, b in zip(p, q, strict=True) if a]
        return (
            2 * sum((a * (loss * ball(s)).exp() for a, loss in losses), arb(0)).log() / ball(s) ** 2
        )


def sensitivity(images, X, Y):
    """max d_Y(f(x), f(z))/d_X(x, z) as a ball; inf where answers at distance 0 are apart."""
    best = arb(0)
    for i, j, d in X.pairs():
        far = Y.distances[images[i]][images[j]] if images[i] != images[j] else None
        if far is None or (far != math.inf and not far.r) or d == math.inf:
            continue
        if far == math.inf or not d.r:
            return math.inf
        with ctx.workprec(BITS):
            best = best.max(far.ball() / d.ball())
    return best


def induced_distances(images, X):
    """Shortest ways from answer to answer, each step a pair of secrets: every path of every length."""
    answers = list(dict.fromkeys(images))
    steps = {
        (a, b): min(
            (
                X.distances[i][j]
                for i in range(X.n)
                for j in range(X.n)
                if (images[i], images[j]) == (a, b)
            ),
            key=_length,
        )
        for a in answers
        for b in answers
        if a != b
    }

    def shortest(here, there, left):
        if here == there:
            return 0
        ways = [
            _length(steps[here, step]) + shortest(step, there, left - {step})
            for step in left
            if _length(steps[here, step]) < math.inf
        ]
        return min(ways, default=math.inf)

    return {
        (a, b): shortest(a, b, frozenset(answers) - {a}) for a in answers for b in answers if a != b
    }


def _length(d):
    """How many units long: distances of one space are multiples of one unit."""
    return d if d == math.inf else d.r
