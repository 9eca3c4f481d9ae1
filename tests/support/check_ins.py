"""Real check-ins of two cities: a public half (people with odd numbers), and a half to test on."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dprivacy.geo import Plane
from support.real_data import real

CENTRES = {"new york": (40.73, -73.99), "san francisco": (37.775, -122.42)}


@dataclass
class CheckIns:
    """A square, the degrees of public check-ins in it, and the others in metres east and north."""

    region: dict
    public: tuple
    test: np.ndarray


def check_ins(city, half):
    """Those in the square that reaches `half` metres from the centre."""
    if city == "new york":
        folder = real("foursquare_nyc")
        visits = pd.read_parquet(folder / "checkins.parquet")
        visits = visits.merge(pd.read_parquet(folder / "pois.parquet"), on="poi")
    else:
        visits = pd.read_csv(real("gowalla_brightkite", "gowalla_checkins.csv.gz"))
        visits = visits.rename(columns={"label": "user"})
        near = (visits.lat - CENTRES[city][0]).abs() < 1
        visits = visits[near & ((visits.lon - CENTRES[city][1]).abs() < 1)]
    plane = Plane(*CENTRES[city])
    shadows = plane.shadow(visits.lat.to_numpy(), visits.lon.to_numpy())
    inside = (np.abs(shadows) <= half).all(axis=1)
    visits, shadows = visits[inside], shadows[inside]
    odd = (visits.user % 2 == 1).to_numpy()
    lat, lon = plane.places(
        np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * (half + 0.01)
    )
    ring = [[float(x), float(y)] for x, y in zip(lon, lat, strict=True)]
    region = {"type": "Polygon", "coordinates": [ring]}
    return CheckIns(region, (visits.lat[odd], visits.lon[odd]), shadows[~odd])
