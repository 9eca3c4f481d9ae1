"""A table by sizes and δ: the answers of `shuffled`, in order."""

import pytest

from dprivacy.errors import BadNumber
from dprivacy.mechanisms import randomised_response
from dprivacy.verify import shuffled, shuffled_sizes


def test_rows_are_what_shuffled_says():
    response = randomised_response(range(3), eps="ln 3")
    found = shuffled_sizes(response, [10, 50], deltas=["1e-3", "1e-5"])
    for row in found.rows:
        alone = shuffled(response, row.n, delta=row.delta)
        assert (row.eps, row.attacked) == (alone.eps, alone.attacked)
    assert [row.n for row in found.rows] == [10, 50, 10, 50]
    assert all(row.eps <= found.local for row in found.rows)
    assert "50 reports, δ = 1/1000" in str(found)


def test_something_is_asked_for():
    with pytest.raises(BadNumber, match="at least one"):
        shuffled_sizes("ln 3", [])
