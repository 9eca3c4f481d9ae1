"""Reports that no device sends, counters that no reports have, and numbers at the edges."""

from fractions import Fraction as Q
from math import comb, isinf, log2

import numpy as np
import pytest

from dprivacy.errors import (
    BadFile,
    BadNumber,
    NotPrivate,
    TooLarge,
    UnknownCategory,
    WrongKind,
    WrongShape,
)
from dprivacy.estimation import estimate
from dprivacy.mechanisms import (
    ReportCounts,
    hashed_response,
    local_plan,
    projective_response,
    several_attributes,
    subset_response,
    unary_response,
)
from dprivacy.mechanisms.local.local_file import local_body, local_from

MECHANISMS = [
    projective_response(range(40), eps=1, q=3),
    projective_response(range(40), eps=1, q=4),
    hashed_response(range(40), eps=1),
    subset_response(range(10), eps=1),
    unary_response(range(10), eps=1),
]
EACH = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.family)
STRANGE = [2**70, -(2**70), [1, [2]], [[1], [2, 3]], None, "x", b"xyz", 1.5, float("nan"), True]
STRANGE += [
    (0, 10**30, 5),
    {},
    {1, 2},
    object(),
    np.array(7.5),
    np.zeros((2, 2), dtype=int),
    (2, 1, 0),
]


@EACH
@pytest.mark.parametrize("strange", STRANGE, ids=lambda s: f"{type(s).__name__} {s}"[:20])
def test_what_no_device_sends_is_not_accepted(mechanism, strange):
    assert not mechanism.accepts(strange)
    good = mechanism.randomise([1, 2])
    with pytest.raises(UnknownCategory, match=r"row 1 holds no report .*\(1 of 3 rows"):
        mechanism.count([good[0], strange, good[1]])


def test_bytes_in_arrays_of_any_whole_numbers():
    mechanism = unary_response(range(10), eps=1)
    drawn = mechanism.randomise(np.arange(10))
    held = mechanism.count(drawn).supports.tolist()
    for dtype in (np.int16, np.int64, np.uint64):
        assert mechanism.count(drawn.astype(dtype)).supports.tolist() == held
    for strange in ([300, 0], [-1, 0], [0, 4], [2**40, 0]):
        with pytest.raises(UnknownCategory, match="row 1 holds no report"):
            mechanism.count(np.array([[255, 3], strange]))


@EACH
def test_missing_reports_are_not_counted(mechanism):
    good = mechanism.randomise(np.array([1, 2, 3]))
    mask = np.zeros_like(good, dtype=bool)
    mask[1] = True
    with pytest.raises(WrongKind, match="row 1 is masked"):
        mechanism.count(np.ma.masked_array(good, mask=mask))


@EACH
def test_counters_are_those_of_reports(mechanism):
    good = mechanism.count(mechanism.randomise([1, 2, 3]))
    assert ReportCounts(mechanism, 3, good.counters).supports.tolist() == good.supports.tolist()
    with pytest.raises(WrongShape, match=r"should be \d+ counters"):
        ReportCounts(mechanism, 3, good.counters[:-1])
    with pytest.raises(WrongKind, match="whole numbers"):
        ReportCounts(mechanism, 3, good.counters * 1.5)
    for n, counters in ((3, -good.counters), (2, good.counters + 3), (1, good.counters * 2)):
        with pytest.raises(BadNumber, match=f"{n} reports do not have such counters"):
            ReportCounts(mechanism, n, counters)
    with pytest.raises(BadNumber, match="n: a whole number of at least 0"):
        ReportCounts(mechanism, -1, good.counters)
    with pytest.raises(ValueError, match="read-only"):
        good.counters[0] = 5


@EACH
def test_very_many_reports_are_counted_exactly_or_not_at_all(mechanism):
    once = mechanism.count(mechanism.randomise([1] * 5 + [2] * 3))
    many = ReportCounts(mechanism, once.n << 50, once.counters << 50)
    assert many.supports.tolist() == (once.supports.astype(object) << 50).tolist()
    assert estimate(mechanism, many).shares == estimate(mechanism, once).shares
    with pytest.raises(TooLarge, match="2\\^53 reports"):
        many + many
    with pytest.raises(TooLarge, match="2\\^53 reports"):
        ReportCounts(mechanism, 1 << 62, once.counters)


@pytest.mark.parametrize("eps", ["1e-300", "1e-12", 50, 1000])
def test_levels_at_the_edges(eps):
    found = local_plan(range(5), eps=eps, n=100)
    assert found.best.error <= min(each.error for each in found.candidates) * 1.01
    assert all(each.worth >= 1 for each in found.candidates)
    assert not isinf(found.best.error)
    assert "standard error" in found.explain()
    mechanism = found.mechanism
    assert mechanism.to_dict()["labels"] == 5
    told = estimate(mechanism, mechanism.randomise([0, 1, 1, 3] * 5))
    assert sum(told.shares) == 1
    assert told.explain()
    several = several_attributes({"a": list("xyz"), "b": list("uvw")}, eps=eps)
    assert several.error("a", 100) > 0


def test_as_many_labels_as_a_file_may_have():
    k, d = 1 << 20, 1 << 19
    half = subset_response(range(k), eps="ln 3", size=d)
    numbers = (half.p, half.q, half.reports.total, half.reports.single, half.reports.pair)
    assert all(number.denominator.bit_length() < 100 for number in numbers)
    assert half.p == Q(3, 4)
    assert k - 12 < half.bits < k
    assert half.channel is None
    assert len(repr(half)) < 100
    best = local_plan(range(k >> 3), eps=1, n=1000).best
    assert best.family == "projective_response"
    assert best.worth < 1.01


def test_bits_of_many_labels_are_those_of_the_number_of_sets():
    for k, d in ((1025, 1), (3000, 40), (4000, 2000)):
        sets = subset_response(range(k), eps=1, size=d).reports
        assert abs(sets.bits - log2(comb(k, d))) < 1e-6


def changed(**parts):
    return {**local_body(projective_response(range(40), eps=1)), **parts}


def test_files_that_promise_too_little():
    huge = "0x" + "f" * 1900
    with pytest.raises(NotPrivate, match="more than ε = 1 allows"):
        local_from(changed(factor=[huge, "0x1"], eps="1"))
    wide = {"family": "subset_response", "labels": list(range(1 << 16))}
    loaded = local_from(
        changed(**wide, factor=["0x3", "0x1"], eps="2", parameters={"size": 1 << 15})
    )
    assert loaded.p == Q(3, 4)
    for parameters in (
        {"q": 2, "t": 10**9},
        {"q": 2, "t": True},
        {"q": -3, "t": 5},
        {"q": 2, "t": 6.0},
    ):
        with pytest.raises(BadFile):
            local_from(changed(parameters=parameters))
