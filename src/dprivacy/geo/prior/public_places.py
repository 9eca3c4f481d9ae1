"""Public places at full resolution: where people plausibly are, on the plane of a region."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, WrongShape
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.regions import Region
from dprivacy.model import counted
from dprivacy.numbers import Floats

_CENTIMETRES = 100.0


@dataclass(frozen=True, eq=False)
class PublicPlaces:
    """Different public places, and how likely each is.

    Attributes
    ----------
    region
        Where they are; its plane is theirs.
    points
        Metres east and north, one row a place.
    counts
        How often each was named: how likely it is, in proportion.
    elsewhere
        How likely somebody is at none of them, but evenly anywhere in the rectangle around the region.
    between
        Of points that stand for all of a region: other points, between them, from which distances are
        measured. None where they are measured from the places themselves.

    Examples
    --------
    >>> from dprivacy.geo import as_region
    >>> shops = [40.7, 40.7, 40.701], [-74.0, -74.0, -74.0]
    >>> public = PublicPlaces.read(as_region("40.7, -74, 1 km"), shops)
    >>> public.weights.round(3).tolist()
    [0.667, 0.333]
    >>> [part.shape for part in public.raw], [corner.shape for corner in public.bounds]
    ([(2, 2), (2,)], [(2,), (2,)])
    >>> len(public.merged(1000.0).weights)
    1
    """

    region: Region
    points: Floats
    counts: NDArray[np.int64]
    elsewhere: float = 0.0
    between: Floats | None = None

    @classmethod
    def read(cls, region: Region, places: Any, elsewhere: float = 0.0) -> "PublicPlaces":
        """Those of the places (latitudes, longitudes) that lie in the region.

        Parameters
        ----------
        region
            See `as_region`.
        places
            Two lists, arrays or columns of a frame; one that is named twice is twice as likely.
        elsewhere
            As the attribute.
        """
        lat, lon = read_pair(places)
        inside = region.holds(lat, lon)
        if not inside.any():
            raise NotApplicable(
                f"of {counted(len(lat), 'public place')}, none lies in the region "
                f"({region.words()}); is it the right one?"
            )
        shadows = np.rint(region.plane.shadow(lat[inside], lon[inside]) * _CENTIMETRES)
        points, counts = np.unique(shadows, axis=0, return_counts=True)
        return cls(region, points / _CENTIMETRES, counts.astype(np.int64), elsewhere)

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def weights(self) -> Floats:
        """How likely each is."""
        return np.asarray(self.counts / self.counts.sum())

    @property
    def raw(self) -> tuple[Floats, Floats]:
        """The points that distances are measured from, and how likely each is."""
        if self.between is None:
            return self.points, self.weights
        return self.between, np.full(len(self.between), 1 / len(self.between))

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The corners, south-west and north-east, of the rectangle around the region."""
        corners = self.region.corners()
        return corners.min(axis=0), corners.max(axis=0)

    def merged(self, side: float) -> "PublicPlaces":
        """Places in one square of this side become one, in their middle.

        Parameters
        ----------
        side
            Metres.
        """
        squares = np.floor(self.points / side)
        _, at = np.unique(squares, axis=0, return_inverse=True)
        mass = np.bincount(at.ravel(), weights=self.counts)
        middle = [np.bincount(at.ravel(), weights=self.counts * axis) for axis in self.points.T]
        points = np.stack(middle, axis=1) / mass[:, None]
        return replace(self, points=points, counts=np.rint(mass).astype(np.int64))


def read_pair(places: Any) -> tuple[Floats, Floats]:
    """Checked latitudes and longitudes from a pair of both."""
    if isinstance(places, str) or not hasattr(places, "__len__") or len(places) != 2:
        raise WrongShape(
            "public places should be given as (latitudes, longitudes), not as a value of type "
            f"{type(places).__name__}"
        )
    return read_places(*places)
