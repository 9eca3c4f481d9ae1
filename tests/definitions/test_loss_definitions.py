"""Privacy losses, audits, sensitivity and induced spaces beside their definitions."""

import math
from fractions import Fraction as Q
from math import comb

from flint import ctx

from dprivacy.numbers import Level
from dprivacy.spaces import induced_space, sensitivity
from dprivacy.verify import (
    audit_counts,
    concentrated_privacy,
    extended_privacy,
    privacy_loss,
    probabilistic_privacy,
)
from support import definitions_losses as defined, degenerate_spaces as edge
from support.definition_cases import checked_beside
from support.definitions_privacy import BITS, delta_needed
from support.exact_reals import ONE, ball, is_rounded_up

DELTAS = [Q(0), Q(1), Q(1, 2), Q(1, 10**80), Q(1, 7), Q(1, 3)]


def matches(found, true):
    if math.inf in (found, true):
        return found == true
    with ctx.workprec(BITS):
        return is_rounded_up(found, true)


def check_extended(rng):
    table, xi, delta = edge.rows(rng, rng.randint(1, 4)), edge.eps(rng), rng.choice(DELTAS)
    found = extended_privacy(edge.channel(table), xi=str(xi), delta=delta)
    assert found.exact
    assert found.holds is defined.is_extended(table, xi, delta)
    if found.worst is not None:
        i, j = found.worst.x, found.worst.z
        low, _ = delta_needed(table, [(i, j, ONE)], xi)
        assert low <= found.worst.needed


def check_probabilistic(rng):
    table, xi, delta = edge.rows(rng, rng.randint(1, 4)), edge.eps(rng), rng.choice(DELTAS)
    delta = rng.choice([delta, defined.tail(table[0], table[-1], xi)])
    found = probabilistic_privacy(edge.channel(table), xi=str(xi), delta=delta)
    assert found.exact
    assert found.holds is defined.is_probabilistic(table, xi, delta)


def check_loss_law(rng):
    p, q = edge.rows(rng, 2)
    loss = privacy_loss(edge.channel([p, q]), 0, 1)
    assert matches(loss.mean, defined.divergence(p, q))
    eps = edge.eps(rng)
    assert loss.tail(str(eps)) == defined.tail(p, q, eps)
    low, high = delta_needed([p, q], [(0, 1, ONE)], eps)
    found = loss.delta(str(eps))
    assert low <= found
    assert found <= high if isinstance(found, Q) else math.nextafter(found, 0) < high


def check_concentrated_mean(rng):
    drawn = edge.spaces(rng)
    table = edge.rows(rng, drawn.n, drawn=drawn)
    true = defined.mean_rate(table, drawn)
    found = concentrated_privacy(edge.channel(table), drawn.space)
    assert matches(found.smallest_mu, true), (found.smallest_mu, true)
    if true == math.inf:
        assert found.holds is False
        return
    for share in (1 - Q(1, 10**30), 1 + Q(1, 10**30)):
        with ctx.workprec(BITS):
            mu = Q(0) if true == 0 else share * _rational(true)
        asked = concentrated_privacy(edge.channel(table), drawn.space, mu=mu, tau=10**6)
        supports = {tuple(bool(p) for p in row) for row in table}
        fits = len(supports) == 1 and (share > 1 or true == 0)
        assert asked.holds is fits, (asked.holds, share)


def _rational(number):
    m, e = number.mid().man_exp()
    return Q(int(m)) * Q(2) ** int(e)


def check_concentrated_scale(rng):
    """τ² is at least 2·ln E e^(s·(L − E L))/s² at every s, and τ at most half the range."""
    table = edge.rows(rng, 2, zeros=False)
    found = concentrated_privacy(edge.channel(table)).smallest_tau
    p, q = table
    if p == q:
        assert found == 0
        return
    ratios = [a / b for a, b in zip(p, q, strict=True) if a]
    with ctx.workprec(700):
        tau, width = ball(found), ball(max(ratios) / min(ratios)).log()
        assert 2 * tau <= width * (1 + ball(Q(1, 10**9)))
        for s in (Q(1, 100), Q(-1), Q(rng.randint(1, 40), 3)):
            for first, second in ((p, q), (q, p)):
                assert not tau**2 < defined.subgaussian_rate(first, second, s)


def check_audit(rng):
    """The bounds on both probabilities miss by no more than they may, by binomial sums."""
    n = rng.randint(1, 60)
    hits = [rng.randint(0, n), rng.randint(0, n)]
    drawn = edge.spaces(rng, most=2, infinite=False)
    if drawn.n < 2:
        return
    counts = {x: {"a": hits[x], "b": n - hits[x]} for x in (0, 1)}
    sure = rng.choice([0.9, 0.99, 0.999])
    found = audit_counts(counts, drawn.space, events=[{"a"}, {"b"}], confidence=sure)
    miss = (1 - Q(sure)) / 8
    low, high = Q(found.p_low), Q(found.q_high)
    assert low == 0 or _tail(found.hits_x, n, low) <= miss * (1 + Q(1, 10**9))
    assert high == 1 or _tail(n - found.hits_z, n, 1 - high) <= miss * (1 + Q(1, 10**9))
    d = drawn.distances[found.x][found.z]
    if not d.r:
        assert found.eps_lower in ((0, math.inf) if low > high else (0,))
    elif found.eps_lower:
        with ctx.workprec(300):
            assert ball(Q(found.eps_lower)) * d.ball() <= (ball(low) / ball(high)).log()


def _tail(hits, n, p):
    """Pr[at least `hits` of n]."""
    return sum((comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits, n + 1)), Q(0))


def check_sensitivity(rng):
    X, Y = edge.spaces(rng), edge.spaces(rng)
    images = [rng.randrange(Y.n) for _ in range(X.n)]
    found = sensitivity(images.__getitem__, X.space, Y.space)
    assert matches(found, defined.sensitivity(images, X, Y)), found


def check_induced_space(rng):
    X = edge.spaces(rng)
    images = [rng.randrange(3) for _ in range(X.n)]
    found = induced_space(images.__getitem__, X.space)
    unit = next((d for row in X.distances for d in row if d != math.inf and d.r), ONE)
    for (a, b), length in defined.induced_distances(images, X).items():
        d = found.distance(a, b)
        if length == math.inf:
            assert d == math.inf
        else:
            assert Level(d) == Level(str(type(unit)(Q(1), unit.kind, unit.q))) * length


CHECKS = {
    "extended_privacy": check_extended,
    "probabilistic_privacy": check_probabilistic,
    "privacy_loss": check_loss_law,
    "concentrated_privacy": check_concentrated_mean,
    "subgaussian_scale": check_concentrated_scale,
    "audit_counts": check_audit,
    "sensitivity": check_sensitivity,
    "induced_space": check_induced_space,
}

test_the_definition_says_the_same, test_it_does_wherever_one_looks = checked_beside(CHECKS)
