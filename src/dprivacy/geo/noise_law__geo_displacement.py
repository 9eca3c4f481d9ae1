"""How far reports are from the truth, in metres."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.ellipsoid import apart
from dprivacy.geo.earth.lengths import in_words


@dataclass(frozen=True)
class Displacement:
    """Metres between true and reported places. It is computed from the truth: keep it to yourself."""

    mean: float
    median: float
    within_95: float
    places: int

    def explain(self) -> str:
        """The displacement in words."""
        return (
            f"{self.places:,} reports are {in_words(self.mean)} from the truth on average; half of "
            f"them within {in_words(self.median)}, 95 % within {in_words(self.within_95)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The displacement as plain data."""
        return dict(vars(self))

    def __str__(self) -> str:
        return self.explain()


def displacement(lat: Any, lon: Any, reported_lat: Any, reported_lon: Any) -> Displacement:
    """The distances between true and reported places.

    Parameters
    ----------
    lat, lon
        True places in degrees.
    reported_lat, reported_lon
        What was reported for them, in the same order.

    Examples
    --------
    >>> displacement([40.0], [-74.0], [40.001], [-74.0]).explain()
    '1 reports are 111 m from the truth on average; half of them within 111 m, 95 % within 111 m.'
    """
    true, said = read_places(lat, lon), read_places(reported_lat, reported_lon)
    if len(true[0]) != len(said[0]) or not len(true[0]):
        raise Malformed(f"{len(true[0])} true places for {len(said[0])} reports")
    away = apart(*true, *said)
    middle, most = np.quantile(away, [0.5, 0.95])
    return Displacement(float(away.mean()), float(middle), float(most), len(away))
