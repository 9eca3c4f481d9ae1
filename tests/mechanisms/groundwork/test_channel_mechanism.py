"""Finite mechanisms: what they promise is checked when they are made."""

import math

import numpy as np
import pytest

from dprivacy.errors import NotPrivate, WrongKind
from dprivacy.mechanisms import ChannelMechanism, any_metric, geometric, randomised_response
from dprivacy.mechanisms.groundwork.channel_mechanism import promised
from dprivacy.model import Channel, Guarantee
from dprivacy.numbers import Level, ln
from dprivacy.spaces import line


def test_a_broken_promise_is_an_error_not_an_assertion():
    """Even where assertions are switched off."""
    identity = Channel([0, 1], [0, 1], [[1, 0], [0, 1]])
    with pytest.raises(NotPrivate, match="does not keep its guarantee"):
        promised("identity", identity, Guarantee(Level(1), line(2)))


def test_equal_mechanisms_are_equal_and_hash_alike():
    one, two = geometric(3, eps="ln 2"), geometric(line(3), eps=ln(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != geometric(3, eps="ln 3")
    assert one != any_metric(line(3), eps="ln 2")
    assert isinstance(one, ChannelMechanism)
    assert np.isclose(one.achieved()[0], math.log(2))


@pytest.mark.parametrize("source", [3, None, "system"])
def test_what_is_no_random_source(source):
    with pytest.raises(
        WrongKind, match="a random source should be a SystemSource or a KeyedSource"
    ):
        randomised_response(["yes", "no"], eps=1).using(source)
