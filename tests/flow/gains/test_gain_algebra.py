"""Laws of the algebra of gains and losses."""

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.flow import (
    Loss,
    gain,
    leakage,
    loss,
    posterior_uncertainty,
    posterior_vulnerability,
    uncertainty,
    vulnerability,
)
from dprivacy.model import uniform
from support.flow_strategies import channels, priors, questions, tables

law = settings(max_examples=60)


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
