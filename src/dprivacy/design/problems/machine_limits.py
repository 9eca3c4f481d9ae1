"""The machine's limits: how much memory a problem takes, and how many threads its algebra gets.

Memory is estimated before anything is built. OpenBLAS lets its threads spin between calls; for
thousands of products of small matrices that costs several times what the products cost.
"""

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

from dprivacy.errors import TooLarge

_ENTRY = 400  # bytes for an entry of a channel of integers, with the copies that a proof makes
_USABLE = 0.6  # of the machine's memory
_NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)
_LOADED_BY = (
    "numpy._core._multiarray_umath",
    "numpy.core._multiarray_umath",
    "scipy.linalg._fblas",
)


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


@contextmanager
def one_thread(*, when: bool = True) -> Iterator[None]:
    """Within, OpenBLAS uses one thread; with another library, nothing happens."""
    controls = _controls() if when else []
    before = [get() for get, _ in controls]
    for _, put in controls:
        put(1)
    try:
        yield
    finally:
        for (_, put), number in zip(controls, before, strict=True):
            put(number)


def _controls() -> list[tuple[Callable[[], int], Callable[[int], object]]]:
    """How to read and set the number of threads, for each OpenBLAS of NumPy and SciPy."""
    found = []
    for module in _LOADED_BY:
        try:
            library = ctypes.CDLL(str(import_module(module).__file__))
        except (ImportError, OSError):
            continue
        for name in _NAMES:
            if hasattr(library, name.format("set")) and hasattr(library, name.format("get")):
                found.append(
                    (getattr(library, name.format("get")), getattr(library, name.format("set")))
                )
                break
    return found
