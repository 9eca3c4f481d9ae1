"""Randomised response and the conversions between p, k and (ε, δ)."""

import math
from fractions import Fraction as Q
from itertools import product

import pytest

from dprivacy.errors import BadLevel, BadNumber, DPrivacyError, Malformed
from dprivacy.mechanisms import (
    randomised_response,
    response_chance,
    response_eps,
    response_exponent,
)
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, line, points
from dprivacy.verify import delta_at, privacy

DELTAS = [Q(0), Q(1, 100), Q(1, 10), Q(1, 3), Q(9, 10)]
FACTORS = [Q(1001, 1000), Q(3, 2), Q(2), Q(7), Q(1000)]


@pytest.mark.statement("C", "Thm 8")
@pytest.mark.parametrize(("a", "delta", "m"), list(product(FACTORS, DELTAS, [1, 2, 5])))
def test_the_chance_is_the_smallest_that_will_do(a, delta, m):
    p = response_chance(m + 1, eps=ln(a), delta=delta)
    assert p == (1 - delta) / (a + m)
    mechanism = randomised_response(range(m + 1), eps=ln(a), delta=delta)
    assert mechanism.channel[0, 1] == p
    assert mechanism.channel[0, 0] == 1 - m * p
    assert mechanism.tight
    # brute force over every set of outputs: P(A) ≤ a·Q(A) + δ, and not for a smaller p
    assert worst_excess(m, p, a) == delta
    assert worst_excess(m, p * Q(999, 1000), a) > delta


def worst_excess(m: int, p: Q, a: Q) -> Q:
    P, R = [1 - m * p] + [p] * m, [p, 1 - m * p] + [p] * (m - 1)
    return max(
        sum((P[y] - a * R[y] for y in range(m + 1) if chosen[y]), Q(0))
        for chosen in product([False, True], repeat=m + 1)
    )


@pytest.mark.parametrize("delta", ["1/100", "1/3", "1/2"])
@pytest.mark.parametrize("eps", ["1", "0.3", "1e-20", "40"])
def test_a_real_level_with_slack(eps, delta):
    mechanism = randomised_response(["a", "b", "c"], eps=eps, delta=delta)
    assert privacy(mechanism.channel, mechanism.space, eps=eps, delta=delta)
    needed = delta_at(mechanism.channel, eps=eps)
    assert Q(delta) * (1 - Q(1, 10**8)) <= needed <= math.nextafter(float(Q(delta)), 1)
    assert not mechanism.tight  # the chance was rounded up, if only in the 40th digit


@pytest.mark.statement("C", "Thm 7")
@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("p", [Q(1, 10), Q(1, 7), Q(1, 1000)])
def test_the_exponent_is_that_of_the_exponential_mechanism(m, p):
    """e^k·p is the chance of the truth: P(y) ∝ e^(−k·[x ≠ y])."""
    k = response_exponent(m + 1, p=p)
    weight = (-k).exp()
    total = 1 + m * weight
    assert weight / total == p
    assert 1 / total == 1 - m * p
    assert k == ln(1 / p - m)
    assert response_exponent(m + 1, p=Q(1, m + 1)) == Level(0)
    assert response_exponent(m + 1, p=0) == math.inf


@pytest.mark.statement("C", "Thm 4")
@pytest.mark.parametrize(("delta", "m"), list(product(DELTAS, [1, 2, 5])))
def test_the_level_of_a_chance(delta, m):
    for p in (Q(1, 1000), Q(1, 20), Q(1, m + 2), Q(1, m + 1)):
        eps = response_eps(m + 1, p=p, delta=delta)
        a = eps.exp()
        assert worst_excess(m, p, a) <= delta
        if eps > 0:
            assert worst_excess(m, p, a * Q(999, 1000)) > delta
            k = response_exponent(m + 1, p=p)
            assert k.exp() == (a + m * delta) / (1 - delta)
            assert response_chance(m + 1, eps=eps, delta=delta) == p
        else:
            assert (1 - delta) / p - m <= 1
    assert response_eps(m + 1, p=0, delta=delta) == math.inf


def test_no_noise_at_all_is_private_only_with_all_the_slack():
    assert response_eps(3, p=0, delta=1) == Level(0)
    certain = randomised_response(["a", "b", "c"], eps=1, delta=1)
    assert certain.channel["a", "a"] == 1
    assert certain.randomise(["a", "b"]) == ["a", "b"]


@pytest.mark.statement("T", "Def 3.4.3")
@pytest.mark.parametrize("alpha", [Q(1, 2), Q(2, 3), Q(1, 9)])
def test_truth_and_lies_are_in_proportion_to_alpha(alpha):
    mechanism = randomised_response(list("abcd"), eps=ln(1 / alpha))
    k = 1 + 3 * alpha
    assert mechanism.channel["a", "a"] == 1 / k
    assert mechanism.channel["a", "c"] == alpha / k
    assert mechanism.tight


def test_on_other_distances_the_closest_pair_decides():
    uneven = line(["0", "1/2", "2"])
    mechanism = randomised_response(uneven, eps=ln(4))
    assert mechanism.channel["0", "0"] == Q(2, 4)
    assert mechanism.tight
    far = randomised_response(discrete(list("abc")).scaled(3), eps=ln(2))
    assert far.channel["a", "a"] == Q(8, 10)
    euclidean = randomised_response(points([(0, 0), (1, 1)]), eps="ln 2")
    assert not euclidean.tight
    assert euclidean.achieved()[0] > math.log(2) * (1 - 1e-9)


def test_slack_needs_unordered_categories():
    with pytest.raises(Malformed, match="unordered"):
        randomised_response(line(3), eps=1, delta="1/10")
    assert randomised_response(discrete(list("abc")).scaled(2), eps="ln 2", delta="1/10").tight


@pytest.mark.parametrize("labels", [["a"], [], "abc", ["a", "a"], [["x"], "y"]])
def test_bad_labels(labels):
    with pytest.raises(DPrivacyError):
        randomised_response(labels, eps=1)


def test_bad_spaces():
    with pytest.raises(Malformed, match="exact"):
        randomised_response(line([0.0, 0.5]), eps=1)
    with pytest.raises(DPrivacyError):
        randomised_response(
            from_table(["a", "b", "c"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True), eps=1
        )


@pytest.mark.parametrize("delta", [-1, "11/10", math.nan, math.inf, True, "ln 2", None])
def test_bad_slack(delta):
    with pytest.raises(BadLevel):
        randomised_response(["a", "b"], eps=1, delta=delta)
    with pytest.raises(BadLevel):
        response_chance(2, eps=1, delta=delta)


@pytest.mark.parametrize("categories", [1, 0, -3, 2.0, True, None])
def test_bad_numbers_of_categories(categories):
    for ask in (
        lambda: response_chance(categories, eps=1),
        lambda: response_eps(categories, p="1/9"),
        lambda: response_exponent(categories, p="1/9"),
    ):
        with pytest.raises(Malformed):
            ask()


@pytest.mark.parametrize("p", ["-1/9", "1/2", 1, "ln 2"])
def test_bad_chances(p):
    with pytest.raises(BadNumber, match="p should be"):
        response_eps(3, p=p)
    with pytest.raises(BadNumber, match="p should be"):
        response_exponent(3, p=p)


@pytest.mark.parametrize("eps", ["1e-30", "1e-100", "1e-300"])
def test_a_tiny_level_is_still_used_up(eps):
    """The chance is rounded up, but not so far that nothing is left of the answer."""
    mechanism = randomised_response(["a", "b", "c"], eps=eps)
    low, high = mechanism.achieved()
    assert float(eps) * (1 - 1e-8) <= low <= high <= float(eps) * (1 + 1e-15)


def test_a_huge_level_is_quick():
    mechanism = randomised_response(["a", "b", "c"], eps=10**5)
    assert (mechanism.channel.matrix.entries > 0).all()
