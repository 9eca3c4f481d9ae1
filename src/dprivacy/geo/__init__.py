"""Places on Earth: reports that are private in metres, what they cost, and who can undo them.

`protect` turns true places into reports. The promise is in metres along the surface, and counts in
everything that happens on the way: projecting, cells, rounding, several reports of one person.
"""

from dprivacy.geo.attack import AveragingAttack, averaged, averaging_attack
from dprivacy.geo.city import City, city
from dprivacy.geo.city_mechanism import CityMechanism, optimal_places
from dprivacy.geo.displacement import Displacement, displacement
from dprivacy.geo.earth import apart
from dprivacy.geo.frontier import FrontierPoint, PlaceFrontier, frontier
from dprivacy.geo.law import NoiseLaw
from dprivacy.geo.lengths import metres
from dprivacy.geo.mechanism import PlaceMechanism, place_mechanism
from dprivacy.geo.permanent import PermanentNoise
from dprivacy.geo.plane import Plane
from dprivacy.geo.polygon import Polygon
from dprivacy.geo.promise import Promise
from dprivacy.geo.protect import ProtectedPlaces, protect
from dprivacy.geo.region import Box, Disc, Region, as_region

__all__ = [
    "AveragingAttack",
    "Box",
    "City",
    "CityMechanism",
    "Disc",
    "Displacement",
    "FrontierPoint",
    "NoiseLaw",
    "PermanentNoise",
    "PlaceFrontier",
    "PlaceMechanism",
    "Plane",
    "Polygon",
    "Promise",
    "ProtectedPlaces",
    "Region",
    "apart",
    "as_region",
    "averaged",
    "averaging_attack",
    "city",
    "displacement",
    "frontier",
    "metres",
    "optimal_places",
    "place_mechanism",
    "protect",
]
