"""Covers: designs beside their channels, levels above every channel that has them, blocks, bits."""

import itertools
import random
from fractions import Fraction as Q
from math import comb

import pytest

from dprivacy.errors import NotApplicable, TooLarge, WrongShape
from dprivacy.mechanisms import (
    bitwise_response,
    hashed_response,
    laplace,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.model import BlockLaw, Guarantee, as_channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import from_table
from dprivacy.verify import shuffled
from dprivacy.verify.shuffling import blanket_pairs
from dprivacy.verify.shuffling.blanket_pairs import blankets
from dprivacy.verify.shuffling.column_covers import cover_of, cover_of_level, factor_above
from support.shuffled_truth import exact_delta

DESIGNS = [
    subset_response(range(5), eps="ln 3", size=2),
    projective_response(range(7), eps="ln 3", q=2),
    hashed_response(range(4), eps="ln 2", q=2),
    randomised_response(range(4), eps="ln 3"),
]


@pytest.mark.parametrize("mechanism", DESIGNS, ids=str)
def test_a_design_is_what_its_channel_is(mechanism):
    rows = [[Q(value) for value in row] for row in mechanism.channel.matrix.rows()]
    for same in (False, True):
        (of_channel,) = blankets(rows, same=same)
        cover = cover_of(mechanism)
        assert [*(cover.same if same else cover.changed)] == [of_channel]


def test_bits_of_labels_are_covered_but_for_the_report_that_sets_them_all():
    mechanism = unary_response(range(3), eps="ln 3")
    rows = [[Q(value) for value in row] for row in mechanism.channel.matrix.rows()]
    (of_channel,), (of_design,) = blankets(rows), cover_of(mechanism).changed
    assert of_design.share < of_channel.share
    for a in (Q(11, 10), Q(2)):
        wide = of_design.delta(30, a, points=96, goal=Q(1, 1000))
        assert of_channel.delta(30, a, points=96, goal=Q(1, 1000)) <= wide


@pytest.mark.parametrize("seed", range(6))
def test_a_level_covers_every_channel_that_has_it(seed):
    """Also at distances: near for the pair, far for everybody else."""
    rng = random.Random(seed)
    rows = [[Q(rng.randint(2, 5)) for _ in range(3)] for _ in range(3)]
    rows = [[value / sum(row) for value in row] for row in rows]
    ratios = {
        (x, z): max(p / q for p, q in zip(rows[x], rows[z], strict=True))
        for x, z in itertools.permutations(range(3), 2)
    }
    far = max(ratios.values())
    for (x, z), ratio in ratios.items():
        near = max(ratio, ratios[z, x])
        ((cover, _),) = cover_of_level(ln(near), ln(far)).changed.items()
        for n, a in itertools.product((2, 4), (Q(1), Q(21, 20), Q(5, 4))):
            bound = cover.delta(n, a, points=400, goal=Q(1, 10**4))
            assert bound >= exact_delta(rows, n, a, (x, z))


@pytest.mark.parametrize(("n", "a"), [(30, Q(11, 10)), (100, Q(6, 5))])
def test_a_level_by_its_double_sum(n, a):
    """The clones bound directly: C ~ Bin(n − 1, 1/e^ε) clones, half of them of each kind."""
    e = Q(3)
    ((cover, _),) = cover_of_level(ln(e)).changed.items()
    truth = Q(0)
    p, q = e / (e + 1), 1 / (e + 1)
    for m in range(n):
        chance = comb(n - 1, m) * (1 / e) ** m * (1 - 1 / e) ** (n - 1 - m)
        law = [Q(comb(m, j), 2**m) for j in range(m + 1)]
        one = [Q(0)] * (m + 2)
        for j, w in enumerate(law):
            one[j] += w * (q - a * p)
            one[j + 1] += w * (p - a * q)
        truth += chance * sum(max(v, Q(0)) for v in one)
    bound = cover.delta(n, a, points=400, goal=Q(1, 10**4))
    assert truth <= bound <= truth * Q(1004, 1000)


def test_a_mechanism_without_a_channel_by_its_level():
    age = laplace(0, 2000, eps="1/1000", grid=1)
    assert age.channel is None
    found = shuffled(age, 10**5, delta="1e-6")
    assert found.eps == shuffled(2, 10**5, delta="1e-6").eps
    assert found.eps < found.local < Level(2)


def test_values_in_blocks_hide_nobody_in_another_block():
    far = float("inf")
    apart = [[0, 1, far, far], [1, 0, far, far], [far, far, 0, 1], [far, far, 1, 0]]
    blocks = from_table(list("abcd"), apart, extended=True)
    part = [["3/4", "1/4", 0, 0], ["1/4", "3/4", 0, 0], [0, 0, "2/3", "1/3"], [0, 0, "1/3", "2/3"]]

    class Blocked:
        channel = as_channel(part, rows=list("abcd"), columns=list("abcd"))
        guarantee = Guarantee(ln(3), blocks)

    found, delta = shuffled(Blocked, 4, delta="1e-4"), Q(1, 10**4)
    rows = [[Q(value) for value in row] for row in part]
    assert exact_delta(rows, 4, found.eps.exp(), (0, 1)) <= delta
    told = exact_delta(rows, 4, Q(299, 100), (0, 1))  # the other three are in the other block
    assert told > delta
    assert (found.eps, found.share, found.method) == (found.local, 0, "none")
    assert found.between == "two values at a finite distance"


def test_a_single_value_tells_nothing():
    found = shuffled([["1/2", "1/2"]], 10, delta="1e-3")
    assert (found.eps, found.local, found.method) == (0, 0, "none")


def test_bits_are_columns():
    three = bitwise_response(3, eps="ln 2")
    cover = cover_of(three)
    rows = [[Q(value) for value in row] for row in three.channel.matrix.rows()]
    assert set(cover.changed) == set(blankets(rows))
    assert set(cover.same) == set(blankets(rows, same=True))
    assert cover_of(bitwise_response(30, eps="ln 2")).level == 30 * ln(2)


def test_a_rational_above_a_level():
    assert factor_above(ln(3)) == 3
    assert 0 < ln(factor_above(Level(1))) - 1 < Level("1e-18")


def test_a_thousand_labels_are_one_pair():
    words = projective_response(range(1024), eps="ln 3", q=4)
    assert isinstance(words.reports, BlockLaw)
    found = shuffled(words, 10**5, delta="1e-6")
    assert float(found.eps) < 0.01
    assert len(cover_of(words).changed) == 1


def test_response_on_many_labels_is_one_pair_too():
    labels = [f"word {i}" for i in range(300)]
    cover = cover_of(randomised_response(labels, eps="ln 3"))
    assert [*cover.changed.values()] == [("word 0", "word 1")]
    ((blanket, _),) = cover.changed.items()
    assert blanket.share == Q(300, 302)


def test_too_many_kinds_of_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(blanket_pairs, "_MOST_KINDS", 50)
    rows = [[Q(w, 30 + 3 * x) for w in (9 + x, 10 + x, 11 + x)] for x in range(8)]
    with pytest.raises(TooLarge, match="8 values have 56 kinds of pairs"):
        cover_of(rows)


def test_channels_beside_each_other_have_the_same_outputs():
    coin = as_channel([["2/3", "1/3"], ["1/3", "2/3"]], columns=["yes", "no"])
    other = as_channel([["2/3", "1/3"], ["1/3", "2/3"]], columns=["no", "yes"])
    with pytest.raises(WrongShape, match="in the same order"):
        shuffled(coin, 10, delta="1e-3", beside=[other])
    with pytest.raises(NotApplicable, match="has none"):
        shuffled(coin, 10, delta="1e-3", beside=["ln 3"])
    with pytest.raises(NotApplicable, match="only channels"):
        shuffled("ln 3", 10, delta="1e-3", beside=[coin])
