"""Mechanisms of every kind that a collection can have, and books of them."""

import json

from dprivacy.collecting import Collection, wire_of
from dprivacy.mechanisms import (
    geometric,
    hashed_response,
    projective_response,
    randomised_response,
    subset_response,
    unary_response,
)
from dprivacy.spaces import line
from dprivacy.store import stored_text

DRINKS = ("tea", "coffee", "milk", "water", "juice")
MECHANISMS = {
    "response": randomised_response(DRINKS, eps="ln 3"),
    "geometric": geometric(line(5), eps="ln 2"),
    "projective": projective_response(DRINKS, eps="ln 3", q=2),
    "hashed": hashed_response(DRINKS, eps="ln 3", q=3),
    "subset": subset_response(DRINKS, eps="ln 3", size=2),
    "unary": unary_response(DRINKS, eps="ln 3"),
    "wide unary": unary_response(range(40), eps="ln 3"),
    "wide subset": subset_response(range(60), eps="ln 3", size=12),
}


def asked(kind, **more):
    """A collection of one kind."""
    return Collection.of(stored_text(MECHANISMS[kind]), question="Which one?", **more)


def on_the_wire(mechanism, labels):
    """What devices send for true labels, as JSON would carry it."""
    drawn = mechanism.randomise(list(labels))
    if hasattr(mechanism, "reports"):
        told = [
            r.hex() if isinstance(r, bytes) else list(r) if isinstance(r, tuple) else r
            for r in drawn
        ]
    else:
        told = [mechanism.channel.columns.index(label) for label in drawn]
    return json.loads(json.dumps(told))


def wires():
    """The wire of every kind."""
    return {kind: wire_of(mechanism) for kind, mechanism in MECHANISMS.items()}
