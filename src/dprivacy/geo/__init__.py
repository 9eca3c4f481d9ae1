"""Places on Earth: reports that are private in metres, what they cost, and who can undo them.

`protect_places` turns true places into reports. The guarantee is in metres along the surface, and
counts in all that happens on the way: projecting, cells, rounding, several reports of one person.
"""

from dprivacy.geo.averaging import (
    AveragingAttack as AveragingAttack,
    averaged as averaged,
    averaging_attack as averaging_attack,
)
from dprivacy.geo.earth.ellipsoid import apart as apart
from dprivacy.geo.earth.lengths import metres as metres
from dprivacy.geo.earth.polygons import Polygon as Polygon
from dprivacy.geo.earth.regions import (
    Box as Box,
    Disc as Disc,
    Region as Region,
    as_region as as_region,
)
from dprivacy.geo.earth.tangent_plane import Plane as Plane
from dprivacy.geo.files.place_files import read_place_file as read_place_file
from dprivacy.geo.files.places_read import PlaceFile as PlaceFile
from dprivacy.geo.files.protecting_place_files import protect_place_file as protect_place_file
from dprivacy.geo.metre_guarantee import MetreGuarantee as MetreGuarantee, Step as Step
from dprivacy.geo.noise_law import (
    Displacement as Displacement,
    NoiseLaw as NoiseLaw,
    displacement as displacement,
)
from dprivacy.geo.permanent_places import PermanentNoise as PermanentNoise
from dprivacy.geo.place_noise import (
    PlaceMechanism as PlaceMechanism,
    place_mechanism as place_mechanism,
)
from dprivacy.geo.prior.city_grid import City as City, city as city
from dprivacy.geo.prior.invented_town import example_town as example_town
from dprivacy.geo.prior.least_distance import Choice as Choice, Distances as Distances
from dprivacy.geo.prior.optimal_channels import (
    OptimalPlaces as OptimalPlaces,
    optimal_places as optimal_places,
)
from dprivacy.geo.prior.place_frontier import (
    FrontierPoint as FrontierPoint,
    PlaceFrontier as PlaceFrontier,
    frontier as frontier,
)
from dprivacy.geo.prior.place_lists import PlaceList as PlaceList, place_list as place_list
from dprivacy.geo.prior.public_places import PublicPlaces as PublicPlaces
from dprivacy.geo.protecting_places import protect_places as protect_places
from dprivacy.geo.released_places import ProtectedPlaces as ProtectedPlaces

# isort: split
# For other rooms; not part of the surface.
from dprivacy.geo.earth.coordinates import read_places as read_places
from dprivacy.geo.earth.ellipsoid import to_space as to_space, to_surface as to_surface
from dprivacy.geo.earth.lengths import in_words as in_words
from dprivacy.geo.files.outline_files import Outline as Outline, read_outlines as read_outlines
from dprivacy.geo.prior.least_distance import NAMES as NAMES, moved_by as moved_by
