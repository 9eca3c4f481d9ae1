"""Spaces by kind and size, as the rooms Explore and Design offer them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dprivacy.errors import TooLarge
from dprivacy.spaces import FiniteSpace, discrete, grid, hamming_cube, line


@dataclass(frozen=True)
class Kind:
    """A family of spaces with one size."""

    words: str
    size: str
    make: Callable[[int], FiniteSpace]
    points: Callable[[int], int]
    largest: int


KINDS: Mapping[str, Kind] = {
    "line": Kind("numbers on a line", "numbers", line, lambda n: n, 60),
    "discrete": Kind(
        "categories, all equally far apart",
        "categories",
        lambda n: discrete(_letters(n)),
        lambda n: n,
        26,
    ),
    "grid": Kind(
        "cells of a square map, by straight distance",
        "cells along a side",
        lambda n: grid(n, n),
        lambda n: n * n,
        15,
    ),
    "city": Kind(
        "cells of a square map, by city blocks",
        "cells along a side",
        lambda n: grid(n, n, metric="manhattan"),
        lambda n: n * n,
        15,
    ),
    "cube": Kind("yes/no codes", "questions", hamming_cube, lambda n: 2**n, 7),
}


def make_space(kind: str, size: int, *, most: int) -> FiniteSpace:
    """A space of a kind; TooLarge where a room would work on it for too long.

    Examples
    --------
    >>> len(make_space("city", 3, most=100))
    9
    """
    family = KINDS[kind]
    found = family.points(size)
    if found > most:
        raise TooLarge(
            f"this space has {found} points, and the page works with up to {most} here; the command "
            "line takes larger ones"
        )
    return family.make(size)


def _letters(n: int) -> list[str]:
    return [chr(ord("A") + k) for k in range(n)]
