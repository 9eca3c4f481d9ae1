"""The columns of a model: codes of what was released, and the true values that may be behind them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprivacy.errors import (
    BadNumber,
    NotApplicable,
    NotInvertible,
    SpaceMismatch,
    UnknownCategory,
    UnknownName,
    WrongKind,
)
from dprivacy.estimation.counts.observed_counts import positions_of, read_column
from dprivacy.estimation.scores.signed_rows import ColumnScores, column_scores
from dprivacy.model import counted, shown
from dprivacy.numbers import Floats
from dprivacy.typing import Label

MOST_LEVELS = 50  # of a column that enters as categories


@dataclass(frozen=True, eq=False)
class ModelColumn:
    """One column: where each row stands among the released values, and the true values.

    Without noise the released values are the true ones. A column of codes, numbers without a meaning as
    such, is not a number.
    """

    name: str
    codes: NDArray[np.intp]
    values: tuple[Label, ...]
    is_number: bool
    noise: ColumnScores | None = None

    @property
    def numbers(self) -> Floats:
        """The true values as doubles."""
        return np.array([float(value) for value in self.values])

    def levels(self) -> tuple[str, ...]:
        """The true values as categories, at most 50."""
        if len(self.values) > MOST_LEVELS:
            raise NotApplicable(
                f"column {self.name!r} has {len(self.values):,} values, and a column enters a model as "
                f"at most {MOST_LEVELS} categories; let it enter as a number, or merge values"
            )
        return tuple(shown(value) for value in self.values)


def named_columns(data: Any) -> Mapping[str, Any]:
    """A mapping, a frame of any kind or an Arrow table, as columns by name."""
    if isinstance(data, Mapping):
        return data
    names = getattr(data, "column_names", getattr(data, "columns", None))
    if names is None:
        raise WrongKind(
            "data should be a mapping from names to columns or a data frame, not an object "
            f"{type(data).__name__}"
        )
    return {str(name): data[name] for name in names}


def given_column(data: Mapping[str, Any], name: str, rows: int | None = None) -> Any:
    """One column by name, with as many rows as the others."""
    if name not in data:
        raise UnknownName.among("a column of the model", name, data)
    column = read_column(data[name], f"column {name!r}")
    if rows is not None and len(column) != rows:
        raise SpaceMismatch(
            f"column {name!r} should have as many rows as the outcome, {rows}, not {len(column)}"
        )
    return column


def noisy_codes(
    name: str, codes: NDArray[np.intp], noise: ColumnScores, *, are_codes: bool = False
) -> ModelColumn:
    """A column that went through a channel, by the positions of its values among the outputs.

    `are_codes` says that its labels are names, even if they are written as numbers.
    """
    if not noise.full:
        raise NotInvertible(
            f"column {name!r}: different truths look the same after its noise (it has "
            f"{len(noise.inputs)} inputs, and rank {noise.rank}), so that no model can tell them "
            "apart; leave it out, or merge the values that its channel treats alike"
        )
    number = _all_numbers(noise.inputs) and not are_codes
    return ModelColumn(name, codes, noise.inputs, number, noise)


def clean_codes(name: str, values: ArrayLike, codes: NDArray[np.intp]) -> ModelColumn:
    """A column as it is, by the positions of its values in a list of numbers or of words."""
    found, place = np.unique(np.asarray(values), return_inverse=True)
    if found.dtype.kind == "f":
        bad = int((~np.isfinite(found))[place][codes].sum())
        if bad:
            raise BadNumber(
                f"column {name!r}: {counted(bad, 'row')} of {len(codes):,} are NaN or infinite; drop "
                "them first"
            )
        if ((found == np.round(found)) & (np.abs(found) < 2.0**53)).all():
            found = found.astype(np.int64)  # so that a class 1 is not called 1.0
    known = tuple(found.tolist())
    return ModelColumn(name, place[codes].astype(np.intp), known, found.dtype.kind in "if")


def _all_numbers(values: Iterable[Label]) -> bool:
    return all(
        isinstance(value, int | float | Fraction) and not isinstance(value, bool)
        for value in values
    )


def _clean_column(name: str, values: Any) -> ModelColumn:
    """A column as it is: numbers where all of it are numbers, words otherwise."""
    array = np.asarray(values)
    if array.dtype.kind not in "biufU":
        listed = array.tolist()
        missing = sum(value is None for value in listed)
        if missing:
            raise missing_values(name, missing, len(listed))
        numeric = all(isinstance(value, int | float | Fraction) for value in listed)
        array = np.array([float(value) if numeric else shown(value) for value in listed])
    if array.dtype.kind != "U":
        array = array.astype(np.float64)
    return clean_codes(name, array, np.arange(len(array)))


def missing_values(name: str, missing: int, rows: int) -> NotApplicable:
    """The refusal of a column with gaps."""
    return NotApplicable(
        f"column {name!r} has no value in {counted(missing, 'row')} of {rows:,}; a regression needs "
        "every value, so drop these rows first"
    )


def _positions(name: str, values: Any, outputs: tuple[Label, ...]) -> NDArray[np.intp]:
    """Where each value stands among the outputs; each distinct value is looked up once."""
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    place: dict[Any, int] = {}
    with suppress(UnknownCategory, TypeError):  # told by rows, below
        codes = [place.setdefault((type(value), value), len(place)) for value in listed]
        return positions_of([value for _, value in place], outputs, name)[codes]
    return positions_of(values, outputs, f"column {name!r}")


def read_model_columns(
    names: tuple[str, ...], data: Mapping[str, Any], channels: Mapping[str, Any]
) -> dict[str, ModelColumn]:
    """The columns of a model by name; the first is the outcome."""
    for name in channels:
        if name not in data:
            raise UnknownName.among("a name in channels", name, data)
    rows = len(given_column(data, names[0]))
    if not rows:
        raise NotApplicable("a regression needs rows to fit, and there are none")
    found = {}
    for name in names:
        values = given_column(data, name, rows)
        if name in channels:
            noise = channels[name]
            noise = noise if isinstance(noise, ColumnScores) else column_scores(noise)
            found[name] = noisy_codes(name, _positions(name, values, noise.outputs), noise)
        else:
            found[name] = _clean_column(name, values)
    return found
