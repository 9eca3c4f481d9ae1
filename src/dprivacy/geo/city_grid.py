"""A city as a grid of cells with a public prior: how likely people are to be in each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, TooLarge, WrongKind, WrongShape
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.ellipsoid import Degrees
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.geo.earth.regions import Region, RegionLike, as_region
from dprivacy.geo.earth.tangent_plane import Plane
from dprivacy.mechanisms import whole
from dprivacy.model import Dist, counted
from dprivacy.numbers import Floats
from dprivacy.spaces import FiniteSpace, grid
from dprivacy.typing import Label

_MOST_CELLS = 4_000
_CHUNK = 1 << 12


@dataclass(frozen=True, eq=False)
class City:
    """Square cells that cover a region, and a prior on them.

    Attributes
    ----------
    region
        What is covered.
    cell
        The side of a cell in metres, on the region's plane.
    rows, columns
        How many; row 0 is the northernmost, column 0 the westernmost.
    counts
        Public places in each cell, row by row: the prior in proportion.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> town = city("40.7, -74, 1 km", cell="1 km", places=([40.7005, 40.7005], [-74.001, -74.001]))
    >>> town.space.labels
    ((0, 0), (0, 1), (1, 0), (1, 1))
    >>> print(town.prior[0, 0])
    1
    """

    region: Region
    cell: Fraction
    rows: int
    columns: int
    counts: tuple[int, ...]

    def __len__(self) -> int:
        return self.rows * self.columns

    def positions(self, labels: Sequence[Label]) -> NDArray[np.intp]:
        """Where these cells stand among all."""
        order = {label: at for at, label in enumerate(self.space.labels)}
        return np.array([order[label] for label in labels], dtype=np.intp)

    @property
    def plane(self) -> Plane:
        """The plane of the region."""
        return self.region.plane

    @cached_property
    def space(self) -> FiniteSpace:
        """The cells (row, column) with the distances of their centres in metres, exact."""
        return grid(self.rows, self.columns, step=self.cell)

    @cached_property
    def prior(self) -> Dist:
        """How likely each cell is, exact."""
        total = sum(self.counts)
        return Dist(self.space.labels, [Fraction(count, total) for count in self.counts])

    @cached_property
    def weights(self) -> Floats:
        """The prior as doubles."""
        return np.array(self.counts, dtype=np.float64) / sum(self.counts)

    @cached_property
    def centres(self) -> Floats:
        """Metres east and north of the centres of the cells, on the plane."""
        side = float(self.cell)
        row, column = np.divmod(np.arange(len(self)), self.columns)
        east = (column - (self.columns - 1) / 2) * side + self._middle[0]
        north = ((self.rows - 1) / 2 - row) * side + self._middle[1]
        return np.stack([east, north], axis=1)

    @cached_property
    def _middle(self) -> Floats:
        corners = self.region.corners()
        return np.asarray((corners.min(axis=0) + corners.max(axis=0)) / 2)

    @cached_property
    def places(self) -> tuple[Floats, Floats]:
        """Latitudes and longitudes of the centres."""
        lat, lon = self.plane.places(self.centres)
        return np.round(lat, 7), np.round(lon, 7)

    def cell_of(self, lat: Degrees, lon: Degrees) -> NDArray[np.intp]:
        """The position of the cell nearest to each place.

        Notes
        -----
        The shadow is moved into the rectangle of the grid, which brings no two closer to being told
        apart, and then to the nearest centre.
        """
        shadow = self.plane.shadow(lat, lon) - self._middle
        east = np.rint(shadow[:, 0] / float(self.cell) + (self.columns - 1) / 2)
        north = np.rint((self.rows - 1) / 2 - shadow[:, 1] / float(self.cell))
        column = np.clip(east, 0, self.columns - 1).astype(np.intp)
        return np.clip(north, 0, self.rows - 1).astype(np.intp) * self.columns + column

    @cached_property
    def metres(self) -> Floats:
        """Distances between centres, as doubles."""
        away = self.centres[:, None, :] - self.centres[None, :, :]
        return np.asarray(np.sqrt((away**2).sum(axis=2)))

    def remapped(self, shadows: Floats, rate: float) -> NDArray[np.intp]:
        """For each noisy point, the cell that is best in expectation: the Bayesian remap.

        Parameters
        ----------
        shadows
            Noisy points on the city's plane, in metres.
        rate
            The level of the noise per metre.

        Returns
        -------
        array
            Positions of cells that the prior holds possible.

        Notes
        -----
        The posterior on cells is in proportion to prior·e^(−rate·distance). Of the plausible cells, the
        one with the least expected distance to the true cell is taken. It is post-processing: nothing
        but the noisy point and public knowledge goes in.
        """
        held = np.flatnonzero(self.weights)
        centres, logs = self.centres[held], np.log(self.weights[held])
        between = self.metres[np.ix_(held, held)]
        best = np.empty(len(shadows), dtype=np.intp)
        for start in range(0, len(shadows), _CHUNK):
            here = shadows[start : start + _CHUNK]
            away = here[:, None, :] - centres[None, :, :]
            belief = logs - rate * np.sqrt((away**2).sum(axis=2))
            belief = np.exp(belief - belief.max(axis=1, keepdims=True))
            best[start : start + _CHUNK] = held[(belief @ between).argmin(axis=1)]
        return best

    def explain(self) -> str:
        """The city in words."""
        held = int(np.count_nonzero(self.weights))
        return (
            f"{self.rows}×{self.columns} cells of {in_words(self.cell)}, {self.region.words()}; "
            f"possible by the prior: {held}, from {counted(sum(self.counts), 'public place')}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The city as plain data, without the prior."""
        return {
            "region": self.region.words(),
            "rows": self.rows,
            "columns": self.columns,
            "cell_m": str(self.cell),
            "public_places": sum(self.counts),
        }

    def __repr__(self) -> str:
        return f"City({self.rows}×{self.columns} cells of {in_words(self.cell)})"


def require_city(city: Any) -> None:
    """Refuse anything but a `City`."""
    if not isinstance(city, City):
        raise WrongKind(
            "a city should be what city(region, cell=…, places=…) made, not a value of type "
            f"{type(city).__name__}"
        )


def city(
    region: RegionLike,
    *,
    cell: LengthLike = "500 m",
    places: Any = None,  # two lists, arrays or columns of a frame
    smoothing: int = 0,
) -> City:
    """Cover a region with square cells, and count public places in them.

    Parameters
    ----------
    region
        See `as_region`.
    cell
        The side of a cell.
    places
        Public places as (latitudes, longitudes): shops, old check-ins, addresses. They are not the ones
        to protect. Those outside the region are left out. A uniform prior when omitted.
    smoothing
        Added to the count of every cell, so that none is impossible.

    Returns
    -------
    City
        With `space` and `prior`, as `dprivacy.design.optimal` takes them.

    Raises
    ------
    TooLarge
        For more than 4,000 cells.

    Examples
    --------
    >>> city("40.7, -74.0, 5 km", cell="1 km")
    City(10×10 cells of 1 km)
    """
    declared, side = as_region(region), metres(cell, what="a cell")
    corners = declared.corners()
    wide, high = (corners.max(axis=0) - corners.min(axis=0)) / float(side)
    rows, columns = max(1, math.ceil(high - 1e-6)), max(1, math.ceil(wide - 1e-6))
    if rows * columns > _MOST_CELLS:
        raise TooLarge(
            f"{rows}×{columns} cells are more than {_MOST_CELLS:,}; take larger cells, or a smaller "
            "region"
        )
    extra = whole(smoothing, "smoothing", least=0)
    bare = City(declared, side, rows, columns, (1,) * (rows * columns))
    if places is None:
        return bare
    if not isinstance(places, Sequence) or len(places) != 2:
        raise WrongShape(
            "public places should be given as (latitudes, longitudes), not as a value of type "
            f"{type(places).__name__}"
        )
    lat, lon = read_places(*places)
    inside = declared.holds(lat, lon)
    found = np.bincount(bare.cell_of(lat[inside], lon[inside]), minlength=len(bare)) + extra
    if not found.any():
        raise NotApplicable(
            f"of {counted(len(lat), 'public place')}, none lies in the region ({declared.words()}); is "
            "it the right one?"
        )
    return City(declared, side, rows, columns, tuple(int(count) for count in found))
