"""The JavaScript client draws what Python draws from the same words."""

import pytest

from support.client_places import write_places
from support.client_vectors import write_vectors
from support.node_tests import run_node


@pytest.mark.service("node")
def test_javascript_draws_what_python_draws(tmp_path):
    write_vectors(tmp_path, words=300)
    run_node("vectors.test.mjs", VECTORS=tmp_path)


@pytest.mark.slow
@pytest.mark.service("node")
def test_javascript_draws_what_python_draws_from_a_hundred_thousand_words(tmp_path):
    write_vectors(tmp_path, words=100_000, one_in=4)
    run_node("vectors.test.mjs", VECTORS=tmp_path)


@pytest.mark.service("node")
def test_javascript_moves_places_as_python_does(tmp_path):
    write_places(tmp_path, words=600)
    run_node("places.test.mjs", VECTORS=tmp_path)


@pytest.mark.slow
@pytest.mark.service("node")
def test_javascript_moves_places_as_python_does_by_a_hundred_thousand_words(tmp_path):
    write_places(tmp_path, words=100_000)
    run_node("places.test.mjs", VECTORS=tmp_path)
