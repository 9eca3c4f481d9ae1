"""Inference of correlated values."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import Malformed, SpaceMismatch
from dprivacy.flow import focussed, gain, inference, is_hiding, is_insensitive, scenario
from dprivacy.model import Channel, Dist, as_channel, joint, uniform


class TestInference:
    belief = joint(["yes", "no"], ["ill", "well"], [[3, 1], [1, 5]])
    coin = as_channel({"yes": {0: "3/4", 1: "1/4"}, "no": {0: "1/4", 1: "3/4"}})

    def test_which_side_is_seen(self):
        assert inference(self.coin, self.belief).before == Q(6, 10)
        turned = Dist([(b, a) for a, b in self.belief.labels], self.belief.weights)
        assert inference(self.coin, turned).to_dict() == inference(self.coin, self.belief).to_dict()
        itself = inference(self.coin, self.belief, about=0)
        assert itself.after == Q(3, 4)

    def test_impossible_values_earn_nothing(self):
        wide = joint(["yes", "no"], ["ill", "well", "dead"], [[3, 1, 0], [1, 5, 0]])
        wanted = gain.identity(["ill", "well", "dead"])
        assert inference(self.coin, wide, gain=wanted).after == inference(self.coin, wide).after

    def test_words(self):
        found = inference(self.coin, self.belief)
        assert found.leaks
        assert float(found) == float(found.after)
        assert "expected gain from 3/5" in found.explain()
        silent = inference(as_channel([["1/2", "1/2"]] * 2, rows=["yes", "no"]), self.belief)
        assert not silent.leaks
        assert "reveals nothing" in silent.explain()
        assert found.additive == found.after - found.before

    def test_refusals(self):
        with pytest.raises(Malformed, match="pairs"):
            inference(self.coin, uniform(["yes", "no"]))
        with pytest.raises(SpaceMismatch, match="should be the first values"):
            inference([[1], [1]], self.belief)
        with pytest.raises(Malformed, match="0 or 1"):
            inference(self.coin, self.belief, about=2)
        pairs = focussed(self.coin, ["ill", "well"], on="secret")
        with pytest.raises(Malformed, match="say which to infer"):
            inference(pairs, self.belief)
        same = joint([0, 1], [0, 1], [[1, 0], [1, 1]])
        with pytest.raises(Malformed, match="same names"):
            scenario([[1, 0], [0, 1]], same)
        with pytest.raises(Malformed, match="secret"):
            scenario([[1, 0], [0, 1]], same, on="both")

    def test_a_scenario_in_words(self):
        found = scenario(self.coin, self.belief)
        assert "privacy loss of" in found.explain()
        assert found.to_dict()["exact"]
        assert found.privacy_loss == Q(3, 4) / Q(6, 10)

    def test_focus_refusals(self):
        with pytest.raises(Malformed, match="pairs"):
            is_insensitive(self.coin, "secret")
        with pytest.raises(Malformed, match="useful"):
            is_insensitive(self.coin, "neither")
        with pytest.raises(Malformed, match="useful"):
            focussed(self.coin, ["a"], on="neither")
        with pytest.raises(Malformed, match="at least 0"):
            is_hiding(self.coin, [["yes"], ["no"]], eps=-1, prior=uniform(["yes", "no"]))

    def test_hiding_in_floats_may_be_undecided(self):
        C = Channel(["yes", "no"], [0, 1], self.coin.matrix.floats)
        prior = Dist(["yes", "no"], [0.5, 0.5])
        found = is_hiding(C, [["yes"], ["no"]], eps="1/2", prior=prior)
        assert found.holds is None
        assert is_hiding(C, [["yes"], ["no"]], eps=0.6, prior=prior)
        assert "output multiplies" in found.explain()
