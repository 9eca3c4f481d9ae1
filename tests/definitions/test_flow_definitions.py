"""What an adversary gains, which channel is safer, how far distributions are: beside definitions."""

import math
from fractions import Fraction as Q

from flint import ctx

from dprivacy.estimation import estimate, kantorovich
from dprivacy.flow import (
    additive_capacity,
    capacity,
    d_capacity,
    leakage,
    posterior_vulnerability,
    vulnerability,
)
from dprivacy.model import Dist, Gain
from dprivacy.numbers import Level
from dprivacy.refine import refines
from support import definitions_flow as defined, definitions_privacy, degenerate_spaces as edge
from support.definition_cases import checked_beside
from support.exact_reals import ball, is_rounded_up


def question(rng, *, most=3):
    """A channel, a prior and a gain, as tables."""
    n = rng.randint(1, most)
    table, prior = edge.rows(rng, n, most=3), edge.weights(rng, n)
    gain = [
        [Q(rng.randint(-3, 6), rng.choice([1, 1, 7])) for _ in range(n)]
        for _ in range(rng.randint(1, 3))
    ]
    return table, prior, gain


def as_gain(table):
    return Gain([f"w{k}" for k in range(len(table))], range(len(table[0])), table)


def check_vulnerability(rng):
    table, prior, gain = question(rng)
    belief = Dist(range(len(prior)), prior)
    assert vulnerability(belief, gain=as_gain(gain)) == defined.vulnerability(prior, gain)
    found = posterior_vulnerability(edge.channel(table), prior=belief, gain=as_gain(gain))
    assert found == defined.posterior_vulnerability(table, prior, gain)


def check_capacity(rng):
    table, prior, gain = question(rng)
    found = capacity(edge.channel(table))
    assert found == defined.capacity(table)
    belief, worth = Dist(range(len(prior)), prior), [[abs(v) for v in row] for row in gain]
    if defined.vulnerability(prior, worth):
        assert leakage(edge.channel(table), prior=belief, gain=as_gain(worth)) <= found


def check_additive_capacity(rng):
    table, _, gain = question(rng)
    found = additive_capacity(edge.channel(table), gain=as_gain(gain))
    reached = [found.prior[x] for x in range(len(table))]

    def gained(prior):
        return defined.posterior_vulnerability(table, prior, gain) - defined.vulnerability(
            prior, gain
        )

    assert gained(reached) == found.value
    for _ in range(6):
        assert gained(edge.weights(rng, len(table))) <= found.value


def check_d_capacity(rng):
    drawn = edge.spaces(rng)
    table = edge.rows(rng, drawn.n, drawn=drawn)
    true, found = (
        definitions_privacy.rate(table, drawn),
        d_capacity(edge.channel(table), drawn.space),
    )
    if math.inf in (true, found):
        assert true == found
        return
    with ctx.workprec(definitions_privacy.BITS):
        assert is_rounded_up(found, true)


def two(rng):
    """Two channels on the same inputs; often the second is the first, processed or nearly so."""
    n = rng.randint(1, 3)
    a = edge.rows(rng, n, most=3)
    if rng.random() < 0.4:
        return a, edge.rows(rng, n, most=3)
    post = [edge.weights(rng, rng_m) for rng_m in [rng.randint(1, 3)] for _ in a[0]]
    b = [
        [
            sum((p * row[z] for p, row in zip(line, post, strict=True)), Q(0))
            for z in range(len(post[0]))
        ]
        for line in a
    ]
    if rng.random() < 0.4:
        at = rng.randrange(n)
        b[at] = edge.nearly(rng, b[at])
    return (a, b) if rng.random() < 0.7 else (b, a)


def check_average(rng):
    a, b = two(rng)
    found = refines(edge.channel(a), edge.channel(b))
    assert found.exact
    assert found.holds is defined.refines_on_average(a, b)


def check_max(rng):
    a, b = two(rng)
    found = refines(edge.channel(a), edge.channel(b), by="max")
    assert found.exact
    assert found.holds is defined.refines_in_the_worst_case(a, b)


def check_private(rng):
    a, b = two(rng)
    found = refines(edge.channel(a), edge.channel(b), by="private")
    assert found.holds is defined.refines_for_privacy(a, b)
    drawn = edge.spaces(rng, most=len(a))
    if drawn.n != len(a):
        return
    on_one = refines(edge.channel(a), edge.channel(b), drawn.space, by="private")
    first, second = (definitions_privacy.rate(rows, drawn) for rows in (a, b))
    if math.inf in (first, second):
        assert on_one.holds is (first == math.inf)
    elif bool(second < first) or bool(second > first):
        assert on_one.holds is bool(second < first)
    else:
        assert on_one.holds is not False


def check_kantorovich(rng):
    drawn = edge.spaces(rng, most=3)
    p, q = edge.weights(rng, drawn.n), edge.weights(rng, drawn.n)
    true, found = defined.kantorovich(p, q, drawn), kantorovich(p, q, drawn.space)
    if true == math.inf:
        assert found == math.inf
        return
    unit = next((d for row in drawn.distances for d in row if d != math.inf and d.r), None)
    if isinstance(found, Q) and (unit is None or unit.kind == "1"):
        assert found == true
    else:
        scale = 1.0 if unit is None else float(Level(str(type(unit)(Q(1), unit.kind, unit.q))))
        assert math.isclose(float(found), float(true) * scale, rel_tol=1e-9, abs_tol=1e-14)


def check_estimate(rng):
    """No distribution is likelier by more than the gap that the estimate states."""
    n = rng.randint(1, 3)
    table = edge.rows(rng, n, most=3)
    m = len(table[0])
    possible = [y for y in range(m) if any(row[y] for row in table)]
    counts = {f"y{y}": rng.randint(0, 30) for y in possible}
    total = sum(counts.values())
    if not total:
        return
    found = estimate(edge.channel(table), counts, estimator="ibu")

    def mean(shares):
        logs = []
        for y in possible:
            chance = sum(
                (Q(share) * row[y] for share, row in zip(shares, table, strict=True)), Q(0)
            )
            if counts[f"y{y}"]:
                if not chance:
                    return None
                logs.append(counts[f"y{y}"] * ball(chance).log())
        return sum(logs, ball(0)) / total

    reached = mean([Q(s) for s in found.shares])
    rivals = [edge.weights(rng, n) for _ in range(5)] + [
        [Q(int(k == x)) for k in range(n)] for x in range(n)
    ]
    if reached is None:
        assert found.gap == math.inf
        return
    for rival in rivals:
        other = mean(rival)
        assert other is None or not other - reached > ball(found.gap) + ball(Q(1, 10**11))


CHECKS = {
    "vulnerability": check_vulnerability,
    "capacity": check_capacity,
    "additive_capacity": check_additive_capacity,
    "d_capacity": check_d_capacity,
    "refines on average": check_average,
    "refines in the worst case": check_max,
    "refines for privacy": check_private,
    "kantorovich": check_kantorovich,
    "estimate": check_estimate,
}

test_the_definition_says_the_same, test_it_does_wherever_one_looks = checked_beside(CHECKS)
