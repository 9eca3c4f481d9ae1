"""Libraries that come with extras, loaded when they are first needed."""

from importlib import import_module
from types import ModuleType

from dprivacy.errors import MissingExtra


def shapely() -> ModuleType:
    """shapely, for regions that are polygons."""
    try:
        return import_module("shapely")
    except ImportError:
        raise MissingExtra(
            "a polygon as a region needs shapely; install it with pip install 'dprivacy[geo]'"
        ) from None
