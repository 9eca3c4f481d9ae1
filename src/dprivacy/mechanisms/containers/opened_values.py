"""Which kind of container some values are in."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dprivacy.mechanisms.containers.arrow_values import ArrowValues
from dprivacy.mechanisms.containers.label_tables import LabelTables
from dprivacy.mechanisms.containers.pandas_values import PandasValues
from dprivacy.mechanisms.containers.polars_values import PolarsValues
from dprivacy.mechanisms.containers.python_values import (
    ArrayValues,
    Held,
    ListedValues,
    OneValue,
    refuse_masked,
)

_KINDS: dict[str, tuple[Callable[[Any], Held], tuple[str, ...]]] = {
    "pandas": (PandasValues, ("Series", "Index", "ExtensionArray")),
    "polars": (PolarsValues, ("Series",)),
    "pyarrow": (ArrowValues, ("Array", "ChunkedArray", "Scalar")),
}


def opened(values: Any, labels: LabelTables | None = None) -> Held:
    """Values in the container they came in. Libraries that nobody has loaded are not loaded.

    Parameters
    ----------
    values
        One value, or several in any container.
    labels
        What a value can be: a tuple or a set that is itself a label is one value.
    """
    refuse_masked(values)
    if isinstance(values, np.ndarray | np.generic) and not isinstance(values, str | bytes):
        return ArrayValues(values)
    for base in type(values).__mro__:
        kind = _KINDS.get(base.__module__.partition(".")[0])
        if kind is not None and base.__name__ in kind[1]:
            return kind[0](values)
    several = isinstance(values, Iterable) or hasattr(values, "columns")
    if (
        isinstance(values, str | bytes)
        or not several
        or (labels is not None and labels.holds(values))
    ):
        return OneValue(values)
    return ListedValues(values)
