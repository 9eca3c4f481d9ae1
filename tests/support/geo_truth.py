"""Independent truth for places: pyproj's geodesics, and pairs of places where mistakes are made."""

import numpy as np
import pyproj

GEOD = pyproj.Geod(ellps="WGS84")


def geodesic(lat, lon, other_lat, other_lon):
    """Metres along the surface, by pyproj."""
    sides = np.broadcast_arrays(*(np.asarray(v, float) for v in (lon, lat, other_lon, other_lat)))
    return GEOD.inv(*(side.copy() for side in sides))[2]


def step(lat, lon, azimuth, metres):
    """The place so many metres away."""
    lon, lat, _ = GEOD.fwd(lon, lat, azimuth, metres)
    return np.asarray(lat), np.asarray(lon)


# Where schemes break: the date line, both poles, borders of UTM zones, the prime meridian, the equator.
TRICKY = [
    (-17.7, 180.0), (65.8, -180.0), (0.0, 179.999), (90.0, 0.0), (-90.0, 45.0), (89.9995, 100.0),
    (40.7, -72.0), (40.7, -78.0), (60.0, 6.0), (51.5, 0.0), (0.0, 0.0), (0.0, -30.0), (84.0, 12.0),
    (-80.0, -6.0), (32.0, 12.0),
]  # fmt: skip


def pairs(rng, near, n=400):
    """Pairs of places within `near` metres of each other, around tricky places and anywhere."""
    lat = np.degrees(np.arcsin(rng.uniform(-1, 1, n)))
    lon = rng.uniform(-180, 180, n)
    at = rng.integers(0, len(TRICKY), n // 2)
    lat[: n // 2], lon[: n // 2] = np.array(TRICKY)[at].T
    first = step(lat, lon, rng.uniform(0, 360, n), rng.uniform(0, near, n))
    second = step(*first, rng.uniform(0, 360, n), near * rng.uniform(0, 1, n) ** 0.1)
    return first, second
