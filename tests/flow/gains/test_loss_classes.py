"""Laws of the classes of losses."""

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.flow import Loss, is_trivial, posterior_uncertainty, uncertainty
from dprivacy.model import Channel, uniform
from support.flow_strategies import channels, questions

law = settings(max_examples=60)


@pytest.mark.statement("T", "Lem 6.19")
@law
@given(st.data())
def test_no_channel_is_of_use_to_a_trivial_loss(data):
    C, prior, cost = data.draw(questions(Loss))
    D = data.draw(channels(n=len(C.rows)))
    if is_trivial(cost):
        one, other = (posterior_uncertainty(K, prior=prior, loss=cost) for K in (C, D))
        assert one == other == uncertainty(prior, loss=cost)
    else:
        reveal = Channel(C.rows, C.rows, [[int(x == y) for y in C.rows] for x in C.rows])
        even = uniform(C.rows)
        assert posterior_uncertainty(reveal, prior=even, loss=cost) < uncertainty(even, loss=cost)
