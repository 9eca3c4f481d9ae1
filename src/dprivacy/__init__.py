"""dprivacy: metric differential privacy — built, sampled, proved, measured and optimised.

``import dprivacy as dp`` and a tab show the whole surface; each name loads its room when it is first
used, so that importing the package costs nothing. The names are listed in ``__init__.pyi``, once,
for type checkers and for the run time.
"""

from importlib import import_module

from dprivacy.version import __version__ as __version__

# What a name that left the façade is called now; names that only moved into a room are found there.
_RENAMED = {
    "Release": "dprivacy.Released",
    "ReleaseCard": "dprivacy.Card",
    "SparkRelease": "dprivacy.Released",
    "estimate_table": "dprivacy.estimate, given a sequence of channels",
    "join_max": 'dprivacy.refine.join with by="max"',
    "join_private": 'dprivacy.refine.join with by="private"',
    "meet_max": 'dprivacy.refine.meet with by="max"',
    "meet_private": 'dprivacy.refine.meet with by="private"',
    "named_space": "dprivacy.as_space",
    "obfuscate": "dprivacy.protect_text",
    "protect": "dprivacy.protect_places",
    "read_channel": "dprivacy.as_channel",
    "read_space": "dprivacy.as_space",
    "refines_for": "dprivacy.refines with gains=",
    "refines_max": 'dprivacy.refines with by="max"',
    "refines_private": 'dprivacy.refines with by="private"',
    "sanitise_spark": "dprivacy.sanitise",
    "sanitise_spark_file": 'dprivacy.sanitise_file with engine="spark"',
    "sanitise_with_card": "dprivacy.sanitise",
    "universally_optimal_for": "dprivacy.universally_optimal with loss=",
}


def _listed(source: str) -> dict[str, str]:
    """Every ``name as name`` of a file, and the module that it is imported from."""
    home, module = {}, ""
    data = __loader__.get_data(f"{__path__[0]}/{source}")
    for line in data.decode().splitlines():
        words = line.replace(",", " ").replace("(", " ").split()
        if words[:1] == ["from"]:
            module, words = words[1], words[3:]
        if words[1:2] == ["as"]:
            home.update(dict.fromkeys(words[::3], module))
    return home


_HOME = _listed("__init__.pyi")
_ROOMS = [name for name, module in _HOME.items() if module == __name__]

__all__ = [name for name in _HOME if name not in _ROOMS]


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name in _HOME:
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value
    raise AttributeError(f"dprivacy has no {name!r}{_address(name)}")


def _address(name: str) -> str:
    """Where a name that is not on the façade lives; doors are read as text, so that none is loaded."""
    if name in _RENAMED:
        return f"; use {_RENAMED[name]}"
    if name.startswith("_"):
        return ""
    for room in _ROOMS:
        try:
            if name in _listed(f"{room}/__init__.py"):
                return f" of its own; it is dprivacy.{room}.{name}"
        except OSError:  # a room of one file
            continue
    return ""


def __dir__() -> list[str]:
    return sorted([*_HOME, "__version__"])
