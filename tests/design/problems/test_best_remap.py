"""What a consumer makes of a channel."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dprivacy.design import expected_loss, optimal, remap
from dprivacy.errors import NotApplicable, SpaceMismatch, UnknownCategory
from dprivacy.flow import loss
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, Dist
from dprivacy.spaces import line


class TestRemap:
    def test_no_remap_of_all_is_better(self):
        rng = np.random.default_rng(0)
        space = line(3)
        C = geometric(space, eps="ln(3/2)").channel
        for _ in range(5):
            weights = rng.integers(1, 9, 3)
            prior = Dist(range(3), [Fraction(int(w), int(weights.sum())) for w in weights])
            table = rng.integers(0, 9, (2, 3)).tolist()
            question = loss.matrix(["u", "v"], range(3), table)
            found = remap(C, prior=prior, loss=question)
            every = [
                expected_loss(
                    C @ Channel(range(3), ["u", "v"], [[int(w == a) for w in "uv"] for a in acts]),
                    prior=prior,
                    loss=question,
                )
                for acts in product("uv", repeat=3)
            ]
            assert found.after == min(every)
            assert found.before is None
            assert expected_loss(found.channel, prior=prior, loss=question) == found.after

    def test_floats_and_exact_numbers_meet(self):
        best = optimal(line(3), eps="ln 2", prior=[0.2, 0.3, 0.5])
        found = remap(best, line(3), prior=[0.2, 0.3, 0.5])
        assert found.channel.exact
        assert found.after == pytest.approx(best.loss)
        assert expected_loss(best, line(3), prior=[0.2, 0.3, 0.5]) == pytest.approx(best.loss)

    def test_a_mechanism_brings_its_space(self):
        mechanism = geometric(line(4), eps="ln 2")
        assert remap(mechanism).before == expected_loss(mechanism, line(4))

    def test_a_float_channel(self):
        C = [[0.75, 0.25], [0.25, 0.75]]
        assert remap(C, prior=None, loss="bayes").after == pytest.approx(0.25)

    def test_outputs_that_never_come(self):
        C = Channel([0, 1], ["a", "b", "never"], [["1/2", "1/2", 0], ["1/3", "2/3", 0]])
        found = remap(C, prior=None, loss="bayes")
        assert "never" not in found.actions
        assert found.channel.columns == tuple(dict.fromkeys(found.actions.values()))

    def test_words_and_data(self):
        found = remap(geometric(line(3), eps="ln 2"), prior=["8/10", "1/10", "1/10"])
        assert "2 is read as 0" in found.explain()
        assert found.to_dict()["after"] == "3/10"
        same = remap(randomised_response([0, 1], eps="ln 2"), prior=None, loss="bayes")
        assert "Every output is best taken as it is." in same.explain()

    def test_a_metric_is_needed_for_distances(self):
        with pytest.raises(NotApplicable, match="say which space"):
            remap([["1/2", "1/2"], ["1/2", "1/2"]])

    def test_a_loss_on_other_secrets(self):
        with pytest.raises(SpaceMismatch, match="give the loss on the channel's inputs"):
            remap(geometric(line(3), eps=1), prior=None, loss=loss.identity([0, 1]))

    def test_outputs_that_are_no_actions_have_no_loss(self):
        C = Channel([0, 1], ["a", "b"], [["1/2", "1/2"], ["1/3", "2/3"]])
        with pytest.raises(UnknownCategory, match="output 'a' should be an action"):
            expected_loss(C, prior=None, loss="bayes")
