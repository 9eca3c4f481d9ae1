"""Additive capacity over priors, exactly."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import Malformed, TooLarge
from dprivacy.flow import additive_bound, additive_capacity, gain, leakage, loss
from dprivacy.model import Dist, as_channel, uniform


class TestAdditive:
    def test_two_secrets_by_hand(self):
        """For the identity gain on two secrets the best prior is where the guess is about to turn."""
        C = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])
        found = additive_capacity(C, gain=gain.identity([0, 1]))
        assert found.value == Q(1, 4)
        assert found.prior == uniform([0, 1])
        assert found.actions == {0: 0, 1: 1}
        assert "at most 1/4" in found.explain()
        assert found.to_dict()["value"] == "1/4"
        assert float(found) == 0.25

    def test_a_loss_and_a_trivial_gain(self):
        C = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])
        assert additive_capacity(C, gain=loss.identity([0, 1])).value == Q(1, 4)
        assert additive_capacity(C, gain=gain.matrix(["w"], [0, 1], [[5, 1]])).value == 0
        assert additive_capacity([[1], [1]], gain=gain.identity([0, 1])).value == 0

    def test_not_always_the_uniform_prior(self):
        """A known fact of additive capacity: here a prior on two of the three secrets is best."""
        C = as_channel([[1, 0], [0, 1], [0, 1]])
        found = additive_capacity(C, gain=gain.identity(range(3)))
        assert found.value == Q(1, 2)
        assert leakage(
            C, prior=uniform(range(3)), gain=gain.identity(range(3)), kind="additive"
        ) == Q(1, 3)

    def test_floats_come_back_as_floats(self):
        C = as_channel([[0.75, 0.25], [0.25, 0.75]])
        found = additive_capacity(C, gain=gain.identity([0, 1]))
        assert isinstance(found.value, float)
        assert found.value == pytest.approx(0.25)

    def test_it_gives_up_in_words(self):
        C = as_channel([["2/3", "1/3", 0], [0, "2/3", "1/3"], ["1/3", 0, "2/3"]])
        with pytest.raises(TooLarge, match="linear programs"):
            additive_capacity(C, gain=gain.identity(range(3)), most_programs=1)

    def test_bounds_over_gains(self):
        C = as_channel([[1, 0], [0, 1]])
        prior = Dist([0, 1], ["1/3", "2/3"])
        assert additive_bound(C, prior=prior) == 1
        assert additive_bound(C, prior=prior, gains="spanning") == Q(4, 9)
        with pytest.raises(Malformed, match="spanning"):
            additive_bound(C, prior=prior, gains="all")
