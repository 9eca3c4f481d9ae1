"""Trees in machine code: how numba makes it, and the two steps that walks and flows share.

Importing this module needs the extra ``fast``. Machine code is kept in numba's cache, in the package
or, where that cannot be written to, in the user's cache folder; where neither can, it is made once in
every process.
"""

from collections.abc import Callable
from typing import Any

import numba

from dprivacy.numbers import Floats, Whole

# Sums may be reordered, so that the searches for a minimum use vectors; infinities keep their meaning.
_FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in machine code."""
    options: dict[str, Any] = {"fastmath": _FAST, "error_model": "numpy", "nogil": True}
    try:
        made: Callable[..., Any] = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nowhere to keep the machine code
        made = numba.njit(**options)(function)
    return made


@compiled
def ordered(
    parent: Whole, head: Whole, following: Whole, stack: Whole, start: int, order: Whole
) -> int:
    """The subtree of `start` (or, below 0, of the root), each point after its parent."""
    n = len(parent)
    if start < 0:
        for i in range(n):
            head[i] = -1
        for i in range(n):
            p = parent[i]
            if p >= 0:
                following[i] = head[p]
                head[p] = i
            else:
                start = i
    stack[0] = start
    top = 1
    count = 0
    while top > 0:
        top -= 1
        v = stack[top]
        order[count] = v
        count += 1
        c = head[v]
        while c >= 0:
            stack[top] = c
            top += 1
            c = following[c]
    return count


@compiled
def hang_from_the_top(parent: Whole, sign: Whole, potential: Floats) -> bool:
    """Make the highest point the root; whether it was not."""
    v = 0
    for i in range(1, len(potential)):
        if potential[i] > potential[v]:
            v = i
    if parent[v] < 0:
        return False
    new_parent = -1
    new_sign = -1
    while v >= 0:
        old_parent = parent[v]
        old_sign = sign[v]
        parent[v] = new_parent
        sign[v] = new_sign
        new_parent = v
        new_sign = -old_sign
        v = old_parent
    return True
