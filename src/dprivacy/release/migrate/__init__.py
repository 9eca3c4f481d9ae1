"""From other programs: PRAM matrices, float channels, utility lists and Location Guard's levels."""

from dprivacy.release.migrate.floats import from_floats
from dprivacy.release.migrate.imported import ImportedChannel
from dprivacy.release.migrate.location_guard import PlaceLevel, location_guard
from dprivacy.release.migrate.pram import pram_from_text, read_pram
from dprivacy.release.migrate.utilities import from_utilities, from_utility_list

__all__ = [
    "ImportedChannel",
    "PlaceLevel",
    "from_floats",
    "from_utilities",
    "from_utility_list",
    "location_guard",
    "pram_from_text",
    "read_pram",
]
