"""What can be learned: the stated error against the worst population, found by search."""

import itertools
import math
import re

import numpy as np
import pytest

from dprivacy.release import Plan
from dprivacy.release.sheets.learned_statistics import learned

ROWS = 1000


def half(told):
    return float(re.search(r"± ([\d,.]+)", told)[1].replace(",", ""))


def found(spec, rows=ROWS):
    (column,) = Plan.read({"columns": {"q": spec}}).columns
    return column, learned(column, rows, name="q")


def populations(k, steps=20):
    for cut in itertools.product(range(steps + 1), repeat=k - 1):
        if sum(cut) <= steps:
            yield np.array([*cut, steps - sum(cut)]) / steps


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "categories", "values": ["a", "b"], "epsilon": "ln 3"},
        {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 1.5"},
        {"type": "ordered", "values": ["a", "b", "c"], "epsilon": "ln 2"},
    ],
)
def test_shares_err_by_no_more_for_any_population(spec):
    column, told = found(spec)
    law = column.channel.matrix.floats
    undone = np.linalg.inv(law)
    worst = max(
        ((p @ law) @ undone[:, v] ** 2 - p[v] ** 2)
        for p in populations(len(law))
        for v in range(len(law))
    )
    error = 196 * math.sqrt(worst / ROWS)
    assert error <= half(told.error) <= error * 1.05 + 0.1
    assert half(told.without_noise) == pytest.approx(196 * 0.5 / math.sqrt(ROWS), abs=0.1)


def test_means_err_by_no_more_for_any_population():
    spec = {"type": "numbers", "low": "0", "high": "3", "grid": "1", "epsilon": "ln 2"}
    column, told = found(spec)
    law, at = column.channel.matrix.floats, np.arange(4.0)
    score = np.linalg.solve(law, at)
    worst = max((p @ law) @ score**2 - (p @ at) ** 2 for p in populations(4, steps=12))
    assert 1.96 * math.sqrt(worst / ROWS) <= half(told.error)
    assert told.statistic == "mean of q (from 0 to 3)"


def test_reports_err_by_no_more_for_any_share():
    values = [f"v{k}" for k in range(30)]
    spec = {
        "type": "categories",
        "values": values,
        "epsilon": "1",
        "mechanism": "projective_response",
    }
    column, told = found(spec)
    worst = max(float(column.local.reports.variance(s / 50, of="population")) for s in range(51))
    assert 196 * math.sqrt(worst / ROWS) <= half(told.error)


def test_what_says_nothing_is_called_nothing():
    spec = {"type": "categories", "values": ["a", "b"], "epsilon": "1/100"}
    assert found(spec)[1].error.startswith("nothing: ± ")
    assert not found(spec, rows=10**9)[1].error.startswith("nothing")


def test_a_mean_that_may_be_anywhere_is_called_nothing():
    numbers = {"type": "numbers", "low": 0, "high": 100, "grid": 10, "epsilon": "0.002"}
    assert found(numbers, 100)[1].error.startswith("nothing: ± ")
    assert found(numbers, 10**7)[1].error.startswith("± ")
    for rows in (100, 10**7):
        error = half(found(numbers, rows)[1].error)
        assert (error >= 50) == found(numbers, rows)[1].error.startswith("nothing")


def test_what_has_no_table_is_left_to_the_card():
    place = {"type": "place", "columns": ["x", "y"], "epsilon": "1", "grid": "1"}
    assert found(place)[1].error == "not by itself: see the card"
