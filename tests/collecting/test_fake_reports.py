"""Fake reports: their effect by brute force, the figures of the design, and what proves them."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.collecting import Tally, counters_honest, fake_report, fewest_fakes, wire_of
from dprivacy.errors import NotInvertible, UnknownName
from dprivacy.estimation import estimate
from dprivacy.mechanisms import (
    ChannelMechanism,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.model import Channel, Guarantee
from dprivacy.spaces import discrete
from support.collections_asked import MECHANISMS, on_the_wire, wires

SMALL = ["response", "geometric", "projective", "hashed", "subset", "unary"]


def counts_of(mechanism, slots):
    """Estimated counts of counters, without the code under test: reports one by one."""
    return estimate(mechanism, slots, estimator="inverse").counts


@pytest.mark.parametrize("kind", SMALL)
def test_one_fake_moves_as_much_as_the_worst_report_of_all(kind):
    """Every report there is, added to a collection, and what that did to the estimates."""
    mechanism, wire = MECHANISMS[kind], wires()[kind]
    base = dict.fromkeys(range(wire.slots), 1)
    before = counts_of(mechanism, Tally(wire, wire.slots, base).observed())
    most, apart, favoured = Q(0), Q(0), 0
    for slot in base:
        after = counts_of(mechanism, Tally(wire, wire.slots + 1, {**base, slot: 2}).observed())
        moved = [after[label] - before[label] for label in before]
        most, apart = max(most, *moved), max(apart, max(moved) - min(moved))
        favoured = max(favoured, sum(value > 0 for value in moved))
    found = fake_report(mechanism)
    assert found.exact
    assert (found.most, found.apart, found.favoured) == (most, apart, favoured)


def test_the_figures_of_the_design():
    """k = 1024 and ε = 1: optimised unary, subsets, projective and k-ary response."""
    k = range(1024)
    found = [
        fake_report(unary_response(k, eps=1)),
        fake_report(subset_response(k, eps=1, size=275)),
        fake_report(projective_response(k, eps=1, q=4)),
        fake_report(subset_response(k, eps=1, size=1)),
    ]
    assert [round(float(each.most), 3) for each in found] == [3.164, 3.165, 3.328, 596.362]
    assert [each.favoured for each in found] == [1024, 275, 341, 1]


def test_a_large_channel_is_inverted_in_doubles():
    large = randomised_response(range(100), eps="ln 3")
    p, q = Q(3, 102), Q(1, 102)
    assert not fake_report(large).exact
    assert math.isclose(fake_report(large).most, (1 - q) / (p - q), rel_tol=1e-9)
    assert math.isclose(fake_report(large).apart, 1 / (p - q), rel_tol=1e-9)


def test_a_channel_without_inverse_is_refused():
    same = Channel(["a", "b"], ["a", "b"], [["1/2", "1/2"], ["1/2", "1/2"]])
    with pytest.raises(NotInvertible):
        fake_report(ChannelMechanism("same", same, Guarantee(0, discrete(["a", "b"]))))


@pytest.mark.parametrize("kind", ["response", "projective", "subset"])
def test_so_many_fakes_make_a_lead_and_one_fewer_does_not(kind):
    mechanism, wire = MECHANISMS[kind], wires()[kind]
    apart = fake_report(mechanism).apart
    told = on_the_wire(mechanism, ["tea"] * 400 + ["milk"] * 100)
    tally = Tally(wire, 500, dict(wire.added(wire.read(told))))
    counts = counts_of(mechanism, tally.observed())
    lead = counts["tea"] - counts["milk"]
    fewest = fewest_fakes(tally, "tea", "milk")
    assert fewest * apart >= lead > (fewest - 1) * apart
    assert fewest_fakes(tally, "milk", "tea") == 0
    with pytest.raises(UnknownName, match="wine is not one of the 5 labels"):
        fewest_fakes(tally, "tea", "wine")


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("n", [1, 30, 3000])
def test_honest_reports_raise_no_alarm(kind, n):
    mechanism, wire = MECHANISMS[kind], wires()[kind]
    told = wire.read(on_the_wire(mechanism, [wire.labels[0]] * n))
    assert counters_honest(Tally(wire, n, dict(wire.added(told))))


@pytest.mark.parametrize("kind", MECHANISMS)
def test_one_report_sent_by_all_proves_manipulation(kind):
    mechanism, wire = MECHANISMS[kind], wires()[kind]
    (told,) = wire.read(on_the_wire(mechanism, [wire.labels[0]]))
    found = counters_honest(Tally(wire, 2000, dict(wire.added([told] * 2000))))
    assert not found
    assert "Reports were invented" in found.explain()


def test_all_bits_set_are_found_among_many_honest_reports():
    wire = wires()["wide unary"]
    honest = dict(wire.added(wire.read(on_the_wire(wire.mechanism, [0] * 3000))))
    tally = Tally(wire, 3150, {at: honest[at] + 150 for at in honest})
    assert "bits are set" in counters_honest(tally).explain()


def test_the_bound_is_the_binomial_tail_or_above_it():
    """D from Chernoff against the exact tail of a binomial, at the edge where alarms begin."""
    wire = wire_of(randomised_response(["yes", "no"], eps="ln 3"))
    n = 60
    for count in range(46, n + 1):
        tail = sum(math.comb(n, c) * Q(3, 4) ** c * Q(1, 4) ** (n - c) for c in range(count, n + 1))
        if not counters_honest(Tally(wire, n, {0: count, 1: n - count})):
            assert tail < Q(1, 10**9)
    assert counters_honest(Tally(wire, n, {0: n, 1: 0})).findings == ()  # 3e-8: no proof yet


@pytest.mark.parametrize("kind", ["projective", "hashed", "response"])
def test_a_counter_is_found_exactly_where_its_own_bound_is_broken(kind):
    """One counter of every size, the others alike; its bound by the formula, at both ends."""
    wire, n = wires()[kind], 3000
    if kind == "response":
        low, high, counters = Q(1, 7), Q(3, 7), wire.slots
    else:
        low = 1 / wire.mechanism.reports.normaliser
        high, counters = 3 * low, wire.slots + len(wire.labels)
    needed = math.log(2 * 2 * counters / 1e-9)
    for count in range(0, n + 1, 10):
        rest = [(n - count) // (wire.slots - 1)] * (wire.slots - 1)
        rest[0] += n - count - sum(rest)
        tally = Tally(wire, n, dict(enumerate([count, *rest])))
        name = "'tea'" if kind == "response" else "number 0"
        found = any(
            f"- {count:,} reports of {name}," in said for said in counters_honest(tally).findings
        )
        share = count / n
        bound = float(high if share > high else low)
        apart = sum(
            p * math.log(p / q) for p, q in ((share, bound), (1 - share, 1 - bound)) if p > 0
        )
        assert found == (not low <= share <= high and n * apart > needed), count


def test_nothing_was_collected():
    assert counters_honest(Tally(wires()["unary"], 0, {}))
