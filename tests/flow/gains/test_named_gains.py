"""Gains and losses by name."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import TooLarge
from dprivacy.flow import Loss, gain, loss, uncertainty, vulnerability
from dprivacy.model import Dist
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
