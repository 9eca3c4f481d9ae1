"""Query then noise, several mechanisms on one secret, one mechanism on many rows."""

import math
import random
from collections import Counter
from fractions import Fraction as Q
from itertools import product as cartesian

import numpy as np
import pytest
from scipy import stats

from dprivacy.errors import (
    DPrivacyError,
    InsecureSeedWarning,
    Malformed,
    SpaceMismatch,
    TooLarge,
    UnknownCategory,
)
from dprivacy.mechanisms import (
    ChannelMechanism,
    any_metric,
    geometric,
    oblivious,
    over_rows,
    randomised_response,
    sequential,
)
from dprivacy.model import Channel, Guarantee
from dprivacy.numbers import Level, ln
from dprivacy.sampling import KeyedSource
from dprivacy.spaces import discrete, from_table, graph, hamming_cube, induced_space, line
from dprivacy.verify import delta_at, privacy, smallest_eps


def random_channel(rng, rows, k=3):
    table = []
    for _ in rows:
        weights = [rng.randint(1, 9) for _ in range(k)]
        table.append([Q(w, sum(weights)) for w in weights])
    return Channel(rows, range(k), table)


def as_mechanism(channel, space):
    return ChannelMechanism("random", channel, Guarantee(smallest_eps(channel, space), space), True)


QUERIES = {
    "sum": (sum, hamming_cube(3)),
    "first": (lambda x: x[0], hamming_cube(3)),
    "parity": (lambda x: x % 2, line(5)),
    "halved": (lambda x: x // 2, line(6)),
    "corner": (lambda x: x if x in "ab" else "rest", graph([("a", "b"), ("b", "c"), ("c", "d")])),
    "merge": (
        lambda x: "yz" if x in "yz" else x,
        from_table(
            list("wxyz"), [[0, 3, 2, 4], [3, 0, 5, 1], [2, 5, 0, 5], [4, 1, 5, 0]], close=True
        ),
    ),
}


@pytest.mark.statement("T", "Def 3.3.1", "Lem 3.6")
@pytest.mark.parametrize("name", QUERIES)
def test_noise_on_the_answers_protects_the_secrets(name):
    query, X = QUERIES[name]
    Y = discrete(dict.fromkeys(query(x) for x in X.labels))
    noise = randomised_response(Y, eps="ln 3")
    mechanism = oblivious(noise, query, X)
    assert mechanism.guarantee.space == X
    assert privacy(mechanism.channel, X, eps=mechanism.guarantee.eps)
    for x in X.labels:
        for y in noise.channel.columns:
            assert mechanism.channel[x, y] == noise.channel[query(x), y]


@pytest.mark.statement("T", "Lem 3.6")
def test_the_level_is_scaled_by_the_sensitivity():
    noise = geometric(10, eps="ln 2")
    tripled = oblivious(noise, lambda x: 3 * x, line(4))
    assert tripled.guarantee.eps == ln(8)
    assert smallest_eps(tripled.channel, line(4)) == ln(8)
    halved = oblivious(geometric(3, eps="ln 2"), lambda x: x // 2, line(6))
    assert halved.guarantee.eps == ln(2)
    count = oblivious(geometric(4, eps="ln 2"), sum, hamming_cube(3))
    assert count.guarantee.eps == ln(2)
    slack = randomised_response([0, 1], eps="ln 2", delta="1/10")
    kept = oblivious(slack, lambda x: x[0], hamming_cube(2))
    assert kept.guarantee.delta == Q(1, 10)
    assert privacy(kept.channel, hamming_cube(2), eps=kept.guarantee.eps, delta="1/10")


@pytest.mark.statement("T", "Lem 3.7")
@pytest.mark.parametrize("name", QUERIES)
def test_on_the_induced_metric_nothing_is_lost(name):
    """H is ε·d_Y-private exactly when H∘f is ε·d_X-private: the same smallest ε, both ways."""
    query, X = QUERIES[name]
    Y = induced_space(query, X)
    rng = random.Random(name)
    for _ in range(10):
        H = as_mechanism(random_channel(rng, Y.labels), Y)
        whole = oblivious(H, query, X)
        inner, outer = smallest_eps(H.channel, Y), smallest_eps(whole.channel, X)
        assert inner == outer
        assert whole.guarantee.eps == inner
        assert privacy(whole.channel, X, eps=inner)
        less = Level(inner) * Q(999, 1000)
        assert not privacy(whole.channel, X, eps=less)
        assert not privacy(H.channel, Y, eps=less)


def test_the_query_is_asked_about_secrets_only():
    """A value outside the space would get an answer that nothing protects, or betray itself."""
    asked = []

    def query(x):
        asked.append(x)
        return {"a": 0, "b": 1}[x]

    mechanism = oblivious(geometric(2, eps=1), query, discrete(["a", "b"]))
    asked.clear()
    with pytest.raises(UnknownCategory, match="row 1 ") as caught:
        mechanism.randomise(["a", "canary-77", "b"])
    assert "canary" not in str(caught.value)
    assert "canary-77" not in asked
    count = oblivious(geometric(4, eps=1), sum, hamming_cube(3))
    with pytest.raises(UnknownCategory):
        count.randomise([(1, 1)])
    assert set(count.randomise([(0, 1, 1)] * 50)) <= {0, 1, 2, 3}


def test_what_an_oblivious_mechanism_refuses():
    twins = from_table(["a", "b"], [[0, 0], [0, 0]], pseudo=True)
    with pytest.raises(Malformed, match="distance 0"):
        oblivious(geometric(2, eps=1), {"a": 0, "b": 1}.get, twins)
    with pytest.raises(Malformed, match="same answer"):
        oblivious(geometric(2, eps=1), lambda x: 0, line(3))
    with pytest.raises(DPrivacyError):
        oblivious(geometric(2, eps=1), lambda x: 7, line(3))


# -- sequential -----------------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem 3.1")
@pytest.mark.parametrize(("one", "two"), [("ln 2", "ln 3"), ("ln 2", "1/2"), ("1", "0.3")])
def test_levels_add_on_one_space(one, two):
    first, second = geometric(3, eps=one), any_metric(line(3), eps=two)
    both = sequential(first, second)
    assert both.guarantee.eps == Level(one) + Level(two)
    assert both.guarantee.because == "T Lem 3.1"
    assert privacy(both.channel, line(3), eps=both.guarantee.eps)
    for x, y, z in cartesian(range(3), range(3), [0, 1, 2, "⊥"]):
        assert both.channel[x, (y, z)] == first.channel[x, y] * second.channel[x, z]
    if one == "ln 2" and two == "ln 3":
        assert smallest_eps(both.channel, line(3)) == ln(6)


@pytest.mark.statement("T", "Lem 3.2")
def test_metrics_add_where_they_differ():
    labels = range(4)
    first, second = geometric(4, eps="ln 2"), randomised_response(labels, eps="ln 3")
    third = any_metric(graph([(0, 1), (1, 2), (2, 3), (3, 0)]), eps="1/2")
    for parts in ((first, second), (second, first), (first, second, third)):
        both = sequential(*parts)
        assert both.guarantee.eps == Level(1)
        for x, z in cartesian(labels, labels):
            total = sum((m.guarantee.eps * m.space.distance(x, z) for m in parts), Level(0))
            assert Level(both.guarantee.space.distance(x, z)) == total
        assert privacy(both.channel, both.guarantee.space, eps=1)
    # the sum is needed: neither metric alone would do
    pair = sequential(first, second)
    assert not privacy(pair.channel, first.space, eps="ln 2")
    assert not privacy(pair.channel, second.space, eps="ln 3")


def test_rows_in_another_order_are_matched_by_label():
    first = randomised_response(["a", "b", "c"], eps="ln 2")
    second = randomised_response(["c", "b", "a"], eps="ln 2")
    both = sequential(first, second)
    assert both.channel["a", ("a", "a")] == Q(1, 4)
    assert both.guarantee.eps == ln(4)


def test_slack_adds_up_to_at_most_1():
    part = randomised_response(["a", "b", "c"], eps="ln 2", delta="1/10")
    both = sequential(part, part)
    assert both.guarantee.delta == Q(1, 5)
    assert privacy(both.channel, part.space, eps=both.guarantee.eps, delta=both.guarantee.delta)
    much = randomised_response(["a", "b"], eps="ln 2", delta="2/3")
    assert sequential(much, much).guarantee.delta == 1
    with pytest.raises(Malformed, match="δ = 0"):
        sequential(randomised_response(range(3), eps=1, delta="1/10"), geometric(3, eps=1))


def test_what_sequential_refuses():
    with pytest.raises(Malformed, match="at least one"):
        sequential()
    with pytest.raises(SpaceMismatch):
        sequential(randomised_response(["a", "b"], eps=1), randomised_response(["a", "c"], eps=1))


def test_both_answers_are_drawn_independently():
    part = randomised_response([0, 1], eps="ln 2")
    with pytest.warns(InsecureSeedWarning):
        drawn = sequential(part, part).randomise([0] * 30_000, insecure_seed=5)
    counts = Counter(drawn)
    expected = {
        (y, z): 30_000 * Q(2 if y == 0 else 1, 3) * Q(2 if z == 0 else 1, 3)
        for y in (0, 1)
        for z in (0, 1)
    }
    pairs = sorted(expected)
    observed = [counts[pair] for pair in pairs]
    assert stats.chisquare(observed, [float(expected[pair]) for pair in pairs]).pvalue > 1e-3


def test_one_source_for_all_parts_is_used_once_for_each():
    """The same key must not give both parts the same words."""
    part = randomised_response(range(50), eps="1/10")
    drawn = sequential(part, part).using(KeyedSource(bytes(32))).randomise([7] * 500)
    assert sum(y == z for y, z in drawn) < 60


def test_generators_and_arrays():
    both = sequential(geometric(3, eps=1), randomised_response(range(3), eps=1))
    assert len(both.randomise(x for x in (0, 1, 2))) == 3
    noisy = both.randomise(np.array([[0, 1], [2, 0]]))
    assert noisy.shape == (2, 2)
    assert all(type(pair) is tuple and len(pair) == 2 for pair in noisy.ravel())
    assert all(type(y) is int for pair in noisy.ravel() for y in pair)
    assert sequential(geometric(3, eps=1)).randomise([0, 1])[0][0] in (0, 1, 2)


# -- over rows ------------------------------------------------------------------------------------


def neighbours(labels):
    return [
        (x, z)
        for x in labels
        for z in labels
        if sum(p != q for p, q in zip(x, z, strict=True)) == 1
    ]


@pytest.mark.statement("C", "Def 5", "Thm 6")
@pytest.mark.parametrize("eps", ["ln 2", "1/2"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_database_is_as_private_as_its_rows(n, eps):
    single = geometric(3, eps=eps)
    whole = over_rows(single, n)
    for x in whole.channel.rows[:5]:
        for y in whole.channel.columns[:5]:
            chances = [single.channel[p, q] for p, q in zip(x, y, strict=True)]
            assert whole.channel[x, y] == math.prod(chances)
    assert whole.guarantee.eps == Level(eps)
    assert whole.space.distance((0,) * n, (2,) * n) == 2 * n
    assert privacy(whole.channel, whole.space, eps=eps)
    assert whole.tight == single.tight


@pytest.mark.statement("C", "Cor 3")
@pytest.mark.parametrize("seed", range(4))
def test_exactly_when_its_rows_are(seed):
    """The δ that neighbouring databases need is the δ that one row needs, for any ε."""
    rng = random.Random(seed)
    single = random_channel(rng, ["a", "b"], 3)
    for eps in ("ln(3/2)", "ln(11/10)", "ln 2"):
        for n in (2, 3):
            whole = single.over_rows(n)
            assert delta_at(whole, eps=eps, pairs=neighbours(whole.rows)) == delta_at(
                single, eps=eps
            )


def test_what_over_rows_refuses():
    with pytest.raises(Malformed, match="δ"):
        over_rows(randomised_response(["a", "b"], eps=1, delta="1/10"), 2)
    for wrong in (0, -1, 2.0, True, "2", None):
        with pytest.raises(Malformed):
            over_rows(geometric(2, eps=1), wrong)
    with pytest.raises(TooLarge):
        over_rows(geometric(3, eps="ln 2"), 20)
