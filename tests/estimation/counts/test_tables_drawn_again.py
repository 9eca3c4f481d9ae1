"""Tables drawn anew: their law, and the same ones each time."""

import numpy as np

from dprivacy.estimation import redrawn_tables


def test_tables_are_drawn_from_what_the_channels_make_of_the_shares():
    matrices = [np.array([[0.75, 0.25], [0.25, 0.75]]), np.eye(3)]
    shares = np.array([[0.3, 0.1, 0.0], [0.1, 0.2, 0.3]])
    tables = list(redrawn_tables(matrices, shares, n=100_000, draws=3))
    expected = matrices[0].T @ shares
    for table in tables:
        assert table.sum() == 100_000
        assert np.abs(table / 100_000 - expected).max() < 0.01
    assert (tables[0] != tables[1]).any()
    again = list(redrawn_tables(matrices, shares, n=100_000, draws=3))
    assert all((a == b).all() for a, b in zip(tables, again, strict=True))
