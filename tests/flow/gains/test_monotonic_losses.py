"""Laws of monotonic losses."""

from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.flow import Loss, is_monotonic, is_pairwise_non_trivial, is_strictly_monotonic, loss
from dprivacy.model import Dist
from dprivacy.spaces import line
from support.flow_strategies import distributions, tables

law = settings(max_examples=60)


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
