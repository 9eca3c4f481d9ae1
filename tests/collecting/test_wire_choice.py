"""Which mechanisms can be collected with."""

from fractions import Fraction

import pytest

from dprivacy.collecting.wire_choice import read_wire, wire_of
from dprivacy.errors import BadFile, NotApplicable, TooLarge, WrongKind
from dprivacy.mechanisms import ChannelMechanism, projective_response, vector_laplace
from dprivacy.model import Channel, Guarantee
from dprivacy.spaces import discrete
from dprivacy.store import stored_text


def test_a_stored_mechanism_has_the_hash_of_its_file():
    text = stored_text(projective_response(range(9), eps=1))
    assert f'"sha256": "{read_wire(text).hash}"' in text


def test_noise_without_an_end_is_refused():
    with pytest.raises(WrongKind, match="finitely many reports"):
        wire_of(vector_laplace(2, eps=1, numerics="idealised"))


def test_other_nouns_are_refused():
    with pytest.raises(BadFile, match="holds FiniteSpace, and a mechanism is needed"):
        read_wire(stored_text(discrete(["a", "b"])))


def test_outputs_that_rule_answers_out_are_refused():
    table = [["1/2", "1/2"], ["1", "0"]]
    space = discrete(["a", "b"])
    made = ChannelMechanism(
        "hand", Channel(["a", "b"], ["a", "b"], table), Guarantee(1, space, Fraction(1, 2))
    )
    with pytest.raises(NotApplicable, match="outputs that some answers never give"):
        wire_of(made)


def test_more_counters_than_are_kept():
    with pytest.raises(TooLarge, match="counters; at most 4,194,304 are kept"):
        wire_of(projective_response(range(5_000_000), eps=1, q=2))
