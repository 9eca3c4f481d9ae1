"""The channel with the smallest worst case, and the prior that makes it so."""

from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design import minimax, optimal, worst_case_loss
from dprivacy.errors import TooLarge
from dprivacy.flow import loss
from dprivacy.mechanisms import geometric
from dprivacy.spaces import discrete, grid, line
from dprivacy.verify import privacy


class TestWorstCase:
    def test_the_secret_is_named(self):
        value, secret = worst_case_loss(geometric(line(3), eps="ln 2"))
        assert (value, secret) == (Fraction(2, 3), 1)

    @pytest.mark.parametrize("space", [line(4), discrete(range(3)), grid(2, 2)], ids=repr)
    @pytest.mark.parametrize("eps", ["ln 2", "1/2"])
    def test_least_worst_case_is_greatest_optimum(self, space, eps):
        found = minimax(space, eps=eps)
        assert privacy(found.channel, space, eps=eps)
        value, _ = worst_case_loss(found.channel, space)
        assert float(value) == pytest.approx(float(found.loss), rel=1e-12)
        against = optimal(space, eps=eps, prior=found.prior)
        assert float(against.bound) == pytest.approx(float(found.bound), rel=1e-12)
        rng = np.random.default_rng(0)
        for _ in range(10):
            weights = rng.integers(1, 9, len(space))
            prior = [Fraction(int(w), int(weights.sum())) for w in weights]
            assert float(optimal(space, eps=eps, prior=prior).bound) <= float(found.loss) + 1e-15

    def test_where_nothing_is_lost_there_is_a_prior_all_the_same(self):
        """An action that costs nothing: the dual of the program is 0, and no distribution."""
        found = minimax(line(2), eps="ln 2", loss=loss.matrix([0, 1], [0, 1], [[0, 0], [1, 2]]))
        assert (found.loss, found.bound, sum(found.prior.weights)) == (0, 0, 1)

    def test_words_data_and_mechanism(self):
        found = minimax(discrete(["yes", "no"]), eps="ln 3", loss="bayes")
        assert "The worst expected loss is 1/4" in found.explain()
        assert set(found.to_dict()["prior"]) == {"yes", "no"}
        assert found.to_dict()["loss"] == "1/4"
        assert found.exact
        assert found.mechanism().channel == found.channel

    def test_a_power_of_a_billion_is_refused_at_once(self):
        with pytest.raises(TooLarge, match="use a smaller ε"):
            minimax(line(2), eps=10**9)

    def test_large_spaces_are_refused(self):
        with pytest.raises(TooLarge, match="worst case"):
            minimax(grid(6, 6), eps=1)

    @pytest.mark.parametrize("eps", ["50", "72*ln(2)"])
    def test_six_secrets_at_a_large_level(self, eps):
        """The exact simplex alone would take minutes."""
        found = minimax(line(6), eps=eps)
        assert privacy(found.channel, line(6), eps=eps)
        assert found.proof.holds()
        assert found.bound <= found.loss
        assert found.loss - found.bound <= Fraction(1, 10**15) * Fraction(found.loss)
