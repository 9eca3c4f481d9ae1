"""Agreement with qif, where it is installed, on random channels."""

import numpy as np
import pytest

from dprivacy.flow import (
    additive_bound,
    capacity,
    d_vulnerability,
    gain,
    guessing_entropy,
    leakage,
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
from dprivacy.model import Dist, as_channel
from dprivacy.spaces import points

qif = pytest.importorskip("qif")

close = pytest.approx


@pytest.fixture(params=range(12))
def case(request):
    rng = np.random.default_rng(request.param)
    n, m, k = rng.integers(2, 8, size=3)
    C = rng.random((n, m)) ** 3 + (0 if request.param % 3 else 0.01)
    C /= C.sum(axis=1, keepdims=True)
    prior = rng.random(n) + 0.01
    prior /= prior.sum()
    return C, prior, rng.random((k, n)), rng


def named(C, prior, G):
    return (
        as_channel(C),
        Dist(range(len(prior)), prior.tolist()),
        gain.matrix(range(len(G)), range(len(prior)), G),
        loss.matrix(range(len(G)), range(len(prior)), G),
    )


def test_gains(case):
    C, prior, G, _ = case
    channel, belief, g, _ = named(C, prior, G)
    theirs = qif.measure.g_vuln
    assert vulnerability(belief, gain=g) == close(theirs.prior(G, prior))
    assert posterior_vulnerability(channel, prior=belief, gain=g) == close(
        theirs.posterior(G, prior, C)
    )
    assert leakage(channel, prior=belief, gain=g) == close(theirs.mult_leakage(G, prior, C))
    added = leakage(channel, prior=belief, gain=g, kind="additive")
    assert added == close(theirs.add_leakage(G, prior, C), abs=1e-12)
    moves = strategy(channel, prior=belief, gain=g)
    assert [moves[y] for y in channel.columns] == np.ravel(theirs.strategy(G, prior, C)).tolist()


def test_losses(case):
    C, prior, G, _ = case
    channel, belief, _, cost = named(C, prior, G)
    theirs = qif.measure.l_risk
    assert uncertainty(belief, loss=cost) == close(theirs.prior(G, prior))
    assert posterior_uncertainty(channel, prior=belief, loss=cost) == close(
        theirs.posterior(G, prior, C)
    )
    assert leakage(channel, prior=belief, gain=cost) == close(theirs.mult_leakage(G, prior, C))


def test_bayes(case):
    C, prior, G, _ = case
    channel, belief, _, _ = named(C, prior, G)
    bv, risk = gain.identity(channel.rows), loss.identity(channel.rows)
    theirs = qif.measure.bayes_vuln
    assert vulnerability(belief, gain=bv) == close(theirs.prior(prior))
    assert posterior_vulnerability(channel, prior=belief, gain=bv) == close(
        theirs.posterior(prior, C)
    )
    assert leakage(channel, prior=belief, gain=bv) == close(theirs.mult_leakage(prior, C))
    assert capacity(channel) == close(theirs.mult_capacity(C))
    risks = qif.measure.bayes_risk
    assert posterior_uncertainty(channel, prior=belief, loss=risk) == close(
        risks.posterior(prior, C)
    )
    assert leakage(channel, prior=belief, gain=risk) == close(risks.mult_leakage(prior, C))


def test_entropies(case):
    C, prior, G, _ = case
    channel, belief, _, _ = named(C, prior, G)
    theirs = qif.measure.shannon
    assert shannon_entropy(belief) == close(theirs.prior(prior))
    assert posterior_shannon_entropy(channel, prior=belief) == close(theirs.posterior(prior, C))
    found = mutual_information(channel, prior=belief)
    assert found == close(theirs.add_leakage(prior, C), abs=1e-12)
    bits, _ = theirs.add_capacity(C)
    ours = shannon_capacity(channel)
    assert ours == close(bits, abs=1e-6)
    assert bits <= ours.upper + 1e-9
    guessing = qif.measure.guessing
    assert guessing_entropy(belief) == close(guessing.prior(prior))
    assert posterior_guessing_entropy(channel, prior=belief) == close(guessing.posterior(prior, C))


def test_additive_capacity_over_gains(case):
    C, prior, G, _ = case
    channel, belief, _, _ = named(C, prior, G)
    theirs = qif.measure.g_vuln.add_capacity
    assert additive_bound(channel, prior=belief) == close(theirs(prior, C), abs=1e-9)
    assert additive_bound(channel, prior=belief, gains="spanning") == close(
        theirs(prior, C, True), abs=1e-9
    )


def test_d_vulnerability(case):
    _, prior, _, rng = case
    space = points(rng.random((len(prior), 2)))
    metric = qif.metric.from_distance_matrix(space.distances.floats)
    found = d_vulnerability(space)(Dist(space.labels, prior.tolist()))
    assert found == close(qif.measure.d_privacy.prior(prior, metric))
