"""Reports as something to apply: each way against the matrix of all reports, and of those seen."""

import numpy as np
import pytest

from dprivacy.errors import TooLarge, UnknownCategory
from dprivacy.estimation import column_scores
from dprivacy.estimation.operators import report_operators
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.mechanisms import (
    cells_of,
    hashed_response,
    projective_response,
    subset_response,
    unary_response,
)

CASES = {
    "projective, not all points": projective_response(range(9), eps=1, q=3),
    "projective, all points": projective_response(range(13), eps="ln 3", q=3),
    "hashed": hashed_response(range(7), eps=1, q=4),
    "subsets": subset_response(range(6), eps=1, size=2),
    "optimised bits": unary_response(range(9), eps=1),
    "symmetric bits": unary_response(range(4), eps=2, kind="symmetric"),
}


def every_cell(mechanism):
    return list(cells_of(mechanism, mechanism.reports.read(mechanism.channel.columns)))


@pytest.mark.parametrize("name", CASES)
def test_every_way_is_that_of_the_matrix(name):
    mechanism = CASES[name]
    operator = Known(mechanism, seen=every_cell(mechanism)).operator
    C = mechanism.channel.matrix.floats
    draw = np.random.default_rng(7)
    p, w = draw.random((2, len(C))), draw.random((3, C.shape[1]))
    scale, B = np.exp(operator.column_logs), operator.inverse
    assert np.allclose(operator.forward(p) * scale, p @ C, rtol=1e-12)
    assert np.allclose(operator.backward(w * scale), w @ C.T, rtol=1e-12)
    assert np.allclose(C @ B, np.eye(len(C)), atol=1e-12)
    assert np.allclose(B.sum(axis=1), 1, atol=1e-12)
    assert np.allclose(operator.inverted(w), w @ B)
    assert np.allclose(operator.inverted_squares(w), w @ B**2)
    assert np.allclose(operator.scores(p), p @ B.T)


@pytest.mark.parametrize("name", ["subsets", "optimised bits"])
def test_reports_that_nobody_sent_are_not_missed(name):
    mechanism = CASES[name]
    cells = every_cell(mechanism)
    whole, some = Known(mechanism, seen=cells), Known(mechanism, seen=cells[3:11:2])
    assert np.allclose(some.operator.inverse, whole.operator.inverse[3:11:2])
    assert np.allclose(some.operator.column_logs, whole.operator.column_logs[3:11:2])


@pytest.mark.parametrize("name", CASES)
def test_scores_have_the_function_as_their_mean(name):
    mechanism = CASES[name]
    scores = column_scores(Known(mechanism, seen=every_cell(mechanism)))
    f = np.random.default_rng(3).normal(size=len(mechanism.labels))
    found = scores.score(f)
    missed = np.abs(mechanism.channel.matrix.floats @ found.values - f).max()
    assert (scores.kind, scores.full) == ("sets", True)
    assert missed <= found.residual < 1e-10
    start, candidate, weight = scores.pseudo_rows()
    summed = np.bincount(
        np.repeat(np.arange(len(start) - 1), np.diff(start)), weight * f[candidate]
    )
    assert np.allclose(summed, found.values)


@pytest.mark.parametrize("make", [projective_response, unary_response])
def test_levels_beyond_all_doubles_leave_the_truth(make):
    mechanism = make(range(9), eps=1000)
    seen = every_cell(mechanism) if make is projective_response else ["x0400", "x0401", "x0000"]
    operator = Known(mechanism, seen=seen).operator
    assert (operator.forward(np.full(9, 1 / 9)) > 0).all()  # also of the empty set
    assert np.allclose(operator.inverted(np.ones(len(seen))).sum(), len(seen))


def test_many_rows_are_taken_in_parts(monkeypatch):
    mechanism = CASES["optimised bits"]
    cells = every_cell(mechanism)
    whole = Known(mechanism, seen=cells).operator
    monkeypatch.setattr(report_operators, "_AT_A_TIME", 50)
    parts = Known(mechanism, seen=cells).operator
    m = np.random.default_rng(1).random(len(cells))
    assert np.allclose(parts.inverted(m), whole.inverted(m))
    assert np.allclose(parts.scores(np.arange(9.0)), whole.scores(np.arange(9.0)))


def test_what_is_too_much_is_refused_in_words(monkeypatch):
    mechanism = CASES["subsets"]
    cells = every_cell(mechanism)
    monkeypatch.setattr(report_operators, "_WRITTEN", 20)
    with pytest.raises(TooLarge, match="15 different reports about 6 values are too many"):
        _ = Known(mechanism, seen=cells).operator.inverse
    monkeypatch.setattr(report_operators, "_MOST_SEEN", 20)
    with pytest.raises(TooLarge, match="let people send projective_response"):
        Known(mechanism, seen=cells)
    with pytest.raises(UnknownCategory, match="1 of 1 different cells hold no report"):
        Known(mechanism, seen=["0 secret"])
