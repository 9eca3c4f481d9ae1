"""A city: public places, and a grid of cells that covers its region."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, TooLarge
from dprivacy.estimation import read_chance
from dprivacy.flow import Loss, loss
from dprivacy.geo.earth.ellipsoid import Degrees, to_space, to_surface
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.geo.earth.regions import Region, RegionLike, as_region
from dprivacy.geo.earth.tangent_plane import Plane
from dprivacy.geo.metre_guarantee import SHADOW, Step, snapped
from dprivacy.geo.prior.best_guess import distances
from dprivacy.geo.prior.public_places import PublicPlaces, read_pair
from dprivacy.model import Dist, Explained, counted
from dprivacy.numbers import Floats
from dprivacy.spaces import FiniteSpace, grid
from dprivacy.typing import Label, NumberLike

_MOST_CELLS = 10_000
_FEW_CELLS = 225  # for which an optimum is found in about a minute
_EVEN = 40  # points along a side at least, where all places are equally likely
_STRIDES = (0.7548776662466927, 0.5698402909980532)  # whose multiples fill the unit square evenly


@dataclass(frozen=True, eq=False)
class City(Explained):
    """Public places of a region, and square cells that cover it.

    Attributes
    ----------
    region
        What is covered.
    cell
        The side of a cell in metres, on the region's plane.
    rows, columns
        How many; row 0 is the northernmost, column 0 the westernmost.
    public
        Public places, each with its weight.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> town = city("40.7, -74, 1 km", cell="1 km", places=([40.7005, 40.7005], [-74.001, -74.001]))
    >>> town.space.labels
    ((0, 0), (0, 1), (1, 0), (1, 1))
    >>> print(town.prior[0, 0])
    1
    >>> town.weights.tolist(), town.centres.tolist()[0], town.metres[0].round().tolist()
    ([1.0, 0.0, 0.0, 0.0], [-500.0, 500.0], [0.0, 1000.0, 1000.0, 1414.0])
    >>> town.positions([(1, 1)]).tolist(), town.nearest([40.7005], [-74.001]).tolist()
    ([3], [0])
    >>> town.public_cells.tolist(), town.raw_cells.tolist(), town.places[0].round(4).tolist()[:2]
    ([0], [0], [40.7045, 40.7045])
    >>> town.plane
    Plane(lat=40.7, lon=-74.0)
    >>> print(town.losses[(0, 0), (0, 1)], town.steps[0].words, sorted(town.to_dict()))
    1000 taking their shadows on a plane ['cell_m', 'columns', 'public_places', 'region', 'rows']
    >>> print(town.explain())
    2×2 cells of 1 km, within 1 km of (40.7, -74); possible by the prior: 1, from 1 public place.
    """

    region: Region
    cell: Fraction
    rows: int
    columns: int
    public: PublicPlaces

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
        """How likely each cell is, exact: public places in it."""
        total = int(self.public.counts.sum())
        return Dist(self.space.labels, [Fraction(count, total) for count in self._counts.tolist()])

    @cached_property
    def weights(self) -> Floats:
        """The prior as doubles."""
        return np.asarray(self._counts / self._counts.sum())

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """Public places in each cell."""
        held = np.zeros(len(self), dtype=np.int64)
        np.add.at(held, self.public_cells, self.public.counts)
        return held

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

    def nearest(self, lat: Degrees, lon: Degrees) -> NDArray[np.intp]:
        """The position of the cell nearest to each place.

        Notes
        -----
        The shadow is moved into the rectangle of the grid, which brings no two closer to being told
        apart, and then to the nearest centre.
        """
        return self._cell_at(self.plane.shadow(lat, lon))

    def _cell_at(self, shadows: Floats) -> NDArray[np.intp]:
        shadow = shadows - self._middle
        east = np.rint(shadow[:, 0] / float(self.cell) + (self.columns - 1) / 2)
        north = np.rint((self.rows - 1) / 2 - shadow[:, 1] / float(self.cell))
        column = np.clip(east, 0, self.columns - 1).astype(np.intp)
        return np.clip(north, 0, self.rows - 1).astype(np.intp) * self.columns + column

    @cached_property
    def public_cells(self) -> NDArray[np.intp]:
        """The position of the cell of each public place."""
        return self._cell_at(self.public.points)

    @cached_property
    def raw_cells(self) -> NDArray[np.intp]:
        """The position of the cell of each point that distances are measured from."""
        return self._cell_at(self.public.raw[0])

    @cached_property
    def metres(self) -> Floats:
        """Distances between centres, as doubles."""
        away = self.centres[:, None, :] - self.centres[None, :, :]
        return np.asarray(np.sqrt((away**2).sum(axis=2)))

    @property
    def steps(self) -> tuple[Step, ...]:
        """What the optimal mechanism does to true places first."""
        return SHADOW, snapped(self.cell, to="centres of cells of")

    @cached_property
    def losses(self) -> Loss:
        """Metres from a public place in a cell to the centre of another, on average, rounded.

        In a cell without public places, metres from its centre.
        """
        table, mass, held = self.metres.copy(), self.weights, np.flatnonzero(self.weights)
        away = distances(self.centres, self.public.points) * self.public.weights
        table[:, held] = 0.0
        np.add.at(table.T, self.public_cells, away.T)
        table[:, held] /= mass[held]
        whole = np.rint(table).astype(np.int64).tolist()
        return loss.matrix(self.space.labels, self.space.labels, whole)

    def explain(self) -> str:
        """The city in words."""
        held = int(np.count_nonzero(self.weights))
        return (
            f"{self.rows}×{self.columns} cells of {in_words(self.cell)}, {self.region.words()}; "
            f"possible by the prior: {held}, from {counted(len(self.public), 'public place')}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The city as plain data, without the prior."""
        return {
            "region": self.region.words(),
            "rows": self.rows,
            "columns": self.columns,
            "cell_m": str(self.cell),
            "public_places": len(self.public),
        }

    def __repr__(self) -> str:
        return f"City({self.rows}×{self.columns} cells of {in_words(self.cell)})"


def city(
    region: RegionLike | None = None,
    *,
    cell: LengthLike | None = None,
    places: Any = None,  # two lists, arrays or columns of a frame
    elsewhere: NumberLike = 0.05,
) -> City:
    """What everyone may know of a city: public places, and square cells that cover its region.

    Parameters
    ----------
    region
        See `as_region`; a disc around the public places, and some more, when omitted.
    cell
        The side of a cell, for the optimal mechanism; the smallest with at most 225 cells when omitted.
    places
        Public places as (latitudes, longitudes): shops, old check-ins, addresses. They are not the ones
        to protect. Those outside the region are left out. A uniform prior when omitted.
    elsewhere
        How likely people are at none of the public places, but anywhere in the region. The fewer of the
        places where people are you have, the more it should be.

    Returns
    -------
    City
        With `public` for best guesses, and `space` and `prior` as `dprivacy.design.optimal` takes them.

    Raises
    ------
    TooLarge
        For more than 10,000 cells.

    Examples
    --------
    >>> city("40.7, -74.0, 5 km", cell="1 km")
    City(10×10 cells of 1 km)
    """
    declared = _around(places) if region is None else as_region(region)
    corners = declared.corners()
    extent = corners.max(axis=0) - corners.min(axis=0)
    side = _automatic(extent) if cell is None else metres(cell, what="a cell")
    rows, columns = _shape(extent, side)
    if rows * columns > _MOST_CELLS:
        raise TooLarge(
            f"{rows}×{columns} cells are more than {_MOST_CELLS:,}; take larger cells, or a smaller "
            "region"
        )
    share = float(read_chance(elsewhere, "elsewhere"))
    if places is None:
        known = _even(declared, float(side), rows, columns)
    else:
        known = PublicPlaces.read(declared, places, share)
    return City(declared, side, rows, columns, known)


def _around(places: Any) -> Region:
    """A disc around public places, a fifth wider than they need, and by 1 km at least."""
    if places is None:
        raise NotApplicable("a city needs a region, or public places to draw one around")
    sides = read_pair(places)
    if not len(sides[0]):
        raise NotApplicable("a city needs at least one public place, or a region")
    middle = [round(float(side), 4) for side in to_surface(to_space(*sides).mean(axis=0))]
    reach = float(np.hypot(*Plane(*middle).shadow(*sides).T).max())
    return as_region((*middle, Fraction(math.ceil(max(1.2 * reach, reach + 1000)))))


def _shape(extent: Floats, side: Fraction) -> tuple[int, int]:
    """Rows and columns that cover this many metres east and north."""
    columns, rows = (max(1, math.ceil(far / float(side) - 1e-6)) for far in extent.tolist())
    return rows, columns


def _automatic(extent: Floats) -> Fraction:
    """The smallest side in whole millimetres, about, for which there are few enough cells."""
    side = math.sqrt(float(np.prod(extent)) / _FEW_CELLS)
    while math.prod(_shape(extent, Fraction(math.ceil(side * 1000), 1000))) > _FEW_CELLS:
        side *= 1.01
    return Fraction(math.ceil(side * 1000), 1000)


def _even(region: Region, side: float, rows: int, columns: int) -> PublicPlaces:
    """A lattice of points all over a region, equally likely, and as many in every cell.

    Somebody at a point of the lattice would fare better than others: the best guess may be that point.
    So distances are measured from other points, one beside each, that fall evenly between them.
    """
    corners, parts = region.corners(), math.ceil(_EVEN / max(rows, columns))
    step = side / parts
    east, north = ((np.arange(n * parts) - (n * parts - 1) / 2) * step for n in (columns, rows))
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    points = np.stack(np.meshgrid(east, north), axis=-1).reshape(-1, 2) + middle
    turns = np.arange(1, len(points) + 1)[:, None] * np.array(_STRIDES) % 1
    held, between = (
        some[region.holds(*region.plane.places(some))]
        for some in (points, points + (turns - 0.5) * step)
    )
    if not len(held) or not len(between):
        raise NotApplicable(
            f"the region ({region.words()}) is too narrow for points all over it; take smaller cells, "
            "or give public places"
        )
    return PublicPlaces(region, held, np.ones(len(held), dtype=np.int64), between=between)
