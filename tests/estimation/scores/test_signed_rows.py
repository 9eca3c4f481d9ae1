"""Scores: closed forms against C·B = I, exact lists, bounds of the residual, and what has no score."""

from fractions import Fraction as Q
from itertools import pairwise

import numpy as np
import pytest

from dprivacy.errors import NotInvertible, SpaceMismatch
from dprivacy.estimation.scores.signed_rows import column_scores, table_scores
from dprivacy.mechanisms import geometric, laplace, randomised_response
from dprivacy.model import Channel, as_channel


def dense(scores):
    start, candidate, weight = scores.pseudo_rows()
    B = np.zeros((len(scores.outputs), len(scores.inputs)))
    for y in range(len(scores.outputs)):
        B[y, candidate[start[y] : start[y + 1]]] = weight[start[y] : start[y + 1]]
    return B


@pytest.mark.parametrize("n", [2, 3, 51, 99])
@pytest.mark.parametrize("eps", ["ln 2", "1/10"])
def test_pseudo_rows_invert_the_channel(n, eps):
    for mechanism in (geometric(n, eps=eps), randomised_response(range(n), eps=eps)):
        scores = column_scores(mechanism)
        C = mechanism.channel.matrix.floats
        B = dense(scores)
        assert np.abs(C @ B - np.eye(n)).max() < 1e-9
        assert np.abs(B.sum(axis=1) - 1).max() < 1e-9
        f = np.sin(np.arange(n))
        assert scores.score(f).values == pytest.approx(B @ f, abs=1e-9)


def test_a_number_needs_three_pseudo_rows():
    start, _, _ = column_scores(geometric(73, eps="1/3")).pseudo_rows()
    assert np.diff(start).tolist() == [2, *[3] * 71, 2]


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        ([0, 1, 2, 3, 4], [-1, 1, 2, 3, 5]),
        ([0, 1, 4, 9, 16], [-1, -3, 0, 5, 23]),
        ([1, 1, 1, 0, 0], [1, 1, 3, -2, 0]),
    ],
)
def test_lists_that_were_found_by_hand(f, expected):
    assert column_scores(geometric(5, eps="ln 2")).score(f).values == pytest.approx(expected)


def test_gaps_that_differ():
    points = [0, 1, 3, 7, 8]
    alpha = [Q(1, 2) ** (b - a) for a, b in pairwise(points)]
    reach = [[Q(1, 2) ** abs(x - y) for y in points] for x in points]
    sides = [Q(0), *alpha, Q(0)]
    rows = [
        [reach[i][j] * (1 / (1 + sides[j]) + 1 / (1 + sides[j + 1]) - 1) for j in range(5)]
        for i in range(5)
    ]
    channel = Channel(points, points, rows)
    scores = column_scores(channel)
    assert scores.kind == "line"
    assert np.abs(channel.matrix.floats @ dense(scores) - np.eye(5)).max() < 1e-12


@pytest.mark.parametrize("eps", ["ln 2", "1/10", "1/100"])
def test_the_residual_is_a_bound_and_is_small(eps):
    channel = geometric(99, eps=eps).channel
    f = (np.arange(99) >= 40) * 1.0
    found = column_scores(channel).score(f)
    exact = max(
        abs(sum(Q(c) * Q(g) for c, g in zip(row, found.values.tolist(), strict=True)) - Q(v))
        for row, v in zip(channel.matrix.rows(), f.tolist(), strict=True)
    )
    assert exact <= Q(found.residual)
    assert found.residual < 1e-6


def test_a_grid_without_a_matrix_has_scores():
    noise = laplace(0, 3000, eps="1/10", grid=1)
    scores = column_scores(noise)
    assert scores.kind == "line"
    found = scores.score(np.arange(3001.0))
    assert found.residual < 1e-6
    assert found.values[1000] == pytest.approx(1000)
    small = laplace(0, 300, eps="1/10", grid=1)
    inside = column_scores(small).score(np.arange(301.0) ** 2).values[10:-10]
    assert scores.score(np.arange(3001.0) ** 2).values[10:291] == pytest.approx(inside)


def test_more_outputs_than_inputs_take_the_inverse_of_least_variance():
    channel = as_channel([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    scores = column_scores(channel)
    C = channel.matrix.floats
    B = dense(scores)
    assert np.abs(C @ B - np.eye(2)).max() < 1e-12
    r = C.mean(axis=0)
    null = np.linalg.svd(C)[2][2]  # C·(g + t·null) = C·g
    g = scores.score([1, 0]).values
    for t in (-0.1, 0.1):
        assert r @ (g + t * null) ** 2 > r @ g**2


DEFICIENT = [["4/5", "1/5"], ["1/2", "1/2"], ["1/5", "4/5"]]


@pytest.mark.parametrize("exact", [True, False])
def test_what_the_channel_does_not_determine_is_refused(exact):
    rows = DEFICIENT if exact else [[float(Q(v)) for v in row] for row in DEFICIENT]
    scores = column_scores(as_channel(rows))
    for f, value in (([2, 1, 0], [Q(8, 3), Q(-2, 3)]), ([0, 1, 2], [Q(-2, 3), Q(8, 3)])):
        assert scores.estimable(f)
        assert scores.score(f).values == pytest.approx([float(v) for v in value])
    assert not scores.estimable([1, 0, 0])
    with pytest.raises(NotInvertible, match=r"do not determine this statistic.*rank 2"):
        scores.score([1, 0, 0])
    with pytest.raises(NotInvertible, match="rank 2"):
        table_scores([scores, scores], np.outer([0, 1, 2], [1, 0, 0]))


def test_scores_of_tables_are_unbiased_over_both_columns():
    job, age = randomised_response(["a", "b", "c"], eps=1), geometric(5, eps="ln 2")
    f = np.arange(15.0).reshape(3, 5) ** 2 % 7
    g = table_scores([column_scores(job), column_scores(age)], f)
    mean = job.channel.matrix.floats @ g @ age.channel.matrix.floats.T
    assert mean == pytest.approx(f)


def test_a_function_of_the_wrong_length_is_refused():
    with pytest.raises(SpaceMismatch, match="5 numbers, one for each true value"):
        column_scores(geometric(5, eps=1)).score([1, 2])
