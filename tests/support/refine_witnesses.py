"""Random stochastic matrices, and witnesses checked with Fractions alone."""

from fractions import Fraction as Q

import numpy as np

from dprivacy.numbers import Mat
from dprivacy.refine.deciding.separating_gains import uniform_vulnerability


def stochastic(rng, n: int, m: int, zeros: float = 0.0, largest: int = 20) -> Mat:
    weights = rng.integers(1, largest, (n, m)) * (rng.random((n, m)) >= zeros)
    weights[np.arange(n), rng.integers(0, m, n)] += 1
    return Mat.of([[Q(int(v), int(row.sum())) for v in row] for row in weights])


def proves(found, a: Mat, b: Mat) -> bool:
    """Whether a finding carries a witness that is right, checked with Fractions alone."""
    if found.holds:
        r = found.r.rows()
        product = [
            [sum(p * row[j] for p, row in zip(line, r, strict=True)) for j in range(b.shape[1])]
            for line in a.rows()
        ]
        return product == b.rows() and all(min(row) >= 0 and sum(row) == 1 for row in r)
    gain = Mat.of(found.bet.gain()) if found.bet is not None else found.gain
    return uniform_vulnerability(gain, b) > uniform_vulnerability(gain, a)
