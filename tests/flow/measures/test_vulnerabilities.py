"""Questions meet facts: exact and float, in any order of labels."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import UnknownName, WrongKind
from dprivacy.flow import (
    Loss,
    capacity,
    gain,
    leakage,
    posterior_vulnerability,
    strategy,
    vulnerability,
)
from dprivacy.model import Channel, Dist, Gain, as_channel, uniform
from dprivacy.numbers import Mat
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


class TestGuessingTheSecret:
    """Bayes's gain needs no table of its own: it is the largest joint probability of every output."""

    @staticmethod
    def truth(table, weights):
        return sum(max(p * row[y] for p, row in zip(weights, table, strict=True)) for y in range(3))

    @pytest.mark.parametrize("exact", [True, False])
    def test_named_given_or_left_out(self, exact):
        rng = np.random.default_rng(3)
        for _ in range(20):
            counts, weights = rng.integers(0, 9, (4, 3)), rng.integers(1, 9, 4)
            counts[:, 0] += 1
            table = [[Q(int(v), int(row.sum())) for v in row] for row in counts]
            prior = [Q(int(w), int(weights.sum())) for w in weights]
            even = [Q(1, 4)] * 4
            if not exact:
                table = [[float(v) for v in row] for row in table]
                prior, even = [float(w) for w in prior], [0.25] * 4
            C, labels = Channel([*"abcd"], range(3), table), [*"abcd"]
            turned = Dist([*"dcba"], prior[::-1])
            for known in (prior, turned, Dist(labels, prior)):
                for worth in ("bayes", gain.identity(labels), gain.identity([*"cabd"])):
                    found = posterior_vulnerability(C, prior=known, gain=worth)
                    assert found == pytest.approx(self.truth(table, prior), rel=1e-12)
                    assert isinstance(found, Q) == exact
                    assert vulnerability(Dist(labels, prior), gain=worth) == max(prior)
            assert posterior_vulnerability(C) == pytest.approx(self.truth(table, even), rel=1e-12)
            assert leakage(C, prior=turned) == pytest.approx(self.truth(table, prior) / max(prior))
            assert capacity(C) == pytest.approx(4 * self.truth(table, even), rel=1e-12)

    def test_no_table_is_made(self, monkeypatch):
        monkeypatch.setattr(Mat, "identity", None)
        C = as_channel([[0.75, 0.25], [0.25, 0.75]])
        assert posterior_vulnerability(C) == posterior_vulnerability(C, prior=[0.5, 0.5]) == 0.75
        assert (vulnerability([0.5, 0.5]), leakage(C)) == (0.5, 1.5)

    def test_a_loss_is_still_refused(self):
        with pytest.raises(WrongKind, match="is a loss"):
            posterior_vulnerability(np.eye(2), gain=Loss([0, 1], [0, 1], Mat.identity(2)))

    def test_a_case_that_does_not_exist(self):
        with pytest.raises(UnknownName, match="average"):
            posterior_vulnerability(np.eye(2), case="mean")


def test_a_gain_below_zero():
    C, prior = as_channel([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]), [0.5, 0.5]
    worth = [[-3.0, -1.0], [-1.0, -3.0]]
    found = posterior_vulnerability(C, prior=prior, gain=gain.matrix([0, 1], [0, 1], worth))
    assert found == sum(
        max(sum(0.5 * C[x, y] * g[x] for x in (0, 1)) for g in worth) for y in (0, 1, 2)
    )
