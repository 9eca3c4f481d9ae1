"""Laws of leakage, on random exact channels, priors and gains."""

import math

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
    leakage,
    leakage_bound,
    mutual_information,
    posterior_guessing_entropy,
    posterior_uncertainty,
    posterior_vulnerability,
    shannon_capacity,
    strategy,
    vulnerability,
)
from dprivacy.model import Dist, Gain, push, uniform
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
