"""Guarantees that follow from guarantees."""

import json
import math
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import BadLevel
from dprivacy.model import Channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete
from dprivacy.verify import (
    ConcentratedGuarantee,
    concentrated_privacy,
    extended_from_probabilistic,
    extended_privacy,
    lshrr_concentrated,
    probabilistic_from_concentrated,
    probabilistic_privacy,
)
from dprivacy.verify.losses.implied_guarantees import affine
from support.loss_channels import channels


@pytest.mark.statement("T", "Prop 10.4")
@settings(max_examples=25)
@given(channels(least=1), st.sampled_from([0.5, 0.1, 0.01, 1e-6]))
def test_concentrated_implies_probabilistic(C: Channel, delta: float) -> None:
    found = concentrated_privacy(C, discrete(C.rows))
    guarantee = ConcentratedGuarantee(found.smallest_mu, found.smallest_tau)
    bound = probabilistic_from_concentrated(guarantee, delta=delta)
    assert bound.probabilistic
    space = discrete(C.rows)
    assert probabilistic_privacy(C, **bound.on(space))
    weaker = extended_from_probabilistic(bound)
    assert not weaker.probabilistic
    assert extended_privacy(C, **weaker.on(space))


def test_implications_in_numbers_and_words() -> None:
    g = ConcentratedGuarantee(ln(2), 0.5, "a proof")
    bound = probabilistic_from_concentrated(g, delta="0.01")
    assert float(bound.xi(Q(3))) == pytest.approx(
        3 * math.log(2) + 0.5 * math.sqrt(-2 * math.log(0.01))
    )
    assert bound.delta(Q(3)) == Q(1, 100)
    assert "except with probability 1/100" in bound.explain()
    assert bound.because == "a proof and T Prop 10.4"
    weaker = extended_from_probabilistic(bound)
    assert "T Prop 10.4 and T Prop 10.5" in weaker.because
    assert extended_from_probabilistic(weaker) is weaker
    assert weaker.to_dict()["kind"] == "XDP"
    assert "no set of outputs" in weaker.explain()
    assert "0.5-subgaussian" in g.explain()
    assert json.dumps(g.to_dict())
    assert probabilistic_from_concentrated(g, delta=1).xi(Q(0)) == 0
    tiny = probabilistic_from_concentrated(g, delta=Q(1, 10**400))
    assert float(tiny.xi(Q(0))) == pytest.approx(0.5 * math.sqrt(800 * math.log(10)))
    with pytest.raises(BadLevel, match="greater than 0"):
        probabilistic_from_concentrated(g, delta=0)


def test_what_is_rounded_is_rounded_up_at_every_size():
    """A slope below the smallest double is not 0, and infinitely far apart nothing is promised."""
    tiny = affine(Level("1e-400"), 0.0)
    assert (tiny(Q(1)), tiny(Q(0)), tiny(math.inf)) == (pytest.approx(0, abs=1e-320), 0, math.inf)
    assert tiny(Q(1)) > 0
    assert affine(Level(0), 0.5)(math.inf) == math.inf
    assert Q(affine(Level("1/3"), 0.1)(Q(7))) >= Q(7, 3) + Q(0.1)
    assert lshrr_concentrated(eps="1e-400", bits=3).mu > 0
