"""From degrees to the paper of a map."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dprivacy.geo import Plane, to_space, to_surface
from dprivacy.numbers import Floats

WIDE, HIGH, EDGE = 900.0, 620.0, 6.0
FAR = 2_500_000.0  # metres from the middle up to which the plane shows places well
_RIM = 5_500_000.0  # metres of shadow: beyond, a plane shows nothing rightly


@dataclass(frozen=True)
class View:
    """A plane at the middle of what is shown, or (for the whole Earth) degrees as they are."""

    plane: Plane | None
    left: float
    top: float
    scale: float  # paper units a metre (or a degree)
    wide: float
    high: float

    def at(self, lat: Floats, lon: Floats) -> Floats:
        """Paper coordinates, one row a place."""
        return self.on_paper(_flat(self.plane, np.asarray(lat), np.asarray(lon)))

    def on_paper(self, flat: Floats) -> Floats:
        """The same for metres of the plane (or degrees)."""
        x = EDGE + (flat[:, 0] - self.left) * self.scale
        return np.stack([x, EDGE + (self.top - flat[:, 1]) * self.scale], axis=1)

    def line(self, lat: Floats, lon: Floats) -> Floats:
        """A line that may go round the Earth: what is beyond the rim of the plane stays beyond it."""
        if self.plane is None:
            return self.on_paper(np.stack([lon, lat], axis=1))
        east, north, up = self.plane.local(lat, lon)
        length = np.maximum(np.hypot(east, north), 1.0)
        out = (length > _RIM) | (up < -_RIM)
        stretch = np.where(out, (_RIM - np.minimum(up, 0.0)) / length, 1.0)
        return self.on_paper(np.stack([east * stretch, north * stretch], axis=1))

    @property
    def width(self) -> float:
        """Metres (or degrees) from its left to its right."""
        return self.wide / self.scale


def _flat(plane: Plane | None, lat: Floats, lon: Floats) -> Floats:
    if plane is not None:
        return plane.shadow(lat, lon)
    return np.stack([(lon + 180) % 360 - 180, lat], axis=1)


def view_of(sides: Sequence[tuple[Floats, Floats]]) -> View:
    """The view that holds all places.

    Parameters
    ----------
    sides
        Latitudes and longitudes, of several kinds of places.
    """
    lats, lons = (np.concatenate([pair[k] for pair in sides]) for k in (0, 1))
    middle = to_space(lats, lons).mean(axis=0)
    plane = Plane(*(float(v[0]) for v in to_surface(middle[None, :])))
    away = np.sqrt(((to_space(lats, lons) - to_space(plane.lat, plane.lon)) ** 2).sum(axis=1))
    chosen = plane if away.max() <= FAR else None
    flat = _flat(chosen, lats, lons)
    low, high = flat.min(axis=0), flat.max(axis=0)
    least = 200.0 if chosen is not None else 0.01
    size = np.maximum(high - low, least) * 1.06
    centre = (low + high) / 2
    # Neither a ribbon nor a column: a map is at least half as wide as it is high, and the other way.
    size = np.maximum(size, size[::-1] / 2)
    scale = float(min(WIDE / size[0], HIGH / size[1]))
    left, top = float(centre[0] - size[0] / 2), float(centre[1] + size[1] / 2)
    return View(chosen, left, top, scale, float(size[0] * scale), float(size[1] * scale))
