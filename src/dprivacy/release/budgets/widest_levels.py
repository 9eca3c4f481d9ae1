"""The level between the two most different values of a column: what it adds to the row's."""

from typing import Any

import numpy as np

from dprivacy.model import Guarantee
from dprivacy.numbers import Level, as_level
from dprivacy.spaces import BitStrings, Categories, FiniteSpace, GridLine
from dprivacy.text import PaddedTexts


def mechanism_level(mechanism: Any) -> Level | None:  # of any family
    """The level between the two most different values; None where no level bounds it.

    A randomised response treats all other values alike: however far apart two of them are, its level is
    the one between the closest.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric, randomised_response
    >>> from dprivacy.spaces import line
    >>> print(mechanism_level(geometric(line(4), eps="ln 2")))
    ln(8)
    >>> print(mechanism_level(randomised_response(line(4), eps="ln 2")))
    ln(2)
    """
    guarantee = mechanism.guarantee
    space = guarantee.space
    if mechanism.family == "randomised_response" and isinstance(space, FiniteSpace):
        level: Level = guarantee.eps * as_level(space.separation)
        return level
    return widest_level(guarantee)


def widest_level(guarantee: Guarantee) -> Level | None:
    """ε times the largest finite distance: between the two most different secrets; None without one."""
    space = guarantee.space
    if isinstance(space, FiniteSpace):
        apart = space.distances.floats
        largest = apart[np.isfinite(apart)].max()
        near = np.isfinite(apart) & (apart >= largest * (1 - 2**-40))
        listed, values = np.unique(space.distances.table[near]).tolist(), space.distances.values
        tied = listed if values is None else [values[code] for code in listed]
        farthest = max(map(as_level, tied), default=Level(0))
        return guarantee.eps * farthest
    if isinstance(space, GridLine) and space.low is not None and space.high is not None:
        return guarantee.eps * (space.high - space.low)
    if isinstance(space, BitStrings):
        return guarantee.eps * space.bits
    if isinstance(space, PaddedTexts):
        return space.level(guarantee.eps)
    return guarantee.eps if isinstance(space, Categories) else None
