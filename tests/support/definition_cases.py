"""How many cases each function is compared on with its definition, and how they are run."""

from random import Random

import pytest
from hypothesis import given, strategies as st

# In the default run, and in the slow one; the documentation has the same table.
CASES = {
    "smallest_eps": (66, 1700),
    "privacy": (66, 1700),
    "privacy with δ": (66, 1700),
    "delta_at": (66, 1700),
    "eps_at": (66, 1700),
    "privacy_profile": (66, 1700),
    "distinguishability": (66, 1700),
    "exactly": (66, 1700),
    "mended": (50, 1200),
    "extended_privacy": (66, 1700),
    "probabilistic_privacy": (66, 1700),
    "privacy_loss": (66, 1700),
    "concentrated_privacy": (40, 1000),
    "subgaussian_scale": (40, 1000),
    "audit_counts": (66, 1700),
    "sensitivity": (66, 1700),
    "induced_space": (66, 1700),
    "vulnerability": (66, 1700),
    "capacity": (66, 1700),
    "additive_capacity": (66, 1700),
    "d_capacity": (66, 1700),
    "refines on average": (50, 1200),
    "refines in the worst case": (66, 1700),
    "refines for privacy": (66, 1700),
    "kantorovich": (66, 1700),
    "estimate": (66, 1700),
    "is_kernel": (66, 1700),
    "is_extreme": (66, 1700),
    "decompose": (66, 1700),
    "optimal": (66, 1700),
    "optimal, e^ε irrational": (66, 1700),
    "minimax": (66, 1700),
    "universally_optimal": (66, 1700),
}
SHARES = 4  # parts of the slow run


def checked_beside(checks):
    """Two tests of these checks, each a function of a random source.

    The first runs the cases of the table, a few by default and many in the slow set. In the second,
    hypothesis draws the cases, and shrinks one that fails.
    """
    fast = [pytest.param(name, range(CASES[name][0]), id=name) for name in checks]
    slow = [
        pytest.param(
            name, range(part, CASES[name][1], SHARES), id=f"{name}-{part}", marks=pytest.mark.slow
        )
        for name in checks
        for part in range(SHARES)
    ]

    @pytest.mark.parametrize(("name", "cases"), fast + slow)
    def compared(name, cases):
        for k in cases:
            _run(checks[name], f"{name} {k}")

    @given(name=st.sampled_from(list(checks)), rng=st.randoms(use_true_random=False))
    def searched(name, rng):
        checks[name](rng)

    return compared, searched


def _run(check, seed):
    """Every case is its own seed; one that fails says which."""
    try:
        check(Random(seed))
    except Exception as error:
        error.add_note(f"Random({seed!r})")
        raise
