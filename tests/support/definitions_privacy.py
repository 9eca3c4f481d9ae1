"""d-privacy and (ε, δ)-privacy straight from the definition: every pair, every output, every set."""

import math
from fractions import Fraction as Q
from itertools import product

from flint import arb, ctx

from support.exact_reals import ball, power_form, sign

BITS = 1200


def is_private(table, drawn, eps) -> bool:
    """C[x,y] ≤ e^(ε·d(x,z))·C[z,y] for all x, z, y."""
    for i, j, d in drawn.pairs():
        if d == math.inf:
            continue
        for p, q in zip(table[i], table[j], strict=True):
            if p and (not q or sign(p / q, eps, d) > 0):
                return False
    return True


def rate(table, drawn):
    """max ln(C[x,y]/C[z,y])/d(x,z), as a ball; inf where some pair cannot be told apart at all."""
    with ctx.workprec(BITS):
        best = arb(0)
        for i, j, d in drawn.pairs():
            if d == math.inf:
                continue
            for p, q in zip(table[i], table[j], strict=True):
                if p > q:
                    if not q or not d.r:
                        return math.inf
                    best = best.max(ball(p / q).log() / d.ball())
        return best


def induced(table, i, j):
    """The largest ratio between two rows, either way round; inf where supports differ."""
    ratios = [
        Q(max(p, q), min(p, q)) if min(p, q) else math.inf
        for p, q in zip(table[i], table[j], strict=True)
        if max(p, q)
    ]
    return max(ratios)


def excess(p, q, factor):
    """The largest P(A) − factor·Q(A) over every set A of outputs."""
    return max(
        sum((chosen * (a - factor * b) for chosen, a, b in zip(picks, p, q, strict=True)), Q(0))
        for picks in product((0, 1), repeat=len(p))
    )


def factor_bounds(eps, d, bits=BITS):
    """Rationals below and above e^(ε·d), equal where it is rational by powers."""
    exact = power_form(eps, d)
    if exact is not None and exact[0].denominator == 1:
        return (exact[1] ** exact[0].numerator,) * 2
    with ctx.workprec(bits):
        power = (eps.ball() * d.ball()).exp()
        return tuple(
            Q(int(m) * Q(2) ** int(e))
            for m, e in (power.lower().man_exp(), power.upper().man_exp())
        )


def delta_needed(table, pairs, eps):
    """Bounds on max over pairs (i, j, d) and sets A of P_i(A) − e^(ε·d)·P_j(A)."""
    low = high = Q(0)
    for i, j, d in pairs:
        if d != math.inf:
            least, most = factor_bounds(eps, d)
            low, high = (
                max(low, excess(table[i], table[j], most)),
                max(high, excess(table[i], table[j], least)),
            )
    return low, high


def smallest_factor(table, pairs, delta):
    """The smallest a ≥ 1 with P(A) − a·Q(A) ≤ δ for every pair and set A; inf when there is none."""
    best = Q(1)
    for i, j in pairs:
        for picks in product((0, 1), repeat=len(table[i])):
            p, q = (sum(c * v for c, v in zip(picks, table[k], strict=True)) for k in (i, j))
            if p > delta:
                if not q:
                    return math.inf
                best = max(best, (p - delta) / q)
    return best
