"""Inverting: exact answers, their projection, and how sure they are."""

import itertools
import math
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import BadNumber, NotApplicable, NotStochastic, UnknownName
from dprivacy.estimation import estimate
from dprivacy.estimation.counts.channel_inversion import (
    inverse_matrix,
    projected,
    projected_exactly,
)
from dprivacy.estimation.operators.channel_operator import left_inverse
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Channel, Dist, as_channel

G = geometric(4, eps="ln 2")
COUNTS = {0: 120, 1: 60, 2: 45, 3: 75}


def test_the_inverse_is_exact_and_sends_back() -> None:
    found = estimate(G, COUNTS, estimator="inverse")
    assert found.exact
    assert sum(found.counts.values()) == 300
    for j, y in enumerate(G.channel.columns):
        image = sum(found.counts[x] * G.channel[x, y] for x in G.channel.rows)
        assert image == list(COUNTS.values())[j]


def test_floats_give_floats_near_the_exact_ones() -> None:
    floats = as_channel(G.channel.matrix.floats)
    found = estimate(floats, COUNTS, estimator="inverse")
    exact = estimate(G, COUNTS, estimator="inverse")
    assert not found.exact
    for label in COUNTS:
        assert found.counts[label] == pytest.approx(float(exact.counts[label]))
        assert found.standard_errors[label] == pytest.approx(exact.standard_errors[label])


def test_more_outputs_than_inputs() -> None:
    C = Channel(["a", "b"], ["u", "v", "w"], [["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]])
    B = inverse_matrix(C.matrix)
    assert (C.matrix @ B).rows() == [[1, 0], [0, 1]]
    assert [sum(row) for row in B.rows()] == [1, 1, 1]
    assert B.floats == pytest.approx(left_inverse(C.matrix.floats))
    found = estimate(C, {"u": 40, "v": 25, "w": 35}, estimator="inverse")
    assert found.exact
    assert sum(found.counts.values()) == 100


def test_variances_by_listing_every_outcome() -> None:
    coin = randomised_response(["a", "b"], eps="ln 3").channel
    truth = ["a", "a", "b"]
    mean, square, guessed = Q(0), Q(0), Q(0)
    for outcome in itertools.product("ab", repeat=3):
        chance = math.prod((coin[x, y] for x, y in zip(truth, outcome, strict=True)), start=Q(1))
        found = estimate(
            coin, {"a": outcome.count("a"), "b": outcome.count("b")}, estimator="inverse"
        )
        mean += chance * found.counts["a"]
        square += chance * found.counts["a"] ** 2
        # The plug-in variance before it is cut at 0: Σ m·B² − n̂.
        B = inverse_matrix(coin.matrix)
        raw = sum(outcome.count(y) * B[j, 0] ** 2 for j, y in enumerate("ab"))
        guessed += chance * (raw - found.counts["a"])
    assert mean == 2
    assert guessed == square - mean**2  # without bias, exactly


def test_the_two_questions_differ_by_the_drawing_of_people() -> None:
    found = estimate(G, COUNTS, estimator="inverse")
    for label, share in found.distribution.items():
        table = found.errors()[label] ** 2
        drawn = found.errors(of="population")[label] ** 2
        assert drawn - table == pytest.approx(float(300 * share * (1 - share)))
        assert found.errors(scale="proportions")[label] == pytest.approx(
            found.errors()[label] / 300
        )


def test_no_noise_no_error_in_the_table() -> None:
    same = as_channel([[1, 0], [0, 1]])
    found = estimate(same, {0: 30, 1: 70}, estimator="inverse")
    assert found.standard_errors == {0: 0, 1: 0}
    assert found.errors(of="population")[0] == pytest.approx(math.sqrt(100 * 0.3 * 0.7))


def test_update_and_inverse_agree_inside() -> None:
    by_update, inverse = (
        estimate(G, COUNTS, tolerance=1e-12),
        estimate(G, COUNTS, estimator="inverse"),
    )
    assert inverse.proper
    assert "delta method" in by_update.errors_from
    for label in COUNTS:
        assert by_update.counts[label] == pytest.approx(float(inverse.counts[label]), rel=1e-5)
        assert by_update.standard_errors[label] == pytest.approx(
            inverse.standard_errors[label], rel=1e-9
        )
        low, high = inverse.intervals[label]
        assert by_update.intervals[label] == pytest.approx((max(low, 0), min(high, 300)), rel=1e-5)
    assert inverse.gap == pytest.approx(0, abs=1e-12)
    assert by_update.log_likelihood == pytest.approx(inverse.log_likelihood)


def test_fisher_information_with_more_outputs() -> None:
    # √(diagonal of the inverse information), with the information written out.
    rng = np.random.default_rng(0)
    C = rng.dirichlet(np.ones(5) * 0.6, size=3)
    counts = dict(enumerate((1000 * np.array([0.2, 0.3, 0.5]) @ C * 20).round().tolist()))
    found = estimate(as_channel(C), counts, tolerance=1e-13)
    p, n = np.array(found.shares), found.n
    r = p @ C
    information = C @ np.diag(np.array(list(counts.values())) / n / r**2) @ C.T
    variance = n * (np.diagonal(np.linalg.inv(information)) - p**2)
    assert list(found.errors(of="population").values()) == pytest.approx(
        np.sqrt(variance), rel=2e-2
    )
    assert found.counts == pytest.approx(dict(enumerate(found.spread.centres)), rel=1e-4)


@given(st.lists(st.fractions(-2, 2, max_denominator=50), min_size=1, max_size=6))
@settings(max_examples=80)
def test_projection_is_the_nearest_distribution(v) -> None:
    v = [*v[:-1], 1 - sum(v[:-1])]
    nearest = projected_exactly(v)
    assert sum(nearest) == 1
    assert min(nearest) >= 0
    assert projected(np.array([float(x) for x in v])) == pytest.approx(
        [float(x) for x in nearest], abs=1e-12
    )
    # A projection makes an obtuse angle with every corner.
    for corner in range(len(v)):
        towards = [Q(int(i == corner)) - x for i, x in enumerate(nearest)]
        assert sum((a - b) * c for a, b, c in zip(v, nearest, towards, strict=True)) <= 0


def test_on_the_boundary_intervals_are_possible_and_hold_the_estimate() -> None:
    R = randomised_response(list("abcd"), eps="ln 2")
    for estimator in ("ibu", "projected"):
        found = estimate(R, {"a": 90, "b": 5, "c": 3, "d": 2}, estimator=estimator)
        assert "simplex" in found.errors_from or "boundary" in found.errors_from
        for label, (low, high) in found.intervals.items():
            assert 0 <= low <= found.counts[label] <= high <= 100


def test_words_and_data() -> None:
    found = estimate(G, COUNTS)
    text = found.to_dict()
    assert [row["label"] for row in text["rows"]] == [0, 1, 2, 3]
    assert "95 % interval" in repr(found)
    assert repr(estimate(geometric(30, eps="ln 2"), {3: 9})).endswith("… and 10 more")
    assert found.dist().labels == (0, 1, 2, 3)
    with pytest.raises(UnknownName, match="table"):
        found.errors(of="people")
    with pytest.raises(UnknownName, match="proportions"):
        found.ranges(scale="percent")
    with pytest.raises(BadNumber, match="confidence"):
        estimate(G, COUNTS, confidence=95)
    with pytest.raises(UnknownName, match="estimator"):
        estimate(G, COUNTS, estimator="em")
    improper = estimate(G, {0: 0, 1: 50, 2: 0, 3: 0}, estimator="inverse")
    assert not improper.proper
    assert improper.log_likelihood is None
    with pytest.raises(NotStochastic):
        improper.dist()


def test_frequencies_need_a_size() -> None:
    q = Dist([0, 1, 2, 3], ["2/5", "1/5", "3/20", "1/4"])
    assert estimate(G, q, n=300, estimator="inverse").counts == (
        estimate(G, COUNTS, estimator="inverse").counts
    )
    with pytest.raises(NotApplicable, match="n=1000"):
        estimate(G, q)
    with pytest.raises(NotApplicable, match="belongs to a Dist of frequencies"):
        estimate(G, COUNTS, n=300)
