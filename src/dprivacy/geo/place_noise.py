"""The mechanism for places: cells, exact noise on a lattice of metres, and degrees again."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprivacy.errors import BadNumber, WrongShape
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.ellipsoid import to_space, to_surface
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.geo.earth.regions import Region, RegionLike, as_region
from dprivacy.geo.metre_guarantee import SHADOW, SPACE, MetreGuarantee, snapped
from dprivacy.geo.noise_law import NoiseLaw
from dprivacy.model import Sourced, about
from dprivacy.numbers import Floats, as_level
from dprivacy.sampling import PlanarNoise, Source, SpatialNoise
from dprivacy.typing import LevelLike

_CHUNK = 1 << 14
_STEPS = 1000  # of the noise's lattice in one radius, unless something else is asked for
_FINEST = Fraction(1, 1000)  # metres
DIGITS = 7  # of a reported degree: a centimetre


@dataclass(frozen=True)
class PlaceMechanism(Sourced):
    """Planar Laplace noise for places on Earth; without a region, its sister in space.

    A true place becomes a point in metres (its shadow on the region's plane, or its point in space),
    that becomes the centre of a public cell, and noise with P(v) = C·e^(−rate·‖v‖) is added on a
    lattice of `step` metres, exactly. The noisy point becomes degrees again: post-processing, as
    everything else that happens to it.

    Attributes
    ----------
    guarantee
        What holds for true places.
    step
        The lattice of the noise, in metres.
    cell
        The side of the public cells that true places are moved to first; a multiple of the step.
    region
        Where the places are, publicly; None for anywhere on Earth.
    source
        Where random words come from; the operating system's when None.

    Examples
    --------
    >>> mechanism = place_mechanism(eps="ln 4", radius="200 m", region="40.7, -74.0, 50 km")
    >>> print(mechanism.guarantee.unit, mechanism.guarantee.eps * 200 < mechanism.guarantee.level)
    metre True
    >>> mechanism.axes, round(mechanism.law.mean)
    (2, 289)
    >>> from dprivacy.sampling import SystemSource
    >>> cells = mechanism.cells(np.array([40.7]), np.array([-74.0]))
    >>> steps = mechanism.noisy(cells, SystemSource())
    >>> lat, lon = mechanism.places(mechanism.points(steps))
    >>> cells.tolist(), lat.shape, mechanism.noise.dimension
    ([[0, 0]], (1,), 2)
    """

    guarantee: MetreGuarantee
    step: Fraction
    cell: Fraction
    region: Region | None = None
    source: Source | None = None
    family: str = "places"
    channel: ClassVar[None] = None

    @property
    def axes(self) -> int:
        """2 for noise in a plane, 3 for noise in space."""
        return 3 if self.region is None else 2

    @property
    def law(self) -> NoiseLaw:
        """How far it moves places."""
        return NoiseLaw(float(self.guarantee.eps), self.axes)

    @cached_property
    def noise(self) -> PlanarNoise | SpatialNoise:
        """The sampler of the noise, in steps."""
        level = as_level(self.guarantee.eps * self.step)
        return SpatialNoise(level) if self.region is None else PlanarNoise(level)

    def cells(self, lat: Floats, lon: Floats) -> NDArray[np.int64]:
        """The cell of each place: whole numbers, two in the plane and three in space.

        Parameters
        ----------
        lat, lon
            Degrees, read by `read_places`.
        """
        points = to_space(lat, lon) if self.region is None else self.region.plane.shadow(lat, lon)
        return np.rint(points / float(self.cell)).astype(np.int64)

    def points(self, steps: NDArray[np.int64]) -> Floats:
        """Noisy lattice points in metres."""
        return np.asarray(steps * float(self.step))

    def places(self, points: Floats) -> tuple[Floats, Floats]:
        """Degrees of points in metres, to seven digits.

        Parameters
        ----------
        points
            Metres in the region's plane, or in space.
        """
        found = to_surface(points) if self.region is None else self.region.plane.places(points)
        return np.round(found[0], DIGITS), np.round(found[1], DIGITS)

    @property
    def _steps_per_cell(self) -> int:
        return int(self.cell / self.step)

    def noisy(self, cells: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
        """Cells with fresh noise, in steps."""
        return cells * self._steps_per_cell + self.noise.draw(len(cells), source)

    def randomise(self, values: ArrayLike, *, insecure_seed: int | None = None) -> Floats:
        """Reported places for true ones.

        Parameters
        ----------
        values
            Rows of latitude and longitude.
        insecure_seed
            For tests only; it warns.
        """
        lat, lon = read_rows(values, self.region)
        source = self._source(insecure_seed)
        out = np.empty((len(lat), 2))
        for start in range(0, len(lat), _CHUNK):
            here = slice(start, start + _CHUNK)
            steps = self.noisy(self.cells(lat[here], lon[here]), source)
            out[here, 0], out[here, 1] = self.places(self.points(steps))
        return out

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data."""
        return super().to_dict() | {"cell_m": str(self.cell), "step_m": str(self.step)}

    def __repr__(self) -> str:
        return f"PlaceMechanism({about(self.guarantee.level)} within {in_words(self.guarantee.radius)})"


def read_rows(values: ArrayLike, region: Region | None) -> tuple[Floats, Floats]:
    """Checked latitudes and longitudes from rows of both."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise WrongShape(
            f"places should be rows of latitude and longitude, not an array of shape {array.shape}"
        )
    return read_places(array[:, 0], array[:, 1], region)


def place_mechanism(
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    region: RegionLike | None = None,
    cell: LengthLike | None = None,
    step: LengthLike | None = None,
) -> PlaceMechanism:
    """Noise so that within `radius` the odds between true places change by at most e^eps.

    Parameters
    ----------
    eps, radius
        What is guaranteed: "ln 4", "200 m".
    region
        What everyone may know about where the places are; see `as_region`. With a region the noise is
        planar. Without one it is spatial, and moves places 18 % farther on average.
    cell
        The cells that true places are moved to first; the step when omitted.
    step
        The lattice of the noise; when omitted a thousandth of the radius, and a millimetre at least.

    Returns
    -------
    PlaceMechanism
        With `guarantee` and `randomise`.

    Examples
    --------
    >>> mechanism = place_mechanism(radius="200 m", eps="ln 4", region="40.7, -74.0, 50 km")
    >>> mechanism.randomise([(40.7484, -73.9857)]).shape
    (1, 2)
    """
    reach = metres(radius, what="the radius")
    lattice = max(reach / _STEPS, _FINEST) if step is None else metres(step, what="the step")
    if cell is not None:
        size = metres(cell, what="a cell")
        if step is None:
            lattice = size / max(1, round(size / lattice))
        if (size / lattice).denominator != 1:
            raise BadNumber(
                "a cell should be a whole number of steps of the noise's lattice, but "
                f"{in_words(size)} is not a multiple of {in_words(lattice)}"
            )
    else:
        size = lattice
    declared = None if region is None else as_region(region)
    axes, to = (3 if declared is None else 2), "a lattice of" if size == lattice else "cells of"
    steps = (SPACE if declared is None else SHADOW, snapped(size, to=to, axes=axes))
    guarantee = MetreGuarantee.read(radius=reach, eps=eps, steps=steps)
    return PlaceMechanism(guarantee, lattice, size, declared)
