"""Privacy, (ε, δ) and profiles beside their definitions."""

import math
from fractions import Fraction as Q

from flint import ctx

from dprivacy.numbers import Level
from dprivacy.verify import (
    delta_at,
    distinguishability,
    eps_at,
    exactly,
    mended,
    privacy,
    privacy_profile,
    smallest_eps,
)
from support import definitions_privacy as defined, degenerate_spaces as edge
from support.definition_cases import checked_beside
from support.exact_reals import ONE, is_rounded_up, value

DELTAS = [Q(0), Q(1), Q(1, 2), Q(1, 10**80), Q(1, 7), Q(1, 3)]


def matches(found, true):
    """Whether a level is the true one, given as a ball or inf."""
    if math.inf in (found, true):
        return found == true
    with ctx.workprec(defined.BITS):
        return is_rounded_up(found, true)


def all_pairs(table):
    n = range(len(table))
    return [(i, j) for i in n for j in n if i != j]


def check_smallest_eps(rng):
    drawn = edge.spaces(rng)
    table = edge.rows(rng, drawn.n, drawn=drawn)
    true = defined.rate(table, drawn)
    found = smallest_eps(edge.channel(table), drawn.space)
    assert matches(found, true), (found, true)


def check_privacy(rng):
    drawn, eps = edge.spaces(rng), edge.eps(rng)
    table = edge.rows(rng, drawn.n, drawn=drawn)
    found = privacy(edge.channel(table), drawn.space, eps=str(eps))
    assert found.exact
    assert found.holds is defined.is_private(table, drawn, eps)
    true = defined.rate(table, drawn)
    assert matches(found.smallest, true)
    if found.worst is not None and found.smallest != math.inf:
        x, z, y = found.worst.x, found.worst.z, int(found.worst.y[1:])
        assert found.worst.ratio == table[x][y] / table[z][y]


def check_privacy_with_slack(rng):
    drawn, eps = edge.spaces(rng, most=3), edge.eps(rng)
    table = edge.rows(rng, drawn.n, most=3, drawn=drawn)
    delta = rng.choice(DELTAS[1:])
    low, high = defined.delta_needed(table, drawn.pairs(), eps)
    assert high <= delta or low > delta, "the enclosure is too wide"
    found = privacy(edge.channel(table), drawn.space, eps=str(eps), delta=delta)
    assert found.holds is (high <= delta)
    assert low <= found.delta_needed <= high + Q(1, 10**15)


def check_delta_at(rng):
    eps = edge.eps(rng)
    table = edge.rows(rng, rng.randint(1, 4))
    pairs = [(i, j, ONE) for i, j in all_pairs(table)]
    low, high = defined.delta_needed(table, pairs, eps)
    found = delta_at(edge.channel(table), eps=str(eps))
    assert low <= found, "rounded down"
    assert found <= high if isinstance(found, Q) else math.nextafter(found, 0) < high


def check_eps_at(rng):
    table, delta = edge.rows(rng, rng.randint(1, 4)), rng.choice(DELTAS)
    found = eps_at(edge.channel(table), delta=delta)
    true = defined.smallest_factor(table, all_pairs(table), delta)
    assert found == math.inf if true == math.inf else found.exp() == true


def check_profile(rng):
    table, delta = edge.rows(rng, rng.randint(1, 4)), rng.choice(DELTAS)
    found = privacy_profile(edge.channel(table))
    factor = Q(rng.randint(4, 30), 4)
    true = max(
        (defined.excess(table[i], table[j], factor) for i, j in all_pairs(table)), default=Q(0)
    )
    assert found.delta(f"ln({factor})") == max(true, 0)
    needed = defined.smallest_factor(table, all_pairs(table), delta)
    assert found.eps(delta) == math.inf if needed == math.inf else found.eps(delta).exp() == needed
    for eps, kink in found.kinks:
        assert delta_at(edge.channel(table), eps=eps) == kink


def check_induced_metric(rng):
    table = edge.rows(rng, rng.randint(1, 4))
    found = distinguishability(edge.channel(table))
    for i, j in all_pairs(table):
        true, d = defined.induced(table, i, j), found.distances[i, j]
        assert d == math.inf if true == math.inf else Level(d).exp() == true


def check_exactly(rng):
    drawn, eps = edge.spaces(rng), edge.eps(rng)
    table = edge.rows(rng, drawn.n, drawn=drawn)
    if not defined.is_private(table, drawn, eps):
        return
    found = exactly(edge.channel(table), drawn.space, eps=str(eps))
    true = defined.rate(table, drawn)
    with ctx.workprec(200):
        low, high = found.achieved
        # A rate that is a double is a ball around it, neither above nor below.
        assert not value(Q(low)) > true
        assert not true > value(Q(high))


def check_mended(rng):
    drawn = edge.spaces(rng, most=3, infinite=False)
    table, eps = edge.rows(rng, drawn.n, most=3, drawn=drawn), edge.eps(rng)
    found = mended(edge.channel(table), drawn.space, eps=str(eps))
    average = [sum(column, Q(0)) / len(table) for column in zip(*table, strict=True)]

    def mixed(share):
        return [
            [(1 - share) * p + share * q for p, q in zip(row, average, strict=True)]
            for row in table
        ]

    assert found.channel.matrix.rows() == mixed(found.share)
    assert defined.is_private(mixed(found.share), drawn, eps)
    assert not found.share or not defined.is_private(mixed(found.share - Q(1, 1000)), drawn, eps)


CHECKS = {
    "smallest_eps": check_smallest_eps,
    "privacy": check_privacy,
    "privacy with δ": check_privacy_with_slack,
    "delta_at": check_delta_at,
    "eps_at": check_eps_at,
    "privacy_profile": check_profile,
    "distinguishability": check_induced_metric,
    "exactly": check_exactly,
    "mended": check_mended,
}

test_the_definition_says_the_same, test_it_does_wherever_one_looks = checked_beside(CHECKS)
