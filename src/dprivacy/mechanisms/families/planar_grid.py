"""Planar Laplace noise on a grid: exact for the Euclidean distance."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.label_codes import nearest_steps, read_step, read_vectors
from dprivacy.model import Guarantee, Sourced, about
from dprivacy.numbers import Level, as_eps, as_level, root
from dprivacy.sampling import PlanarNoise, Source
from dprivacy.sources import result
from dprivacy.spaces import GridVectors
from dprivacy.typing import LevelLike, NumberLike


@dataclass(frozen=True)
class PlanarMechanism(Sourced):
    """P(y) ∝ e^(−ε·‖y−x‖) on the points of a square grid, the same constant for every x.

    Examples
    --------
    >>> noise = planar_laplace(eps="1/2", grid="1/4")
    >>> bool((noise.randomise([[0.1, 7.3]]) * 4 % 1 == 0).all())
    True
    >>> print(noise.snapping)
    1/4*sqrt(2)
    """

    guarantee: Guarantee
    step: Fraction
    source: Source | None = None
    family: str = "planar_laplace"
    channel: ClassVar[None] = None

    @property
    def snapping(self) -> Level:
        """How much farther apart moving two places to the grid may put them: √2 steps."""
        return root(2) * self.step

    @cached_property
    def _noise(self) -> PlanarNoise:
        return PlanarNoise(as_level(self.guarantee.eps * self.step))

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> NDArray[np.float64]:
        """Noisy places for true ones.

        Parameters
        ----------
        values
            An array of shape (n, 2), in the unit that ε is per. Places are moved to the grid first.
        insecure_seed
            For tests only; it warns.

        Returns
        -------
        array
            Points of the grid, shape (n, 2).
        """
        array = read_vectors(values, "places", 2)
        steps = nearest_steps(array, self.step)
        noisy = steps + self._noise.draw(len(steps), self._source(insecure_seed))
        return np.asarray(noisy * float(self.step), dtype=np.float64)

    def __repr__(self) -> str:
        return f"planar_laplace(ε = {about(self.guarantee.eps)}, grid {self.step})"


@result("T", "Def 9.4.1")
def planar_laplace(*, eps: LevelLike, grid: NumberLike = 1) -> PlanarMechanism:
    """Planar Laplace noise on a square grid: exactly ε·d-private for the Euclidean distance d.

    Parameters
    ----------
    eps
        The level of privacy per unit of distance.
    grid
        The side of a cell of the public grid, in the same unit.

    Returns
    -------
    PlanarMechanism
        The guarantee speaks of the points of the grid that places are moved to. That can put two of
        them √2 steps farther apart (`snapping`).

    Examples
    --------
    >>> noise = planar_laplace(eps="ln 4", grid="1/10")
    >>> noise.randomise([[0.0, 0.0], [3.2, 1.1]]).shape
    (2, 2)
    >>> print(noise.snapping)
    1/10*sqrt(2)
    """
    level, step = as_eps(eps), read_step(grid)
    because = f"T Def 9.4.1, for places on the grid; moving two others there adds at most √2·{step}"
    return PlanarMechanism(Guarantee(level, GridVectors(2, step=step), because=because), step)


FAMILY = Family(
    "planar_laplace",
    planar_laplace,
    because="T Def 9.4.1",
    cases=({"grid": "1/4"},),
    fits=("place",),
    usual_for=("place",),
    options=("grid",),
)
