"""qif on the same questions, where it is installed: it decides in floats, by a tolerance."""

import numpy as np
import pytest

from dprivacy.model import as_channel
from dprivacy.refine import refines
from support.refine_random import vulnerability

qif = pytest.importorskip("qif")

TOLERANCE = 1e-3  # what qif 1.6 may take for a refinement although somebody gains this much more


def fractions(weights):
    return as_channel([[f"{v}/{sum(row)}" for v in row] for row in weights.tolist()])


def random_pairs():
    rng = np.random.default_rng(11)
    for n, m, k in [(2, 2, 2), (3, 3, 3), (4, 4, 3), (3, 5, 4), (5, 4, 6), (6, 6, 6)]:
        for trial in range(6):
            A = fractions(rng.integers(1, 30, (n, m)))
            if trial % 2:
                yield A, A @ fractions(rng.integers(1, 9, (m, k)))
            else:
                yield A, fractions(rng.integers(1, 30, (n, k)))


@pytest.mark.parametrize("pair", list(random_pairs()), ids=lambda _: "random")
def test_refined_by(pair) -> None:
    A, B = pair
    floats = [channel.matrix.floats for channel in pair]
    ours = refines(A, B)
    if bool(qif.refinement.refined_by(*floats)) != bool(ours):
        assert not ours
        gap = vulnerability(ours.gain, B) - vulnerability(ours.gain, A)
        assert 0 < gap < TOLERANCE
    largest = refines(A, B, by="max")
    if bool(qif.refinement.max_refined_by(*floats)) != bool(largest):
        assert 0 < largest.after - largest.before < TOLERANCE
    assert bool(qif.refinement.priv_refined_by(*floats)) == bool(refines(A, B, by="private"))
