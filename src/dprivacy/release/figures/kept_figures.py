"""Figures of a mechanism that were found before, for as long as somebody holds the mechanism."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Found = TypeVar("Found")
_KEPT: WeakKeyDictionary[Any, dict[Hashable, Any]] = WeakKeyDictionary()


def found_once(mechanism: object, what: Hashable, find: Callable[[], Found]) -> Found:
    """What `find` gives, which must follow from the mechanism and from `what` alone.

    Mechanisms never change, and two that are equal have the same figures.
    """
    kept = _KEPT.setdefault(mechanism, {})
    if what not in kept:
        kept[what] = find()
    found: Found = kept[what]
    return found
