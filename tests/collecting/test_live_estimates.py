"""What a collection says so far."""

import json

import pytest

from dprivacy.collecting import Tally, findings, wire_of
from dprivacy.estimation import estimate
from dprivacy.mechanisms import ChannelMechanism
from dprivacy.model import Channel, Guarantee
from dprivacy.spaces import discrete
from support.collections_asked import MECHANISMS, on_the_wire, wires


def tally_of(kind, labels):
    wire = wires()[kind]
    told = wire.read(on_the_wire(wire.mechanism, labels))
    return Tally(wire, len(told), dict(wire.added(told)))


@pytest.mark.parametrize("kind", MECHANISMS)
def test_estimates_are_those_of_the_reports(kind):
    wire = wires()[kind]
    tally = tally_of(kind, [wire.labels[0]] * 300 + [wire.labels[1]] * 200)
    found = findings(tally)
    direct = estimate(wire.mechanism, tally.observed(), estimator="inverse")
    assert found.estimate.counts == direct.counts
    told = json.loads(json.dumps(found.to_dict()))
    assert told["n"] == 500
    counts = [row["count"] for row in told["rows"]]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == pytest.approx(sum(map(float, direct.counts.values())))
    assert all(row["standard_error"] > 0 for row in told["rows"])
    assert told["comparisons"]
    assert all((each["fewest_fakes"] > 0) == (each["ahead"] > 0) for each in told["comparisons"])


def test_there_are_no_reports_yet():
    found = findings(Tally(wires()["projective"], 0, {}))
    assert found.explain() == "There are no reports yet."
    assert found.to_dict()["rows"] == []


def test_a_channel_that_cannot_be_inverted_is_estimated_without_fakes():
    flat = Channel(["a", "b"], ["y", "z"], [["1/2", "1/2"], ["1/2", "1/2"]])
    wire = wire_of(ChannelMechanism("flat", flat, Guarantee(0, discrete(["a", "b"]))))
    found = findings(Tally(wire, 10, {0: 5, 1: 5}))
    assert found.fake is None
    assert found.comparisons == ()
    assert "Estimate(ibu" in found.explain()
