"""An invented town, to try mechanisms on."""

import numpy as np

from dprivacy.geo.earth.tangent_plane import Plane
from dprivacy.geo.prior.city_grid import City, city

_MIDDLE = Plane(52.0, 5.0)
# Metres east and north of the middle, size in metres, number of shops.
_QUARTERS = ((0, 0, 550, 150), (1300, -900, 220, 60), (-1100, 1200, 180, 50))
_STREETS = 110.0  # metres from one street to the next
_TURN = np.pi * (3 - np.sqrt(5))  # the golden angle, which spreads points evenly


def example_town() -> City:
    """An invented town: a centre, a station and a campus, with shops along their streets.

    Returns
    -------
    City
        As `city` makes it of public places.

    Examples
    --------
    >>> len(example_town().public)
    260
    """
    shops = []
    for east, north, size, count in _QUARTERS:
        k = np.arange(count)
        away = size * np.sqrt(-2 * np.log((k + 0.5) / count))
        x, y = away * np.cos(k * _TURN), away * np.sin(k * _TURN)
        along = k % 2 == 0  # every shop is moved to the nearest street, of which half go each way
        x = np.where(along, np.rint(x / _STREETS) * _STREETS, x)
        y = np.where(along, y, np.rint(y / _STREETS) * _STREETS)
        shops.append(np.stack([east + x, north + y], axis=1))
    return city("52.0, 5.0, 3 km", places=_MIDDLE.places(np.concatenate(shops)))
