"""Laws of channels, hypers and privacy, on random exact channels and against definitions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction as Q
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from dprivacy.model import Channel, Dist, as_channel, earth_move, mixture, parallel, push
from dprivacy.numbers import Level, ln
from dprivacy.spaces import FiniteSpace, discrete, from_table, grid, line, product
from dprivacy.verify import (
    delta_at,
    distinguishability,
    eps_at,
    error_floor,
    expected_error,
    odds_change,
    privacy,
    privacy_profile,
    smallest_eps,
)
from support.random_channels import channels, priors, rows

factors = st.fractions(min_value=1, max_value=6, max_denominator=6)
slacks = st.fractions(min_value=0, max_value=1, max_denominator=12)


def largest_excess(p, q, a) -> Q:
    """max_A P(A) − a·Q(A), by listing every subset of the outputs."""
    sums = [Q(0)]
    for x, y in zip(p, q, strict=True):
        sums += [s + x - a * y for s in sums]
    return max(sums)


def brute_delta(channel: Channel, a: Q) -> Q:
    table = channel.matrix.rows()
    return max((largest_excess(p, q, a) for p, q in permutations(table, 2)), default=Q(0))


def decimal(value) -> Decimal:
    value = Q(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def brute_rate(channel: Channel, length) -> Decimal | None:
    """The largest ln(C[x,y]/C[z,y])/d(x,z) to 60 digits; None when infinite.

    `length(i, j)` is a Decimal, or None for an infinite distance.
    """
    best = Decimal(0)
    table = channel.matrix.rows()
    for i, j in permutations(range(len(table)), 2):
        d = length(i, j)
        if d is None:
            continue
        for a, b in zip(table[i], table[j], strict=True):
            if a in (0, b):
                continue
            if b == 0 or (d == 0 and a > b):
                return None
            if a > b:
                best = max(best, decimal(a / b).ln() / d)
    return best


def assert_rate(found, expected: Decimal | None) -> None:
    if expected is None:
        assert found == math.inf
        return
    if isinstance(found, Level):
        low, high = found.bounds(256)
        assert decimal(low) - Decimal("1e-50") <= expected <= decimal(high) + Decimal("1e-50")
    else:  # no exact form: rounded up to the next double
        assert Decimal(found) >= expected
        assert Decimal(math.nextafter(found, 0)) <= expected


# -- hypers ----------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem 6.9", "Def 2.4.1")
@given(st.data())
def test_push_then_average_is_the_prior(data) -> None:
    channel = data.draw(channels())
    prior = data.draw(priors(channel))
    hyper = push(channel, prior=prior)
    average = {
        x: sum(
            (a * inner[x] for a, inner in zip(hyper.outer.weights, hyper.inners, strict=True)), Q(0)
        )
        for x in channel.rows
    }
    assert average == dict(prior.items())
    assert hyper.prior() == prior
    assert sum(hyper.outer.weights) == 1
    assert all(hyper.outer.weights)
    assert len({tuple(inner.weights) for inner in hyper.inners}) == len(hyper.inners)


@given(st.data())
def test_posteriors_by_bayes_rule(data) -> None:
    channel = data.draw(channels())
    prior = data.draw(priors(channel))
    expected: dict[tuple, Q] = {}
    for y in channel.columns:
        chance = sum(prior[x] * channel[x, y] for x in channel.rows)
        if chance:
            posterior = tuple(prior[x] * channel[x, y] / chance for x in channel.rows)
            expected[posterior] = expected.get(posterior, Q(0)) + chance
    hyper = prior >> channel
    found = zip(hyper.inners, hyper.outer.weights, strict=True)
    assert {tuple(inner.weights): a for inner, a in found} == expected


@pytest.mark.statement("T", "Lem 2.3")
@given(st.data())
def test_hyper_to_channel_to_hyper(data) -> None:
    channel = data.draw(channels())
    prior = data.draw(priors(channel))
    hyper = push(channel, prior=prior)
    back = hyper.channel()
    assert set(back.rows) == set(prior.support)
    assert back.equivalent(channel.restrict(back.rows))
    kept = Dist(back.rows, [prior[x] for x in back.rows])
    again = push(back, prior=kept)
    assert {tuple(c) for c in again.joint.transposed.rows()} == {
        tuple(v for v, x in zip(c, hyper.secrets, strict=True) if prior[x])
        for c in hyper.joint.transposed.rows()
    }


# -- reduced forms ---------------------------------------------------------------------------------


@given(channels(), st.data())
def test_reduced_and_equivalent(channel, data) -> None:
    reduced = channel.reduced()
    assert reduced.equivalent(channel)
    assert channel.equivalent(reduced)
    assert len(reduced.reduced().columns) == len(reduced.columns) <= len(channel.columns)
    assert all(any(column) for column in reduced.matrix.transposed.rows())
    for u, v in combinations(reduced.matrix.transposed.rows(), 2):
        cross = {a * d == b * c for (a, b), (c, d) in combinations(list(zip(u, v, strict=True)), 2)}
        assert cross - {True}, "two columns of the reduced channel are proportional"
    # splitting a column and shuffling the rest changes nothing that leaks
    share = data.draw(st.fractions(0, 1, max_denominator=5))
    order = data.draw(st.permutations(range(len(channel.columns))))
    table = [
        [row[order[0]] * share, row[order[0]] * (1 - share), *(row[j] for j in order[1:])]
        for row in channel.matrix.rows()
    ]
    split = Channel(channel.rows, [("part", k) for k in range(len(table[0]))], table)
    assert split.equivalent(channel).status == "proved"
    assert distinguishability(split) == distinguishability(channel)


@given(st.data())
def test_equivalent_is_equality_of_hypers(data) -> None:
    n = data.draw(st.integers(1, 3))
    first = data.draw(channels(inputs=st.just(n), outputs=st.integers(1, 3)))
    second = data.draw(channels(inputs=st.just(n), outputs=st.integers(1, 3)))
    prior = Dist(first.rows, [Q(1, n)] * n)
    assert bool(first.equivalent(second)) is (push(first, prior=prior) == push(second, prior=prior))


# -- distinguishability ----------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 4.4.4")
@given(channels())
def test_distinguishability_is_an_extended_pseudo_metric(channel) -> None:
    d = distinguishability(channel)
    table = dict(zip(channel.rows, channel.matrix.rows(), strict=True))
    for x in channel.rows:
        assert d.distance(x, x) == 0
        for z in channel.rows:
            assert d.distance(x, z) == d.distance(z, x)
            assert (d.distance(x, z) == 0) is (table[x] == table[z])
            for w in channel.rows:
                detour = (d.distance(x, w), d.distance(w, z))
                total = math.inf if math.inf in detour else Level(detour[0]) + detour[1]
                assert d.distance(x, z) <= total


@pytest.mark.statement("T", "Def 4.4.4")
@given(channels())
def test_distinguishability_by_its_definition(channel) -> None:
    d = distinguishability(channel)
    for x, z in combinations(channel.rows, 2):
        worst = Q(1)
        for y in channel.columns:
            a, b = sorted((channel[x, y], channel[z, y]))
            if b > 0:
                worst = max(worst, b / a) if a else math.inf
            if worst == math.inf:
                break
        assert d.distance(x, z) == (math.inf if worst == math.inf else ln(worst))


@pytest.mark.statement("T", "Lem 3.3")
@given(st.data())
def test_post_processing_never_separates(data) -> None:
    channel = data.draw(channels())
    m, k = len(channel.columns), data.draw(st.integers(1, 4))
    after = Channel(channel.columns, range(k), data.draw(rows(m, k)))
    before, later = distinguishability(channel), distinguishability(channel @ after)
    for x, z in combinations(channel.rows, 2):
        assert later.distance(x, z) <= before.distance(x, z)
    for a in (Q(1), Q(3, 2), Q(4)):
        assert delta_at(channel @ after, eps=ln(a)) <= delta_at(channel, eps=ln(a))


@pytest.mark.statement("T", "Lem 3.1", "Lem 3.2", "Def 3.1.4")
@given(st.data())
def test_metrics_of_sequential_composition_add_up(data) -> None:
    n = data.draw(st.integers(2, 3))
    c = data.draw(channels(inputs=st.just(n), outputs=st.integers(1, 3)))
    d = data.draw(channels(inputs=st.just(n), outputs=st.integers(1, 3)))
    both = c & d
    for x in c.rows:
        for y in c.columns:
            for w in d.columns:
                assert both[x, (y, w)] == c[x, y] * d[x, w]
    total = distinguishability(c) + distinguishability(d)
    joint = distinguishability(both)
    for x, z in combinations(c.rows, 2):
        assert joint.distance(x, z) <= total.distance(x, z)
    again = distinguishability(c & c)
    for x, z in combinations(c.rows, 2):  # twice the same: exactly twice the distance
        once = distinguishability(c).distance(x, z)
        assert again.distance(x, z) == (once if once == math.inf else 2 * Level(once))


@pytest.mark.statement("T", "Lem 3.4")
@given(st.data())
def test_odds_change_is_the_privacy_loss(data) -> None:
    channel = data.draw(channels(inputs=st.integers(2, 4)))
    prior = data.draw(priors(channel, zeros=False))
    d = distinguishability(channel)
    for x, z in combinations(channel.rows, 2):
        most = max(odds_change(channel, *pair, prior=prior).factor for pair in ((x, z), (z, x)))
        assert d.distance(x, z) == (math.inf if most == math.inf else ln(most))


# -- smallest ε ------------------------------------------------------------------------------------


def check_smallest(channel: Channel, space: FiniteSpace, length) -> None:
    with localcontext() as context:
        context.prec = 80
        found = smallest_eps(channel, space)
        assert_rate(found, brute_rate(channel, length))
    if found == math.inf:
        assert not privacy(channel, space)
        assert privacy(channel, space, eps=10**4).holds is False
    elif isinstance(found, Level) and found > 0:
        assert privacy(channel, space, eps=found).status == "proved"
        assert privacy(channel, space, eps=found * (1 - Q(1, 10**25))).status == "refuted"
        verdict = privacy(channel, space)
        assert verdict.smallest == found
        assert verdict.tight
        assert not verdict.violated


def named(space: FiniteSpace, zeros: bool = True):
    n = len(space)
    return st.integers(1, 4).flatmap(
        lambda m: rows(n, m, zeros=zeros).map(lambda t: Channel(space.labels, range(m), t))
    )


@pytest.mark.statement("T", "Def 4.4.1")
@given(st.data(), st.booleans())
def test_smallest_on_the_discrete_metric(data, zeros) -> None:
    space = discrete(range(data.draw(st.integers(1, 4))))
    check_smallest(data.draw(named(space, zeros)), space, lambda i, j: Decimal(1))


@pytest.mark.statement("T", "Def 4.4.1")
@given(st.data(), st.booleans())
def test_smallest_on_a_line(data, zeros) -> None:
    values = data.draw(
        st.lists(st.fractions(-5, 5, max_denominator=4), min_size=1, max_size=4, unique=True)
    )
    space = line(values)
    channel = data.draw(named(space, zeros))
    check_smallest(channel, space, lambda i, j: decimal(abs(values[i] - values[j])))
    shuffled = channel.restrict(data.draw(st.permutations(values)))
    assert smallest_eps(shuffled, space) == smallest_eps(channel, space)


@given(st.data(), st.booleans())
def test_smallest_on_a_euclidean_grid(data, zeros) -> None:
    space = grid(2, 2)
    cells = space.labels

    def length(i, j) -> Decimal:
        return Decimal(sum((a - b) ** 2 for a, b in zip(cells[i], cells[j], strict=True))).sqrt()

    check_smallest(data.draw(named(space, zeros)), space, length)


@given(st.data(), st.booleans())
def test_smallest_on_logarithmic_distances(data, zeros) -> None:
    # d(x, z) = ln max(v)/min(v): a line in logarithms, whose rates often have no exact form
    values = data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=4, unique=True))
    table = [[ln(Q(max(u, v), min(u, v))) for v in values] for u in values]
    space = from_table(values, table)

    def length(i, j) -> Decimal:
        return decimal(Q(max(values[i], values[j]), min(values[i], values[j]))).ln()

    channel = data.draw(named(space, zeros))
    check_smallest(channel, space, length)
    found = smallest_eps(channel, space)
    if found not in (0, math.inf) and isinstance(found, float):
        assert privacy(channel, space, eps=found).status == "proved"
        assert privacy(channel, space, eps=found * (1 - 1e-14)).status == "refuted"


@given(st.data(), st.booleans())
def test_smallest_on_pseudo_and_extended_metrics(data, zeros) -> None:
    n = data.draw(st.integers(2, 4))
    group = [data.draw(st.integers(0, 1)) for _ in range(n)]
    place = [data.draw(st.integers(0, 2)) for _ in range(n)]
    table = [
        [abs(place[i] - place[j]) if group[i] == group[j] else "inf" for j in range(n)]
        for i in range(n)
    ]
    space = from_table(range(n), table, pseudo=True, extended=True)

    def length(i, j) -> Decimal | None:
        return Decimal(abs(place[i] - place[j])) if group[i] == group[j] else None

    channel = data.draw(named(space, zeros))
    if data.draw(st.booleans()):  # make equal places equal rows, so that a finite ε is possible
        first = {
            (g, p): i for i, (g, p) in reversed(list(enumerate(zip(group, place, strict=True))))
        }
        table = [channel.matrix.row(first[g, p]) for g, p in zip(group, place, strict=True)]
        channel = Channel(space.labels, channel.columns, table)
    check_smallest(channel, space, length)


@given(st.data(), st.booleans())
def test_smallest_on_a_product(data, zeros) -> None:
    space = product(line(2), discrete(["a", "b"]))
    cells = space.labels

    def length(i, j) -> Decimal:
        return Decimal(sum(u != v for u, v in zip(cells[i], cells[j], strict=True)))

    check_smallest(data.draw(named(space, zeros)), space, length)


@given(st.data(), factors)
def test_privacy_of_any_level_by_the_definition(data, a) -> None:
    assume(a > 1)
    space = line(data.draw(st.integers(1, 4)))
    channel = data.draw(named(space))
    broken = {
        (x, z, y)
        for x in space.labels
        for z in space.labels
        for y in channel.columns
        if channel[x, y] > a ** abs(x - z) * channel[z, y]
    }
    meets = {
        (x, z, y)
        for x in space.labels
        for z in space.labels
        for y in channel.columns
        if abs(x - z) == 1 and channel[x, y] == a * channel[z, y] > 0
    }
    verdict = privacy(channel, space, eps=ln(a))
    assert verdict.exact
    assert verdict.holds is not bool(broken)
    assert {(t.x, t.z, t.y) for t in verdict.violated} == {
        b for b in broken if abs(b[0] - b[1]) == 1
    }
    assert {(t.x, t.z, t.y) for t in verdict.tight} == meets
    assert bool(verdict.violated) is bool(broken)


# -- (ε, δ) ----------------------------------------------------------------------------------------


@pytest.mark.statement("C", "Thm 2", "Def 3")
@given(channels(), factors, slacks)
def test_eps_delta_verdict_equals_all_subsets(channel, a, delta) -> None:
    needed = brute_delta(channel, a)
    assert delta_at(channel, eps=ln(a)) == needed
    if a > 1:
        verdict = privacy(channel, discrete(channel.rows), eps=ln(a), delta=delta)
        assert bool(verdict) is (needed <= delta)
        if delta > 0:
            assert verdict.delta_needed == needed
            assert verdict.exact


@given(st.data(), st.fractions(Q(7, 6), 3, max_denominator=6), slacks)
def test_eps_delta_on_a_line_equals_all_subsets(data, a, delta) -> None:
    assume(delta > 0)
    space = line(data.draw(st.integers(2, 4)))
    channel = data.draw(named(space))
    table = channel.matrix.rows()
    needed = max(
        largest_excess(table[x], table[z], a ** abs(x - z))
        for x, z in permutations(space.labels, 2)
    )
    verdict = privacy(channel, space, eps=ln(a), delta=delta)
    assert bool(verdict) is (needed <= delta)
    assert verdict.delta_needed == needed


@given(channels(inputs=st.integers(2, 3)), st.fractions(Q(1, 7), 2, max_denominator=7), slacks)
def test_eps_delta_with_an_irrational_factor(channel, eps, delta) -> None:
    with localcontext() as context:
        context.prec = 60
        a = decimal(eps).exp()
        needed = max(
            sum((max(decimal(x) - a * decimal(y), Decimal(0)) for x, y in zip(p, q, strict=True)))
            for p, q in permutations(channel.matrix.rows(), 2)
        )
        verdict = privacy(channel, discrete(channel.rows), eps=eps, delta=delta)
        if delta > 0 and abs(needed - decimal(delta)) > Decimal("1e-40"):
            assert bool(verdict) is (needed < decimal(delta))
        found = delta_at(channel, eps=eps)
        exact = decimal(found) if isinstance(found, Q) else Decimal(found)
        assert exact >= needed - Decimal("1e-50")
        assert Decimal(float(found)) - needed <= Decimal("2e-16")


@pytest.mark.statement("C", "Def 3")
@given(channels(inputs=st.integers(2, 4)), slacks, factors)
def test_delta_at_and_eps_at_invert_each_other(channel, delta, a) -> None:
    eps = eps_at(channel, delta=delta)
    if eps == math.inf:
        assert delta_at(channel, eps=1000) > delta
    else:
        assert delta_at(channel, eps=eps) <= delta
        factor = eps.exp()
        if eps > 0:
            assert delta_at(channel, eps=eps) == delta
            smaller = max(Q(1), factor - Q(1, 10**9))
            assert delta_at(channel, eps=ln(smaller)) > delta
    there = delta_at(channel, eps=ln(a))
    back = eps_at(channel, delta=there)
    assert back <= ln(a)
    if there > 0 and back > 0:
        assert delta_at(channel, eps=back) == there


@given(channels(inputs=st.integers(1, 4)), st.lists(factors, min_size=1, max_size=6), st.data())
def test_the_profile_is_delta_at_everywhere(channel, points, data) -> None:
    pairs = None
    if len(channel.rows) > 1 and data.draw(st.booleans()):
        every = list(permutations(channel.rows, 2))
        pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=3))
    profile = privacy_profile(channel, pairs=pairs)
    kinks = [eps.exp() for eps, _ in profile.kinks]
    beyond = [
        (u + v) / 2
        for u, v in zip([Q(1), *kinks], [*kinks, (kinks or [Q(1)])[-1] + 5], strict=True)
    ]
    for a in [Q(1), *points, *kinks, *beyond]:
        assert profile.delta(ln(a)) == delta_at(channel, eps=ln(a), pairs=pairs)
    for delta in (Q(0), Q(1, 12), Q(1, 3), Q(9, 10), Q(1)):
        assert profile.eps(delta) == eps_at(channel, delta=delta, pairs=pairs)
    floor = profile.floor
    assert profile.eps(floor) != math.inf
    if floor:
        assert profile.eps(floor - Q(1, 10**9)) == math.inf


@given(channels(inputs=st.integers(2, 4)))
def test_kinks_are_where_the_slope_changes(channel) -> None:
    profile = privacy_profile(channel)
    kinks = profile.kinks
    assert [eps for eps, _ in kinks] == sorted({eps for eps, _ in kinks})
    h = Q(1, 10**9)

    def f(a: Q) -> Q:
        return brute_delta(channel, a)

    for eps, delta in kinks:
        a = eps.exp()
        assert a > 1
        assert f(a) == delta
        assert f(a + h) - 2 * f(a) + f(a - h) > 0
    # and nowhere else: between neighbouring kinks the profile is a straight line
    ends = [Q(1), *(eps.exp() for eps, _ in kinks)]
    for u, v in zip(ends, [*ends[1:], ends[-1] + 10], strict=True):
        assert 2 * f((u + v) / 2) == f(u) + f(v)


# -- building blocks -------------------------------------------------------------------------------


@pytest.mark.statement("C", "Def 5")
@given(channels(inputs=st.integers(1, 3), outputs=st.integers(1, 3)), st.integers(1, 3))
def test_product_sanitisation_multiplies(channel, n) -> None:
    many = channel.over_rows(n)
    assert len(many.rows) == len(channel.rows) ** n
    for x in many.rows[:6]:
        for y in many.columns[:6]:
            assert many[x, y] == math.prod(channel[a, b] for a, b in zip(x, y, strict=True))


@given(st.data())
def test_parallel_privacy_is_the_sum_metric(data) -> None:
    first = data.draw(named(line(3), zeros=False))
    second = data.draw(named(discrete(["a", "b"]), zeros=False))
    both = parallel(first, second)
    space = product(line(3), discrete(["a", "b"]))
    assert both[(0, "a"), (0, 0)] == first[0, 0] * second["a", 0]
    assert smallest_eps(both, space) == max(
        smallest_eps(first, line(3)), smallest_eps(second, discrete(["a", "b"]))
    )


@given(st.data())
def test_mixtures(data) -> None:
    n = data.draw(st.integers(1, 3))
    parts = [data.draw(channels(inputs=st.just(n), outputs=st.integers(1, 3))) for _ in range(2)]
    w = data.draw(st.fractions(0, 1, max_denominator=6))
    hidden = mixture([w, 1 - w], parts)
    seen = mixture([w, 1 - w], parts, visible=True)
    for x in parts[0].rows:
        for y in hidden.columns:
            shares = zip((w, 1 - w), parts, strict=True)
            assert hidden[x, y] == sum(s * c.row(x).get(y, 0) for s, c in shares)
        for k, y in seen.columns:
            assert seen[x, (k, y)] == (w, 1 - w)[k] * parts[k][x, y]
    d_hidden, d_seen = distinguishability(hidden), distinguishability(seen)
    for x, z in combinations(parts[0].rows, 2):
        assert d_hidden.distance(x, z) <= d_seen.distance(x, z)


@given(st.data())
def test_inverse_times_matrix_is_the_identity(data) -> None:
    n = data.draw(st.integers(1, 4))
    channel = data.draw(channels(inputs=st.just(n), outputs=st.just(n)))
    table = np.array([[float(v) for v in row] for row in channel.matrix.rows()])
    assume(abs(np.linalg.det(table)) > 1e-9)
    inverse = channel.inverse()
    assert inverse.rows == channel.columns
    assert inverse.columns == channel.rows
    back = (inverse.matrix @ channel.matrix).rows()
    forth = (channel.matrix @ inverse.matrix).rows()
    assert back == forth == [[Q(int(i == j)) for j in range(n)] for i in range(n)]
    assert all(sum(row) == 1 for row in inverse.matrix.rows())


# -- the Earth Move --------------------------------------------------------------------------------


def gain_of(hyper, gain) -> Q:
    """V_g from the joint distribution: the best action for each observation, added up."""
    return sum(
        (
            max(
                sum((gain[w, x] * v for x, v in zip(hyper.secrets, column, strict=True)), Q(0))
                for w in gain.actions
            )
            for column in hyper.joint.transposed.rows()
        ),
        Q(0),
    )


@pytest.mark.statement("T", "Def 2.4.2", "Def 2.4.3", "Lem 2.5")
@given(st.data())
def test_earth_move_recomposes_or_separates(data) -> None:
    n = data.draw(st.integers(1, 3))
    a = data.draw(channels(inputs=st.just(n), outputs=st.integers(1, 3)))
    prior = Dist(a.rows, [Q(1, n)] * n)
    first = push(a, prior=prior)
    if data.draw(st.booleans()):
        k = data.draw(st.integers(1, 3))
        after = Channel(a.columns, range(k), data.draw(rows(len(a.columns), k)))
        second, refined = push(a @ after, prior=prior), True
    else:
        b = data.draw(channels(inputs=st.just(n), outputs=st.integers(1, 3)))
        second, refined = push(b, prior=prior), None
    move = earth_move(first, second)
    assert move.exact
    assert refined is None or bool(move) is refined
    if move:
        shares = move.coefficients
        assert all(v >= 0 for row in shares.matrix.rows() for v in row)
        assert all(sum(row) == 1 for row in shares.matrix.rows())
        assert (first.joint @ shares.matrix).rows() == second.joint.rows()
    else:
        assert move.gain.matrix.entries.min() >= 0
        assert gain_of(first, move.gain) == move.before
        assert gain_of(second, move.gain) == move.after
        assert move.after > move.before
    assert earth_move(first, first)
    assert earth_move(second, second)


# -- error floors ----------------------------------------------------------------------------------


@pytest.mark.statement("M", "Thm 6", "Thm 7")
@pytest.mark.statement("C", "Thm 5")
@given(st.data(), slacks)
def test_no_channel_beats_the_error_floor(data, delta) -> None:
    n = data.draw(st.integers(2, 4))
    values = sorted(data.draw(st.sets(st.integers(0, 9), min_size=n, max_size=n)))
    space = data.draw(st.sampled_from([line(values), discrete(values)]))
    channel = Channel(values, values, data.draw(rows(n, n, zeros=False)))
    eps = eps_at(channel, delta=delta)
    if eps > 0:
        assert expected_error(channel, space) >= error_floor(space, eps=eps, delta=delta)
    wide = line(range(-1, 11))
    outside = Channel(values, wide.labels, data.draw(rows(n, len(wide), zeros=False)))
    eps = eps_at(outside, delta=delta)
    if eps > 0:
        floor = error_floor(line(values), eps=eps, delta=delta, outputs="anywhere")
        assert expected_error(outside, wide) >= floor


# -- floats agree with exact numbers ---------------------------------------------------------------


@settings(max_examples=200)
@given(st.data())
def test_float_smallest_eps_is_within_its_stated_error(data) -> None:
    space = data.draw(
        st.sampled_from([line(4), discrete(range(4)), grid(2, 2), line([0, "1/7", 3, 90])])
    )
    m = data.draw(st.integers(1, 5))
    table = data.draw(rows(len(space), m, zeros=data.draw(st.booleans()), largest=10**6))
    exact = smallest_eps(Channel(space.labels, range(m), table), space)
    floats = Channel(space.labels, range(m), [[float(v) for v in row] for row in table])
    verdict = privacy(floats, space)
    if exact == math.inf:
        assert verdict.smallest == math.inf
        return
    low, high = Level(exact).bounds(128)
    assert low - Q(verdict.error) <= Q(verdict.smallest) <= high + Q(verdict.error)
    assert verdict.error < 1e-10
    # what is promised covers the channel that the floats stand for
    assert verdict.guarantee.eps >= low
    if exact > 0:
        assert privacy(floats, space, eps=exact).holds is None
        assert privacy(floats, space, eps=exact * (1 + Q(1, 10**6)) + Q(1, 10**9)).holds is True
        assert privacy(floats, space, eps=exact * (1 - Q(1, 10**6))).holds in (False, None)


@given(channels(inputs=st.integers(2, 4)), factors)
def test_float_profile_and_delta_agree_with_exact(channel, a) -> None:
    floats = as_channel(channel.matrix.floats, rows=channel.rows)
    eps = float(ln(a))
    exact = float(delta_at(channel, eps=ln(a)))
    assert delta_at(floats, eps=eps) == pytest.approx(exact, abs=1e-13)
    assert privacy_profile(floats).delta(eps) == pytest.approx(exact, abs=1e-12)
