"""Columns that were built before, kept while a person edits a plan: only what changed is built anew."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any

from dprivacy.release.domains.planned_column import ColumnPlan, ReadColumn

_MOST_COLUMNS, _MOST_VALUES = 64, 150  # what is kept, so that memory stays small
_ELSEWHERE = ("stored", "text")  # types that depend on more than their settings
_ASIDE = ("source", "note")  # settings that no mechanism depends on


class BuiltColumns:
    """The columns of the last plans, for plans that are forecast and not released.

    Examples
    --------
    >>> from dprivacy.release.domains.planned_column import read_column
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> kept = BuiltColumns()
    >>> first, again = (kept(read_column("tea", tea, "tea"), tea) for _ in range(2))
    >>> first.mechanism is again.mechanism
    True
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, ColumnPlan] = OrderedDict()
        self._lock = Lock()

    def __call__(self, read: ReadColumn, spec: Mapping[str, Any]) -> ColumnPlan:
        """Build a column, or give back the one that was built from the same settings."""
        key = _key(read, spec)
        if key is None:
            return read.build()
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            found = read.build()
        elif found.kind != "joint":
            source = str(spec.get("source", "declared"))
            found = replace(found, source=source, spec=dict(spec))
        if len(found.values) <= _MOST_VALUES:
            with self._lock:
                self._kept[key] = found
                self._kept.move_to_end(key)
                while len(self._kept) > _MOST_COLUMNS:
                    self._kept.popitem(last=False)
        return found


def _key(read: ReadColumn, spec: Mapping[str, Any]) -> str | None:
    """What a column is built from; None where it cannot be written down."""
    if spec.get("type") in _ELSEWHERE:
        return None
    settings = {name: value for name, value in spec.items() if name not in _ASIDE}
    try:
        return json.dumps([read.name, read.columns, settings], sort_keys=True)
    except TypeError:
        return None
