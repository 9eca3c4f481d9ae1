"""Laws of entropies."""

import math

import pytest
from hypothesis import given, settings

from dprivacy.flow import (
    guessing_entropy,
    loss,
    mutual_information,
    posterior_guessing_entropy,
    posterior_shannon_entropy,
    posterior_uncertainty,
    shannon_entropy,
    uncertainty,
)
from support.flow_strategies import as_floats, questions

law = settings(max_examples=60)


@law
@given(questions())
def test_entropies(question):
    C, prior, _ = question
    H = shannon_entropy(prior, unit="nats")
    after = posterior_shannon_entropy(C, prior=prior, unit="nats")
    assert H - after == mutual_information(C, prior=prior, unit="nats")
    assert 0 <= after <= H
    assert shannon_entropy(as_floats(prior)) == pytest.approx(float(H) / math.log(2))
    guesses = loss.guesses(C.rows)
    assert guessing_entropy(prior) == uncertainty(prior, loss=guesses)
    assert posterior_guessing_entropy(C, prior=prior) == posterior_uncertainty(
        C, prior=prior, loss=guesses
    )
