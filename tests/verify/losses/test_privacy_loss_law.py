"""Privacy-loss distributions: against enumeration, product channels and the profile."""

import json
import math
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import Malformed, MixedArithmetic, TooLarge
from dprivacy.model import Channel, as_channel, mixture, parallel
from dprivacy.numbers import Level, ln
from dprivacy.numbers.enclosures import float_up
from dprivacy.verify import (
    PrivacyLoss,
    delta_at,
    privacy_loss,
    smallest_eps,
    with_shared_randomness,
)
from dprivacy.verify.losses.privacy_loss_law import log_of

COIN = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])
C3 = as_channel([["1/2", "1/4", "1/4", 0], ["1/4", "1/2", "1/8", "1/8"]])
D2 = as_channel([["2/3", "1/3"], ["1/2", "1/2"]])


@pytest.mark.statement("T", "Def 10.3.3")
def test_the_distribution_by_hand() -> None:
    loss = privacy_loss(C3, 0, 1)
    assert loss.atoms == ((ln("1/2"), Q(1, 4)), (ln(2), Q(3, 4)))  # two outputs have ratio 2
    assert loss.mean == ln(2) / 2
    assert loss.maximum == ln(2)
    assert loss.minimum == -ln(2)
    assert not loss.escape
    back = privacy_loss(C3, 1, 0)
    assert back.atoms[-1] == (math.inf, Q(1, 8))
    assert (back.mean, back.maximum, back.escape) == (math.inf, math.inf, Q(1, 8))
    assert sum(p for _, p in back.atoms) == 1


def test_the_tail_is_strict_and_exact() -> None:
    loss = privacy_loss(COIN, 0, 1)
    assert loss.tail("ln 3") == 0
    assert loss.tail(Level("ln 3") - Q(1, 10**40)) == Q(3, 4)
    assert loss.tail(-2) == 1
    assert loss.tail(10**15) == 0
    assert privacy_loss(C3, 1, 0).tail(10**15) == Q(1, 8)


@st.composite
def channels(draw: st.DrawFn) -> Channel:
    outputs = draw(st.integers(1, 4))
    rows = []
    for _ in range(2):
        weights = draw(st.lists(st.integers(0, 5), min_size=outputs, max_size=outputs).filter(sum))
        rows.append([Q(w, sum(weights)) for w in weights])
    return as_channel(rows)


@settings(max_examples=80)
@given(channels(), channels())
def test_composition_is_the_loss_of_the_product_channel(C: Channel, D: Channel) -> None:
    both = privacy_loss(C, 0, 1) & privacy_loss(D, 0, 1)
    assert both.cells == privacy_loss(C & D, 0, 1).cells
    assert (both.x, both.z) == (0, 1)
    side = privacy_loss(parallel(C, D), (0, 0), (1, 1))
    assert both.cells == side.cells
    if not both.escape:
        assert both.mean == privacy_loss(C, 0, 1).mean + privacy_loss(D, 0, 1).mean


@settings(max_examples=80)
@given(channels(), st.sampled_from(["ln 2", "0", "1/3", "ln(5/3)", "40"]))
def test_delta_is_that_of_the_pair(C: Channel, eps: str) -> None:
    mine, expected = privacy_loss(C, 0, 1).delta(eps), delta_at(C, eps=eps, pairs=[(0, 1)])
    assert mine == expected or float_up(Q(mine)) == expected


def test_repetition_and_labels() -> None:
    loss = privacy_loss(COIN, 0, 1)
    three = loss.repeated(3)
    assert three == loss & loss & loss
    assert three.cells == privacy_loss(COIN & COIN & COIN, 0, 1).cells
    assert loss.repeated(1) is loss
    mixed = loss & privacy_loss(as_channel(D2, rows=["a", "b"]), "a", "b")
    assert (mixed.x, mixed.z) == ((0, "a"), (1, "b"))
    big = loss.repeated(200)
    assert len(big.cells) == 201
    assert big.mean == 100 * ln(3)
    with pytest.raises(Malformed, match="at least once"):
        loss.repeated(0)


def test_floats_agree_with_exact() -> None:
    exact = privacy_loss(C3, 0, 1)
    floats = privacy_loss(C3.matrix.floats, 0, 1)
    assert not floats.exact
    assert floats.mean == pytest.approx(float(exact.mean))
    assert floats.tail(0.5) == pytest.approx(0.75)
    assert floats.delta(0.3) == pytest.approx(float(exact.delta(0.3)))
    assert (floats & floats).mean == pytest.approx(2 * float(exact.mean))
    tiny = privacy_loss([[0.5, 0.5], [5e-324, 1 - 5e-324]], 0, 1)
    assert 700 < tiny.maximum < 800  # no overflow of the ratio


def test_limits() -> None:
    with pytest.raises(MixedArithmetic):
        privacy_loss(COIN, 0, 1) & privacy_loss([[0.5, 0.5], [0.5, 0.5]], 0, 1)
    wide = PrivacyLoss(0, 1, tuple((Q(k + 1), Q(1, 3000)) for k in range(3000)), True)
    with pytest.raises(TooLarge, match="9,000,000"):
        wide & wide


def test_words_and_data() -> None:
    assert "rules 0 out" in privacy_loss(C3, 1, 0).explain()
    assert "at most ln(2) ≈ 0.6931" in privacy_loss(C3, 0, 1).explain()
    data = json.loads(json.dumps(privacy_loss(C3, 1, 0).to_dict()))
    assert data["atoms"][-1] == ["inf", "1/8"]


HASHES = [  # T Ex 10.1: the six ways a random line parts (0,1), (1,0) and (1,1)
    (1, 0, 0), (0, 1, 1), (1, 0, 1), (0, 1, 0), (1, 1, 1), (0, 0, 0),
]  # fmt: skip
LIKELY = ["1/8", "1/8", "1/8", "1/8", "1/4", "1/4"]


@pytest.mark.statement("T", "Ex 10.1", "Def 10.4.1")
def test_a_hash_is_private_only_while_its_seed_is_secret() -> None:
    points = [(0, 1), (1, 0), (1, 1)]
    each = [Channel(points, [0, 1], [[1 - b, b] for b in bits]) for bits in HASHES]
    hidden = mixture(LIKELY, each)
    assert smallest_eps_is_zero(hidden)
    shared = with_shared_randomness(LIKELY, each)
    # By definition: r from λ, y from A_r(x), loss ln(A_r(x)(y)/A_r(z)(y)).
    for x in points:
        for z in points:
            if x == z:
                continue
            escape = sum(
                Q(weight) for weight, A in zip(LIKELY, each, strict=True) if A.row(x) != A.row(z)
            )
            loss = privacy_loss(shared, x, z)
            assert loss.escape == escape
            assert loss.tail(0) == escape
    assert privacy_loss(shared, (0, 1), (1, 0)).escape == Q(1, 2)


def smallest_eps_is_zero(C: Channel) -> bool:
    from dprivacy.spaces import discrete

    return smallest_eps(C, discrete(C.rows)) == 0


def test_shared_loss_by_direct_enumeration() -> None:
    A = [as_channel([["3/4", "1/4"], ["1/4", "3/4"]]), as_channel([["1/3", "2/3"], ["1/2", "1/2"]])]
    weights = [Q(1, 3), Q(2, 3)]
    direct: dict[Q, Q] = {}
    for weight, channel in zip(weights, A, strict=True):
        for y in (0, 1):
            ratio = Q(channel[0, y]) / Q(channel[1, y])
            direct[ratio] = direct.get(ratio, Q(0)) + weight * Q(channel[0, y])
    loss = privacy_loss(with_shared_randomness(weights, A), 0, 1)
    assert loss.cells == tuple(sorted(direct.items()))


@pytest.mark.parametrize("power", [3000, -3000])
def test_logarithms_of_ratios_beyond_the_doubles(power):
    """A difference of two logarithms as long as these would lose three digits."""
    ratio = Q(3**400_000, 3**400_000 + 1) * Q(2) ** power
    assert log_of(ratio) == pytest.approx(power * math.log(2), rel=2e-16)
