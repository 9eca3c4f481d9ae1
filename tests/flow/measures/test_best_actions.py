"""What the adversary does, in words and as data."""

from fractions import Fraction as Q

from dprivacy.flow import gain, leakage, loss, strategy
from dprivacy.model import Dist, as_channel, uniform


class TestResults:
    def test_a_strategy_in_words_and_as_data(self):
        C = as_channel({"ill": {"+": "9/10", "-": "1/10"}, "well": {"+": "1/10", "-": "9/10"}})
        prior = Dist(["ill", "well"], ["1/4", "3/4"])
        found = strategy(C, prior=prior, gain=gain.identity(["ill", "well"]))
        words = found.explain()
        assert "Without the output the best action is well; it is worth 3/4" in words
        assert "+ (probability 3/10): ill, which is then worth 3/4" in words
        data = found.to_dict()
        assert data["after"] == "9/10"
        assert data["moves"][0] == {
            "output": "+",
            "chance": "3/10",
            "action": "ill",
            "worth": "3/4",
        }
        costs = strategy(C, prior=prior, gain=loss.identity(["ill", "well"]))
        assert costs.after == Q(1, 10)
        assert "costs" in costs.explain()

    def test_infinite_leakage(self):
        g = gain.matrix(["w", "v"], [0, 1, 2], [[0, 0, 0], [0, 0, 0]])
        C = as_channel([[1, 0], [0, 1], [0, 1]])
        assert leakage(C, prior=uniform([0, 1, 2]), gain=g) == 1
        risk = loss.identity([0, 1])
        assert leakage([[1, 0], [0, 1]], prior=uniform([0, 1]), gain=risk) == float("inf")
