"""Kernels, extreme points and optimal channels beside their definitions."""

import math
from fractions import Fraction as Q

from dprivacy.design import minimax, optimal, universally_optimal
from dprivacy.errors import NotPrivate
from dprivacy.flow import loss as losses
from dprivacy.polytope import decompose, is_extreme, is_kernel
from support import definitions_design as defined, degenerate_spaces as edge
from support.definition_cases import checked_beside
from support.definitions_privacy import is_private
from support.definitions_programs import basic_solutions
from support.exact_reals import Size


def small(rng, *, most=3, infinite=True):
    """A space of whole distances and a level with rational e^ε."""
    return edge.spaces(rng, most=most, units=("1",), whole=True, infinite=infinite), edge.eps(
        rng, rational=True
    )


def factor_of(eps):
    return eps.q ** int(eps.r)


def a_kernel(rng, drawn, eps):
    """Independent rays with weights that balance."""
    rays = defined.rays(drawn, eps)
    rng.shuffle(rays)
    found = next(basic_solutions(rays[:8], [Q(1)] * drawn.n), None)
    found = found or next(basic_solutions(rays, [Q(1)] * drawn.n))
    return [[weight * rays[j][x] for j, weight in found.items()] for x in range(drawn.n)]


def candidates(rng, drawn, eps):
    """Kernels, private channels, kernels with a late digit changed, and anything at all."""
    kind = rng.random()
    if kind < 0.5:
        table = a_kernel(rng, drawn, eps)
        if kind < 0.15:
            at = rng.randrange(drawn.n)
            table[at] = edge.nearly(rng, table[at])
        if kind > 0.4:  # one output given twice
            share = Q(rng.randint(1, 3), 4)
            table = [[row[0] * share, *row[1:], row[0] * (1 - share)] for row in table]
        return table
    if kind < 0.8:
        return edge.private_rows(rng, drawn, factor_of(eps), most=3)
    return edge.rows(rng, drawn.n, most=3, drawn=drawn)


def check_kernel(rng):
    drawn, eps = small(rng, infinite=False)
    table = candidates(rng, drawn, eps)
    true = is_private(table, drawn, eps) and defined.is_kernel(table, drawn, eps)
    assert is_kernel(edge.channel(table), drawn.space, eps=str(eps)).holds is true


def check_extreme(rng):
    n = rng.randint(1, 3)
    drawn = edge.spaces(rng, most=1)
    while drawn.n != n:
        drawn = edge.spaces(rng, most=3, units=("1",), infinite=False, zero=False, whole=True)
    discrete = edge.Drawn(drawn.space, [[Size(Q(int(i != j))) for j in range(n)] for i in range(n)])
    eps = edge.eps(rng, rational=True)
    table = candidates(rng, discrete, eps)
    true = is_private(table, discrete, eps) and defined.is_extreme(table, factor_of(eps))
    assert is_extreme(edge.channel(table), eps=str(eps)).holds is true


def check_decompose(rng):
    drawn, eps = small(rng, infinite=False)
    table = candidates(rng, drawn, eps)
    try:
        found = decompose(edge.channel(table), drawn.space, eps=str(eps))
    except NotPrivate:
        assert not is_private(table, drawn, eps)
        return
    assert is_private(table, drawn, eps)
    assert min(found.weights) > 0
    assert sum(found.weights) == 1
    kernels = [K.matrix.rows() for K in found.kernels]
    assert all(is_private(K, drawn, eps) and defined.is_kernel(K, drawn, eps) for K in kernels)
    # Directions of columns, with what each weighs: the kernels' are those of the vertex mechanism.
    whole = directions([(Q(1), found.vertex.matrix.rows())])
    assert directions(zip(found.weights, kernels, strict=True)) == whole
    post = found.witness.matrix.rows()
    product = [
        [
            sum((p * row[y] for p, row in zip(line, post, strict=True)), Q(0))
            for y in range(len(table[0]))
        ]
        for line in found.vertex.matrix.rows()
    ]
    assert product == table


def directions(parts):
    sums = {}
    for weight, rows in parts:
        for column in zip(*rows, strict=True):
            if any(column):
                at = tuple(Q(v) / sum(column) for v in column)
                sums[at] = sums.get(at, 0) + weight * sum(column)
    return sums


def consumer(rng, n):
    """A prior, and a loss ≥ 0 of a few actions."""
    actions = rng.randint(1, 3)
    table = [
        [Q(rng.randint(0, 4), rng.choice([1, 1, 3])) for _ in range(n)] for _ in range(actions)
    ]
    return edge.weights(rng, n), losses.matrix(range(actions), range(n), table), table


def check_optimal(rng):
    drawn, eps = small(rng)
    prior, loss, table = consumer(rng, drawn.n)
    found = optimal(drawn.space, eps=str(eps), prior=prior, loss=loss)
    true = defined.least_loss(defined.rays(drawn, eps), prior, table)
    rows = found.channel.matrix.rows()
    assert is_private(rows, drawn, eps)
    reached = sum(
        (
            p * c * table[y][x]
            for x, p in enumerate(prior)
            for y, c in zip(found.channel.columns, rows[x], strict=True)
        ),
        Q(0),
    )
    assert Q(found.bound) <= true <= reached
    assert found.loss == reached if isinstance(found.loss, Q) else math.isclose(found.loss, reached)
    assert reached - true <= Q(1, 10**6) * true


def check_optimal_irrational(rng):
    """e^ε irrational: the optimum of a larger cone is a bound, that of a smaller one is reached."""
    drawn = edge.spaces(rng, units=("1", "sqrt 2"), most=3)
    eps = Size(Q(rng.choice([1, 2, 5, 20]), 10))
    prior, loss, table = consumer(rng, drawn.n)
    found = optimal(drawn.space, eps=str(eps), prior=prior, loss=loss)
    assert is_private(found.channel.matrix.rows(), drawn, eps)
    low = defined.least_loss(defined.rays(drawn, eps), prior, table)
    high = defined.least_loss(defined.rays(drawn, eps, upper=False), prior, table)
    assert low <= high
    assert Q(found.bound) <= high
    assert low * (1 - Q(1, 10**15)) <= Q(found.loss) <= high + Q(1, 10**6) * high


def check_minimax(rng):
    drawn, eps = small(rng, most=2)
    _, loss, table = consumer(rng, drawn.n)
    found = minimax(drawn.space, eps=str(eps), loss=loss)
    rows = found.channel.matrix.rows()
    assert is_private(rows, drawn, eps)
    true = defined.least_worst_loss(defined.rays(drawn, eps), table)
    assert Q(found.bound) <= true <= Q(found.loss)
    assert not found.exact or found.loss == true
    prior = [found.prior[x] for x in range(drawn.n)]
    assert found.bound <= defined.least_loss(defined.rays(drawn, eps), prior, table)
    assert Q(found.loss) - Q(found.bound) <= Q(1, 10**6) * true


def check_universal(rng):
    drawn, eps = small(rng, infinite=False)
    table = candidates(rng, drawn, eps)
    prior, loss, costs = consumer(rng, drawn.n)
    channel = edge.channel(table)
    if not is_private(table, drawn, eps):
        return
    rays = defined.rays(drawn, eps)

    def expected(rows, belief):
        """The loss of the best action on every output."""
        return sum(
            (
                min(
                    sum((p * c * v for p, c, v in zip(belief, column, row, strict=True)), Q(0))
                    for row in costs
                )
                for column in zip(*rows, strict=True)
            ),
            Q(0),
        )

    found = universally_optimal(channel, drawn.space, eps=str(eps), loss=loss)
    for belief in (prior, edge.weights(rng, drawn.n), [Q(1, drawn.n)] * drawn.n):
        best = defined.least_loss(rays, belief, costs)
        assert best <= expected(table, belief)
        if best < expected(table, belief):
            assert found.holds is not True
    if found.holds is False:
        worse = found.preference
        belief = [worse.prior[x] for x in range(drawn.n)]
        better = worse.channel.matrix.rows()
        assert is_private(better, drawn, eps)
        assert expected(better, belief) == worse.there < worse.here == expected(table, belief)


CHECKS = {
    "is_kernel": check_kernel,
    "is_extreme": check_extreme,
    "decompose": check_decompose,
    "optimal": check_optimal,
    "optimal, e^ε irrational": check_optimal_irrational,
    "minimax": check_minimax,
    "universally_optimal": check_universal,
}

test_the_definition_says_the_same, test_it_does_wherever_one_looks = checked_beside(CHECKS)
