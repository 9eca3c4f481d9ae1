"""Do the intervals hold what they claim to hold? By repetition."""

import numpy as np
import pytest

from dprivacy.estimation import estimate
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import as_channel


def through(truth: np.ndarray, floats: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows = floats / floats.sum(axis=1, keepdims=True)
    return sum(rng.multinomial(count, row) for count, row in zip(truth, rows, strict=True))


CASES = {
    "response": (randomised_response(range(5), eps="ln 3"), [800, 600, 300, 200, 100]),
    "geometric": (geometric(5, eps="ln 2"), [300, 500, 700, 300, 200]),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("estimator", ["ibu", "inverse"])
def test_intervals_cover_the_true_counts(case, estimator) -> None:
    mechanism, people = CASES[case]
    channel = as_channel(mechanism.channel.matrix.floats)
    truth, rng = np.array(people), np.random.default_rng(1)
    hits = np.zeros(len(truth))
    repetitions = 1500
    for _ in range(repetitions):
        counts = dict(enumerate(through(truth, channel.matrix.floats, rng).tolist()))
        found = estimate(channel, counts, estimator=estimator, tolerance=1e-7)
        ends = list(found.intervals.values())
        hits += [low <= count <= high for count, (low, high) in zip(truth, ends, strict=True)]
    assert 0.93 <= hits.mean() / repetitions <= 0.97
    assert (hits / repetitions >= 0.925).all()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_intervals_cover_the_shares_of_the_population(case) -> None:
    mechanism, people = CASES[case]
    channel = as_channel(mechanism.channel.matrix.floats)
    share, rng = np.array(people) / sum(people), np.random.default_rng(2)
    right = wrong = 0.0
    repetitions = 1500
    for _ in range(repetitions):
        truth = rng.multinomial(sum(people), share)
        counts = dict(enumerate(through(truth, channel.matrix.floats, rng).tolist()))
        found = estimate(channel, counts, estimator="inverse")
        for of in ("population", "table"):
            ends = found.ranges(of=of, scale="proportions").values()
            hit = np.mean([low <= s <= high for s, (low, high) in zip(share, ends, strict=True)])
            right, wrong = (right + hit, wrong) if of == "population" else (right, wrong + hit)
    assert 0.93 <= right / repetitions <= 0.97
    assert wrong < right  # the errors of the table are too small for the population


@pytest.mark.slow
def test_sparse_tables_are_covered_too() -> None:
    # 4 of 40 labels occur: the most likely estimate lies on the boundary every time.
    mechanism = randomised_response(range(40), eps="ln 3")
    truth, rng = np.zeros(40, dtype=int), np.random.default_rng(3)
    truth[[3, 10, 20, 33]] = [2000, 1500, 1000, 500]
    channel = as_channel(mechanism.channel.matrix.floats)
    hits = np.zeros(40)
    for _ in range(400):
        counts = dict(enumerate(through(truth, channel.matrix.floats, rng).tolist()))
        found = estimate(channel, counts, tolerance=1e-6)
        assert "boundary" in found.errors_from
        ends = found.intervals.values()
        hits += [low <= count <= high for count, (low, high) in zip(truth, ends, strict=True)]
    assert (hits[truth > 0] / 400 >= 0.92).all()
    assert hits.mean() / 400 >= 0.93
