"""Noisy counts as channels."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import Malformed, UnknownCategory
from dprivacy.flow import count_scenario, local_count, oblivious_count
from dprivacy.model import Channel, as_channel, joint


class TestCounting:
    def test_an_exact_local_count_is_the_product_of_responses(self):
        """Three known rows and a new one, against the channel on whole databases."""
        coin = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])
        counts = local_count({0: 1, 1: 2}, counted=[1], noise=coin)
        whole = coin.over_rows(4)
        tally = Channel(
            whole.columns, range(5), [[int(sum(y) == c) for c in range(5)] for y in whole.columns]
        )
        expected = (whole @ tally).restrict([(0, 1, 1, 0), (0, 1, 1, 1)])
        assert counts.matrix == expected.matrix

    def test_many_rows_agree_with_few(self):
        """The floats of a large count against exact arithmetic, on a count that is both."""
        coin = as_channel([["9/10", "1/10"], ["1/5", "4/5"]])
        assert not local_count({0: 400, 1: 300}, counted=[1], noise=coin).exact
        small = {0: 20, 1: 12}
        found = local_count(small, counted=[1], noise=coin)
        floats = local_count(small, counted=[1], noise=Channel([0, 1], [0, 1], coin.matrix.floats))
        assert found.exact
        assert np.allclose(found.matrix.floats, floats.matrix.floats, rtol=1e-12, atol=0)

    def test_noise_free_and_endless_noise(self):
        rows = {"a": 2, "b": 3}
        sharp = oblivious_count(rows, counted=["a"], eps=math.inf)
        assert sharp.row("a") == {"at most 2": 0, "more than 2": 1}
        blunt = oblivious_count(rows, counted=["a"], eps=0)
        assert blunt["a", "at most 2"] == Q(1, 2)
        assert not oblivious_count(rows, counted=["a"], eps="1/2").exact
        identity = as_channel({"a": {"a": 1}, "b": {"b": 1}})
        assert local_count(rows, counted=["a"], noise=identity)["a", 3] == 1

    def test_refusals(self):
        belief = joint(["s"], ["a", "b"], [[1, 1]])
        with pytest.raises(Malformed, match="one of oblivious"):
            count_scenario(belief, counted=["a"], rows={"a": 1, "b": 1})
        with pytest.raises(UnknownCategory, match="'c', which is not among"):
            oblivious_count({"a": 1}, counted=["c"], eps=1)
        with pytest.raises(Malformed, match="at least 0 and not empty"):
            oblivious_count({"a": -1}, counted=["a"], eps=1)
        with pytest.raises(UnknownCategory, match="'a', which is not an output"):
            local_count({"a": 1}, counted=["a"], noise={"a": {"b": 1}})
