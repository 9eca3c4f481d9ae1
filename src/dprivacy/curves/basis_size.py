"""How many basis vectors: the rule, on public curves only.

More vectors follow a curve more closely and need more noise: with K of them, exact noise for the L2
distance adds about 2·K²/ε² to the squared error of a curve. The rule takes the K for which the error
that is left out, measured on *public* curves, and the noise add up to the least.
"""

from dataclasses import dataclass, field

import numpy as np

from dprivacy.curves.coefficient_noise import curve_mechanism
from dprivacy.curves.curve_basis import Basis
from dprivacy.curves.curve_distances import Distance
from dprivacy.curves.curve_readings import CurvesLike, read_curves
from dprivacy.errors import WrongShape
from dprivacy.mechanisms import whole
from dprivacy.model import Answer
from dprivacy.typing import LevelLike, NumberLike


@dataclass(frozen=True)
class SizeChoice(Answer):
    """The number of basis vectors that the rule takes, and what it was chosen from.

    Attributes
    ----------
    size
        The choice.
    left_out
        For 1, 2, … vectors: the mean squared error of a public curve without noise.
    noise
        The mean squared error that noise adds.
    averaged
        Over how many curves a reader averages.

    Examples
    --------
    >>> SizeChoice(2, left_out=(5.0, 1.0, 0.5), noise=(1.0, 2.0, 6.0)).explain().split(",")[0]
    'A basis of 2 leaves out 1 of the squared error of a curve'
    """

    size: int
    left_out: tuple[float, ...]
    noise: tuple[float, ...]
    averaged: int = 1
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The choice in words."""
        left, noise = self.left_out[self.size - 1], self.noise[self.size - 1]
        whom = "a curve" if self.averaged == 1 else f"the mean of {self.averaged:,} curves"
        return (
            f"A basis of {self.size} leaves out {left:.3g} of the squared error of {whom}, measured "
            f"on public curves, and noise adds {noise:.3g}; any other number gives a larger sum."
        )


def choose_size(
    public: CurvesLike,
    basis: Basis,
    *,
    eps: LevelLike,
    grid: NumberLike,
    distance: Distance = "L2",
    averaged: int = 1,
    most: int = 64,
) -> SizeChoice:
    """The number of vectors with the least expected error, from public curves.

    Parameters
    ----------
    public
        Curves that are already published, of the same kind. Never the secret ones: the choice
        itself would tell about them.
    basis
        All the vectors there are to choose from.
    eps, grid, distance
        As for `protect_curves`.
    averaged
        1 to serve readers of single curves; n to serve readers of the mean of n curves, for whom the
        noise is n times smaller.
    most
        The largest number to consider.

    Examples
    --------
    >>> from dprivacy.curves import example_days, make_basis
    >>> public, basis = example_days(100), make_basis("cosine", 48)
    >>> one = choose_size(public, basis, eps=20, grid="0.01")
    >>> mean = choose_size(public, basis, eps=20, grid="0.01", averaged=1000)
    >>> one.size < mean.size  # noise averages out, what a basis leaves out does not
    True
    """
    curves, averaged = read_curves(public), whole(averaged, "averaged")
    if curves.shape[1] != basis.times:
        raise WrongShape(
            f"public curves should have {basis.times} readings like the basis, not {curves.shape[1]}"
        )
    wanted = curves if averaged == 1 else curves.mean(axis=0, keepdims=True)
    left_out, noise = [], []
    for size in range(1, min(basis.size, most) + 1):
        part = basis.first(size)
        kept = wanted @ part.rows.T @ part.back.T
        left_out.append(float(((wanted - kept) ** 2).sum(axis=1).mean()))
        mechanism = curve_mechanism(part, eps=eps, grid=grid, distance=distance)
        noise.append(float((mechanism.noise**2).sum()) / averaged)
    best = int(np.argmin(np.add(left_out, noise))) + 1
    return SizeChoice(best, tuple(left_out), tuple(noise), averaged)
