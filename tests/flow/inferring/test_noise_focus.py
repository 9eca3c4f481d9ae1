"""Laws of hiding and revealing."""

from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.flow import capacity, inference, is_hiding, is_revealing
from dprivacy.model import Dist
from support.flow_strategies import channels, distributions, priors, processed

law = settings(max_examples=60)


@pytest.mark.statement("T", "Def 5.3.1", "Def 5.4.1")
@law
@given(st.data())
def test_inference_is_bounded_by_the_channel(data):
    C = data.draw(channels())
    k = data.draw(st.integers(1, 3))
    weights = data.draw(distributions(len(C.rows) * k))
    pairs = [(x, f"z{j}") for x in C.rows for j in range(k)]
    belief = Dist(pairs, weights)
    found = inference(C, belief)
    assert found.after >= found.before
    assert found.multiplicative <= capacity(C)
    D = data.draw(processed(C))
    assert inference(D, belief).after <= found.after


@pytest.mark.statement("T", "Lem 9.12", "Thm 9.13")
@law
@given(st.data())
def test_hiding_and_revealing(data):
    C = data.draw(channels(n=4))
    D = data.draw(processed(C))
    prior = data.draw(priors(C))
    x1, x2, x3, x4 = C.rows
    fine, coarse = [[x1], [x2], [x3, x4]], [[x1, x2], [x3, x4]]
    for blocks in (fine, coarse):
        safe, unsafe = (
            is_hiding(D, blocks, eps=0, prior=prior),
            is_hiding(C, blocks, eps=0, prior=prior),
        )
        assert safe.leakage <= unsafe.leakage
    even = Dist(C.rows, [Q(1, 3), Q(1, 3), Q(1, 6), Q(1, 6)])
    hidden = is_hiding(C, fine, eps=0, prior=even).leakage
    assert is_revealing(C, coarse, delta=0, prior=even).leakage <= hidden
