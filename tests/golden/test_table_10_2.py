"""T Table 10.2: the α of Prop 10.8 at δ = 0.01, all 28 entries, and what they are worth."""

import math

import pytest
from scipy.stats import binom

from dprivacy.verify import binomial_alpha, binomial_tail_bound

BITS = (10, 20, 30, 50)
PRINTED = {
    "0.05": (0.31111, 0.2028, 0.15866, 0.11713),
    "0.1": (0.3766, 0.25209, 0.19988, 0.14979),
    "0.2": (0.44181, 0.30509, 0.24546, 0.18683),
    "0.25": (0.45747, 0.31977, 0.25866, 0.19796),
    "0.3": (0.46544, 0.32908, 0.26749, 0.20573),
    "0.4": (0.46266, 0.33474, 0.27462, 0.21313),
    "0.5": (0.43792, 0.32553, 0.26969, 0.21123),
}
ENTRIES = [(d, k, a) for d, row in PRINTED.items() for k, a in zip(BITS, row, strict=True)]


@pytest.mark.statement("T", "Table 10.2")
@pytest.mark.statement("T", "Prop 10.8")
@pytest.mark.parametrize(("distance", "bits", "printed"), ENTRIES)
def test_printed_entry(distance: str, bits: int, printed: float) -> None:
    alpha = binomial_alpha(bits, distance, delta="0.01")
    assert abs(alpha - printed) < 1.5e-5
    # The smallest double that works: its bound is within δ, that of a slightly smaller one is not.
    assert binomial_tail_bound(bits, distance, alpha) <= 0.01 * (1 + 1e-15)
    assert binomial_tail_bound(bits, distance, alpha * (1 - 1e-12)) > 0.01
    # And what it bounds, by scipy: the chance of more than κ(d + α) differing bits.
    assert binom.sf(math.floor(bits * (float(distance) + alpha)), bits, float(distance)) <= 0.01


def test_the_printed_digits_are_cut_off_rather_than_rounded_up() -> None:
    below = [
        a for d, k, a in ENTRIES if binomial_tail_bound(k, d, str(a)) > 0.01
    ]  # so that δ is a little over 0.01 at them
    assert len(ENTRIES) == 28
    assert len(below) == 27
    assert max(binomial_tail_bound(k, d, str(a)) for d, k, a in ENTRIES) < 0.01001
