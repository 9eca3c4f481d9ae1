"""Keeping the linear algebra to one thread while matrices are small.

OpenBLAS lets its threads spin between calls. For thousands of products of small matrices on a busy
machine that costs several times what the products cost.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module

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
