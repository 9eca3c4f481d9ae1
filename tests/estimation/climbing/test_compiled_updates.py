"""Updates row by row: those that two products of matrices make, in Python and in machine code."""

import numpy as np
import pytest

from dprivacy.estimation.climbing.compiled_updates import (
    compiled_updates,
    row_by_row,
    worth_compiling,
)


def machine_code(*arguments) -> None:
    pytest.importorskip("numba", reason="the extra [fast] is not installed")
    compiled_updates()(*arguments)


@pytest.mark.parametrize("updates", [row_by_row, machine_code])
@pytest.mark.parametrize(("n", "m"), [(4, 1), (4, 7), (8, 8), (20, 13)])
@pytest.mark.parametrize("times", [0, 1, 2, 5])
def test_they_are_two_products_each(updates, n, m, times) -> None:
    rng = np.random.default_rng(n + m)
    table, q, p, g = rng.random((n, m)), rng.dirichlet(np.ones(m)), rng.random(n), rng.random(n)
    table[-1] = p[-1] = 0  # as rows that fill up
    p_then, g_then = p.copy(), g.copy()
    for _ in range(times):
        p_then *= g_then
        r_then = p_then @ table
        g_then = table @ (q / r_then)
    r = np.full(m, np.nan)
    updates(table, q, p, r, g, times)
    assert p == pytest.approx(p_then, rel=1e-13)
    assert g == pytest.approx(g_then, rel=1e-13)
    if times:
        assert r == pytest.approx(r_then, rel=1e-13)


def test_an_answer_that_nothing_leads_to_any_more_is_not_hidden() -> None:
    """As in NumPy: a likelihood of 0 makes weights infinite, and not some number."""
    table, q = np.diag([1.0, 1.0, 1.0, 1.0]), np.full(4, 0.25)
    for updates in (row_by_row, machine_code):
        p, r, g = np.array([1.0, 1e-300, 1.0, 1.0]), np.empty(4), np.array([1.0, 1e-300, 1.0, 1.0])
        with np.errstate(divide="ignore", invalid="ignore"):
            updates(table, q, p, r, g, 1)
        assert r[1] == p[1] == 0
        assert g[1] == np.inf
        assert np.isnan(g[0])  # 0 · ∞ in its row


def test_few_updates_are_not_worth_compiling() -> None:
    assert not worth_compiling(np.ones((96, 96)), 1_000)
