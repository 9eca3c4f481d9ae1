"""LSHRR and LapLSH: their laws, and the guarantees for two inputs against brute force."""

import itertools
import json
import math
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from dprivacy.errors import (
    BadLevel,
    DPrivacyError,
    InsecureSeedWarning,
    Malformed,
    NotApplicable,
    UnknownName,
    WrongKind,
)
from dprivacy.hashing import (
    bit_sampling,
    counted_bits,
    distance_guarantees,
    eps_for,
    laplsh,
    lshrr,
    minhash,
    pair_privacy,
    random_projection,
    stable_projection,
)
from dprivacy.mechanisms import bitwise_response
from dprivacy.model import Mechanism
from dprivacy.numbers import Level, ln
from dprivacy.spaces import from_table
from dprivacy.verify import lshrr_loss, privacy, smallest_eps, with_shared_randomness

VECTORS = [[5, 0, 3], [5, 1, 3], [-5, 0, -3], [0, 4, 1]]
FUNCTION = random_projection(3, bits=4, key="mechanisms")
EPS = ["ln 3", "1/2", "2"]


@pytest.mark.statement("T", "Def 10.3.8")
@pytest.mark.statement("T", "Prop 10.1")
@pytest.mark.statement("T", "Prop 10.2")
@pytest.mark.parametrize("eps", EPS)
def test_given_the_hash_lshrr_is_private_for_the_hamming_distance_of_hashes(eps):
    mechanism = lshrr(FUNCTION, eps=eps)
    hashes = [tuple(int(b) for b in row) for row in FUNCTION.hash(VECTORS)]
    assert hashes[0] == tuple(1 - b for b in hashes[2])  # opposite vectors: every bit differs
    # The channel on these inputs: that of the response, on their hashes.
    cube = bitwise_response(4, eps=eps).channel
    outputs = list(itertools.product((0, 1), repeat=4))
    rows = [[cube[h, y] for y in outputs] for h in hashes]
    space = mechanism.guarantee.space
    table = [[space.distance(x, z) for z in VECTORS] for x in VECTORS]
    labels = [0, 1, 2, 3]
    finite = from_table(labels, table, pseudo=True)
    assert privacy(rows, finite, eps=eps)
    assert smallest_eps(rows, finite) > Level(eps) * (1 - Q(1, 10**8))  # tight
    # What is drawn is that channel: the same integers.
    assert mechanism.response.flip.matrix.entries.tolist() == (
        bitwise_response(1, eps=eps).flip.matrix.entries.tolist()
    )
    assert mechanism.guarantee.eps == Level(eps)
    assert isinstance(mechanism, Mechanism)


def test_reports_have_the_law_of_the_response_on_the_hash():
    mechanism = lshrr(random_projection(3, bits=3, key="frequencies"), eps="ln 3")
    x = VECTORS[0]
    with pytest.warns(InsecureSeedWarning):
        noisy = mechanism.randomise([x] * 40_000, insecure_seed=5)
    flips = (noisy != mechanism.function.hash([x])) @ [4, 2, 1]
    ones = [bin(k).count("1") for k in range(8)]
    expected = [40_000 * 0.25**n * 0.75 ** (3 - n) for n in ones]
    assert stats.chisquare(np.bincount(flips, minlength=8), expected).pvalue > 1e-3
    assert noisy.dtype == np.uint8


@pytest.mark.parametrize(
    ("function", "x", "z"),
    [
        (random_projection(3, bits=12, key="a"), [5, 0, 3], [0, 4, 1]),
        (random_projection(bits=12, key="a"), {"tea": 5}, {"tea": 4, "rum": 1}),
        (minhash(bits=12, key="a"), {"tea", "rum"}, {"tea", "ale"}),
        (bit_sampling(5, bits=12, key="a"), [0, 1, 1, 0, 0], [0, 1, 0, 1, 0]),
        (stable_projection(2, bits=12, key="a", width=3), [0, 1], [2, 2]),
    ],
    ids=["vectors", "items", "sets", "strings", "stable"],
)
@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("delta", ["0.2", "0.01"])
def test_every_guarantee_for_two_inputs_at_hand(function, x, z, eps, delta):
    mechanism = lshrr(function, eps=eps)
    found = pair_privacy(mechanism, x, z, delta=delta)
    p = found.differing
    loss = lshrr_loss(eps=eps, bits=12, distance=p)
    level = Level(eps)
    assert found["this hash"].level == level * function.hamming(x, z)
    assert found["worst case"].level == level * 12
    assert found["on average"].delta is None
    assert float(found["on average"].level) == pytest.approx(float(loss.mean))
    assert loss.maximum == pytest.approx(12 * float(level))
    for name in ("Hoeffding", "Chernoff", "counted"):
        assert found[name].delta == Q(delta)
        assert loss.tail(found[name].level) <= Q(delta)  # PXDP, by the whole distribution
    assert float(found["counted"].level) <= float(found["Chernoff"].level) * (1 + 1e-12)
    assert float(found["Chernoff"].level) <= float(found["Hoeffding"].level) * (1 + 1e-12)


@pytest.mark.statement("T", "Prop 10.3")
def test_the_worst_case_is_reached_by_opposite_inputs():
    mechanism = lshrr(FUNCTION, eps="ln 3")
    found = pair_privacy(mechanism, VECTORS[0], VECTORS[2])
    assert found["this hash"].level == found["worst case"].level == ln(81)
    cube = bitwise_response(4, eps="ln 3").channel
    x, z = (tuple(FUNCTION.hash([v])[0].tolist()) for v in (VECTORS[0], VECTORS[2]))
    assert Q(cube[x, x]) / Q(cube[z, x]) == 81
    assert pair_privacy(mechanism, VECTORS[0], VECTORS[0])["counted"].level == 0


def test_guarantees_by_enumerating_all_hashes():
    # Two bit strings of length 3 that differ in one place, 2 sampled bits: 9 hashes, equally likely.
    x, z = (0, 0, 0), (0, 1, 0)
    cube = bitwise_response(2, eps="ln 3").channel
    outputs = list(itertools.product((0, 1), repeat=2))
    channels = [
        [[cube[tuple(v[i] for i in places), y] for y in outputs] for v in (x, z)]
        for places in itertools.product(range(3), repeat=2)
    ]
    shared = with_shared_randomness([Q(1, 9)] * 9, channels)
    from dprivacy.verify import privacy_loss

    truth = privacy_loss(shared, 0, 1)
    found = pair_privacy(lshrr(bit_sampling(3, bits=2, key="a"), eps="ln 3"), x, z, delta="1/9")
    assert found.differing == Q(1, 3)
    assert found["on average"].level == truth.mean
    assert truth.tail(found["counted"].level) <= Q(1, 9)
    assert found["counted"].level == ln(3)  # both bits differ in exactly 1 of 9 hashes


@pytest.mark.statement("T", "Lem A4")
@given(
    bits=st.integers(1, 60),
    p=st.fractions(0, 1, max_denominator=1000),
    delta=st.fractions(Q(1, 10**6), 1, max_denominator=10**6),
)
@settings(max_examples=60)
def test_counted_bits_is_the_binomial_quantile(bits, p, delta):
    j = counted_bits(bits, p, delta=delta)
    assert stats.binom.sf(j, bits, float(p)) <= float(delta) * (1 + 1e-9) + 1e-300
    if j:
        assert stats.binom.sf(j - 1, bits, float(p)) >= float(delta) * (1 - 1e-9)


@given(
    eps=st.fractions(Q(1, 50), 4, max_denominator=50),
    bits=st.integers(1, 40),
    p=st.fractions(Q(1, 100), 1, max_denominator=100),
)
@settings(max_examples=40)
def test_the_guarantees_are_ordered(eps, bits, p):
    worst, mean, hoeffding, chernoff, counted = distance_guarantees(eps, bits, p)
    assert mean.level <= float(counted.level) + 0.011 * float(worst.level)
    assert float(counted.level) <= float(chernoff.level) * (1 + 1e-9)
    assert float(chernoff.level) <= float(hoeffding.level) * (1 + 1e-9)
    assert float(chernoff.level) <= float(worst.level) * (1 + 1e-9)


def test_the_level_for_a_budget():
    for xi, bits, d in itertools.product((1, "ln 20", 5), (10, 20, 50), ("0.05", "0.25")):
        eps = eps_for(xi=xi, bits=bits, distance=d)
        reached = distance_guarantees(eps, bits, d)[3]
        assert reached.name == "Chernoff"
        assert float(reached.level) == pytest.approx(float(Level(xi)))
        assert float(reached.level) <= float(Level(xi)) * (1 + 1e-12)
    with pytest.raises(BadLevel, match="distance 0"):
        eps_for(xi=1, bits=10, distance=0)


def test_words_and_data():
    found = pair_privacy(lshrr(minhash(bits=20, key="a"), eps="ln 3"), {"tea"}, {"tea", "rum"})
    text = found.explain()
    assert text == str(found)
    for words in (
        "jaccard distance 1/2",
        "probability 1/4",
        "factor of e^22 (a loss of ln(3486784401) ≈ 21.97)",
        "except with probability 1/100",
    ):
        assert words in text
    assert "rum" not in text  # the inputs themselves are nobody's business
    data = json.loads(json.dumps(found.to_dict()))
    assert data["differing"] == "1/4"
    assert [p["name"] for p in data["guarantees"]][:2] == ["this hash", "worst case"]
    with pytest.raises(UnknownName, match="did you mean 'worst case'"):
        found["best case"]
    assert "20 bits of the jaccard hash" in repr(lshrr(minhash(bits=20, key="a"), eps=1))


# -- LapLSH ----------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 10.3.9")
@pytest.mark.statement("T", "Prop 10.9")
def test_in_one_dimension_laplsh_is_a_threshold_of_laplace_noise():
    function = random_projection(1, bits=1, key="one")
    up = int(function.hash([[1.0]])[0, 0])  # the bit of positive numbers
    eps = 1.5
    mechanism = laplsh(function, eps="3/2", numerics="idealised")

    def chance(x):  # that x + noise is positive, by the Laplace distribution function
        return stats.laplace(scale=1 / eps).sf(-x)

    shares = {}
    for x in (0.2, 1.0, -0.7):
        with pytest.warns(InsecureSeedWarning):
            bits = mechanism.randomise([[x]] * 40_000, insecure_seed=3)
        shares[x] = float((bits == up).mean())
        assert abs(shares[x] - chance(x)) < 5 * 0.5 / math.sqrt(40_000)
    for x, z in itertools.permutations(shares, 2):
        promised = pair_privacy(mechanism, [x], [z])["noise"].level
        assert promised == pytest.approx(eps * abs(x - z))
        for p, q in ((chance(x), chance(z)), (1 - chance(x), 1 - chance(z))):
            assert math.log(p / q) <= promised


def test_with_a_high_level_laplsh_is_the_hash_and_with_a_low_one_noise():
    function = random_projection(3, bits=200, key="levels")
    plain = function.hash(VECTORS)
    close = laplsh(function, eps=10**6, numerics="idealised").randomise(VECTORS)
    assert (plain == close).mean() > 0.99
    many = VECTORS * 100
    far = laplsh(function, eps="1/100000", numerics="idealised").randomise(many)
    assert 0.4 < (function.hash(many) == far).mean() < 0.6
    mechanism = laplsh(function, eps=2, numerics="idealised")
    assert mechanism.guarantee.space.distance([0, 0, 0], [1, 2, 2]) == 3
    assert "2 per unit of distance" in mechanism.guarantee.explain()
    assert mechanism.secure
    assert mechanism.numerics == "idealised"
    assert "idealised" in repr(mechanism)


def test_noise_on_the_items_that_a_person_has_is_refused():
    with pytest.raises(NotApplicable, match="would show which items"):
        laplsh(random_projection(bits=4, key="a"), eps=1, numerics="idealised")
    with pytest.raises(NotApplicable, match="has no dimension"):
        laplsh(minhash(bits=4, key="a"), eps=1, numerics="idealised")
    with pytest.raises(Malformed, match="idealised"):
        laplsh(FUNCTION, eps=1)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", [0, -1, math.nan, math.inf, True, "canary", None])
def test_levels_that_are_refused(eps):
    with pytest.raises(DPrivacyError):
        lshrr(FUNCTION, eps=eps)
    with pytest.raises(DPrivacyError):
        laplsh(FUNCTION, eps=eps, numerics="idealised")
    with pytest.raises(DPrivacyError):
        distance_guarantees(eps, 10, "0.1")


def test_other_input_that_is_refused():
    for wrong in (None, "hash", [1, 2]):
        with pytest.raises(WrongKind, match="should be a locality-sensitive hash"):
            lshrr(wrong, eps=1)
        with pytest.raises(WrongKind, match="should be what"):
            pair_privacy(wrong, [1], [2])
    mechanism = lshrr(FUNCTION, eps=1)
    with pytest.raises(Malformed, match="row 1 is the zero vector"):
        mechanism.randomise([[1, 2, 3], [0, 0, 0]])
    for delta in (0, -1, 2, math.nan):
        with pytest.raises(BadLevel):
            pair_privacy(mechanism, VECTORS[0], VECTORS[1], delta=delta)
    for distance in (-1, 2, "ln 2", math.nan):
        with pytest.raises(BadLevel):
            distance_guarantees(1, 10, distance)
    for bits in (0, 1.5, True):
        with pytest.raises(Malformed, match="bits"):
            distance_guarantees(1, bits, "0.1")
