"""Probabilistic and concentrated privacy, their implications, and the constants of LSHRR."""

import itertools
import json
import math
from fractions import Fraction as Q
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from dprivacy.errors import BadLevel, Malformed
from dprivacy.model import Channel, as_channel, mixture
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, line
from dprivacy.verify import (
    ConcentratedGuarantee,
    PrivacyLoss,
    bernoulli_divergence,
    binomial_alpha,
    binomial_tail_bound,
    concentrated_privacy,
    extended_from_probabilistic,
    extended_privacy,
    lshrr_chernoff,
    lshrr_concentrated,
    lshrr_hoeffding,
    lshrr_loss,
    privacy_loss,
    probabilistic_from_concentrated,
    probabilistic_privacy,
    subgaussian_scale,
    with_shared_randomness,
)

COIN = [["3/4", "1/4"], ["1/4", "3/4"]]
SKEW = [["1/2", "1/4", "1/4"], ["1/10", "1/2", "2/5"], ["1/3", "1/3", "1/3"]]


@st.composite
def channels(draw: st.DrawFn, least: int = 0) -> Channel:
    rows = []
    for _ in range(3):
        weights = draw(st.lists(st.integers(least, 6), min_size=4, max_size=4).filter(sum))
        rows.append([Q(w, sum(weights)) for w in weights])
    return as_channel(rows)


# -- probabilistic ---------------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 10.4.3")
@pytest.mark.statement("T", "Def 10.3.6")
@settings(max_examples=60)
@given(channels(), st.sampled_from([Q(1), Q(3, 2), Q(2), Q(3)]), st.integers(0, 10))
def test_probabilistic_by_definition(C: Channel, factor: Q, tenths: int) -> None:
    direct = all(
        sum(C[x, y] for y in C.columns if C[x, y] > factor * C[z, y]) <= Q(tenths, 10)
        for x, z in itertools.permutations(C.rows, 2)
    )
    verdict = probabilistic_privacy(C, xi=ln(factor), delta=Q(tenths, 10))
    assert verdict.exact
    assert verdict.holds == direct


@pytest.mark.statement("T", "Prop 10.5")
@settings(max_examples=60)
@given(channels(), channels(), st.sampled_from(["ln 2", "1/2", "ln 3"]))
def test_probabilistic_implies_extended_and_forgetting_the_seed_keeps_it(
    A: Channel, B: Channel, xi: str
) -> None:
    weights = ["1/3", "2/3"]
    shared = with_shared_randomness(weights, [A, B])
    worst = probabilistic_privacy(shared, xi=xi).worst
    assert worst is not None
    assert probabilistic_privacy(shared, xi=xi, delta=worst.tail)
    assert extended_privacy(shared, xi=xi, delta=worst.tail)
    assert extended_privacy(mixture(weights, [A, B]), xi=xi, delta=worst.tail)


def test_extended_does_not_imply_probabilistic() -> None:
    assert extended_privacy(COIN, xi="ln 2", delta="1/4")
    assert not probabilistic_privacy(COIN, xi="ln 2", delta="1/4")


def test_probabilistic_in_floats_is_undecided_at_a_tie() -> None:
    third = [[2 / 3, 1 / 3], [1 / 3, 2 / 3]]
    assert probabilistic_privacy(third, xi="ln 2", delta="1/2").holds is None
    assert probabilistic_privacy(third, xi=0.8).status == "measured"
    assert probabilistic_privacy(third, xi=0.6, delta=0.5).status == "measured to fail"
    assert probabilistic_privacy(third, xi=0.6, delta=0.7).status == "measured"


def test_probabilistic_words_and_adjacency() -> None:
    verdict = probabilistic_privacy(COIN, xi=1)
    assert "exceeds 1 with probability 3/4" in verdict.explain()
    assert json.dumps(verdict.to_dict())
    assert probabilistic_privacy([[1, 0], [1, 0], [0, 1]], xi=0, pairs=[(0, 1)])


# -- subgaussian -----------------------------------------------------------------------------------


def brute_scale(loss: PrivacyLoss) -> float:
    """√(sup 2·ln E e^(sZ)/s²) on a fine grid: a lower bound."""
    values = np.array([float(v) for v, _ in loss.atoms])
    p = np.array([float(q) for _, q in loss.atoms])
    z = values - (p * values).sum()
    s = np.concatenate([np.geomspace(1e-3, 200, 4000), -np.geomspace(1e-3, 200, 4000)])
    t = np.outer(s, z)
    top = t.max(axis=1, keepdims=True)
    logs = top[:, 0] + np.log((p * np.exp(t - top)).sum(axis=1))
    return math.sqrt(float((2 * logs / s**2).max()))


@pytest.mark.statement("T", "Def 10.3.4")
@settings(max_examples=40)
@given(channels(least=1))
def test_the_scale_encloses_a_grid_search(C: Channel) -> None:
    loss = privacy_loss(C, 0, 1)
    scale = subgaussian_scale(loss)
    if loss.maximum == loss.minimum:
        assert scale.high == 0
        return
    found = brute_scale(loss)
    # At s = 1e-3 the logarithm is about 1e-8, so that doubles leave its value some 1e-8 uncertain.
    assert found <= scale.high * (1 + 1e-7)
    assert scale.low <= scale.high <= scale.low * (1 + 1e-6)
    assert found >= scale.low * (1 - 1e-3)
    assert scale.high <= float(scale.hoeffding) * (1 + 1e-12)


@pytest.mark.parametrize("q", ["2", "3", "9", "1000"])
def test_the_scale_of_a_coin_is_known(q: str) -> None:
    # Kearns and Saul: for ±ε with odds e^ε, τ² = 2·ε·tanh(ε/2).
    a = Q(q)
    loss = privacy_loss([[a / (1 + a), 1 / (1 + a)], [1 / (1 + a), a / (1 + a)]], 0, 1)
    scale = subgaussian_scale(loss)
    eps = math.log(a)
    true = math.sqrt(2 * eps * math.tanh(eps / 2))
    assert scale.low <= true * (1 + 1e-12)
    assert scale.high >= true * (1 - 1e-12)
    assert scale.high <= scale.low * (1 + 1e-6)


def test_rare_large_losses_are_enclosed_too() -> None:
    p, q = Q(1, 10**6), Q(1, 10**10)
    loss = privacy_loss([[p, 1 - p], [q, 1 - q]], 0, 1)
    scale = subgaussian_scale(loss)
    assert brute_scale(loss) <= scale.high * (1 + 1e-9)
    assert scale.high <= scale.low * (1 + 1e-6)
    assert subgaussian_scale(privacy_loss([[1, 0], ["1/2", "1/2"]], 1, 0)).high == math.inf


# -- concentrated ----------------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 10.4.2")
@pytest.mark.statement("T", "Def 10.3.5")
def test_concentrated_by_definition() -> None:
    X = line(3)
    found = concentrated_privacy(SKEW, X)
    C = as_channel(SKEW)
    means = {
        (x, z): float(privacy_loss(C, x, z).mean) / abs(x - z)
        for x, z in itertools.permutations(C.rows, 2)
    }
    assert float(found.smallest_mu) == pytest.approx(max(means.values()))
    assert found.mean_pair == max(means, key=lambda pair: means[pair])
    scales = [brute_scale(privacy_loss(C, x, z)) for x, z in itertools.permutations(C.rows, 2)]
    assert float(found.smallest_tau) == pytest.approx(max(scales), rel=1e-3)
    assert concentrated_privacy(SKEW, X, mu=found.smallest_mu, tau=2).status == "proved"
    less = found.smallest_mu - Q(1, 10**20)
    assert concentrated_privacy(SKEW, X, mu=less, tau=2).status == "refuted"
    tau = float(found.smallest_tau)
    assert concentrated_privacy(SKEW, X, mu=2, tau=tau).status == "measured"
    assert concentrated_privacy(SKEW, X, mu=2, tau=tau * 0.999).status == "measured to fail"
    assert "subgaussian" in found.explain()
    assert json.dumps(found.to_dict())


def test_concentrated_special_cases() -> None:
    plain = concentrated_privacy(COIN, mu="0.5 ln 3", tau="ln 3")
    assert plain.status == "proved"
    assert concentrated_privacy(COIN, mu="0.5 ln 3", tau=1).status == "measured to fail"
    assert concentrated_privacy([[1, 0], ["1/2", "1/2"]], mu=5, tau=5).status == "refuted"
    assert concentrated_privacy([[1, 0], [1, 0]], mu=0, tau=0).status == "proved"
    assert concentrated_privacy([[0.75, 0.25], [0.25, 0.75]], mu=0.6, tau=1.2).status == "measured"
    assert concentrated_privacy([[0.75, 0.25], [0.25, 0.75]], mu=0.5, tau=1.2).holds is False
    logs = from_table([0, 1], [[0, ln(3)], [ln(3), 0]])
    assert concentrated_privacy(COIN, logs, mu="1/2", tau=2).status == "proved"
    assert concentrated_privacy(COIN, logs, mu="ln 2", tau=2).holds is True  # ln 2·ln 3 > ½·ln 3
    assert concentrated_privacy(COIN, logs, mu="ln(3/2)", tau=2).holds is False
    with pytest.raises(BadLevel, match="μ should be at least 0"):
        concentrated_privacy(COIN, mu=-1)
    far = from_table([0, 1], [[0, math.inf], [math.inf, 0]], extended=True)
    assert concentrated_privacy(COIN, far, mu=0, tau=2).holds is True


@pytest.mark.statement("T", "Prop 10.4")
@settings(max_examples=25)
@given(channels(least=1), st.sampled_from([0.5, 0.1, 0.01, 1e-6]))
def test_concentrated_implies_probabilistic(C: Channel, delta: float) -> None:
    found = concentrated_privacy(C, discrete(C.rows))
    guarantee = ConcentratedGuarantee(found.smallest_mu, found.smallest_tau)
    bound = probabilistic_from_concentrated(guarantee, delta=delta)
    assert bound.probabilistic
    space = discrete(C.rows)
    assert probabilistic_privacy(C, **bound.on(space))
    weaker = extended_from_probabilistic(bound)
    assert not weaker.probabilistic
    assert extended_privacy(C, **weaker.on(space))


def test_implications_in_numbers_and_words() -> None:
    g = ConcentratedGuarantee(ln(2), 0.5, "a proof")
    bound = probabilistic_from_concentrated(g, delta="0.01")
    assert float(bound.xi(Q(3))) == pytest.approx(
        3 * math.log(2) + 0.5 * math.sqrt(-2 * math.log(0.01))
    )
    assert bound.delta(Q(3)) == Q(1, 100)
    assert "except with probability 1/100" in bound.explain()
    assert bound.because == "a proof and T Prop 10.4"
    weaker = extended_from_probabilistic(bound)
    assert "T Prop 10.4 and T Prop 10.5" in weaker.because
    assert extended_from_probabilistic(weaker) is weaker
    assert weaker.to_dict()["kind"] == "XDP"
    assert "no set of outputs" in weaker.explain()
    assert "0.5-subgaussian" in g.explain()
    assert json.dumps(g.to_dict())
    assert probabilistic_from_concentrated(g, delta=1).xi(Q(0)) == 0
    tiny = probabilistic_from_concentrated(g, delta=Q(1, 10**400))
    assert float(tiny.xi(Q(0))) == pytest.approx(0.5 * math.sqrt(800 * math.log(10)))
    with pytest.raises(BadLevel, match="greater than 0"):
        probabilistic_from_concentrated(g, delta=0)


# -- binomials -------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem A3")
@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("p", ["0", "0.05", "1/3", "1/2", "0.9", "1"])
def test_chernoff_bounds_the_binomial_tail(n: int, p: str) -> None:
    for k in range(n + 1):
        alpha = Q(k, n) - Q(p)
        if alpha >= 0:
            bound = binomial_tail_bound(n, p, alpha)
            assert bound >= binom.sf(k - 1, n, float(Q(p))) * (1 - 1e-12)
            divergence = bernoulli_divergence(Q(k, n), p)
            assert bound == pytest.approx(math.exp(-n * float(divergence)), rel=1e-9, abs=1e-300)
    assert binomial_tail_bound(n, p, 2) == 0


def test_alpha_at_its_ends() -> None:
    assert binomial_alpha(10, 0, delta="0.01") == 0
    assert binomial_alpha(10, 1, delta="0.01") == 0
    assert binomial_alpha(10, "1/2", delta=1) == 0
    assert binomial_alpha(3, "1/2", delta="0.01") == 0.5  # 2^−3 > δ: nothing below 1 will do
    assert binomial_alpha(10**6, "1/2", delta="1e-9") == pytest.approx(0.003219, rel=1e-3)
    with pytest.raises(BadLevel, match="greater than 0"):
        binomial_alpha(3, "1/2", delta=0)
    with pytest.raises(BadLevel, match="p should be"):
        binomial_alpha(3, 2, delta="0.1")
    with pytest.raises(Malformed, match="whole number"):
        binomial_alpha(2.5, "1/2", delta="0.1")  # type: ignore[arg-type]
    with pytest.raises(BadLevel, match="α should be at least 0"):
        binomial_tail_bound(3, "1/2", -1)


# -- LSHRR -----------------------------------------------------------------------------------------

CASES = list(
    itertools.product(["ln 2", "1/10", "ln 10", "3"], [1, 2, 3, 5, 10], ["1/20", "1/2", "1"])
)


def response(bits: tuple[int, ...], eps: str) -> list[Any]:
    """Bitwise randomised response on one string: the probabilities of all answers."""
    a = Level(eps).exp()
    assert a is not None
    return [
        math.prod((a if b == y else 1) / (1 + a) for b, y in zip(bits, answer, strict=True))
        for answer in itertools.product((0, 1), repeat=len(bits))
    ]


def test_the_loss_of_lshrr_by_enumeration() -> None:
    # Every pattern of differing bits, hashes of x all 0: shared randomness is the pattern.
    d, bits = Q(1, 5), 3
    patterns = list(itertools.product((0, 1), repeat=bits))
    weights = [d ** sum(p) * (1 - d) ** (bits - sum(p)) for p in patterns]
    channels = [[response((0,) * bits, "ln 3"), response(p, "ln 3")] for p in patterns]
    direct = privacy_loss(with_shared_randomness(weights, channels), 0, 1)
    assert lshrr_loss(eps="ln 3", bits=bits, distance=d).cells == direct.cells


@pytest.mark.statement("T", "Thm 10.6")
@pytest.mark.parametrize(("eps", "bits", "d"), CASES)
def test_lshrr_is_concentrated_as_corrected(eps: str, bits: int, d: str) -> None:
    loss = lshrr_loss(eps=eps, bits=bits, distance=d)
    g = lshrr_concentrated(eps=eps, bits=bits)
    size = float(Level(eps))
    assert float(g.mu) == pytest.approx(size * bits * math.tanh(size / 2))
    assert float(loss.mean) == pytest.approx(float(g.mu) * float(Q(d)), rel=1e-12)
    assert subgaussian_scale(loss).high <= float(g.tau) * (1 + 1e-9)


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_the_printed_constants_fail_below_four_bits(bits: int) -> None:
    loss = lshrr_loss(eps="ln 2", bits=bits, distance=1)
    assert subgaussian_scale(loss).low > math.log(2) * bits / 2  # E16
    verdict = concentrated_privacy(
        [[Q(2, 3), Q(1, 3)], [Q(1, 3), Q(2, 3)]], mu="ln 2", tau="0.5 ln 2"
    )
    assert verdict.holds is False


@pytest.mark.statement("T", "Thm 10.7")
@pytest.mark.statement("T", "Prop 10.8")
@pytest.mark.parametrize(("eps", "bits", "d"), CASES)
@pytest.mark.parametrize("delta", ["1/2", "0.01", "1e-9"])
def test_lshrr_bounds_hold_and_chernoff_is_tighter(eps: str, bits: int, d: str, delta: str) -> None:
    loss = lshrr_loss(eps=eps, bits=bits, distance=d)
    simple = lshrr_hoeffding(eps=eps, bits=bits, delta=delta)
    tight = lshrr_chernoff(eps=eps, bits=bits, delta=delta)
    for bound in (simple, tight):
        assert bound.probabilistic
        assert loss.tail(bound.xi(Q(d))) <= Q(delta)
    assert tight.xi(Q(d)) <= simple.xi(Q(d)) * (1 + 1e-12)
    printed = float(Level(eps)) * (bits * float(Q(d)) + math.sqrt(-bits * math.log(Q(delta)) / 2))
    assert simple.xi(Q(d)) == pytest.approx(printed)


def test_lshrr_with_a_constant_alpha() -> None:
    g = lshrr_chernoff(eps="ln 2", bits=20, alpha="1/4")
    loss = lshrr_loss(eps="ln 2", bits=20, distance="1/10")
    assert float(g.xi(Q(1, 10))) == pytest.approx(math.log(2) * 7)
    assert g.delta(Q(1, 10)) == binomial_tail_bound(20, "1/10", "1/4")
    assert loss.tail(g.xi(Q(1, 10))) <= g.delta(Q(1, 10))
    assert g.delta(Q(9, 10)) == 0
    assert "D(d+α‖d)" in g.explain("1/10")
    for arguments in ({}, {"alpha": 1, "delta": 1}):
        with pytest.raises(Malformed, match="one of delta and alpha"):
            lshrr_chernoff(eps=1, bits=2, **arguments)
