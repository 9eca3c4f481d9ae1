"""Laws of leakage, on random exact channels, priors and gains."""

import math
from fractions import Fraction as Q
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.flow import (
    Loss,
    additive_bound,
    additive_capacity,
    capacity,
    d_capacity,
    d_vulnerability,
    gain,
    guessing_entropy,
    inference,
    is_hiding,
    is_monotonic,
    is_pairwise_non_trivial,
    is_revealing,
    is_strictly_monotonic,
    is_trivial,
    leakage,
    leakage_bound,
    loss,
    mutual_information,
    posterior_guessing_entropy,
    posterior_shannon_entropy,
    posterior_uncertainty,
    posterior_vulnerability,
    shannon_capacity,
    shannon_entropy,
    strategy,
    uncertainty,
    vulnerability,
)
from dprivacy.model import Channel, Dist, Gain, push, uniform
from dprivacy.spaces import discrete, from_table, line
from dprivacy.verify import smallest_eps
from support.flow_strategies import (
    as_floats,
    channels,
    distributions,
    priors,
    processed,
    questions,
    tables,
)

law = settings(max_examples=60)


# -- the axioms of leakage -------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem 4.10")
@law
@given(st.data())
def test_processing_never_helps(data):
    C, prior, g = data.draw(questions())
    D = data.draw(processed(C))
    for case in ("average", "max"):
        before = posterior_vulnerability(C, prior=prior, gain=g, case=case)
        assert before >= posterior_vulnerability(D, prior=prior, gain=g, case=case)
        cost = Loss(g.rows, g.columns, g.matrix)
        least = posterior_uncertainty(C, prior=prior, loss=cost, case=case)
        assert least <= posterior_uncertainty(D, prior=prior, loss=cost, case=case)
    assert capacity(C) >= capacity(D)
    assert mutual_information(C, prior=prior, unit="nats") >= mutual_information(
        D, prior=prior, unit="nats"
    )
    assert posterior_guessing_entropy(C, prior=prior) <= posterior_guessing_entropy(D, prior=prior)
    for gains in ("bounded", "spanning"):
        assert additive_bound(C, prior=prior, gains=gains) >= additive_bound(
            D, prior=prior, gains=gains
        )


@pytest.mark.statement("T", "Lem 4.11")
@law
@given(st.data())
def test_processing_never_helps_to_tell_apart(data):
    C = data.draw(channels())
    prior = data.draw(priors(C, zeros=False))
    D = data.draw(processed(C))
    for space in (discrete(C.rows), _line(C.rows)):
        V = d_vulnerability(space)
        assert posterior_vulnerability(
            C, prior=prior, gain=V, case="max"
        ) >= posterior_vulnerability(D, prior=prior, gain=V, case="max")


def _line(labels):
    space = line(len(labels))
    return type(space)(labels, space.distances)


@pytest.mark.statement("T", "Def 2.2.6")
@law
@given(questions())
def test_an_output_never_hurts(question):
    C, prior, g = question
    for case in ("average", "max"):
        assert posterior_vulnerability(C, prior=prior, gain=g, case=case) >= vulnerability(
            prior, gain=g
        )
        assert leakage(C, prior=prior, gain=g, case=case) >= 1
        assert leakage(C, prior=prior, gain=g, case=case, kind="additive") >= 0


@pytest.mark.statement("T", "Def 2.2.5", "Thm 2.1")
@law
@given(questions())
def test_the_sum_over_outputs_is_the_average_of_posteriors(question):
    C, prior, g = question
    hyper = push(C, prior=prior)
    values = [vulnerability(inner, gain=g) for inner in hyper.inners]
    average = sum(a * v for a, v in zip(hyper.outer.weights, values, strict=True))
    assert posterior_vulnerability(C, prior=prior, gain=g) == average
    assert posterior_vulnerability(C, prior=prior, gain=g, case="max") == max(values)
    as_function = posterior_vulnerability(C, prior=prior, gain=lambda p: vulnerability(p, gain=g))
    assert as_function == average


@pytest.mark.statement("T", "Def 2.2.4", "Def 6.2.1")
@law
@given(questions(Loss))
def test_uncertainty_is_the_mirror_image(question):
    C, prior, cost = question
    top = max(v for row in cost.matrix.rows() for v in row)
    g = gain.mirror(cost)
    assert vulnerability(prior, gain=g) == top - uncertainty(prior, loss=cost)
    assert posterior_vulnerability(C, prior=prior, gain=g) == top - posterior_uncertainty(
        C, prior=prior, loss=cost
    )
    assert leakage(C, prior=prior, gain=g, kind="additive") == leakage(
        C, prior=prior, gain=cost, kind="additive"
    )
    assert leakage(C, prior=prior, gain=cost) >= 1
    assert loss.mirror(g, top).matrix == cost.matrix


@pytest.mark.statement("T", "§9.5.2")
@law
@given(questions())
def test_the_capacity_bounds_every_gain_and_prior(question):
    C, prior, g = question
    assert leakage(C, prior=prior, gain=g) <= capacity(C)
    assert leakage(C, prior=uniform(C.rows), gain=gain.identity(C.rows)) == capacity(C)
    assert 1 <= capacity(C) <= min(len(C.rows), len(C.columns))


@law
@given(questions())
def test_observing_twice_leaks_no_less_and_no_more_than_the_product(question):
    C, prior, g = question
    assert posterior_vulnerability(C & C, prior=prior, gain=g) >= posterior_vulnerability(
        C, prior=prior, gain=g
    )
    assert capacity(C & C) <= capacity(C) ** 2


@law
@given(questions())
def test_additive_leakage_stays_below_its_bound(question):
    C, prior, g = question
    span = max(max(row) - min(row) for row in g.matrix.rows())
    most = max(v for row in g.matrix.rows() for v in row)
    found = leakage(C, prior=prior, gain=g, kind="additive")
    assert found <= span * additive_bound(C, prior=prior, gains="spanning")
    assert found <= most * additive_bound(C, prior=prior)


@pytest.mark.statement("T", "Thm 9.11")
@law
@given(st.data())
def test_a_private_channel_leaks_at_most_its_promise(data):
    C, prior, g = data.draw(questions(zeros=False))
    space = _line(C.rows)
    eps = smallest_eps(C, space)
    if eps:
        assert float(leakage(C, prior=prior, gain=g)) <= float(leakage_bound(space, eps=eps)) * (
            1 + 1e-12
        )


# -- d-vulnerability and d-capacity -------------------------------------------------------------------


@pytest.mark.statement("T", "Thm 4.9")
@law
@given(st.data())
def test_the_d_capacity_is_the_smallest_eps(data):
    C = data.draw(channels())
    n = len(C.rows)
    lengths = data.draw(st.lists(st.integers(1, 3), min_size=n * n, max_size=n * n))
    table = [
        [0 if i == j else lengths[min(i, j) * n + max(i, j)] for j in range(n)] for i in range(n)
    ]
    for space in (discrete(C.rows), _line(C.rows), from_table(C.rows, table, close=True)):
        assert d_capacity(C, space) == smallest_eps(C, space)
        assert d_capacity(as_floats(C), space) == pytest.approx(
            float(smallest_eps(C, space)), abs=1e-12
        )


@pytest.mark.statement("T", "Thm 4.8")
@law
@given(st.data())
def test_the_uniform_prior_is_the_worst_for_d_leakage(data):
    C = data.draw(channels(zeros=False))
    prior = data.draw(priors(C, zeros=False))
    space = _line(C.rows)
    V = d_vulnerability(space)
    found = leakage(C, prior=prior, gain=V, case="max", kind="additive")
    assert found <= d_capacity(C, space)


@pytest.mark.statement("T", "Def 4.4.6", "Lem 4.7")
@law
@given(st.data())
def test_d_vulnerability_is_quasi_convex(data):
    n = data.draw(st.integers(1, 4))
    p, q = (data.draw(distributions(n, zeros=False)) for _ in range(2))
    t = data.draw(st.fractions(0, 1, max_denominator=7))
    V = d_vulnerability(line(n))
    mixed = Dist(range(n), [t * a + (1 - t) * b for a, b in zip(p, q, strict=True)])
    assert V(mixed) <= max(V(Dist(range(n), p)), V(Dist(range(n), q)))


# -- strategies ------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Thm 2.1")
@law
@given(st.one_of(questions(), questions(Loss)))
def test_playing_the_strategy_earns_what_it_says(question):
    C, prior, g = question
    found = strategy(C, prior=prior, gain=g)
    earned = sum(
        prior[x] * C[x, move.output] * g[move.action, x] for x in C.rows for move in found.moves
    )
    assert earned == found.after
    assert sum(move.chance for move in found.moves) == 1
    assert sum(move.chance * move.worth for move in found.moves) == found.after
    assert found.multiplicative == leakage(C, prior=prior, gain=g)
    assert found.additive == leakage(C, prior=prior, gain=g, kind="additive")
    remap = found.channel()
    assert all(remap[move.output, move.action] == 1 for move in found.moves)
    assert found.explain()


# -- the algebra of losses ---------------------------------------------------------------------------

numbers = st.fractions(0, 4, max_denominator=5)


def both(prior, C, cost):
    return uncertainty(prior, loss=cost), posterior_uncertainty(C, prior=prior, loss=cost)


@pytest.mark.statement("T", "Eq 6.8", "Eq 6.13", "Property 4")
@pytest.mark.statement("T", "Eq 6.9", "Eq 6.10", "Eq 6.14", "Eq 6.15", "Property 5", "Property 6")
@law
@given(questions(Loss), numbers)
def test_scaling_and_shifting(question, a):
    C, prior, cost = question
    before, after = both(prior, C, cost)
    assert both(prior, C, loss.scale(cost, a)) == (before * a, after * a)
    assert both(prior, C, loss.shift(cost, a)) == (before + a, after + a)
    assert both(prior, C, loss.shift(cost, -a)) == (before - a, after - a)


@pytest.mark.statement("T", "Eq 6.12", "Eq 6.17", "Property 8")
@law
@given(st.data())
def test_shifting_by_a_function_of_the_secret(data):
    C, prior, cost = data.draw(questions(Loss))
    q = {x: data.draw(st.fractions(-3, 3, max_denominator=4)) for x in C.rows}
    added = sum(prior[x] * q[x] for x in C.rows)
    before, after = both(prior, C, cost)
    assert both(prior, C, loss.shift(cost, q)) == (before + added, after + added)
    assert loss.shift(cost, q) == loss.shift(cost, lambda x: q[x])


@pytest.mark.statement("T", "Eq 6.11", "Eq 6.16", "Property 7")
@law
@given(st.data())
def test_adding_over_pairs_of_actions(data):
    C, prior, first = data.draw(questions(Loss))
    second = data.draw(tables(C.rows, Loss))
    a, b = data.draw(numbers), data.draw(numbers)
    one, two = both(prior, C, first), both(prior, C, second)
    expected = tuple(x * a + y * b for x, y in zip(one, two, strict=True))
    assert both(prior, C, loss.combine(first, second, a, b)) == expected


@pytest.mark.statement("T", "Eq 6.18", "Lem 6.17")
@law
@given(questions(Loss))
def test_a_prior_moves_into_the_loss(question):
    C, prior, cost = question
    n, even = len(C.rows), uniform(C.rows)
    assert posterior_uncertainty(C, prior=prior, loss=cost) == n * posterior_uncertainty(
        C, prior=even, loss=loss.weight(cost, prior)
    )


@pytest.mark.statement("T", "Lem 6.18")
@law
@given(st.data())
def test_a_lifted_loss_sees_its_own_secrets_only(data):
    C = data.draw(channels(n=4))
    prior = data.draw(priors(C))
    kept = C.rows[:2]
    small = data.draw(tables(kept, Loss))
    lifted = loss.lift(small, C.rows)
    assert loss.restrict(lifted, kept) == small
    weighted = [
        min(sum(prior[x] * C[x, y] * small[w, x] for x in kept) for w in small.rows)
        for y in C.columns
    ]
    assert posterior_uncertainty(C, prior=prior, loss=lifted) == sum(weighted)


# -- classes ---------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem 6.19")
@law
@given(st.data())
def test_no_channel_is_of_use_to_a_trivial_loss(data):
    C, prior, cost = data.draw(questions(Loss))
    D = data.draw(channels(n=len(C.rows)))
    if is_trivial(cost):
        one, other = (posterior_uncertainty(K, prior=prior, loss=cost) for K in (C, D))
        assert one == other == uncertainty(prior, loss=cost)
    else:
        reveal = Channel(C.rows, C.rows, [[int(x == y) for y in C.rows] for x in C.rows])
        even = uniform(C.rows)
        assert posterior_uncertainty(reveal, prior=even, loss=cost) < uncertainty(even, loss=cost)


@pytest.mark.statement("T", "Property 9", "Property 10", "Property 11")
@law
@given(st.data())
def test_monotonic_losses_stay_monotonic(data):
    n = data.draw(st.integers(2, 4))
    space = line(n)
    at = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3))
    rises = [sorted(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))) for _ in at]
    rise = rises[0]
    cost = loss.matrix(
        range(len(at)), range(n), [[rise[abs(a - x)] + x for x in range(n)] for a in at]
    )
    assert is_monotonic(cost, space)
    q = {x: data.draw(st.integers(-3, 3)) for x in range(n)}
    assert is_monotonic(loss.shift(cost, q), space)
    prior = Dist(range(n), data.draw(distributions(n)))
    assert is_monotonic(loss.weight(cost, prior), space)
    kept = list(range(1, n))
    assert is_monotonic(loss.restrict(cost, kept), space)


@pytest.mark.statement("T", "Property 11")
def test_a_restricted_loss_needs_the_points_that_were_left_out():
    """ℓ↓X is monotonic on the whole space; on X alone there may be nothing an action can stand for."""
    space = line(3)
    cost = loss.restrict(loss.metric(space), [1])
    assert is_monotonic(cost, space)
    assert is_monotonic(cost, space.restrict([1])).conflict == (0, 1)


@pytest.mark.statement("T", "Property 12")
def test_a_lifted_loss_stays_monotonic():
    cost = loss.lift(loss.metric(line(3)), range(5))
    assert is_monotonic(cost, line(5))


@law
@given(st.data())
def test_the_mapping_explains_the_loss(data):
    n = data.draw(st.integers(1, 4))
    space = line(n)
    cost = data.draw(tables(range(n), Loss))
    found = is_monotonic(cost, space)
    assert bool(found) == any(_fits(cost, space, alpha) for alpha in _maps(cost.rows, range(n)))
    if found:
        assert _fits(cost, space, found.mapping)
    if is_strictly_monotonic(cost, space) and n > 1:
        assert found
        assert is_pairwise_non_trivial(cost)


def _maps(actions, secrets):
    if not actions:
        yield {}
        return
    for rest in _maps(actions[1:], secrets):
        for x in secrets:
            yield {actions[0]: x, **rest}


def _fits(cost, space, alpha):
    for x in space.labels:
        pairs = sorted((space.distance(alpha[w], x), cost[w, x]) for w in cost.rows)
        for (d, a), (e, b) in pairwise(pairs):
            if a > b or (d == e and a != b):
                return False
    return True


# -- entropies and capacities ------------------------------------------------------------------------


@law
@given(questions())
def test_entropies(question):
    C, prior, _ = question
    H = shannon_entropy(prior, unit="nats")
    after = posterior_shannon_entropy(C, prior=prior, unit="nats")
    assert H - after == mutual_information(C, prior=prior, unit="nats")
    assert 0 <= after <= H
    assert shannon_entropy(as_floats(prior)) == pytest.approx(float(H) / math.log(2))
    guesses = loss.guesses(C.rows)
    assert guessing_entropy(prior) == uncertainty(prior, loss=guesses)
    assert posterior_guessing_entropy(C, prior=prior) == posterior_uncertainty(
        C, prior=prior, loss=guesses
    )


@law
@given(st.data())
def test_shannon_capacity_lies_between_its_bounds(data):
    C = data.draw(channels())
    prior = data.draw(priors(C))
    found = shannon_capacity(C)
    assert found.lower <= found <= found.upper
    assert found.upper - found.lower < 1e-6
    assert float(mutual_information(C, prior=prior)) <= found.upper
    reached = mutual_information(as_floats(C), prior=found.prior)
    assert reached == pytest.approx(found.lower, abs=1e-9)
    assert found.upper <= math.log2(capacity(C)) + 1e-6


@settings(max_examples=25)
@given(st.data())
def test_additive_capacity_is_reached_and_never_passed(data):
    C = data.draw(channels(m=2))
    kind = data.draw(st.sampled_from([Loss, Gain]))
    g = data.draw(tables(C.rows, kind))
    prior = data.draw(priors(C))
    found = additive_capacity(C, gain=g)
    assert leakage(C, prior=found.prior, gain=g, kind="additive") == found.value
    assert leakage(C, prior=prior, gain=g, kind="additive") <= found.value


# -- inference --------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 5.3.1", "Def 5.4.1")
@law
@given(st.data())
def test_inference_is_bounded_by_the_channel(data):
    C = data.draw(channels())
    k = data.draw(st.integers(1, 3))
    weights = data.draw(distributions(len(C.rows) * k))
    pairs = [(x, f"z{j}") for x in C.rows for j in range(k)]
    belief = Dist(pairs, weights)
    found = inference(C, belief)
    assert found.after >= found.before
    assert found.multiplicative <= capacity(C)
    D = data.draw(processed(C))
    assert inference(D, belief).after <= found.after


@pytest.mark.statement("T", "Lem 9.12")
@pytest.mark.statement("T", "Thm 9.13")
@law
@given(st.data())
def test_hiding_and_revealing(data):
    C = data.draw(channels(n=4))
    D = data.draw(processed(C))
    prior = data.draw(priors(C))
    x1, x2, x3, x4 = C.rows
    fine, coarse = [[x1], [x2], [x3, x4]], [[x1, x2], [x3, x4]]
    for blocks in (fine, coarse):
        safe, unsafe = (
            is_hiding(D, blocks, eps=0, prior=prior),
            is_hiding(C, blocks, eps=0, prior=prior),
        )
        assert safe.leakage <= unsafe.leakage
    even = Dist(C.rows, [Q(1, 3), Q(1, 3), Q(1, 6), Q(1, 6)])
    hidden = is_hiding(C, fine, eps=0, prior=even).leakage
    assert is_revealing(C, coarse, delta=0, prior=even).leakage <= hidden
