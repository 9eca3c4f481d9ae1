"""Where multipliers give up what makes rays too cheap: near those rays, and not everywhere alike."""

import numpy as np

from dprivacy.numbers import Floats

_STEPS = 60
_SHARP = 20.0  # how much less a ray counts that has more than it needs


def given_up(shortfalls: Floats, rays: Floats) -> Floats:
    """Shares Δ ≥ 0 with Δ·z ≥ shortfall for every ray z, of a sum that is small, if not the least.

    With multipliers λ − Δ no ray at hand has a price below 0 any more. The same share for everybody
    would cost several times as much: a ray weighs most at a few secrets.

    Notes
    -----
    Shares begin at the largest that a ray by itself would spread by its own weights. Again and again
    they are brought to the least multiple that is enough for all, and multiplied by what the rays that
    are nearly short ask for.
    """
    short = np.nonzero(shortfalls > 0)[0]
    if not len(short):
        return np.zeros(rays.shape[1])
    wanted, z = shortfalls[short], rays[short]
    share = ((wanted / (z * z).sum(axis=1))[:, None] * z).max(axis=0)
    best, least = share, np.inf
    for _ in range(_STEPS):
        share = share * (wanted / (z @ share)).max()
        total = float(share.sum())
        if total < least:
            best, least = share, total
        spare = (z @ share) / wanted - 1.0
        share = share * np.sqrt((np.exp(-_SHARP * spare) / wanted) @ z)
    return np.asarray(best)
