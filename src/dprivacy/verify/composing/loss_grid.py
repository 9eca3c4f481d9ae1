"""A grid for privacy losses: how fine, and how atoms are placed on it."""

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from dprivacy.numbers import Level, as_level, exp_bounds
from dprivacy.verify.composing.grid_law import GridLaw
from dprivacy.verify.composing.loss_atoms import LossAtoms

_FINE = 256  # steps a standard deviation
_LONGEST = 4096  # points between the smallest and the largest loss of one release
_PARTS = 24  # a common step of all losses is looked for among parts of the smallest
_NEAR = 1e-6  # of a step: what is split so close to a point is hardly moved
_GUARD = 64


def spacing(releases: Mapping[LossAtoms, int]) -> Level:
    """A step for the losses of these releases, given with how often each is made.

    Where all losses are multiples of one step (up to a small part of it), that step: then nothing is
    split, or hardly anything. Otherwise a small part of the losses' standard deviation.
    """
    losses = [(loss, mass) for release in releases for loss, mass in release.atoms if loss]
    if not losses:
        return Level(1)
    sizes = np.abs([float(loss) for loss, _ in losses])
    smallest = losses[int(sizes.argmin())][0]
    ratios = sizes / sizes.min()
    for parts in range(1, _PARTS + 1):
        whole = np.rint(ratios * parts)
        if whole.max() > _LONGEST:
            break
        if np.abs(ratios * parts - whole).max() < _NEAR:
            return abs(smallest) * math.gcd(*whole.astype(int).tolist()) / parts
    spread = math.sqrt(
        sum(times * _variance(release) for release, times in releases.items())
        / sum(releases.values())
    )
    longest = max(sizes.max(), 1e-300)
    return as_level(Fraction(max(spread / _FINE, 2 * longest / _LONGEST)))


def _variance(release: LossAtoms) -> float:
    losses = np.array([float(loss) for loss, _ in release.atoms])
    masses = np.array([float(mass) for _, mass in release.atoms])
    mean = float(masses @ losses)
    return max(float(masses @ losses**2) - mean * mean, 0.0)


def placed(release: LossAtoms, step: Level, bits: int, cut: int) -> GridLaw:
    """The law of a release's loss on a grid, never below the truth.

    Notes
    -----
    An atom of loss ℓ between i·h and (i + 1)·h is split: with x = ℓ − i·h, the share
    (1 − e^(−x))/(1 − e^(−h)) goes up and the rest down. Both parts together have the masses of P and Q
    that the atom had, so that merging them again gives it back: the pair on the grid tells at least as
    much. The share is rounded up. Whether an atom lies on a point is decided exactly.
    """
    # close to 0, as many bits more as 1 − e^(−step) has zeros
    scale, precise = 1 << bits, bits + _GUARD + max(0, -math.frexp(float(step))[1])
    masses: dict[int, int] = {}
    least = 1 - exp_bounds(*(-step).bounds(precise), precise)[1]
    for loss, mass in release.atoms:
        index = round(float(loss) / float(step))
        while (rest := loss - step * index).sign() < 0:
            index -= 1
        while (loss - step * (index + 1)).sign() >= 0:
            index += 1
            rest = loss - step * index
        whole, up = math.ceil(mass * scale), 0
        if rest:
            share = 1 - exp_bounds(*(-rest).bounds(precise), precise)[0]
            up = min(whole, math.ceil(whole * (share / least)))
        for at, part in ((index, whole - up), (index + 1, up)):
            if part:
                masses[at] = masses.get(at, 0) + part
    first = min(masses, default=0)
    listed = tuple(masses.get(at, 0) for at in range(first, max(masses, default=-1) + 1))
    return GridLaw(listed, math.ceil(release.escape * scale), first, step, bits, cut)
