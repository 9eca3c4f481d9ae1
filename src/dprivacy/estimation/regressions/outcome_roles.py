"""The outcome of a model: which family it calls for, and what its values are worth in the equations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable, SpaceMismatch, UnknownName
from dprivacy.estimation.regressions.model_columns import MOST_LEVELS, ModelColumn
from dprivacy.estimation.regressions.outcome_families import (
    FAMILIES,
    FamilyName,
    Linear,
    Logistic,
    ModelFamily,
    Multinomial,
    Ordinal,
    Poisson,
)
from dprivacy.estimation.scores.signed_rows import column_scores
from dprivacy.model import Channel, shown
from dprivacy.numbers import Floats


@dataclass(frozen=True, eq=False)
class Outcome:
    """An outcome as a family takes it.

    Parameters
    ----------
    column
        Its column, with the classes in the order asked for.
    family
        The model.
    worth
        What each released value is worth (a true one, where the family is not linear in it).
    shares
        What each released value adds to the shares of the classes (or to the mean).
    notes
        What is to be said of it.
    """

    column: ModelColumn
    family: ModelFamily
    worth: Floats
    shares: Floats
    notes: tuple[str, ...] = ()

    @property
    def has_classes(self) -> bool:
        """Whether the outcome is one of several classes."""
        return not isinstance(self.family, Linear | Poisson)


def read_outcome(
    column: ModelColumn, family: FamilyName | None, order: Sequence[Any] | None
) -> Outcome:
    """The role of an outcome; the family that fits it where none is named."""
    wanted = family or _natural(column)
    UnknownName.require("family", wanted, FAMILIES)
    if wanted in ("linear", "poisson"):
        if order is not None:
            raise NotApplicable(f"a {wanted} model has no classes, so leave out their order")
        return _number(column, wanted)
    column = column if order is None else _ordered(column, order)
    labels = tuple(shown(value) for value in column.values)
    _check_classes(column, wanted, given=order is not None)
    ways = np.eye(len(labels))
    shares = ways if column.noise is None else column.noise.apply(ways)
    if wanted == "logistic":
        noted = (f"the odds are those of {column.name} = {labels[1]}",)
        return Outcome(column, Logistic(), shares[:, 1:], shares, noted)
    if wanted == "multinomial":
        return Outcome(column, Multinomial(labels), shares[:, 1:], shares)
    ladder = np.arange(len(labels), dtype=np.float64)[:, None]
    noted = (f"the classes of {column.name} ascend as {' < '.join(labels)}",)
    return Outcome(column, Ordinal(labels), ladder, shares, noted)


def _natural(column: ModelColumn) -> FamilyName:
    if len(column.values) == 2 and (not column.is_number or set(column.numbers) == {0.0, 1.0}):
        return "logistic"
    if column.is_number:
        return "linear"
    raise NotApplicable(
        f"the outcome {column.name!r} has {len(column.values)} classes: name the family, multinomial "
        "or (if they are in order) ordinal"
    )


def _number(column: ModelColumn, family: FamilyName) -> Outcome:
    if not column.is_number:
        raise NotApplicable(
            f"the outcome of a {family} model should be numbers, and {column.name!r} holds words; for "
            "words there are the families logistic, multinomial and ordinal"
        )
    numbers = column.numbers[:, None]
    if family == "poisson" and numbers.min() < 0:
        raise BadNumber(
            f"the outcome of a poisson model should be counts of at least 0, and {column.name!r} may "
            "be negative"
        )
    worth = numbers if column.noise is None else column.noise.apply(numbers)
    return Outcome(column, Linear() if family == "linear" else Poisson(), worth, worth)


def _check_classes(column: ModelColumn, family: str, *, given: bool) -> None:
    count = len(column.values)
    if family == "logistic" and count != 2:
        raise NotApplicable(
            f"the outcome of a logistic model should have 2 classes, and {column.name!r} has {count}; "
            "for more there are the families multinomial and ordinal"
        )
    if not 2 <= count <= MOST_LEVELS:
        raise NotApplicable(
            f"the outcome of a {family} model should have 2 to {MOST_LEVELS} classes, and "
            f"{column.name!r} has {count:,}"
        )
    if family == "ordinal" and not given and column.noise is None and not column.is_number:
        raise NotApplicable(
            f"the classes of {column.name!r} are words, in no known order; give their order from the "
            "lowest to the highest"
        )


def _ordered(column: ModelColumn, order: Sequence[Any]) -> ModelColumn:
    """The column with its classes in another order."""
    if isinstance(order, str) or sorted(map(shown, order)) != sorted(map(shown, column.values)):
        listed = ", ".join(map(shown, column.values))
        raise SpaceMismatch(f"the order should name every class of {column.name!r} once: {listed}")
    place = {shown(value): k for k, value in enumerate(column.values)}
    old = np.array([place[shown(value)] for value in order])
    values = tuple(column.values[k] for k in old)
    if column.noise is not None:
        channel = column.noise.known.channel
        assert channel is not None  # with so few classes it has a matrix
        turned = Channel(values, channel.columns, channel.matrix.take(rows=old.tolist()))
        return replace(column, values=values, noise=column_scores(turned))
    new = np.empty(len(old), dtype=np.intp)
    new[old] = np.arange(len(old))
    return replace(column, values=values, codes=new[column.codes])
