"""Shannon capacity between its bounds."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import Malformed
from dprivacy.flow import (
    mutual_information,
    posterior_shannon_entropy,
    shannon_capacity,
    shannon_entropy,
)
from dprivacy.model import Dist, as_channel, uniform
from dprivacy.numbers import Level, ln


def entropy(p):
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


class TestShannon:
    @pytest.mark.parametrize("p", [0.5, 0.4, 0.11, 0.01, 1e-6])
    def test_binary_symmetric(self, p):
        found = shannon_capacity([[1 - p, p], [p, 1 - p]])
        assert found == pytest.approx(1 - entropy(p), abs=1e-9)
        assert found.lower <= 1 - entropy(p) <= found.upper

    @pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
    def test_erasure_and_z(self, p):
        assert shannon_capacity([[1 - p, p, 0], [0, p, 1 - p]]) == pytest.approx(1 - p, abs=1e-9)
        z = math.log2(1 + (1 - p) * p ** (p / (1 - p)))
        assert shannon_capacity([[1, 0], [p, 1 - p]]) == pytest.approx(z, abs=1e-9)

    def test_extremes(self):
        assert shannon_capacity([["1/2", "1/2"]] * 3).upper < 1e-9
        n = 64
        assert shannon_capacity(np.eye(n)) == pytest.approx(6, abs=1e-9)
        few = shannon_capacity([[0.9, 0.1], [0.2, 0.8]], max_iterations=1)
        assert few.lower < few.upper
        assert "between" in few.explain()
        assert few.to_dict()["iterations"] == 1

    @pytest.mark.parametrize("seed", range(6))
    def test_few_updates_and_the_true_optimum(self, seed):
        """Secrets that are better left out would take plain updates thousands of steps to lose."""
        rng = np.random.default_rng(seed)
        C = rng.random((10, 10)) ** 2
        C /= C.sum(axis=1, keepdims=True)
        found = shannon_capacity(C, tolerance=1e-10)
        assert found.iterations < 100
        assert found.upper - found.lower < 2e-10
        p = np.array([float(weight) for weight in found.prior.weights])
        assert found.lower <= mutual_information(C, prior=found.prior) + 1e-12
        with np.errstate(divide="ignore"):
            # at the optimum: equal in use, less else
            apart = (C * np.log2(C / (p @ C))).sum(axis=1)
        assert apart.max() == pytest.approx(found, abs=1e-9)
        assert apart[p > 0] == pytest.approx(np.full((p > 0).sum(), float(found)), abs=1e-6)

    def test_the_same_row_twice_has_no_single_best_prior(self):
        twice = [[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]
        once = shannon_capacity(twice[1:])
        assert shannon_capacity(twice) == pytest.approx(once, abs=1e-9)

    def test_outputs_that_never_occur_change_nothing(self):
        C = np.array([[0.9, 0.0, 0.1], [0.2, 0.0, 0.8]])
        assert shannon_capacity(C) == pytest.approx(shannon_capacity(C[:, [0, 2]]), abs=1e-12)

    def test_an_output_that_only_a_useless_secret_has(self):
        C = [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.3, 0.7 - 1e-9, 1e-9]]
        found = shannon_capacity(C)
        assert found.lower <= found.upper <= found.lower + 1e-8
        assert found >= shannon_capacity([row[:2] for row in C[:2]]) - 1e-9

    def test_refusals(self):
        with pytest.raises(Malformed, match="tolerance"):
            shannon_capacity([[1]], tolerance=0)
        with pytest.raises(Malformed, match="bits"):
            shannon_entropy(uniform([0, 1]), unit="bans")

    def test_exact_entropies(self):
        prior = Dist(["a", "b", "c"], ["1/2", "1/4", "1/4"])
        assert shannon_entropy(prior) == Q(3, 2)
        assert shannon_entropy(prior, unit="nats") == Q(3, 2) * ln(2)
        thirds = shannon_entropy(uniform([0, 1, 2]), unit="nats")
        assert isinstance(thirds, Level)
        assert thirds == ln(3)
        assert shannon_entropy(uniform([0, 1, 2])) == pytest.approx(math.log2(3))
        bit = as_channel({x: {x % 2: 1} for x in range(8)})
        assert mutual_information(bit, prior=uniform(range(8))) == 1
        assert posterior_shannon_entropy(bit, prior=uniform(range(8))) == 2
