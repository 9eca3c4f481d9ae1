"""Signed pseudo-rows: every released row replaced by the true rows that may stand behind it.

For any function f of a row's true values, the sum of sign·f over the pseudo-rows of a released row has
the expectation f(truth). So the equations of a model are evaluated on pseudo-rows as they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge
from dprivacy.estimation.regressions.model_columns import ModelColumn
from dprivacy.estimation.regressions.model_formula import Factor
from dprivacy.numbers import Floats

MOST_PSEUDO_ROWS = 200_000_000
_BLOCK = 1 << 18  # pseudo-rows evaluated at a time
_KEPT = 1 << 26  # numbers of design matrices that are kept between evaluations

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Block:
    """Pseudo-rows of neighbouring cells.

    Parameters
    ----------
    cells
        The first cell, and the one after the last.
    starts
        Where the pseudo-rows of each cell begin.
    sign
        The signed weight of each.
    X
        The design.
    y
        The outcome, as the model's equations take it.
    """

    cells: slice
    starts: Codes
    sign: Floats
    X: Floats
    y: Floats

    @property
    def sizes(self) -> Codes:
        """How many pseudo-rows each cell has."""
        return np.diff(self.starts, append=len(self.sign))


@dataclass(frozen=True, eq=False)
class PseudoRows:
    """The pseudo-rows of distinct released rows (cells), block by block.

    Parameters
    ----------
    columns
        The columns of the model, whose codes are those of the cells.
    terms
        The terms of the formula.
    outcome
        What each released value of the outcome is worth, or (`expand_outcome`) each true one.
    outcome_name
        The outcome's column.
    intercept
        Whether the design begins with ones.
    expand_outcome
        Whether the outcome's noise is undone by pseudo-rows instead of by its worth.
    """

    columns: dict[str, ModelColumn]
    terms: tuple[tuple[Factor, ...], ...]
    outcome: Floats
    outcome_name: str
    intercept: bool
    expand_outcome: bool

    @cached_property
    def expanded(self) -> tuple[ModelColumn, ...]:
        """The columns whose candidates are multiplied out."""
        covariates = (c for name, c in self.columns.items() if name != self.outcome_name)
        chosen = [column for column in covariates if column.noise is not None]
        outcome = self.columns[self.outcome_name]
        return (*chosen, outcome) if self.expand_outcome and outcome.noise else tuple(chosen)

    @property
    def noisy(self) -> bool:
        """Whether any column is."""
        return any(column.noise is not None for column in self.columns.values())

    @cached_property
    def cell_count(self) -> int:
        """How many cells there are."""
        return len(self.columns[self.outcome_name].codes)

    @cached_property
    def _sizes(self) -> Codes:
        """How many pseudo-rows each cell has; refused where there are too many."""
        sizes = np.ones(self.cell_count)  # doubles: products of many columns do not wrap round
        for column in self.expanded:
            sizes = sizes * _candidates(column)[column.codes]
        if sizes.sum() > MOST_PSEUDO_ROWS:
            widest = max(self.expanded, key=lambda c: float(_candidates(c)[c.codes].mean()))
            raise TooLarge(
                f"this model needs {sizes.sum():,.0f} pseudo-rows, more than {MOST_PSEUDO_ROWS:,}: "
                "each released row stands for every combination of true values that may be behind it. "
                f"Leave out {widest.name!r}, which multiplies them most, or take fewer rows"
            )
        return sizes.astype(np.intp)

    @cached_property
    def _kept(self) -> tuple[Block, ...] | None:
        width = len(self.names) + 2
        return tuple(self._made()) if self._sizes.sum() * width <= _KEPT else None

    def __iter__(self) -> Iterator[Block]:
        return iter(self._kept) if self._kept is not None else self._made()

    def _made(self) -> Iterator[Block]:
        ends = np.cumsum(self._sizes)
        first = 0
        while first < self.cell_count:
            before = ends[first - 1] if first else 0
            last = max(int(np.searchsorted(ends, before + _BLOCK, side="right")), first + 1)
            yield self._block(first, min(last, self.cell_count))
            first = last

    def _block(self, first: int, last: int) -> Block:
        cell, sign = np.arange(first, last), np.ones(last - first)
        candidates: dict[str, Codes] = {}
        for column in self.expanded:
            assert column.noise is not None
            start, candidate, weight = column.noise.pseudo_rows()
            at = column.codes[cell]
            size = (start[1:] - start[:-1])[at]
            again = np.repeat(np.arange(len(cell)), size)
            place = (
                np.arange(len(again)) - np.repeat(np.cumsum(size) - size, size) + start[at][again]
            )
            cell, sign = cell[again], sign[again] * weight[place]
            candidates = {name: codes[again] for name, codes in candidates.items()}
            candidates[column.name] = candidate[place]
        codes = {
            name: candidates[name] if name in candidates else column.codes[cell]
            for name, column in self.columns.items()
        }
        starts = np.searchsorted(cell, np.arange(first, last))
        worth = self.outcome[codes[self.outcome_name]]
        return Block(slice(first, last), starts, sign, self._design(codes, len(cell)), worth)

    def _design(self, codes: dict[str, Codes], rows: int) -> Floats:
        parts = [np.ones((rows, 1))] if self.intercept else []
        for term in self.terms:
            part = np.ones((rows, 1))
            for factor in term:
                base = self._bases[factor][codes[factor.column]]
                part = (part[:, :, None] * base[:, None, :]).reshape(rows, -1)
            parts.append(part)
        return np.concatenate(parts, axis=1) if parts else np.zeros((rows, 0))

    @cached_property
    def _bases(self) -> dict[Factor, Floats]:
        """For each factor a table: a row for each true value, a column for each coefficient."""
        found = {}
        for term in self.terms:
            for factor in term:
                column = self.columns[factor.column]
                if enters_as_number(column, factor):
                    found[factor] = column.numbers[:, None]
                else:
                    found[factor] = np.eye(len(column.values))[:, 1:]
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the design's columns."""
        found = ["intercept"] if self.intercept else []
        for term in self.terms:
            names = [""]
            for factor in term:
                column = self.columns[factor.column]
                own = (
                    [column.name]
                    if enters_as_number(column, factor)
                    else [f"{column.name}={level}" for level in column.levels()[1:]]
                )
                names = [f"{left}:{right}" if left else right for left in names for right in own]
            found += names
        return tuple(found)


def enters_as_number(column: ModelColumn, factor: Factor) -> bool:
    """Whether a column enters a term as one number."""
    return column.is_number and not factor.as_categories


def _candidates(column: ModelColumn) -> Codes:
    """How many true values may stand behind each released one."""
    assert column.noise is not None
    return np.diff(column.noise.pseudo_rows()[0])


def distinct_rows(columns: Sequence[Codes]) -> tuple[Codes, Codes]:
    """The first row of each distinct combination of codes, and the number of every row's."""
    number = np.zeros(len(columns[0]), dtype=np.intp)
    for codes in columns:
        if len(codes):
            _, number = np.unique(number * (int(codes.max()) + 1) + codes, return_inverse=True)
    _, first, number = np.unique(number, return_index=True, return_inverse=True)
    return first.astype(np.intp), number.astype(np.intp)
