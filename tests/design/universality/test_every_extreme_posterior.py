"""The mechanism with every extreme posterior: private, and below all others."""

import pytest

import dprivacy as dp
from dprivacy.design import max_case_universal
from dprivacy.errors import TooLarge
from dprivacy.polytope import vertices
from dprivacy.refine import refines

SPACES = [dp.line(4), dp.discrete(range(4)), dp.graph([(k, (k + 1) % 4) for k in range(4)])]


@pytest.mark.parametrize("space", SPACES)
def test_every_vertex_is_a_posterior(space):
    best = max_case_universal(space, eps="ln 2")
    assert best.verify()
    columns = {
        tuple(v / sum(column) for v in column) for column in best.channel.matrix.transposed.rows()
    }
    assert columns == {tuple(vertex.weights) for vertex in vertices(space, eps="ln 2")}


def test_private_mechanisms_are_refined_by_nothing_less_in_the_max_case():
    best = max_case_universal(dp.line(4), eps="ln 2").channel
    for other in (
        dp.geometric(4, eps="ln 2").channel,
        dp.randomised_response(range(4), eps="ln 2").channel,
        dp.exponential(dp.line(4), eps="ln 2").channel,
    ):
        assert refines(best, other, by="max").status == "proved"
    assert refines(dp.geometric(4, eps="ln 2").channel, best, by="max").status == "refuted"


def test_too_many_vertices():
    with pytest.raises(TooLarge, match="more than 300 extreme posteriors"):
        max_case_universal(dp.line(12), eps="ln 2")
