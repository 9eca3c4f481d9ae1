"""Bags: Earth Mover's privacy proved on tiny vocabularies, and the distances between documents."""

import itertools
import math
from collections import Counter
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy.optimize import linprog

from dprivacy.errors import InsecureSeedWarning, Malformed, NotApplicable, TooLarge, WrongKind
from dprivacy.mechanisms import exponential, geometric, randomised_response
from dprivacy.model import Channel
from dprivacy.spaces import bags, discrete, line, points
from dprivacy.text import (
    Embedding,
    WordBags,
    WordSequences,
    WordSpace,
    bag_channel,
    noisy_bag,
    text_mechanism,
    word_movers_distance,
)
from dprivacy.verify import privacy, smallest_eps
from support.text_corpora import TINY, random_embedding

MECHANISMS = {
    "geometric": geometric(line(3), eps="ln 2"),
    "response": randomised_response(discrete(["a", "b", "c"]), eps="ln 3"),
    "exponential": exponential(
        points([[0, 0], [1, 0], [0, 3]], labels=["x", "y", "z"]), eps="ln 4"
    ),
}


def brute_force(channel, bag, output):
    """Every ordered output of the elements, added up where it is this bag."""
    total = Q(0)
    wanted = Counter(output)
    for answer in itertools.product(channel.columns, repeat=len(bag)):
        if Counter(answer) == wanted:
            total += math.prod(
                (channel[x, y] for x, y in zip(bag, answer, strict=True)), start=Q(1)
            )
    return total


@pytest.mark.statement("T", "Thm 9.2")
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_channel_on_bags_against_all_orders(name, size):
    C = MECHANISMS[name].channel
    K = bag_channel(C, size)
    assert K.exact
    for bag in K.rows:
        for output in K.columns:
            assert K[bag, output] == brute_force(C, bag, output)


@pytest.mark.statement("T", "Thm 9.2", "Def 9.3.1")
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", MECHANISMS)
def test_bags_of_one_size_are_private_for_n_times_the_earth_movers_distance(name, size):
    """All bags of size at most 3, exactly; and ε·N is needed: no factor below N will do."""
    mechanism = MECHANISMS[name]
    K = bag_channel(mechanism.channel, size)
    space = bags(K.rows, mechanism.space)
    eps = mechanism.guarantee.eps
    verdict = privacy(K, space, eps=eps * size)
    assert verdict.holds
    assert verdict.exact
    if mechanism.tight:
        assert smallest_eps(K, space) == eps * size


@pytest.mark.statement("T", "Thm 9.2")
def test_a_broken_twin_is_caught():
    """Half the time the true bag is released: every output then betrays its input by a factor."""
    good = MECHANISMS["geometric"]
    K = bag_channel(good.channel, 2)
    space = bags(K.rows, good.space)
    leaky = Channel(
        K.rows, K.columns, [[(K[b, c] + (b == c)) / 2 for c in K.columns] for b in K.rows]
    )
    assert privacy(K, space, eps=good.guarantee.eps * 2)
    assert not privacy(leaky, space, eps=good.guarantee.eps * 2)


@pytest.mark.statement("T", "Thm 9.10")
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_text_mechanism_is_private_on_all_small_bags(size):
    """The integers that are drawn from, lifted to bags by brute force, against the stated guarantee."""
    e = Embedding(tuple("abc"), np.array([[0.0, 0.0], [1.0, 0.5], [0.2, 2.0]]))
    mechanism = text_mechanism(e, eps="1/2")
    K = bag_channel(mechanism.words.channel, size)
    guarantee = mechanism.guarantee
    for x, z in itertools.permutations(K.rows, 2):
        factor = guarantee.odds_factor(x, z)
        worst = max(K[x, c] / K[z, c] for c in K.columns)
        assert float(worst) <= factor
        everything = min(
            sum(e.distance(a, b) for a, b in zip(x, order, strict=True))
            for order in itertools.permutations(z)
        )
        assert guarantee.space.distance(x, z) == pytest.approx(everything)


@pytest.mark.statement("T", "Lem 9.5")
def test_post_processing_keeps_it():
    mechanism = MECHANISMS["geometric"]
    K = bag_channel(mechanism.channel, 2)
    lengths = [[Q(int(len(set(c)) == k)) for k in (1, 2)] for c in K.columns]
    R = Channel(K.columns, ["one", "two"], lengths)
    space = bags(K.rows, mechanism.space)
    assert privacy(K @ R, space, eps=mechanism.guarantee.eps * 2)


@pytest.mark.statement("T", "Lem 9.3", "Cor 9.4")
def test_a_smaller_metric_on_words_gives_a_smaller_one_on_bags():
    """Euclidean ≤ Manhattan, so privacy for the first implies it for the second."""
    places = [[0, 0], [1, 2], [3, 1]]
    near, far = (points(places, metric=metric) for metric in ("euclidean", "manhattan"))
    listed = list(itertools.combinations_with_replacement(range(3), 2))
    smaller, larger = bags(listed, near), bags(listed, far)
    for x in listed:
        for z in listed:
            assert smaller.distance(x, z) <= larger.distance(x, z)
    K = bag_channel(exponential(near, eps="ln 2").channel, 2)
    eps = smallest_eps(K, smaller)
    assert privacy(K, larger, eps=eps)


@pytest.mark.statement("T", "Alg 1", "Cor 9.8")
def test_a_noisy_bag_of_vectors_shows_no_order():
    vectors = [[0.0, 0], [5, 5], [1, 2]]
    with pytest.warns(InsecureSeedWarning):
        out = noisy_bag(vectors, eps=3, numerics="idealised", insecure_seed=1)
    assert out.shape == (3, 2)
    assert (np.diff(out[:, 0]) >= 0).all()
    # The law does not depend on the order: the mean of the bag is that of the true one.
    with pytest.warns(InsecureSeedWarning):
        means = [
            noisy_bag(vectors, eps=3, numerics="idealised", insecure_seed=k).mean(axis=0)
            for k in range(300)
        ]
    assert np.allclose(np.mean(means, axis=0), [2, 7 / 3], atol=0.1)


def test_bags_that_are_refused():
    with pytest.raises(Malformed, match="idealised"):
        noisy_bag([[1.0]], eps=1)
    for wrong in ([], [1.0, 2.0], [[]], [["x"]]):
        with pytest.raises(Malformed):
            noisy_bag(wrong, eps=1, numerics="idealised")
    with pytest.raises(Malformed, match="row 0"):
        noisy_bag([[math.nan]], eps=1, numerics="idealised")
    with pytest.raises(Malformed, match="size"):
        bag_channel(MECHANISMS["geometric"], 0)
    with pytest.raises(TooLarge):
        bag_channel(randomised_response(discrete(range(30)), eps="ln 2"), 5)


# -------------------------------------------------------------------------------------- distances


def by_program(x, z, embedding):
    """The transport program as the definition states it, in scipy."""
    cost = np.array([[embedding.distance(a, b) for b in z] for a in x])
    n, m = cost.shape
    rows = [np.kron(np.eye(n)[i], np.ones(m)) for i in range(n)]
    rows += [np.kron(np.ones(n), np.eye(m)[j]) for j in range(m)]
    right = [1 / n] * n + [1 / m] * m
    return linprog(cost.ravel(), A_eq=rows, b_eq=right).fun


@pytest.mark.statement("T", "Def 9.2.3")
@pytest.mark.parametrize("sizes", [(1, 1), (3, 3), (4, 7), (2, 6), (9, 5)])
def test_word_movers_distance_against_the_definition(sizes):
    e = random_embedding(12, 4)
    rng = np.random.default_rng(sum(sizes))
    for _ in range(5):
        x, z = ([f"w{k}" for k in rng.integers(0, 14, n)] for n in sizes)  # some words are unknown
        assert word_movers_distance(x, z, e) == pytest.approx(by_program(x, z, e), abs=1e-9)


def test_spaces_of_documents():
    ground = WordSpace(TINY)
    assert WordBags(ground).distance(["tea", "moon"], ["moon", "coffee"]) == 5
    assert WordSequences(ground).distance(["tea", "moon"], ["moon", "coffee"]) == pytest.approx(
        12 + math.hypot(3, 8)
    )
    for space in (WordBags(ground), WordSequences(ground)):
        assert space.distance(["tea"], ["tea", "tea"]) == math.inf
        assert space.distance(["mars"], ["venus"]) == 0  # both unknown
    floor = WordSpace(TINY, 100.0)
    assert floor.distance("tea", "moon") == 100
    assert floor.distance("tea", "TEA") == floor.distance("x", "y") == 0
    assert WordBags(floor).distance(["tea", "moon"], ["moon", "coffee"]) == 100


def test_documents_that_have_no_distance():
    with pytest.raises(NotApplicable, match="at least one word"):
        word_movers_distance([], ["tea"], TINY)
    with pytest.raises(WrongKind, match="lists of words"):
        word_movers_distance("tea", ["tea"], TINY)
    with pytest.raises(TooLarge, match="too long"):
        word_movers_distance(["tea"] * 6000, ["moon"] * 6000, TINY)
