"""From other programs: PRAM matrices, float channels, utility lists and Location Guard's levels."""

from dprivacy.release.migrate.float_channels import from_floats as from_floats
from dprivacy.release.migrate.imported_channel import ImportedChannel as ImportedChannel
from dprivacy.release.migrate.location_guard_levels import (
    PlaceLevel as PlaceLevel,
    location_guard as location_guard,
)
from dprivacy.release.migrate.pram_matrices import (
    pram_from_text as pram_from_text,
    read_pram as read_pram,
)
from dprivacy.release.migrate.utility_lists import (
    from_utilities as from_utilities,
    from_utility_list as from_utility_list,
)
