"""Noisy Bloom filters of sets: laws and levels against enumeration."""

import itertools
import json
import math
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from dprivacy.errors import BadLevel, DPrivacyError, InsecureSeedWarning, Malformed, WrongShape
from dprivacy.estimation import estimate
from dprivacy.hashing import set_reports
from dprivacy.numbers import Level, ln

KEY = b"0123456789abcdef"
SMALL = set_reports(bits=5, hashes=2, key="small", eps="ln 3", yes="3/4", no="1/8")
SETS = [set(), {"tea"}, {"rum", "milk"}, {"tea", "rum", "ale"}]


def test_filters_are_public_and_keep_unions():
    reports = set_reports(bits=64, hashes=3, key="a", eps=1)
    tea, rum, both, none = reports.filter([{"tea"}, {"rum"}, {"tea", "rum"}, set()])
    assert (both == (tea | rum)).all()
    assert 1 <= tea.sum() <= 3
    assert none.sum() == 0
    assert (reports.filter([{"tea"}])[0] == tea).all()
    assert (set_reports(bits=64, hashes=3, key="b", eps=1).filter([{"tea"}])[0] != tea).any()


@pytest.mark.parametrize(("x", "z"), list(itertools.permutations(range(4), 2)))
def test_the_level_of_one_report_is_exact(x, z):
    x, z = SETS[x], SETS[z]
    cube = SMALL.bit_channel.over_rows(5)
    first, second = (tuple(row.tolist()) for row in SMALL.filter([x, z]))
    outputs = list(itertools.product((0, 1), repeat=5))
    ratios = [Q(cube[first, y]) / Q(cube[second, y]) for y in outputs]
    both = max(*ratios, *(1 / ratio for ratio in ratios))
    found = SMALL.between(x, z)
    assert found["one report"].level == ln(both)
    differ = sum(a != b for a, b in zip(first, second, strict=True))
    assert found["all reports"].level == ln(3) * differ
    assert found["one report"].level <= found["all reports"].level <= found["by items"].level
    assert found["by items"].level == SMALL.guarantee.eps * len(x ^ z)
    assert found.distance == len(x ^ z) == SMALL.guarantee.space.distance(x, z)
    # RAPPOR's own formulas for one report of a bit.
    f, q, p = Q(2, 4), Q(3, 4), Q(1, 8)
    assert SMALL.bit_channel[1, 1] == f / 2 * (p + q) + (1 - f) * q
    assert SMALL.bit_channel[0, 1] == f / 2 * (p + q) + (1 - f) * p


@given(
    x=st.sets(st.integers(0, 30), max_size=6),
    z=st.sets(st.integers(0, 30), max_size=6),
    bits=st.integers(1, 40),
    hashes=st.integers(1, 4),
)
@settings(max_examples=50)
def test_an_item_is_worth_at_most_h_bits(x, z, bits, hashes):
    reports = set_reports(bits=bits, hashes=hashes, key="any", eps="ln 2", yes="9/10", no="1/5")
    found = reports.between(x, z)
    assert found["one report"].level <= found["all reports"].level
    assert found["all reports"].level <= reports.guarantee.eps * len(x ^ z)


def test_reports_have_their_law():
    with pytest.warns(InsecureSeedWarning):
        drawn = SMALL.randomise([{"tea"}] * 30_000, insecure_seed=1)
    true = SMALL.filter([{"tea"}])[0]
    for j, bit in enumerate(true):
        p = float(SMALL.bit_channel[int(bit), 1])
        assert abs(drawn[:, j].mean() - p) < 5 * math.sqrt(p * (1 - p) / 30_000)
    # Bits are independent of each other.
    words = drawn @ [16, 8, 4, 2, 1]
    chances = [float(SMALL.bit_channel[int(b), 1]) for b in true]
    expected = [
        30_000 * math.prod(c if bit else 1 - c for c, bit in zip(chances, string, strict=True))
        for string in itertools.product((0, 1), repeat=5)
    ]
    assert stats.chisquare(np.bincount(words, minlength=32), expected).pvalue > 1e-3


def test_permanent_bits_repeat_and_momentary_ones_do_not():
    people = [f"person {k}" for k in range(300)]
    sets = [SETS[k % 4] for k in range(300)]
    wide = set_reports(bits=32, key="wide", eps="ln 3", yes="3/4", no="1/4")
    once = wide.permanent(sets, people=people, secret_key=KEY)
    assert (once == wide.permanent(sets, people=people, secret_key=KEY)).all()
    assert (once != wide.permanent(sets, people=people, secret_key=KEY[::-1])).any()
    assert (once[0] != once[4]).any()  # the same set, another person
    kept = (once == wide.filter(sets)).mean()
    assert abs(kept - 0.75) < 5 * math.sqrt(3 / 16 / once.size)
    reports = [wide.report(once) for _ in range(2)]
    assert (reports[0] != reports[1]).any()
    followed = (reports[0] == once).mean()
    assert abs(followed - 0.75) < 5 * math.sqrt(3 / 16 / once.size)
    # A set that grows keeps the permanent answers of the bits that did not change.
    grown = wide.permanent([s | {"new"} for s in sets], people=people, secret_key=KEY)
    same = wide.filter(sets) == wide.filter([s | {"new"} for s in sets])
    assert (grown[same] == once[same]).all()


@pytest.mark.parametrize("other", [{"bits": 33}, {"hashes": 3}, {"key": "other"}, {"eps": "ln 4"}])
def test_other_filters_have_other_permanent_noise(other):
    """Their bits mean something else; shared noise would show where they are the same."""
    people = [f"person {k}" for k in range(40)]
    usual = {"bits": 32, "key": "wide", "eps": "ln 3"}
    one, two = (set_reports(**{**usual, **change}) for change in ({}, other))
    made = [x.permanent([set()] * 40, people=people, secret_key=KEY)[:, :32] for x in (one, two)]
    # Of 1,280 bits, all 0 in truth and flipped with probability 1/4 or 1/5, a third differ by chance.
    assert 0.25 < (made[0] != made[1]).mean() < 0.5


def test_counts_come_back_out_of_the_reports():
    reports = set_reports(bits=16, key="count", eps="ln 9")
    sets = [{"tea"} if k % 4 else {"rum"} for k in range(8000)]
    with pytest.warns(InsecureSeedWarning):
        drawn = reports.randomise(sets, insecure_seed=8)
    only_tea = np.flatnonzero((reports.filter([{"tea"}]) > reports.filter([{"rum"}]))[0])[0]
    found = estimate(reports.bit_channel, drawn[:, only_tea].tolist())
    assert abs(float(dict(zip(found.labels, found.shares, strict=True))[1]) - 0.75) < 0.03


def test_without_a_momentary_response_the_permanent_bits_are_shown():
    plain = set_reports(bits=8, key="a", eps=1)
    bits = plain.filter([{"tea"}])
    assert (plain.report(bits) == bits).all()
    found = plain.between({"tea"}, set())
    one, ever = (float(found[name].level) for name in ("one report", "all reports"))
    assert one == pytest.approx(ever, rel=1e-8)
    assert one <= ever
    assert json.loads(json.dumps(found.to_dict()))["mechanism"] == repr(plain)
    assert plain.guarantee.eps == Level(2)
    assert "tea" not in found.explain()


def test_input_that_is_refused():
    good = {"bits": 8, "key": "a", "eps": 1}
    for change, error in (
        ({"bits": 0}, Malformed),
        ({"hashes": 0}, Malformed),
        ({"hashes": 1.5}, Malformed),
        ({"key": ""}, Malformed),
        ({"eps": 0}, BadLevel),
        ({"eps": math.nan}, BadLevel),
        ({"yes": "1/4", "no": "1/4"}, BadLevel),
        ({"yes": "1/4", "no": "1/2"}, BadLevel),
        ({"yes": 2}, BadLevel),
        ({"no": -1}, BadLevel),
    ):
        with pytest.raises(error):
            set_reports(**(good | change))
    reports = set_reports(**good)
    for bad in (["canary"], [{1.5}], [None], 5):
        with pytest.raises(Malformed) as caught:
            reports.randomise(bad)
        assert "canary" not in str(caught.value)
    for bad in ([[0, 1]], [[0] * 7 + [2]], [0] * 8):
        with pytest.raises(DPrivacyError, match="zeros and ones"):
            reports.report(bad)
    with pytest.raises(WrongShape, match="one person for each set: 1, not 2"):
        reports.permanent([{"tea"}], people=["a", "b"], secret_key=KEY)
    with pytest.raises(Malformed, match="the person of each set, not one value of type str"):
        reports.permanent([{"tea"}], people="a", secret_key=KEY)
    with pytest.raises(DPrivacyError, match="16 secret bytes"):
        reports.permanent([{"tea"}], people=["a"], secret_key=b"short")
