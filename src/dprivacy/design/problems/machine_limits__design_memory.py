"""How much memory a problem takes, estimated before anything is built."""

import os

from dprivacy.errors import TooLarge

_ENTRY = 400  # bytes for an entry of a channel of integers, with the copies that a proof makes
_USABLE = 0.6  # of the machine's memory


def machine_memory() -> float:
    """Bytes of memory of this machine; 8 GiB where that cannot be known."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return 8.0 * 2**30


def needed(n: int, m: int) -> float:
    """Bytes for the tables of distances, columns and integers of n secrets and m outputs."""
    return 8.0 * (6 * n * n + 60 * n * m) + _ENTRY * n * m


def interior_fits(n: int, m: int) -> bool:
    """Whether the interior point, with one n × n matrix for each output, fits this machine."""
    return 10.0 * n * n * m + needed(n, m) < _USABLE * machine_memory()


def require_memory(n: int, m: int, *, force: bool) -> None:
    """Raise TooLarge when a problem does not fit this machine, unless that is insisted on."""
    if not force and needed(n, m) > _USABLE * machine_memory():
        raise TooLarge(
            f"{n:,} secrets and {m:,} outputs need about {needed(n, m) / 2**30:.1f} GiB, and this "
            f"machine has {machine_memory() / 2**30:.1f} GiB; choose fewer outputs, a coarser space, "
            "or force=True"
        )
