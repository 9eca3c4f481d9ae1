"""The envelope in machine code against NumPy's, which says what it is."""

import numpy as np
import pytest

from dprivacy.design.engines import upper_envelope as shelf
from support.design_spaces import apart, lattice, rng


@pytest.mark.parametrize("outputs", [1, 7, 30])
def test_compiled_and_plain_agree(monkeypatch, outputs):
    scaled = apart(lattice(5))
    logs = -3 * rng(outputs).random((25, outputs))
    logs[3, 0] = -np.inf
    plain = shelf.upper_envelope(logs, scaled)
    monkeypatch.setattr(shelf, "_WORTH_COMPILING", 0)
    np.testing.assert_array_equal(shelf.upper_envelope(logs, scaled), plain)
    assert (plain >= logs).all()
    for x in range(25):
        assert (plain <= plain[x] + scaled[:, x, None] + 1e-12).all()
