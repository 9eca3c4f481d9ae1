"""Random small channels, and the subgaussian scale of a loss by brute force."""

import math
from fractions import Fraction as Q

import numpy as np
from hypothesis import strategies as st

from dprivacy.model import Channel, as_channel
from dprivacy.verify import PrivacyLoss


@st.composite
def channels(draw: st.DrawFn, least: int = 0) -> Channel:
    rows = []
    for _ in range(3):
        weights = draw(st.lists(st.integers(least, 6), min_size=4, max_size=4).filter(sum))
        rows.append([Q(w, sum(weights)) for w in weights])
    return as_channel(rows)


def brute_scale(loss: PrivacyLoss) -> float:
    """√(sup 2·ln E e^(sZ)/s²) on a fine grid: a lower bound."""
    values = np.array([float(v) for v, _ in loss.atoms])
    p = np.array([float(q) for _, q in loss.atoms])
    z = values - (p * values).sum()
    s = np.concatenate([np.geomspace(1e-3, 200, 4000), -np.geomspace(1e-3, 200, 4000)])
    t = np.outer(s, z)
    top = t.max(axis=1, keepdims=True)
    logs = top[:, 0] + np.log((p * np.exp(t - top)).sum(axis=1))
    return math.sqrt(float((2 * logs / s**2).max()))
