"""Values that do not change, although their constructors compute."""

from dataclasses import FrozenInstanceError
from typing import Any, NoReturn

import numpy as np


class Frozen:
    """A base class whose attributes are set while the object is made, and never again.

    A constructor calls `self._set(rows=…, columns=…)`. Cached properties, copying and pickling work
    as usual (for a class with slots, pickling needs a `__reduce__`).

    Examples
    --------
    >>> class Span(Frozen):
    ...     def __init__(self, low, high):
    ...         self._set(low=low, high=high)
    >>> Span(0, 1).low = 5
    Traceback (most recent call last):
        ...
    dataclasses.FrozenInstanceError: Span objects do not change; make a new one instead of setting 'low'
    """

    __slots__ = ()

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise FrozenInstanceError(
            f"{type(self).__name__} objects do not change; make a new one instead of setting {name!r}"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(
            f"{type(self).__name__} objects do not change; {name!r} cannot be deleted"
        )


class Sealed:
    """A base of frozen dataclasses with arrays among their fields: these cannot be written either.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Track(Sealed):
    ...     heights: np.ndarray
    >>> Track(np.arange(3)).heights.flags.writeable
    False
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
