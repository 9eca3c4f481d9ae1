"""Optima that the sources print."""

from fractions import Fraction

import pytest

from dprivacy.design import expected_loss, minimax, optimal, remap, worst_case_loss
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, Dist, uniform
from dprivacy.polytope import kernels
from dprivacy.spaces import discrete, line


@pytest.mark.statement("T", "§6.7.3")
def test_a_consumer_who_prefers_another_kernel_to_the_geometric():
    heights = line(3)
    average = loss.matrix(["w1", "w2"], range(3), [["7/10", 0, "7/10"], ["3/10", 1, "3/10"]])
    best = optimal(heights, eps="ln 2", loss=average)
    G = geometric(heights, eps="ln 2").channel
    (H,) = [K for K in kernels(heights, eps="ln 2") if not K.equivalent(G)]
    nu = uniform(heights)
    assert best.channel.equivalent(H)
    assert (
        best.loss
        == posterior_uncertainty(H, prior=nu, loss=average)
        < posterior_uncertainty(G, prior=nu, loss=average)
    )


@pytest.mark.statement("T", "§6.7.3")
def test_that_kernel_is_best_for_every_prior():
    heights = line(3)
    average = loss.matrix(["w1", "w2"], range(3), [["7/10", 0, "7/10"], ["3/10", 1, "3/10"]])
    G = geometric(heights, eps="ln 2").channel
    (H,) = [K for K in kernels(heights, eps="ln 2") if not K.equivalent(G)]
    for a in range(6):
        for b in range(6 - a):
            prior = Dist(range(3), [Fraction(a, 5), Fraction(b, 5), Fraction(5 - a - b, 5)])
            best = optimal(heights, eps="ln 2", prior=prior, loss=average)
            assert best.loss == posterior_uncertainty(H, prior=prior, loss=average)


@pytest.mark.statement("T", "Cor 6.23")
def test_the_best_on_two_ends_beats_the_geometric_restricted_to_them():
    """E8: Bayes risk 1/5 against 1/4."""
    ends = line(3).restrict([0, 2])
    assert optimal(ends, eps="ln 2", loss="bayes").loss == Fraction(1, 5)
    G = geometric(line(3), eps="ln 2").channel.restrict([0, 2])
    assert posterior_uncertainty(G, prior=uniform([0, 2]), loss=loss.identity([0, 2])) == Fraction(
        1, 4
    )


@pytest.mark.statement("C", "Thm 10")
@pytest.mark.parametrize("m", [1, 2, 4])
@pytest.mark.parametrize("delta", ["0", "1/5"])
def test_the_fewest_changed_rows_in_the_worst_case(m, delta):
    space = discrete(range(m + 1))
    found = minimax(space, eps="ln 3", loss="bayes", delta=delta)
    p = (1 - Fraction(delta)) / (3 + m)
    assert found.loss == found.bound == m * p
    assert found.proof.holds()
    assert found.privacy
    response = randomised_response(space, eps="ln 3", delta=delta)
    assert worst_case_loss(response, loss="bayes")[0] == found.loss


@pytest.mark.statement("T", "Def 6.2.2", "Lem 6.1")
def test_a_remap_reaches_the_posterior_uncertainty():
    space = line(3)
    G = geometric(space, eps="ln 2").channel
    prior = Dist(range(3), ["8/10", "1/10", "1/10"])
    found = remap(G, prior=prior, loss=loss.metric(space))
    assert (
        found.before == expected_loss(G, prior=prior, loss=loss.metric(space)) == Fraction(31, 60)
    )
    assert (
        found.after
        == posterior_uncertainty(G, prior=prior, loss=loss.metric(space))
        == Fraction(3, 10)
    )
    assert found.channel == Channel(range(3), [0], [[1], [1], [1]])
