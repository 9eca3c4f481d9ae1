"""Questions meet facts: exact and float, in any order of labels."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.flow import gain, posterior_vulnerability, strategy, vulnerability
from dprivacy.model import Channel, Dist, Gain, as_channel, uniform
from dprivacy.spaces import grid


class TestQuestionsAndFacts:
    """The gain is the question: an exact table serves floats, a float one makes the answer a float."""

    def test_an_exact_gain_on_a_float_channel(self):
        C = as_channel([[0.75, 0.25], [0.25, 0.75]])
        found = posterior_vulnerability(
            C, prior=Dist([0, 1], [0.5, 0.5]), gain=gain.identity([0, 1])
        )
        assert isinstance(found, float)
        assert found == 0.75

    def test_a_float_gain_on_exact_facts(self):
        found = vulnerability(uniform(grid(2, 2)), gain=gain.metric(grid(2, 2)))
        assert isinstance(found, float)

    def test_weights_in_the_order_of_the_secrets(self):
        assert vulnerability(["1/4", "3/4"], gain=gain.identity(["a", "b"])) == Q(3, 4)
        assert (
            posterior_vulnerability(
                [[1, 0], [0, 1]], prior=["1/4", "3/4"], gain=gain.identity([0, 1])
            )
            == 1
        )

    def test_labels_in_any_order(self):
        C = Channel(["b", "a"], [0, 1], [[1, 0], ["1/2", "1/2"]])
        prior = Dist(["a", "b"], ["1/3", "2/3"])
        g = gain.matrix(["w", "v"], ["a", "b"], [[3, 0], [0, 1]])
        expected = max(Q(1, 2), Q(2, 3)) + Q(1, 2)
        assert posterior_vulnerability(C, prior=prior, gain=g) == expected
        assert strategy(C, prior=prior, gain=g)[1] == "w"

    def test_large_partitions_take_the_short_way(self):
        """Tables with one 1 a secret are summed, not multiplied; the answer is the same."""
        rng = np.random.default_rng(5)
        n = 40
        C = rng.random((n, 9))
        C /= C.sum(axis=1, keepdims=True)
        prior = Dist(range(n), [1 / n] * n)
        blocks = gain.partition({k: [x for x in range(n) if x % 10 == k] for k in range(10)})
        plain = Gain(blocks.rows, blocks.columns, blocks.matrix.floats + 0.0)
        for g in (blocks, plain):
            table = g.matrix.floats[:, [g.columns.index(x) for x in range(n)]]
            expected = (table @ (C / n)).max(axis=0).sum()
            assert posterior_vulnerability(as_channel(C), prior=prior, gain=g) == pytest.approx(
                expected
            )
