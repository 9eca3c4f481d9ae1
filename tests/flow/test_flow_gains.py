"""Gains and losses: what they hold, what they refuse, and how measures use them."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import (
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    NotApplicable,
    SpaceMismatch,
    TooLarge,
    UnknownName,
)
from dprivacy.flow import (
    Loss,
    gain,
    leakage,
    loss,
    posterior_vulnerability,
    strategy,
    uncertainty,
    vulnerability,
)
from dprivacy.model import Channel, Dist, Gain, as_channel, uniform
from dprivacy.spaces import discrete, grid, line


def rows(table):
    return [list(row) for row in table.matrix.rows()]


class TestByName:
    @pytest.mark.statement("T", "Def 2.2.3")
    def test_identity(self):
        assert rows(gain.identity(["a", "b"])) == [[1, 0], [0, 1]]
        assert rows(loss.identity(discrete(["a", "b"]))) == [[0, 1], [1, 0]]

    @pytest.mark.statement("T", "Def 5.3.2")
    def test_partition(self):
        named = gain.partition({"low": [1, 2], "high": [3]})
        assert named.actions == ("low", "high")
        assert rows(named) == [[1, 1, 0], [0, 0, 1]]
        assert gain.partition([[1, 2], [3]]).actions == (frozenset({1, 2}), frozenset({3}))
        assert rows(loss.partition({"low": [1, 2], "high": [3]})) == [[0, 0, 1], [1, 1, 0]]

    def test_a_property_that_all_or_none_have(self):
        assert gain.property([], ["a", "b"]).actions == (frozenset({"a", "b"}),)
        assert len(gain.property(["a", "b"], ["a", "b"]).actions) == 1

    def test_metric(self):
        assert rows(gain.metric(line(3))) == [
            [1, Q(1, 2), 0],
            [Q(1, 2), 1, Q(1, 2)],
            [0, Q(1, 2), 1],
        ]
        assert rows(loss.metric(line(3), actions=[1], secrets=[0, 2])) == [[1, 1]]
        assert not gain.metric(grid(2, 2)).exact
        assert gain.metric(grid(2, 2, metric="manhattan")).exact
        assert rows(gain.metric(line(1))) == [[1]]

    def test_threshold(self):
        assert rows(gain.threshold(line(3), 1)) == [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
        assert rows(loss.threshold(line(3), "1/2")) == rows(loss.identity(range(3)))
        diagonal = gain.threshold(grid(2, 2), "sqrt(2)")
        assert all(v == 1 for row in rows(diagonal) for v in row)

    def test_tries(self):
        two = gain.tries(["a", "b", "c"], 2)
        assert two[frozenset({"a", "c"}), "c"] == 1
        assert two[frozenset({"a", "c"}), "b"] == 0
        prior = Dist(["a", "b", "c"], ["1/2", "1/3", "1/6"])
        assert vulnerability(prior, gain=two) == Q(5, 6)
        assert uncertainty(prior, loss=loss.tries(["a", "b", "c"], 2)) == Q(1, 6)

    def test_function_and_matrix(self):
        square = loss.function([0, 2], line(3), lambda w, x: (w - x) ** 2)
        assert rows(square) == [[0, 1, 4], [4, 1, 0]]
        assert isinstance(square, Loss)
        assert rows(gain.matrix(["w"], ["a", "b"], [["1/3", 2]])) == [[Q(1, 3), 2]]

    def test_guesses(self):
        assert len(loss.guesses(["x", "y"]).actions) == 2
        with pytest.raises(TooLarge, match="guessing_entropy"):
            loss.guesses(range(9))


class TestRefusals:
    def test_blocks(self):
        with pytest.raises(DuplicateLabel, match="'a' lies in two blocks"):
            gain.partition([["a"], ["a", "b"]])
        with pytest.raises(Malformed, match="at least one block"):
            gain.partition([["a"], []])

    def test_tries(self):
        for k in (0, 4, True, 1.5):
            with pytest.raises(Malformed, match="from 1 to 3"):
                gain.tries(range(3), k)
        with pytest.raises(TooLarge, match="actions"):
            gain.tries(range(60), 30)

    def test_infinite_entries(self):
        with pytest.raises(Malformed, match="action 'w', secret 'b' should be finite, not inf"):
            loss.matrix(["w"], ["a", "b"], [[1.0, float("inf")]])

    def test_infinite_distances(self):
        from dprivacy.spaces import from_table

        apart = from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True)
        with pytest.raises(Malformed, match="infinite"):
            loss.metric(apart)

    def test_a_loss_is_no_gain(self):
        with pytest.raises(Malformed, match="ask for `uncertainty`"):
            vulnerability(uniform([0, 1]), gain=loss.identity([0, 1]))
        with pytest.raises(Malformed, match=r"gain.identity"):
            vulnerability(uniform([0, 1]), gain=7)
        with pytest.raises(UnknownName, match="'bayes', 'metric', not 'worst'"):
            uncertainty(uniform([0, 1]), loss="worst")
        with pytest.raises(NotApplicable, match="say which space"):
            uncertainty(uniform([0, 1]), loss="metric")
        with pytest.raises(Malformed, match="do not add up"):
            gain.combine(gain.identity([0, 1]), loss.identity([0, 1]))

    def test_options(self):
        C = as_channel([[1, 0], [0, 1]])
        prior, bv = uniform([0, 1]), gain.identity([0, 1])
        with pytest.raises(Malformed, match="average"):
            posterior_vulnerability(C, prior=prior, gain=bv, case="worst")
        with pytest.raises(Malformed, match="multiplicative"):
            leakage(C, prior=prior, gain=bv, kind="log")
        with pytest.raises(Malformed, match="not 'uniform'; leave it out"):
            vulnerability("uniform", gain=bv)
        with pytest.raises(Malformed, match="Dist"):
            vulnerability([0.5, 0.5], gain=max)

    def test_labels_must_agree(self):
        C = as_channel([[1, 0], [0, 1]])
        with pytest.raises(SpaceMismatch, match="only in the first"):
            posterior_vulnerability(C, prior=uniform([0, 1]), gain=gain.identity(["a", "b"]))

    def test_exact_and_float_do_not_mix_in_the_facts(self):
        C = as_channel([[0.5, 0.5], [0.25, 0.75]])
        with pytest.raises(MixedArithmetic):
            posterior_vulnerability(C, prior=uniform([0, 1]), gain=gain.identity([0, 1]))

    @pytest.mark.statement("T", "Thm 4.12")
    def test_negative_gains_have_no_quotient(self):
        """E27: a difference of channels becomes a gain once it is shifted by its minimum."""
        C = as_channel([[1, 0], [0, 1]])
        g = gain.matrix(["w", "v"], [0, 1], [["1/2", "-1/2"], ["-1/4", "1/4"]])
        with pytest.raises(Malformed, match="shift it by its minimum"):
            leakage(C, prior=uniform([0, 1]), gain=g)
        shifted = gain.shift(g, Q(1, 2))
        assert leakage(C, prior=uniform([0, 1]), gain=shifted) > 1
        same = [leakage(C, prior=uniform([0, 1]), gain=h, kind="additive") for h in (g, shifted)]
        assert same[0] == same[1]

    def test_the_algebra(self):
        g = gain.identity(["a", "b"])
        with pytest.raises(Malformed, match="at least 0, not -1"):
            gain.scale(g, -1)
        with pytest.raises(Malformed, match="every secret; 'b' has none"):
            gain.shift(g, {"a": 1})
        with pytest.raises(SpaceMismatch, match="weighting"):
            gain.weight(g, uniform([0, 1]))
        with pytest.raises(Malformed, match="should include 'b'"):
            gain.lift(g, ["a", "c"])
        with pytest.raises(MixedArithmetic):
            gain.shift(gain.matrix(["w"], ["a"], [[0.5]]), "1/3")


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
